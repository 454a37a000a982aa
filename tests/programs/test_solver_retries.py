"""Attempts after the first: told why the last was rejected, sampled differently, and otherwise the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from debriefer.models import Budget, Models, ModelSettings
from debriefer.pipeline import RunSettings, solve
from dspy_programs.solver import Retry, Solver, SolverSettings
from tests.doubles.script import Answer, Fault, Turn, fields
from tests.doubles.scripted import scripted_models
from tests.programs.solver_sessions import Engine, Say, Seen, call, lay_out, say, text_of


def look_and_end(_: Seen) -> Iterator[Say]:
    yield say("Look.", call("explore_data", query="SELECT * FROM t"))
    yield say("Done.")


def asked(work: Path, retry: Retry | None, temperature: float | None = 0.0) -> Engine:
    engine = Engine(look_and_end)
    models = Models(
        ModelSettings("openai/scripted", temperature=temperature),
        sender_factory=lambda *_: lambda request, _seconds: engine.complete(request),
        environment={},
    )
    with models.using("solver"):
        Solver(SolverSettings(temperature=temperature))(work=work, retry=retry)
    return engine


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("retries"), "How many?", {"csv/t.csv": "a\n1\n"})


def test_an_attempt_differs_from_the_one_before_only_by_its_remark_and_its_temperature(work: Path) -> None:
    first, second, third = (
        asked(work, retry).requests
        for retry in (None, Retry(2, "no prediction"), Retry(3, "budget", "the budget of 80 requests is used up"))
    )
    assert [request.config.temperature for request in (*first, *second, *third)] == [0.0, 0.0, 0.25, 0.25, 0.5, 0.5]
    one, two = text_of(first[0].messages[0]), text_of(second[0].messages[0])
    # Everything that providers cache is shared: the system message, and the task up to the remark at its end.
    assert second[0].system == first[0].system
    assert two.startswith(one.rstrip("\n"))
    assert "rejected: it ended without a `prediction.csv`" in two.removeprefix(one.rstrip("\n"))
    assert "it ran out of requests, tokens or time" in text_of(third[0].messages[0])
    # Within the attempt the prefix holds as ever.
    assert text_of(second[1].messages[0]) == two


def test_a_repeated_attempt_is_sampled_the_same(work: Path) -> None:
    once, again = (asked(work, Retry(4, "exception")).requests for _ in range(2))
    assert [(r.system, r.messages, r.config) for r in once] == [(r.system, r.messages, r.config) for r in again]


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [(0.0, [0.25, 0.5, 0.75, 1.0]), (0.6, [0.85, 1.0, 1.0, 1.0]), (1.3, [1.3] * 4), (None, [0.7, 0.8, 0.9, 1.0])],
)
def test_temperatures_rise_and_never_fall(temperature: float | None, expected: list[float]) -> None:
    configs = [Retry(number, "budget").config(temperature) for number in range(2, 6)]
    assert [config["temperature"] for config in configs] == expected
    assert not any(config["cache"] for config in configs)


def test_a_model_that_repeats_itself_at_temperature_zero_gets_out_of_the_rut(tmp_path: Path) -> None:
    """The double is deterministic: the same request gets the same reply, as from a real model at temperature 0."""
    temperatures: list[float | None] = []

    def script(turn: Turn) -> Answer:
        temperatures.append(turn.temperature)
        if turn.temperature == 0.0:
            return fields(turn, thought="42", tool_calls=json.dumps({"tool_calls": []}))
        return Fault(status=401, message="enough seen")

    task = tmp_path / "task"
    (task / "context").mkdir(parents=True)
    (task / "context" / "t.csv").write_text("a\n1\n")
    (task / "task.json").write_text(json.dumps({"task_id": "t", "question": "How many?"}))
    models, engine = scripted_models(script, ModelSettings("openai/scripted", temperature=0.0))
    settings = RunSettings(budget=Budget(requests=5), offline_fallback=False)
    outcome = solve(task, tmp_path / "out", models=models, settings=settings)
    assert [attempt.reason for attempt in outcome.attempts] == ["no prediction", "model error"]
    assert temperatures == [0.0, 0.25]
    assert "This is attempt 2" in engine.turns[1].text
    # The transcript of the second attempt says what it was told.
    log = tmp_path / "out" / "logs" / "t" / "attempts" / "2" / "transcript.json"
    assert "This is attempt 2" in json.loads(log.read_text())["briefing"]["question"]
    assert "**Told at the start:** This is attempt 2" in log.with_suffix(".md").read_text()
