"""An optimisation in a folder: what it supports, what it refuses, and how it goes on."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dspy import lm15

from benchmarks.optimisers.teachable import Teachable, sender_factory
from debriefer.errors import ModelError
from debriefer.models import Budget, Models, ModelSettings, RetryPolicy
from dspy_programs.judge import VideoJudge
from dspy_programs.optimisation.on_tasks import OptimisationStopped, PreparedTask
from dspy_programs.optimisation.optimisers import OptimiserError
from dspy_programs.optimisation.programs import PROGRAMS
from dspy_programs.optimisation.report import markdown
from dspy_programs.optimisation.run import Optimisation, Settings
from dspy_programs.state import load_state
from tests.programs.optimisation.conftest import Tasks, models_over

LIGHT = Settings("bootstrap")


def optimisation(tasks: Tasks, folder: Path, model: Teachable, settings: Settings = LIGHT, **more: Any) -> Optimisation:  # noqa: ANN401
    return Optimisation(PROGRAMS["judge"], settings, tasks.train, tasks.dev, models_over(model), folder, **more)


def test_a_gain_that_the_tasks_support_is_called_one(tasks: Tasks, tmp_path: Path) -> None:
    told: list[str] = []
    model = Teachable()
    result = optimisation(tasks, tmp_path, model, say=told.append).run()
    assert result.status == "improved"
    # Of eight tasks two show the wanted table first, four behind an old one (0.25 each), two not at all (0).
    assert result.comparison.before == pytest.approx((2 + 4 * 0.25) / 8)
    assert result.comparison.after > 0.9
    assert result.parts["false_adopt"][0] == 0.75
    values = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert values == json.loads(json.dumps(result.values))
    assert values["cost"]["requests"] == len(model.asked)
    assert [entry["task"] for entry in values["tasks"]] == [task.name for task in tasks.dev]
    assert {*values["tasks_of"]["train"], *values["tasks_of"]["validation"]} == {task.name for task in tasks.train}
    record = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["record"]
    assert (record["status"], record["after"]) == ("improved", result.comparison.after)
    assert told[0] == "before: at most 8 runs of the program"
    assert any(line.startswith("measured: ") and "(by 8 runs)" in line for line in told)
    assert "| dev_002 | 0.25 | 1.00 |" in markdown(result)
    load_state(VideoJudge(), tmp_path / "state.json")


def test_what_does_not_help_is_not_called_an_improvement_and_saved_with_a_mark(tasks: Tasks, tmp_path: Path) -> None:
    class Deaf(Teachable):
        def answer(self, messages: Any, temperature: float | None) -> str:  # noqa: ANN401
            # Neither instructions nor demonstrations reach it.
            return super().answer([("system", ""), messages[-1]], temperature)

    result = optimisation(tasks, tmp_path, Deaf()).run()
    assert result.status == "not_supported"
    assert result.comparison.difference == 0
    assert result.values["warnings"] == ["the optimiser left the program as it was"]
    assert "Warning: the optimiser left the program as it was." in (tmp_path / "report.md").read_text(encoding="utf-8")
    document = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))
    assert document["record"]["status"] == "not_supported"
    assert "do not support that it is better" in markdown(result)


def test_two_tasks_support_nothing(tasks: Tasks, tmp_path: Path) -> None:
    few = Tasks(tasks.train, tasks.dev[1:3])
    result = optimisation(few, tmp_path, Teachable()).run()
    assert result.comparison.difference_interval.low > 0
    assert result.status == "not_supported"


def test_the_same_run_again_asks_nothing_and_says_the_same(tasks: Tasks, tmp_path: Path) -> None:
    first = optimisation(tasks, tmp_path, Teachable()).run()
    state = (tmp_path / "state.json").read_bytes()
    model = Teachable()
    second = optimisation(tasks, tmp_path, model).run()
    assert model.asked == []
    assert second.values["cost"]["replayed"] == second.values["cost"]["requests"] == first.values["cost"]["requests"]
    assert second.values["scores"] == first.values["scores"]
    assert (tmp_path / "state.json").read_bytes() == state


def test_what_a_program_asks_beside_its_own_model_is_kept_too(tasks: Tasks, tmp_path: Path) -> None:
    def with_note(task: PreparedTask) -> PreparedTask:
        def ask(program: Any, models: Models) -> Any:  # noqa: ANN401
            models.lm("compression")(f"note on {task.name}")
            return task.ask(program, models)

        return dataclasses.replace(task, ask=ask)

    noted = Tasks([with_note(task) for task in tasks.train], [with_note(task) for task in tasks.dev])
    first = Teachable(keep=True)
    result = optimisation(noted, tmp_path, first).run()
    assert sum("note on" in prompt for prompt in first.prompts) == result.values["program_runs"] + 16
    second = Teachable()
    optimisation(noted, tmp_path, second).run()
    assert second.asked == []


@pytest.mark.parametrize("bound", [1, 17, 40])
def test_a_bound_stops_it_anywhere_and_a_higher_one_goes_on(tasks: Tasks, tmp_path: Path, bound: int) -> None:
    short = Teachable()
    with pytest.raises(OptimisationStopped) as caught:
        optimisation(tasks, tmp_path, short, dataclasses.replace(LIGHT, budget=Budget(requests=bound))).run()
    assert f"the budget of {bound} requests" in caught.value.reason
    assert len(short.asked) == bound
    assert not (tmp_path / "result.json").exists()
    rest = Teachable()
    result = optimisation(tasks, tmp_path, rest).run()
    assert bound + len(rest.asked) == result.values["cost"]["requests"]


def failing(model: Teachable, after: int, error: Exception) -> Models:
    send = sender_factory(model)()

    def broken(request: object, seconds: float) -> object:
        if len(model.asked) >= after:
            raise error
        return send(request, seconds)

    policy = RetryPolicy(attempts=1)
    settings = ModelSettings("openai/teachable")
    return Models(settings, sender_factory=lambda *_: broken, policy=policy, environment={})


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (lm15.AuthError("no such key", status=401), "does not answer (auth): no such key"),
        (lm15.ServerError("overloaded", status=503), "does not answer (server_error): overloaded"),
        (lm15.UnsupportedModelError("no such model", status=404), "does not answer (invalid): no such model"),
    ],
)
def test_an_endpoint_that_fails_is_not_taken_for_bad_answers(
    tasks: Tasks, tmp_path: Path, error: Exception, reason: str
) -> None:
    models = failing(Teachable(), 30, error)
    with pytest.raises(OptimisationStopped) as caught:
        Optimisation(PROGRAMS["judge"], LIGHT, tasks.train, tasks.dev, models, tmp_path).run()
    assert reason in caught.value.reason
    result = optimisation(tasks, tmp_path, Teachable()).run()
    assert (result.status, result.values["cost"]["replayed"]) == ("improved", 30)


def test_a_stopped_run_ends_between_two_runs(tasks: Tasks, tmp_path: Path) -> None:
    model = Teachable()
    with pytest.raises(OptimisationStopped, match="the run was stopped"):
        optimisation(tasks, tmp_path, model, stopped=lambda: len(model.asked) >= 20).run()
    assert 20 <= len(model.asked) <= 22


def other_seed(tasks: Tasks) -> tuple[Tasks, Settings]:
    return tasks, dataclasses.replace(LIGHT, seed=1)


def other_tasks(tasks: Tasks) -> tuple[Tasks, Settings]:
    return Tasks(tasks.train, tasks.dev[1:]), LIGHT


@pytest.mark.parametrize(("change", "named"), [(other_seed, "seed differ"), (other_tasks, "dev differ")])
def test_a_folder_holds_one_optimisation(
    tasks: Tasks, tmp_path: Path, change: Callable[[Tasks], tuple[Tasks, Settings]], named: str
) -> None:
    with pytest.raises(OptimisationStopped):
        optimisation(tasks, tmp_path, Teachable(), dataclasses.replace(LIGHT, budget=Budget(requests=1))).run()
    changed, settings = change(tasks)
    with pytest.raises(OptimiserError, match=named):
        optimisation(changed, tmp_path, Teachable(), settings).run()


def test_a_folder_of_something_else_is_left_alone(tasks: Tasks, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text("mine")
    with pytest.raises(OptimiserError, match="holds something else"):
        optimisation(tasks, tmp_path, Teachable()).run()
    assert (tmp_path / "state.json").read_text() == "mine"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "calls.jsonl").write_text("notes\n")
    (tmp_path / "other" / "run.json").write_text(json.dumps(optimisation(tasks, tmp_path, Teachable())._described()))
    with pytest.raises(ModelError, match="no journal of replies"):
        optimisation(tasks, tmp_path / "other", Teachable()).run()


def test_nothing_is_measured_on_what_was_learned_from(tasks: Tasks, tmp_path: Path) -> None:
    with pytest.raises(OptimiserError, match="`dev_001` is learned from and measured on"):
        optimisation(Tasks([*tasks.train, tasks.dev[0]], tasks.dev), tmp_path, Teachable())
    moved = dataclasses.replace(tasks.dev[0], group=tasks.train[0].group)
    with pytest.raises(OptimiserError, match="tasks of `train_group_1` are learned from and measured on"):
        optimisation(Tasks(tasks.train, [moved]), tmp_path, Teachable())
    with pytest.raises(OptimiserError, match="no task to measure on"):
        optimisation(Tasks(tasks.train, []), tmp_path, Teachable())
    with pytest.raises(OptimiserError, match="1 tasks are too few"):
        optimisation(Tasks(tasks.train[:1], tasks.dev), tmp_path, Teachable())
    with pytest.raises(OptimiserError, match="`f1` is no metric of `judge`"):
        optimisation(tasks, tmp_path, Teachable(), Settings("bootstrap", metric="f1"))


def test_sets_that_were_numbered_alike_share_no_tasks(tasks: Tasks, tmp_path: Path) -> None:
    def numbered(found: list[Any]) -> list[Any]:
        names = [f"task_{number}" for number in range(len(found))]
        return [dataclasses.replace(task, name=name, group=name) for task, name in zip(found, names, strict=True)]

    alike = Tasks(numbered(tasks.train), numbered(tasks.dev))
    result = optimisation(alike, tmp_path, Teachable()).run()
    assert result.status == "improved"
    assert result.values["tasks"][0]["task"] == "dev/task_0"


def test_a_bound_on_cost_needs_prices_from_the_start(tasks: Tasks, tmp_path: Path) -> None:
    settings = dataclasses.replace(LIGHT, budget=Budget(requests=None, cost=1.0))
    with pytest.raises(OptimiserError, match="needs the prices of `openai/teachable`"):
        optimisation(tasks, tmp_path, Teachable(), settings)


def test_threads_give_the_same_scores(tasks: Tasks, tmp_path: Path) -> None:
    one = optimisation(tasks, tmp_path / "one", Teachable()).run()
    two = optimisation(tasks, tmp_path / "two", Teachable(), dataclasses.replace(LIGHT, threads=3)).run()
    assert one.values["scores"] == two.values["scores"]
