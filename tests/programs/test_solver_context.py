"""Room in the model's window: prefixes that hold, compression that keeps conclusions, cuts that can be seen."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.models import Budget, Meter, count_tokens
from dspy_programs.solver import Call, Notes, Observation, Solver, SolverResult, SolverSettings, Turn, render_transcript
from dspy_programs.solver.context import Window, cut, digest
from dspy_programs.solver.evidence import Evidence
from dspy_programs.solver.prompt import Briefing
from tests.programs.solver_sessions import Engine, Say, Seen, call, lay_out, say, text_of, write_query

# The question needs a number that only an early observation shows: 4711 is the limit of site 7.
SITES = "site,upper_limit\n" + "".join(f"{n},{4711 if n == 7 else 1000 + n}\n" for n in range(40))
READINGS = "site,reading,remark\n" + "".join(f"7,{4700 + n},{'x' * 150}\n" for n in range(300))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"csv/sites.csv": SITES, "csv/readings.csv": READINGS}
    return lay_out(tmp_path_factory.mktemp("sites"), "How many readings of site 7 exceed its limit?", files)


@pytest.fixture
def work(prepared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(prepared, tmp_path / "work")


def run(engine: Engine, work: Path, **settings: object) -> SolverResult:
    with engine.models().using("solver"):
        return Solver(SolverSettings(native_tools=engine.native, **settings))(work=work).result


def messages(seen: Seen) -> str:
    """Return a request as one text in the order in which a provider reads it."""
    return "\x1e".join([seen.system, *(f"{message.role}\x1f{text_of(message)}" for message in seen.request.messages)])


def curious(seen: Seen) -> Iterator[Say]:
    seen = yield say("The limit.", call("explore_data", query="SELECT upper_limit FROM sites WHERE site = 7"))
    assert "4711" in seen.last
    for offset in range(0, 240, 40):
        seen = yield say(
            f"Rows from {offset}.",
            call("explore_data", query=f"SELECT * FROM readings LIMIT 40 OFFSET {offset}", limit=40),
        )
        # The newest output is always whole: its first and its last row.
        assert str(4700 + offset) in seen.last
        assert str(4700 + offset + 39) in seen.last
        assert "cut here" not in seen.last
    # Only the conclusion can still know the limit: the observation that showed it is gone.
    conclusion = next(line for line in seen.text.splitlines() if "upper_limit of site 7 is" in line)
    limit = int(conclusion.rsplit(" ", 1)[1])
    seen = yield say("", call("read_solver"))
    yield say(
        "", write_query(seen, f"SELECT count(*) FROM readings WHERE reading > {limit}", "aggregate"), call("run_solver")
    )
    yield say("done")


def conclude(seen: Seen) -> str:
    """Compress as a model would: keep the limit if these turns show it."""
    turns = seen.texts[-1]
    found = (
        ["upper_limit of site 7 is 4711"] if "SELECT upper_limit" in turns and "4711" in turns else ["remarks are x"]
    )
    return (
        f"[[ ## conclusions ## ]]\n{json.dumps(found)}\n\n[[ ## withdrawn ## ]]\n[]\n\n"
        "[[ ## next_step ## ]]\nlook at more readings\n\n[[ ## completed ## ]]"
    )


@pytest.mark.parametrize("native", [False, True])
def test_each_request_repeats_the_one_before_and_adds_to_it(work: Path, *, native: bool) -> None:
    def script(_: Seen) -> Iterator[Say]:
        yield say("a", call("explore_data", query="\\tables"), call("explore_data", query="\\schema sites"))
        yield Say(raw="" if native else "no form")
        yield say("b", call("read_solver"))
        yield say("done")

    engine = Engine(script, native=native)
    run(engine, work)
    texts = [messages(seen) for seen in engine.seen]
    shares = []
    for earlier, later in itertools.pairwise(texts):
        shared = next((i for i, (a, b) in enumerate(zip(earlier, later, strict=False)) if a != b), len(earlier))
        shares.append(shared / len(earlier))
    assert shares == [1.0, 1.0, 1.0]


def test_two_runs_of_a_task_send_the_same_bytes(work: Path) -> None:
    def script(_: Seen) -> Iterator[Say]:
        yield say("a", call("explore_data", query="\\tables"))
        yield say("done")

    first, second = Engine(script), Engine(script)
    run(first, work)
    run(second, work)
    assert [messages(seen) for seen in first.seen] == [messages(seen) for seen in second.seen]


@pytest.mark.parametrize("native", [False, True])
def test_compression_keeps_the_conclusion_and_the_newest_output_whole(work: Path, *, native: bool) -> None:
    # The engine refuses what is longer than its window, as a real one does.
    engine = Engine(curious, native=native, window=16_000, compress=conclude)
    result = run(engine, work, context_window=16_000, reply_tokens=1_000)
    assert result.finished, result.detail
    assert result.compressions
    assert all(compression.by_model for compression in result.compressions)
    assert all(after < before for before, after in (compression.tokens for compression in result.compressions))
    # Readings 4712 to 4999.
    assert result.prediction is not None
    assert result.prediction.read_text(encoding="utf-8").splitlines()[1:] == ["288"]
    # The transcript keeps what the model was no longer shown.
    assert "4711" in result.turns[0].observations[0].text
    assert result.notes is not None
    assert result.notes.conclusions[0] == (1, "upper_limit of site 7 is 4711")
    printed = render_transcript(result)
    assert "turns compressed by the model: about" in printed
    assert "  1. upper_limit of site 7 is 4711" in printed
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


def test_a_window_smaller_than_it_is_said_to_be_is_found_out(work: Path) -> None:
    engine = Engine(curious, window=12_000, compress=conclude)
    result = run(engine, work, context_window=40_000, reply_tokens=1_000)
    assert result.finished, result.detail
    assert result.compressions


def test_a_compression_that_fails_is_done_by_rule(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say(
            "The limit matters.", call("explore_data", query="SELECT upper_limit FROM sites WHERE site = 7")
        )
        for offset in range(0, 240, 40):
            seen = yield say("", call("explore_data", query=f"SELECT * FROM readings LIMIT 40 OFFSET {offset}"))
        assert "Turn 1: The limit matters." in seen.text
        assert "4711" in seen.text
        yield say("done")

    engine = Engine(script, window=16_000, compress=lambda _: "I would rather not.")
    result = run(engine, work, context_window=16_000, reply_tokens=1_000)
    assert result.finished, result.detail
    assert not result.compressions[0].by_model


def test_an_output_longer_than_the_window_is_cut_in_sight(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("explore_data", query="SELECT * FROM readings", limit=300))
        assert "lines are cut here: this output is longer than your window allows" in seen.last
        # Head and end are there.
        assert "4700" in seen.last
        assert "4999" in seen.last
        yield say("done")

    result = run(Engine(script, window=16_000), work, context_window=16_000, reply_tokens=1_000)
    assert result.finished, result.detail
    assert "cut here" not in result.turns[0].observations[0].text


def test_compressions_count_against_the_requests(work: Path) -> None:
    engine = Engine(curious, window=16_000, compress=conclude)
    result = run(engine, work, context_window=16_000, reply_tokens=1_000)
    assert result.requests == len(engine.requests) == len(result.turns) + len(result.compressions)


def test_the_notes_keep_their_numbers_and_only_withdrawn_ones_go() -> None:
    window = _window(room=10_000)
    first = window.add(None, ["a is 1", "b is 2"], (), "look at c", 3)
    second = window.add(first, ["c is 3", "a is 1"], (2, 99), "write", 2)
    assert second == Notes(conclusions=((1, "a is 1"), (3, "c is 3")), next_step="write", turns=5)


def test_notes_that_outgrow_their_share_lose_the_oldest_and_say_so() -> None:
    window = _window(room=1_000)
    notes = window.add(None, [f"conclusion {n} {'word ' * 20}" for n in range(40)], (), "", 1)
    assert notes.dropped > 0
    assert notes.conclusions[-1][0] == 40
    assert f"({notes.dropped} of the oldest conclusions were left out" in notes.text()


def test_a_digest_by_rule_names_thought_call_and_answer() -> None:
    turn = Turn(
        number=4,
        thought="Which spelling?",
        calls=(Call(id="c", tool="explore_data", arguments={"query": "SELECT 1"}),),
        observations=(Observation(call_id="c", tool="explore_data", text="1 row\n1"),),
    )
    assert digest([turn]) == ['Turn 4: Which spelling?; explore_data({"query": "SELECT 1"}) → 1 row 1']


@given(st.text(alphabet="ab \n", max_size=400), st.integers(min_value=30, max_value=120))
def test_a_cut_is_whole_or_says_how_much_is_missing(text: str, tokens: int) -> None:
    shown = cut(text, tokens, len, "ask for less")
    if len(text) <= tokens:
        assert shown == text
    else:
        assert "cut here: ask for less" in shown
        kept = [line for line in shown.splitlines() if "cut here" not in line]
        assert len(kept) < max(2, len(text.splitlines()))


def _window(room: int) -> Window:
    briefing = Briefing(rules="", knowledge="", evidence=Evidence(tables=" "), asked="", question="")
    return Window(briefing, fixed_text="", window=int(room / 0.85) + 60, reply_tokens=0, count=count_tokens)


def test_a_budget_of_the_block_stops_the_run(work: Path) -> None:
    def script(_: Seen) -> Iterator[Say]:
        while True:
            yield say("again", call("explore_data", query="SELECT 1"))

    engine = Engine(script)
    with engine.models().using("solver", Meter(Budget(requests=3))):
        result = Solver(SolverSettings())(work=work).result
    assert (result.reason, result.requests, len(engine.requests)) == ("budget", 3, 3)
    assert "3 requests" in result.detail


def test_a_window_too_small_for_the_first_request_is_briefed_for_again(work: Path) -> None:
    # Two tables and the notes of a task that would fill 200 000 tokens, on a model that takes 8 000.
    (work / "context" / "knowledge.md").write_text("\n\n".join(f"## Note {n}\n{'word ' * 50}" for n in range(400)))

    def script(seen: Seen) -> Iterator[Say]:
        assert "are left out, those kept share most with the question" in seen.text
        yield say("done")

    result = run(Engine(script, window=8_000), work, context_window=200_000)
    assert result.finished, result.detail


def test_an_output_too_long_for_the_real_window_is_cut_from_the_whole(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("explore_data", query="SELECT * FROM readings", limit=300))
        assert seen.last.count("lines are cut here") == 1
        assert "of 302 lines are cut here" in seen.last
        yield say("done")

    result = run(Engine(script, window=12_000), work, context_window=60_000)
    assert result.finished, result.detail


def test_time_that_runs_out_between_two_calls_ends_the_run(work: Path) -> None:
    now = [0.0]

    def script(_: Seen) -> Iterator[Say]:
        now[0] = 100.0
        yield say("", call("explore_data", query="SELECT 1"), call("run_solver"))

    engine = Engine(script)
    with engine.models().using("solver", Meter(Budget(seconds=60), clock=lambda: now[0])):
        result = Solver()(work=work).result
    assert (result.reason, result.turns, len(engine.requests)) == ("budget", (), 1)
    assert "60 seconds" in result.detail


def test_an_endpoint_that_fails_ends_the_run_with_its_error_in_one_line(work: Path) -> None:
    def script(_: Seen) -> Iterator[Say]:
        yield say("", call("explore_data", query="SELECT 1"))
        message = "the endpoint is on fire\nand this is its traceback"
        raise RuntimeError(message)

    result = run(Engine(script), work)
    assert (result.finished, result.reason) == (False, "model error")
    assert "on fire" in result.detail
    assert "traceback" not in result.detail
    assert len(result.turns) == 1


def test_another_model_can_do_the_compression(work: Path) -> None:
    solving = Engine(curious, window=16_000)
    compressing = Engine(curious, compress=conclude)
    with solving.models().using("solver"):
        solver = Solver(SolverSettings(context_window=16_000, reply_tokens=1_000))
        result = solver(work=work, compression_lm=compressing.models().lm("compression")).result
    assert result.finished, result.detail
    assert len(compressing.requests) == len(result.compressions) > 0
    assert all(seen.compresses for seen in compressing.seen)
    assert not any(seen.compresses for seen in solving.seen)


def test_a_model_that_compresses_in_a_smaller_window_is_sent_smaller_pieces(work: Path) -> None:
    sizes: list[int] = []

    def compress(seen: Seen) -> str:
        sizes.append(count_tokens(seen.texts[-1]))
        return conclude(seen)

    engine = Engine(curious, window=16_000, compress=compress)
    result = run(engine, work, context_window=16_000, reply_tokens=1_000, compression_window=3_000)
    assert result.finished, result.detail
    assert all(compression.by_model for compression in result.compressions)
    # A turn here has about 4,000 tokens; what is sent is cut in sight.
    assert max(sizes) < 3_000
    assert "288" in (result.prediction.read_text(encoding="utf-8") if result.prediction else "")
