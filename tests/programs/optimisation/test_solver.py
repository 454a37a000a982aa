"""The Solver compiled on real working copies: what it asks does not depend on where they stand."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from debriefer.datasets import load
from debriefer.models import Budget, Models, ModelSettings
from dspy_programs.datasets import examples
from dspy_programs.optimisation.on_tasks import OptimisationStopped, PreparedTask
from dspy_programs.optimisation.programs import PROGRAMS, prepared_tasks
from dspy_programs.optimisation.run import Optimisation, Settings
from tests.programs.solver_sessions import Engine, Say, Seen, call, say, write_query

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CITIES = ("Ulm", "Bern", "Graz", "Linz")


def write(folder: Path, name: str, number: int) -> None:
    """A task whose answer has each city once, and whose table repeats it from the second task on."""
    city = CITIES[number % len(CITIES)]
    task = folder / "input" / name
    (task / "context" / "csv").mkdir(parents=True)
    (task / "task.json").write_text(
        json.dumps({"task_id": name, "question": f"Which cities have open orders, such as {city}?", "group": name})
    )
    twice = "" if number % 2 == 0 else f"2,{city},open\n"
    (task / "context" / "csv" / "orders.csv").write_text(f"id,city,state\n1,{city},open\n{twice}3,Rom{number},open\n")
    (folder / "output" / name).mkdir(parents=True)
    with (folder / "output" / name / "gold.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["city"], [city], [f"Rom{number}"]])


def imitator(seen: Seen) -> Iterator[Say]:
    """A model that repeats rows unless it is shown a good turn from another task."""
    distinct = "DISTINCT " if "Good turns from other tasks" in seen.system else ""
    seen = yield say("Which lines?", call("read_solver"))
    seen = yield say(
        "Write.", write_query(seen, f"SELECT {distinct}city FROM orders WHERE state = 'open'", "c"), call("run_solver")
    )
    yield say("Delivered.")


class Model:
    def __init__(self) -> None:
        self.requests = 0
        self._engines: list[Engine] = []

    def models(self) -> Models:
        def send(request: object, _seconds: float) -> object:
            self.requests += 1
            # After a restart a conversation may go on in its middle: it is played again from its beginning.
            replies = sum(message.role == "assistant" for message in request.messages)  # type: ignore[attr-defined]
            if replies == 0 or not self._engines:
                self._engines.append(Engine(imitator))
            return self._engines[-1].complete(request)  # type: ignore[arg-type]

        return Models(ModelSettings("openai/scripted"), sender_factory=lambda *_: send, environment={})


def prepared(data: Path, work: Path, models: Models) -> list[PreparedTask]:
    labelled = load(data)
    found = examples(labelled, "solver", work, model=models.settings("solver"))
    return prepared_tasks(PROGRAMS["solver"], found, questions={task.name: task.name for task in labelled})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for number in range(2):
        write(folder / "train", f"learn_{number}", number)
    for number in range(2):
        write(folder / "dev", f"dev_{number}", number)
    return folder


def optimised(data: Path, folder: Path, work: Path, model: Model, requests: int | None = None) -> Optimisation:
    models = model.models()
    train, dev = prepared(data / "train", work / "train", models), prepared(data / "dev", work / "dev", models)
    settings = Settings("bootstrap", budget=Budget(requests=requests))
    return Optimisation(PROGRAMS["solver"], settings, train, dev, models, folder)


def test_a_stopped_run_goes_on_in_another_place(data: Path, tmp_path: Path) -> None:
    whole = Model()
    result = optimised(data, tmp_path / "whole", tmp_path / "work", whole).run()
    # Both development tasks moved or stood: two are too few to support anything.
    assert result.status == "not_supported"
    assert result.comparison.after >= result.comparison.before

    stopped = Model()
    # Three requests a run: the bound falls between two runs.
    with pytest.raises(OptimisationStopped, match="of 9 requests is used up"):
        optimised(data, tmp_path / "parts", tmp_path / "here", stopped, requests=9).run()
    assert stopped.requests == 9
    again = Model()
    resumed = optimised(data, tmp_path / "parts", tmp_path / "there", again).run()
    # Working copies stand elsewhere, and nothing is asked twice.
    assert stopped.requests + again.requests == whole.requests
    assert resumed.values["scores"] == result.values["scores"]
    assert (tmp_path / "parts" / "state.json").read_bytes() == (tmp_path / "whole" / "state.json").read_bytes()
