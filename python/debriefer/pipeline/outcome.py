"""What became of a task."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from debriefer.pipeline.stage import StageRecord

Status = Literal["answered", "abstained", "no output", "failed", "stopped"]
Delivery = Literal["accepted", "fallback", "unaccepted", "offline"]

OFFLINE = "offline baseline"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of the model at a task.

    Attributes:
        number: Counted from 1.
        accepted: Whether the run ended without an exception and left a prediction.
        reason: `finished`, `no prediction`, or why the run did not end well (`budget`, `unreadable replies`,
            `context window`, `model error`, `exception`, `stopped`).
        detail: The error or the bound in words; empty where there is none.
        turns: Turns of the run.
        requests: Requests that reached a model, retries and compressions included.
        input_tokens: Prompt tokens.
        output_tokens: Reply tokens.
        cached_tokens: The part of the prompt tokens that a provider's cache served.
        cost: Money, `None` where a price is unknown.
        seconds: Wall time; left out of comparisons.
        prediction: Whether `prediction.csv` was there at the end.
    """

    number: int
    accepted: bool
    reason: str
    detail: str = ""
    turns: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    seconds: float = field(default=0.0, compare=False)
    prediction: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one task, as it is logged and summed up.

    Attributes:
        task_id: Identifier of the task.
        status: `answered` (a prediction was delivered), `abstained` (no confident reading; without a model only),
            `no output` (neither the model nor what stands behind it gave one), `failed` (the task could not be worked
            on) or `stopped` (the run was stopped before there was one).
        solver: Who answered, or tried to: `offline baseline`, or `model NAME`.
        delivery: How the prediction came about: `accepted` (an attempt that ended well), `fallback` (the script that
            the last attempt left, run once more), `unaccepted` (left by an attempt that did not end well), `offline`
            (the offline baseline); `None` without a prediction.
        prediction: Path of the delivered `prediction.csv`, or `None`.
        rows: Rows of the prediction, or `None`.
        columns: Column names of the prediction.
        sql: The statement of the offline baseline whose result was delivered, or `None`.
        reading: How the offline baseline understood the question, in one sentence, or `None`.
        confidence: Its confidence in the reading, in [0, 1], or `None`.
        reason: Why there is no prediction, or why it is not an accepted one; `None` otherwise.
        hint: What to do about `reason`, or `None`.
        refused: Files that could not be read, each with its reason.
        attempts: The model's attempts.
        stages: How each stage went.
        key: Digest of the inputs and settings; a run that is resumed leaves out what was delivered under the same.
        digest: Digest of the delivered file, or `None`.
        interrupted: Whether the run was stopped while the task was worked on.
        resumed: Whether this is the result of an earlier run.
        seconds: Wall time by stage, in seconds; left out of comparisons.
    """

    task_id: str
    status: Status
    solver: str
    delivery: Delivery | None = None
    prediction: str | None = None
    rows: int | None = None
    columns: tuple[str, ...] = ()
    sql: str | None = None
    reading: str | None = None
    confidence: float | None = None
    reason: str | None = None
    hint: str | None = None
    refused: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    stages: tuple[StageRecord, ...] = field(default=(), compare=False)
    key: str | None = None
    digest: str | None = None
    interrupted: bool = False
    resumed: bool = field(default=False, compare=False)
    seconds: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def final(self) -> bool:
        """Whether a resumed run may leave the task as it is.

        It may if a prediction was delivered, unless the run was stopped meanwhile or no model could be reached.
        """
        unreachable = bool(self.attempts) and all(attempt.reason == "model error" for attempt in self.attempts)
        return self.status == "answered" and not self.interrupted and not unreachable

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the outcome that `to_dict` gave, also after a journey through JSON.

        Raises:
            KeyError, TypeError: `values` are not those of an outcome.
        """
        return cls(
            **{
                **values,
                "columns": tuple(values["columns"]),
                "refused": tuple(values["refused"]),
                "attempts": tuple(Attempt(**attempt) for attempt in values["attempts"]),
                "stages": tuple(StageRecord(**record) for record in values["stages"]),
            }
        )
