"""Compiles the judge with every optimiser against a scripted model that can be taught.

`python -m benchmarks.suites.optimizers [--optimizers NAME …] [--train N] [--dev N] [--folder DIR] [--json]`

The model (`benchmarks.optimisers.teachable`) reads its answer off the prompt, and answers better where that holds a
demonstration or a good instruction. Per optimiser: the score on the development tasks before and after with its
interval, whether the improvement is one that the interval supports, and whether the saved state gives the same in a
fresh process: every prompt byte for byte, and the same scores. Figures: `improved`, `reproduced` (of the optimisers),
`calls`, and the scores of each. No network, no real model: what is measured is the machinery.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.optimisers.tasks import make
from benchmarks.optimisers.teachable import Teachable, sender_factory
from benchmarks.report import emit, print_table
from debriefer.datasets import load
from debriefer.models import Budget, Models, ModelSettings
from debriefer.task import Task
from dspy_programs.datasets import examples
from dspy_programs.optimisation.on_tasks import Bench, BudgetMeter, OnTasks, PreparedTask, evaluate, metric_on
from dspy_programs.optimisation.optimisers import OPTIMIZERS
from dspy_programs.optimisation.programs import PROGRAMS, prepared_tasks
from dspy_programs.optimisation.run import Optimisation, Result, Settings
from dspy_programs.state import load_state

_ENTRY = PROGRAMS["judge"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program asked on the development tasks, and what it was worth.

    Attributes:
        prompts: Digest of each prompt, in order.
        scores: A score a task.
    """

    prompts: list[str]
    scores: list[float]


@dataclass(frozen=True, slots=True)
class Compiled:
    """One optimiser's result.

    Attributes:
        optimizer: Its name.
        result: What came of it.
        calls: Requests that it took, before and after included.
        reproduced: Whether the state gives the same in a fresh process.
        seconds: Wall time of the optimisation.
    """

    optimizer: str
    result: Result
    calls: int
    reproduced: bool
    seconds: float


def tasks_of(data: Path, work: Path, models: Models) -> list[PreparedTask]:
    labelled = load(data)
    questions = {task.name: Task.open(task.task_dir).question for task in labelled}
    found = examples(labelled, _ENTRY.labelled, work, model=models.settings(_ENTRY.role))
    return prepared_tasks(_ENTRY, found, questions=questions)


def models_over(model: Teachable) -> Models:
    return Models(ModelSettings("openai/teachable"), sender_factory=sender_factory(model), environment={})


def asked(program: Any, dev: Sequence[PreparedTask]) -> Asked:  # noqa: ANN401 -- DSPy has no types
    """Run a program on the development tasks with a model that has not been asked before."""
    model = Teachable()
    models = models_over(model)
    bench = Bench(dev, BudgetMeter(Budget(requests=None)), models)
    with models.using(_ENTRY.role):
        grades = evaluate(OnTasks(program, bench), dev, metric_on(bench, next(iter(_ENTRY.metrics.values()))))
    return Asked(model.asked, [grade.score for grade in grades])


def in_a_fresh_process(state: Path, data: Path, work: Path) -> Asked:
    # Sets and dictionaries come in another order there.
    environment = {**os.environ, "PYTHONHASHSEED": "42"}
    command = [sys.executable, "-m", "benchmarks.suites.optimizers", "--reproduce", str(state), str(data), str(work)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Asked(**json.loads(done.stdout.splitlines()[-1]))


def reproduce(state: Path, data: Path, work: Path) -> None:
    """Print what the program with a state asks, as one JSON object."""
    models = models_over(Teachable())
    program = _ENTRY.build(models)
    load_state(program, state)
    found = asked(program, tasks_of(data, work, models))
    print(json.dumps({"prompts": found.prompts, "scores": found.scores}))


def compiled(optimizer: Any, folder: Path, data: Path) -> Compiled:  # noqa: ANN401 -- one of a closed list
    model = Teachable()
    models = models_over(model)
    train, dev = (tasks_of(data / name, folder / "work" / name, models) for name in ("train", "dev"))
    began = time.perf_counter()
    result = Optimisation(_ENTRY, Settings(optimizer), train, dev, models, folder / optimizer).run()
    seconds = time.perf_counter() - began
    here = asked(result.program, dev)
    there = in_a_fresh_process(result.state, data / "dev", folder / "work" / f"fresh-{optimizer}")
    untaught = asked(_ENTRY.build(models), dev)
    # A state that asks as the program without one would be reproduced by losing it.
    same = here == there and here.prompts != untaught.prompts
    return Compiled(optimizer, result, len(model.asked), same, seconds)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", nargs="+", choices=OPTIMIZERS, default=list(OPTIMIZERS), metavar="NAME")
    parser.add_argument("--train", type=int, default=16, metavar="N", help="tasks to learn from (default: 16)")
    parser.add_argument("--dev", type=int, default=24, metavar="N", help="tasks to measure on (default: 24)")
    parser.add_argument("--folder", type=Path, help="keep tasks and results here (default: a temporary folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--reproduce", nargs=3, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.reproduce:
        reproduce(*options.reproduce)
        return 0
    with tempfile.TemporaryDirectory(prefix="debriefer-") as temporary:
        folder = options.folder or Path(temporary)
        data = folder / "data"
        for name, number in (("train", options.train), ("dev", options.dev)):
            make(data / name, number, 1, name)
        found = []
        for optimizer in options.optimizers:
            found.append(compiled(optimizer, folder, data))
            print(f"{optimizer}: {found[-1].result.status}", file=sys.stderr)
    _print(found)
    metrics = {
        "improved": sum(one.result.status == "improved" for one in found),
        "reproduced": sum(one.reproduced for one in found),
        "calls": sum(one.calls for one in found),
        **{one.optimizer: one.result.values["scores"] for one in found},
    }
    emit("optimizers", len(found), metrics, options.json)
    return 0


def _print(found: Sequence[Compiled]) -> None:
    rows = [
        (
            one.optimizer,
            f"{one.result.comparison.before:.3f}",
            f"{one.result.comparison.after:.3f} {one.result.comparison.after_interval}",
            f"{one.result.comparison.difference:+.3f} {one.result.comparison.difference_interval}",
            one.result.status,
            "yes" if one.reproduced else "no",
            str(one.calls),
            f"{one.seconds:.1f}",
        )
        for one in found
    ]
    header = ("optimizer", "before", "after", "difference", "status", "reproduced", "calls", "seconds")
    print_table(header, rows, title="development tasks", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
