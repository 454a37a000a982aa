"""What a worker process is told: the order of a run, and its jobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from debriefer.models import Models
from debriefer.pipeline.settings import ModelChoice, RunSettings


@dataclass(frozen=True, slots=True)
class Order:
    """What all tasks of a run have in common.

    Attributes:
        output: Folder for predictions and logs.
        settings: How tasks are answered.
        choice: Which models, or `None` for the offline baseline.
        slots: Folder that bounds requests over all processes.
        cache: Folder of products, or `None`.
        resume: Whether tasks that were delivered are left as they are.
        verbose: Whether each turn is told.
    """

    output: str
    settings: RunSettings
    choice: ModelChoice | None = None
    slots: str | None = None
    cache: str | None = None
    resume: bool = False
    verbose: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the order as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Order:
        """Return the order that `to_dict` gave."""
        choice = values["choice"]
        return cls(
            **{
                **values,
                "settings": RunSettings.from_dict(values["settings"]),
                "choice": None if choice is None else ModelChoice(**choice),
            }
        )

    def models(self) -> Models | None:
        """Return the models of the run.

        Raises:
            ModelError: The environment is half configured.
        """
        return None if self.choice is None else self.choice.load(None if self.slots is None else Path(self.slots))


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a run.

    Attributes:
        id: Place of the task in the run.
        folder: The task folder.
        name: Name of its folder of results.
        work: Folder for its working copy.
    """

    id: int
    folder: str
    name: str
    work: str
