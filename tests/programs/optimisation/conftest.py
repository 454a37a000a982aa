"""A small optimisation of the judge, in process, with the model that can be taught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import dspy
import pytest

from benchmarks.optimisers.tasks import make
from benchmarks.optimisers.teachable import Teachable, sender_factory
from benchmarks.suites.optimizers import tasks_of
from debriefer.models import Models, ModelSettings, RetryPolicy
from dspy_programs.optimisation.on_tasks import PreparedTask

Answer = Callable[[PreparedTask], dspy.Prediction]


@dataclass
class Tasks:
    """Prepared tasks, and a way to prepare them for other models."""

    train: list[PreparedTask]
    dev: list[PreparedTask]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    make(folder / "train", 8, 1, "train")
    make(folder / "dev", 8, 1, "dev")
    return folder


@pytest.fixture(scope="session")
def tasks(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Tasks:
    # The judge is asked through DSPy's current model, so that the same tasks serve all models.
    models = models_over(Teachable())
    work = tmp_path_factory.mktemp("work")
    return Tasks(*(tasks_of(data / name, work / name, models) for name in ("train", "dev")))


def models_over(model: Teachable) -> Models:
    return Models(
        ModelSettings("openai/teachable"),
        sender_factory=sender_factory(model),
        policy=RetryPolicy(attempts=2, base_seconds=0.001),
        environment={},
    )
