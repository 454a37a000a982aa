"""Whole runs of the Solver, with a scripted model in process and the real workbench."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dspy_programs.solver import Solver, SolverResult, SolverSettings, render_transcript
from tests.programs.solver_sessions import Engine, Say, Seen, call, lay_out, say, write_query

TRANSFERS = (
    "secucode,name,sum_before_tran,pct_before_tran\n"
    "000021,深科技,1200000,3.25\n"
    "300707,威唐工业,5000000,\n"
    "300707,威唐工业,5000000,\n"
    "300707,威唐工业,2750000,4.1\n"
)
QUESTION = "显示300707的出让前持股数量和出让前持股比例"
SQL = "SELECT sum_before_tran, pct_before_tran\nFROM lc_sharetransfer\nWHERE secucode = '300707'"
# The two columns of the three records of 300707, in source spelling; the empty cell is a NULL.
RECORDS = ["5000000,", "5000000,", "2750000,4.1"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"knowledge.md": "# 字段\n出让前持股数量: sum_before_tran\n", "csv/lc_sharetransfer.csv": TRANSFERS}
    return lay_out(tmp_path_factory.mktemp("transfers"), QUESTION, files)


@pytest.fixture
def work(prepared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(prepared, tmp_path / "work")


def solve(engine: Engine, work: Path, **settings: object) -> SolverResult:
    solver = Solver(SolverSettings(native_tools=engine.native, **settings))
    with engine.models().using("solver"):
        return solver(work=work).result


def rows(result: SolverResult) -> list[str]:
    assert result.prediction is not None
    return result.prediction.read_text(encoding="utf-8").splitlines()[1:]


def direct(seen: Seen) -> Iterator[Say]:
    seen = yield say("Which table holds transfers?", call("explore_data", query="\\tables"))
    assert "lc_sharetransfer" in seen.last
    seen = yield say("The fields and the grain.", call("explore_data", query="\\schema lc_sharetransfer"))
    seen = yield say(
        "How many records?",
        call("explore_data", query="SELECT count(*) FROM lc_sharetransfer WHERE secucode = '300707'"),
    )
    assert "3" in seen.last
    seen = yield say("Where may I write?", call("read_solver"))
    seen = yield say("Raw records, two columns.", write_query(seen, SQL, "raw records; duplicates and NULL kept"))
    seen = yield say("Run.", call("run_solver"))
    assert seen.last.split("OK", 1)[1].lstrip().startswith("3 rows, 2 columns")
    yield say("Delivered the three records of 300707 with the two requested columns.")


@pytest.mark.parametrize("native", [False, True])
def test_the_example_of_the_specification_is_solved_as_raw_records(work: Path, *, native: bool) -> None:
    result = solve(Engine(direct, native=native), work)
    assert (result.finished, result.reason, result.requests) == (True, "finished", 7)
    assert rows(result) == RECORDS
    assert result.message.startswith("Delivered the three records")
    script = (work / "workdir" / "solver.py").read_text(encoding="utf-8")
    assert "# raw records; duplicates and NULL kept" in script


@pytest.mark.parametrize("native", [False, True])
def test_a_failing_statement_is_repaired_from_its_error(work: Path, *, native: bool) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("read_solver"))
        wrong = SQL.replace("pct_before_tran", "pct_before_trans")
        seen = yield say("", write_query(seen, wrong, "raw records"), call("run_solver"))
        assert "FAILED" in seen.last
        # The right name is taken from the error's suggestion.
        assert "pct_before_tran`" in seen.last or '"pct_before_tran"' in seen.last or "pct_before_tran" in seen.last
        seen = yield say("", write_query(seen, SQL, "raw records"), call("run_solver"))
        assert "3 rows, 2 columns" in seen.last
        yield say("done")

    result = solve(Engine(script, native=native), work)
    assert result.finished
    assert rows(result) == RECORDS


def test_a_wrong_hash_is_repaired_with_the_one_that_the_refusal_names(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("read_solver"))
        line, right = seen.line("result = None")
        wrong = "aa" if right != "aa" else "bb"
        content = f'result = run_sql("""{SQL}""")'
        edit = {"start_line": line, "end_line": line, "new_content": content}
        seen = yield say("", call("edit_solver", start_hash=wrong, **edit))
        named = seen.last.split("start_hash=")[1][:2]
        seen = yield say("", call("edit_solver", start_hash=named, **edit), call("run_solver"))
        yield say("done")

    assert rows(solve(Engine(script), work)) == RECORDS


def test_a_run_without_output_is_told_so_and_repaired(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("read_solver"), call("run_solver"))
        assert "NO OUTPUT" in seen.last
        yield say("", write_query(seen, SQL, "raw records"), call("run_solver"))
        yield say("done")

    assert rows(solve(Engine(script), work)) == RECORDS


@pytest.mark.parametrize("native", [False, True])
def test_calls_of_one_turn_run_in_order(work: Path, *, native: bool) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("read_solver"))
        seen = yield say(
            "",
            write_query(seen, "SELECT 1 AS first", "one"),
            call("run_solver"),
            call("explore_data", query="SELECT 42 AS answer"),
        )
        edit, run, answer = seen.last.index("replaced by"), seen.last.index("OK"), seen.last.index("42")
        assert edit < run < answer
        yield say("done")

    result = solve(Engine(script, native=native), work)
    assert [observation.tool for observation in result.turns[1].observations] == [
        "edit_solver",
        "run_solver",
        "explore_data",
    ]
    assert rows(result) == ["1"]


def test_an_unknown_tool_and_bad_arguments_are_answered_with_what_is_right(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say(
            "",
            call("explore_dta", query="\\tables"),
            call("explore_data", sql="SELECT 1"),
            call("read_solver", start_line="first"),
            call("edit_solver", start_line=1),
            call("explore_data", query="SELECT 7 AS seven", limit="5"),
        )
        assert "there is no tool `explore_dta`" in seen.last
        assert "did you mean `explore_data`?" in seen.last
        assert "`query` is missing" in seen.last
        assert "there is no argument `sql`" in seen.last
        assert "right: explore_data(query: string, limit: integer = 50)" in seen.last
        assert "`start_line`: input should be a valid integer" in seen.last
        assert "got 'first'" in seen.last
        assert "`new_content` is missing" in seen.last
        assert "seven" in seen.last
        yield say("done")

    result = solve(Engine(script), work)
    assert [observation.refused for observation in result.turns[0].observations] == [True, True, True, True, False]


@pytest.mark.parametrize(
    "raw",
    [
        "I will now look at the tables.",
        "[[ ## thought ## ]]\nlook\n\n[[ ## tool_calls ## ]]\nexplore_data(tables)\n\n[[ ## completed ## ]]",
        '[[ ## thought ## ]]\nlook\n\n[[ ## tool_calls ## ]]\n{"tool_calls": [{"nam',
        "",
    ],
)
def test_a_turn_that_cannot_be_read_is_corrected_and_the_run_goes_on(work: Path, raw: str) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield Say(raw=raw)
        assert "could not be read" in seen.last
        assert "[[ ## tool_calls ## ]]" in seen.last
        seen = yield say("Once more.", call("explore_data", query="SELECT 41 + 1 AS n"))
        assert "42" in seen.last
        yield say("done")

    engine = Engine(script)
    result = solve(engine, work)
    assert result.finished
    assert result.turns[0].unreadable == (raw or "(empty reply)")
    # One request for the unreadable reply: no silent second try.
    assert len(engine.requests) == result.requests == 3


def test_an_empty_native_reply_is_corrected(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield Say(raw="")
        assert "could not be read" in seen.last
        yield say("done")

    assert solve(Engine(script, native=True), work).finished


def test_unreadable_turns_without_end_end_the_run(work: Path) -> None:
    def script(_: Seen) -> Iterator[Say]:
        while True:
            yield Say(raw="no form at all")

    result = solve(Engine(script), work, unreadable_replies=3)
    assert (result.finished, result.reason, result.requests) == (False, "unreadable replies", 3)


@pytest.mark.parametrize("native", [False, True])
def test_tool_calls_that_leak_into_the_text_are_made(work: Path, *, native: bool) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield Say(
            raw='Let me look.\n<tool_call>\n{"name": "explore_data", '
            '"arguments": {"query": "SELECT 41 + 1 AS n"}}\n</tool_call>'
        )
        assert "42" in seen.last
        yield say("done")

    result = solve(Engine(script, native=native), work)
    assert result.turns[0].thought == "Let me look."
    assert result.finished


def test_calls_without_end_in_one_reply_are_not_all_made(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", *(call("explore_data", query=f"SELECT {n} AS n") for n in range(40)))
        assert seen.last.count("at most 16 calls of one reply are made") == 24
        yield say("done")

    assert solve(Engine(script, native=True), work).finished


def test_a_repeated_call_with_the_same_answer_is_remarked(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        count = call("explore_data", query="SELECT count(*) FROM lc_sharetransfer")
        seen = yield say("", count)
        assert "same answer" not in seen.last
        yield say("", call("read_solver"))
        seen = yield say("", count)
        assert "(the same call gave the same answer in turn 1)" in seen.last
        seen = yield say("", count)
        assert seen.last.count("the same call gave the same answer") == 1
        yield say("done")

    assert solve(Engine(script), work).finished


def test_a_turn_without_calls_ends_the_run_even_without_a_prediction(work: Path) -> None:
    def script(_: Seen) -> Iterator[Say]:
        yield say("I give up.")

    result = solve(Engine(script), work)
    assert (result.finished, result.prediction, result.message) == (True, None, "I give up.")


def test_the_request_limit_stops_the_run_at_the_very_request(work: Path) -> None:
    told = []

    def script(_: Seen) -> Iterator[Say]:
        while True:
            seen = yield say("again", call("explore_data", query="SELECT 1"))
            if "requests are left" in seen.last:
                told.append(int(seen.last.split("(")[-1].split(" requests")[0]))

    engine = Engine(script)
    result = solve(engine, work)
    # As the model saw it, in time to bring the run to its end.
    assert told == [10, 4, 1]
    assert (result.finished, result.reason) == (False, "budget")
    assert len(engine.requests) == 80
    assert "80 requests" in result.detail


def test_a_run_starts_from_a_pristine_script_and_without_a_stale_prediction(work: Path) -> None:
    assert solve(Engine(direct), work).prediction is not None

    def script(seen: Seen) -> Iterator[Say]:
        seen = yield say("", call("read_solver"))
        seen.line("result = None")
        yield say("done")

    assert solve(Engine(script), work).prediction is None


async def run_async(engine: Engine, work: Path) -> SolverResult:
    with engine.models().using("solver"):
        return (await Solver(SolverSettings(native_tools=engine.native)).acall(work=work)).result


def test_the_asynchronous_run_is_the_same(work: Path) -> None:
    result = asyncio.run(run_async(Engine(direct, native=True), work))
    assert result.turns == solve(Engine(direct, native=True), work).turns
    assert rows(result) == RECORDS


def test_the_transcript_reads_as_what_was_thought_done_and_seen(work: Path) -> None:
    def script(seen: Seen) -> Iterator[Say]:
        yield Say(raw="no form")
        seen = yield say("Look at 60 numbers.", call("explore_data", query="SELECT * FROM range(60)", limit=60))
        seen = yield say("", call("read_solver"))
        yield say("Write.", write_query(seen, SQL, "raw records"), call("run_solver"))
        yield say("Delivered.")

    lines = render_transcript(solve(Engine(script), work)).splitlines()
    assert lines[1] == f"Question: {QUESTION}"
    shown = [
        "── Turn 1",
        "reply that could not be read:",
        "  no form",
        "told: Your reply could not be read: it has no `[[ ## tool_calls ## ]]` section",
        "── Turn 2",
        "Look at 60 numbers.",
        "→ explore_data(query=SELECT * FROM range(60), limit=60)",
        "  │ (22 more lines)",
        "── Turn 4",
        "Write.",
        "  new_content:",
        "    # raw records",
        "  │ OK",
        "  │ 3 rows, 2 columns",
        "── Turn 5",
        "Delivered.",
        "prediction: prediction.csv",
    ]
    places = [lines.index(line) for line in shown]
    assert places == sorted(places)
