"""What became of a task."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["answered", "abstained", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one task, as it is logged and summed up.

    Attributes:
        task_id: Identifier of the task.
        status: `answered` (a prediction was delivered), `abstained` (no confident reading) or `failed`.
        solver: Who answered: `offline baseline`.
        prediction: Path of the delivered `prediction.csv`, or `None`.
        rows: Rows of the prediction, or `None`.
        columns: Column names of the prediction.
        sql: The statement whose result was delivered, or `None`.
        reading: How the question was understood, in one sentence, or `None`.
        confidence: Confidence in the reading, in [0, 1], or `None`.
        reason: Why there is no prediction, or `None`.
        hint: What to do about `reason`, or `None`.
        refused: Files that could not be read, each with its reason.
        seconds: Wall time by stage, in seconds; left out of comparisons.
    """

    task_id: str
    status: Status
    solver: str
    prediction: str | None = None
    rows: int | None = None
    columns: tuple[str, ...] = ()
    sql: str | None = None
    reading: str | None = None
    confidence: float | None = None
    reason: str | None = None
    hint: str | None = None
    refused: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return asdict(self)
