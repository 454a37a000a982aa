"""The judgement on whether a video shows the answer, as the Solver is told it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from debriefer.models import neutralise

Decision = Literal["ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"]

_MEANINGS: dict[Decision, str] = {
    "ADOPT": "the video shows the final answer; adopt it after a cheap check against the tables",
    "ADOPT_AND_VERIFY": "the video shows an answer whose values must be confirmed in the tables before it is adopted",
    "RECOMPUTE": "the video shows no final answer, or one that must be computed anew from the tables",
}
_MOST_ROWS = 50
_MOST_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge found.

    Attributes:
        decision: Whether the candidate answer is to be adopted.
        candidate: Rows of the candidate answer; empty where none is shown.
        columns: The columns that the answer should have.
        key_frames: Numbers of the slides that show it.
        confidence: `high`, `medium` or `low`.
        note: Why, in a sentence or two.

    Source: `{video_result_hint}` of the specification, section 4.3.2.
    """

    decision: Decision
    candidate: Sequence[Sequence[object]] = ()
    columns: Sequence[str] = ()
    key_frames: Sequence[int] = ()
    confidence: str = ""
    note: str = ""

    def text(self) -> str:
        """Return the verdict as the model reads it; untrusted text in it stays text."""
        lines = [f"- verdict: {self.decision}: {_MEANINGS[self.decision]}"]
        if self.candidate:
            rows = [list(row) for row in self.candidate[:_MOST_ROWS]]
            more = len(self.candidate) - len(rows)
            shown = json.dumps(rows, ensure_ascii=False, default=str)
            if len(shown) > _MOST_CHARACTERS:
                shown = f"{shown[:_MOST_CHARACTERS]} … ({len(shown) - _MOST_CHARACTERS} characters left out)"
            lines.append(f"- candidate answer: {shown}" + (f" and {more} more rows" if more else ""))
        if self.columns:
            lines.append(f"- expected columns: {', '.join(self.columns)}")
        if self.key_frames:
            lines.append(f"- key slides: {', '.join(map(str, self.key_frames))}")
        if self.confidence:
            lines.append(f"- confidence: {self.confidence}")
        if self.note:
            lines.append(f"- note: {' '.join(self.note.split())}")
        lines.append("- this is a hint: you have the last word")
        return neutralise("\n".join(lines))
