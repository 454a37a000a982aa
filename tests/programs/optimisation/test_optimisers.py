"""Plans, divisions and what keeps an optimiser's choices the same from process to process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.optimisers.teachable import Teachable
from dspy_programs.optimisation.on_tasks import PreparedTask
from dspy_programs.optimisation.optimisers import EFFORTS, OPTIMIZERS, OptimiserError, divided, plan
from dspy_programs.optimisation.programs import PROGRAMS
from dspy_programs.optimisation.run import Optimisation, Settings
from tests.conftest import ROOT
from tests.programs.optimisation.conftest import Tasks, models_over


def task(name: str, group: str) -> PreparedTask:
    return PreparedTask(name, "", group, lambda _program, _models: dspy.Prediction(), {})


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=30), st.integers(0, 5))
def test_groups_stay_together_and_nothing_is_lost(groups: list[str], seed: int) -> None:
    tasks = [task(f"t{number}", group) for number, group in enumerate(groups)]
    learn, choose = divided(tasks, seed)
    assert sorted(one.name for one in [*learn, *choose]) == sorted(one.name for one in tasks)
    assert learn
    assert choose
    if len(set(groups)) > 1:
        assert {one.group for one in learn} & {one.group for one in choose} == set()
    assert divided(tasks, seed) == (learn, choose)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_more_effort_plans_more_runs(optimizer: str) -> None:
    plans = [plan(optimizer, effort, predictors=2, train=20, validation=20) for effort in EFFORTS]  # type: ignore[arg-type]
    assert plans[0].runs < plans[1].runs < plans[2].runs


def test_too_few_tasks_are_refused() -> None:
    with pytest.raises(OptimiserError, match="1 tasks are too few"):
        plan("gepa", "light", predictors=1, train=1, validation=0)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_no_optimiser_runs_more_than_was_planned(tasks: Tasks, tmp_path: Path, optimizer: str) -> None:
    model = Teachable()
    settings = Settings(optimizer)  # type: ignore[arg-type]
    run = Optimisation(PROGRAMS["judge"], settings, tasks.train, tasks.dev, models_over(model), tmp_path)
    result = run.run()
    assert 0 < result.values["program_runs"] <= run.plan.runs
    # Three requests a run at most, and the prompts for instructions.
    assert len(model.asked) <= 3 * (run.plan.runs + 16) + run.plan.prompts
    assert result.status == "improved"


def test_the_digest_of_an_example_is_the_same_in_every_process() -> None:
    code = (
        "import dspy\n"
        "from dspy.utils.hasher import Hasher\n"
        "from dspy_programs.optimisation.surroundings import repeatable\n"
        "from dspy_programs.solver import Turn, Trajectory\n"
        "demo = dspy.Example(a={'x', 'y', 'z'}, t=Trajectory(turns=(Turn(number=1, thought='t'),)))\n"
        "original = Hasher.hash((demo,))\n"
        "with repeatable():\n"
        "    print(Hasher.hash((demo,)))\n"
        "assert Hasher.hash((demo,)) == original\n"
    )
    path = os.pathsep.join([str(ROOT / "python"), str(ROOT)])
    digests = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1
