"""A cell while what the text takes back is still being applied."""

from __future__ import annotations

from dataclasses import dataclass

from debriefer.documents.corrections import within
from debriefer.documents.cues import has_cue
from debriefer.documents.relation import TRUSTED, Status
from debriefer.documents.slots import Kind, Value

Key = tuple[str, ...]
NOTHING_TELLS = "something is taken back, and nothing tells what holds"


@dataclass(slots=True)
class Entry:
    """What is known of a cell so far.

    Attributes:
        raw: As it is written.
        line: The line.
        span: Where it stands there.
        status: Whether it may be trusted.
        reason: Why not, else empty.
    """

    raw: str
    line: int
    span: tuple[int, int]
    status: Status = "ok"
    reason: str = ""

    @property
    def trusted(self) -> bool:
        """Whether it may be loaded."""
        return self.status in TRUSTED

    def flag(self, reason: str) -> None:
        """Trust it no longer."""
        self.status, self.reason = "flagged", reason


def corrected_within(value: Value, kind: Kind) -> Entry | None:
    """Return the entry of a slot whose own text takes something back; `None` where it does not."""
    if not has_cue(value.raw):
        return None
    found = within(value.raw, kind)
    if found is None:
        return Entry(value.raw, value.line, value.span, "flagged", NOTHING_TELLS)
    start = value.span[0]
    raw = value.raw[found.start : found.end]
    return Entry(raw, value.line, (start + found.start, start + found.end), "corrected")
