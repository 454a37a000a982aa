"""Replies as models really write them: read where they can be, answered where they cannot, never fatal."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from debriefer.models import ModelSettings
from debriefer.models.text import MARKERS
from dspy_programs.solver import Call, Solver, SolverResult, settings_for
from dspy_programs.solver.tools import Toolbox
from tests.doubles.script import Answer, Reply, ToolCall, Turn, fields, server_error
from tests.doubles.scripted import scripted_models
from tests.programs.solver_sessions import lay_out, prepare

FORM = "[[ ## thought ## ]]\nx\n\n[[ ## tool_calls ## ]]\n{}\n\n[[ ## completed ## ]]"
CALL = '{"name": "explore_data", "args": {"query": "SELECT 1"}}'
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PICTURE = f'{MARKERS[0]}[{{"type":"image_url","image_url":{{"url":"{PIXEL}"}}}}]{MARKERS[1]}'


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("replies"), "How many?", {"csv/t.csv": "a\n1\n"})


def after(first: Answer, work: Path, *, native: bool = False) -> tuple[SolverResult, list[Turn]]:
    """Return a run whose first reply is `first` and whose second ends it, and what was sent."""

    def script(turn: Turn) -> Answer:
        if turn.number == 0:
            return first
        return Reply("done") if turn.tools else fields(turn, thought="done", tool_calls="[]")

    settings = ModelSettings("openai/scripted", native_tools=native, vision=True)
    models, engine = scripted_models(script, settings)
    with models.using("solver"):
        return Solver(settings_for(settings))(work=work).result, engine.turns


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        FORM.format(f'{{"tool_calls": [{CALL}]}}'),
        FORM.format(f"[{CALL}]"),
        FORM.format(CALL),
        FORM.format(f"```json\n[{CALL}]\n```"),
        FORM.format(CALL.replace('"args"', '"arguments"')),
        FORM.format('{"name": "explore_data", "args": "{\\"query\\": \\"SELECT 1\\"}"}'),
        f'{{"thought": "x", "tool_calls": [{CALL}]}}',
        f'```json\n{{"tool_calls": [{CALL}]}}\n```',
        f"I look.\n<tool_call>\n{CALL.replace('args', 'arguments')}\n</tool_call>",
        "<think>[[ ## tool_calls ## ]]\n[]</think>" + FORM.format(f"[{CALL}]"),
    ],
)
def test_calls_are_read_in_the_forms_that_models_write(reply: str, work: Path, *, native: bool) -> None:
    result, _ = after(Reply(reply), work, native=native)
    assert [(call.tool, call.arguments) for call in result.turns[0].calls] == [("explore_data", {"query": "SELECT 1"})]
    assert result.turns[0].observations[0].text.startswith("1 row")


@pytest.mark.parametrize(
    "reply",
    [
        "I will look at the tables.",
        FORM.format("[" * 5_000),
        FORM.format('{"tool_calls": [{"name": null}]}'),
        FORM.format('{"name": "x", "args": ' + "[" * 3_000 + "]" * 3_000 + "}"),
        "",
    ],
)
def test_what_cannot_be_read_is_answered_in_one_line_and_the_run_goes_on(reply: str, work: Path) -> None:
    result, _ = after(Reply(reply), work)
    assert result.finished
    correction = result.turns[0].correction
    assert correction.startswith("Your reply could not be read: it")
    # The form follows at once; the reply itself is not repeated there.
    assert correction.split("\n\n")[1] == "# Form of each reply"
    assert "Adapter" not in correction


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(PICTURE),
        Reply(f"{PICTURE}\n[[ ## tool_calls ## ]]\nnot JSON {PICTURE}"),
        Reply(FORM.format(json.dumps([{"name": PICTURE, "args": {PICTURE: PICTURE}}]))),
        Reply(FORM.format(json.dumps([{"name": "explore_data", "args": {"query": f"SELECT '{PICTURE}'"}}]))),
        Reply(PICTURE, (ToolCall(PICTURE, {PICTURE: PICTURE}),)),
    ],
)
def test_nothing_that_a_model_says_comes_back_to_it_as_a_picture(reply: Reply, work: Path, *, native: bool) -> None:
    _, turns = after(reply, work, native=native)
    assert [turn.images for turn in turns] == [0] * len(turns)


def test_a_reply_that_was_spent_on_reasoning_is_told_why(work: Path) -> None:
    result, _ = after(Reply("", reasoning="hmm " * 100, finish_reason="length"), work)
    assert "ended at its length limit" in result.turns[0].correction


def test_numbers_that_are_none_are_no_time_limits(work: Path) -> None:
    result, _ = after(Reply(FORM.format('[{"name": "run_solver", "args": {"timeout_seconds": NaN}}]')), work)
    assert result.turns[0].observations[0].refused
    assert "finite number" in result.turns[0].observations[0].text


def test_the_model_is_told_that_few_requests_are_left_though_a_retry_passed_the_mark_over(work: Path) -> None:
    def script(turn: Turn) -> Answer:
        if turn.number == 1:
            return server_error()
        if turn.number == 3:
            # Of twelve requests three were made: nine are left, and ten never were at the end of a turn.
            assert "(9 requests are left: write the query, run it and end)" in turn.last
            return fields(turn, thought="done", tool_calls="[]")
        return fields(turn, thought="look", tool_calls=f"[{CALL}]")

    settings = ModelSettings("openai/scripted")
    models, _ = scripted_models(script, settings)
    with models.using("solver"):
        result = Solver(settings_for(settings, requests=12))(work=work).result
    assert result.finished, result.detail


def test_a_script_gets_no_more_time_than_the_run_has_left(tmp_path: Path) -> None:
    from debriefer.workbench import Workbench  # noqa: PLC0415

    laid = lay_out(tmp_path, "How many?", {"csv/t.csv": "a\n1\n"})
    bench = Workbench.open(prepare(laid, tmp_path / "again"))
    bench.edit(21, 21, _hash(bench, 21), "import time\ntime.sleep(60)\nresult = None")
    began = time.monotonic()
    seen = Toolbox(bench).run(Call(id="a", tool="run_solver", arguments={"timeout_seconds": 500}), seconds=1.5)
    assert seen.text.startswith("FAILED\nerror: the script was stopped after 1.5 s")
    assert time.monotonic() - began < 20


def _hash(bench: object, number: int) -> str:
    text = bench.read_solver(number, 1)  # type: ignore[attr-defined]
    return str(text.splitlines()[1].split("|")[1])
