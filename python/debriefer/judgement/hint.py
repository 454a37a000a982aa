"""The verdict as the Solver is told it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from debriefer.judgement.claim_tables import CLAIM_TABLE, NORMALIZED_TABLE
from debriefer.judgement.model import DecisionName, VideoVerdict, shown_reference
from debriefer.models import neutralise

_MOST_ROWS = 50
_MOST_CHARACTERS = 4_000
_MOST_NAMED = 12

_SHOWN: dict[DecisionName, str] = {
    "ADOPT": "ADOPT: the video shows the final answer; adopt it after a cheap check against the tables",
    "ADOPT_AND_VERIFY": (
        "ADOPT_AND_VERIFY: the video shows an answer; confirm its values in the tables before you adopt it"
    ),
    "RECOMPUTE": (
        "RECOMPUTE: the video shows an answer, but not one to take over (unit or scope do not fit); "
        "compute it from the tables by the video's rules"
    ),
}
_NOT_SHOWN = "RECOMPUTE: the video does not show the final answer; apply its rules to the tables"
_UNKNOWN = "UNKNOWN: it could not be judged whether the video shows the answer; look for yourself"


def hint(verdict: VideoVerdict) -> str | None:
    """Return the hint, or `None` where there is nothing to say (no video, or one that was not prepared).

    The shape is that of `{video_result_hint}` of the specification, section 4.3.2: verdict, candidates, target columns,
    key frames, confidence, how to use it. Untrusted text in it stays text.
    """
    if verdict.finding in ("no_video", "not_prepared"):
        return None
    if verdict.finding == "unknown":
        return neutralise("\n".join([f"- verdict: {_UNKNOWN}", *_traps(verdict)]))
    if verdict.finding == "not_shown":
        lines = [f"- verdict: {_NOT_SHOWN}", *_traps(verdict), _confidence(verdict), *_said("reason", verdict.reason)]
        return neutralise("\n".join(lines))
    lines = [f"- verdict: {_SHOWN[verdict.decision]}", f"- candidate answer: {_rows(verdict.claimed_values)}"]
    if verdict.normalized_values and verdict.normalized_values != verdict.claimed_values:
        how = f" ({verdict.conversion})" if verdict.conversion else ""
        lines.append(f"- the same in the data's units{how}: {_rows(verdict.normalized_values)}")
    if not verdict.unit_consistent:
        lines.append("- units: the video's unit is not the data's, and no conversion is certain")
    if verdict.target_columns:
        lines.append(f"- expected columns: {', '.join(_line(name) for name in verdict.target_columns)}")
    if verdict.source_frames:
        lines.append(f"- key slides: {', '.join(_line(name) for name in verdict.source_frames)}")
    lines += [_confidence(verdict), *_unsupported(verdict), *_traps(verdict)]
    lines += [*_said("reason", verdict.reason), *_said("note", verdict.note)]
    lines.append(
        f"- how to use it: the candidates are tables, `{CLAIM_TABLE}` and `{NORMALIZED_TABLE}`; compare and adopt them "
        "by SQL and do not retype values. This is a hint: you have the last word"
    )
    return neutralise("\n".join(lines))


def _confidence(verdict: VideoVerdict) -> str:
    level = "high" if verdict.confidence >= 0.75 else "medium" if verdict.confidence >= 0.5 else "low"  # noqa: PLR2004 -- thirds, roughly
    return f"- confidence: {level} ({verdict.confidence:.2f}); agreement of the rounds: {verdict.agreement:.0%}"


def _unsupported(verdict: VideoVerdict) -> list[str]:
    if not verdict.unsupported:
        return []
    named = [f"{_line(cell.value)!r} (row {cell.row}, column {cell.column})" for cell in verdict.unsupported]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return [f"- not found on the slides they cite: {', '.join(named[:_MOST_NAMED])}{more}"]


def _traps(verdict: VideoVerdict) -> list[str]:
    if verdict.distractors:
        named = [
            f"{shown_reference(one.slide) if one.slide else 'spoken'}: {one.kind}"
            + (f" ({_line(one.why)})" if one.why else "")
            for one in verdict.distractors[:_MOST_NAMED]
        ]
        return [f"- looks like the answer and is not: {'; '.join(named)}"]
    return _said("looks like the answer and is not", verdict.distractor_notes)


def _said(label: str, text: str) -> list[str]:
    return [f"- {label}: {_line(text)}"] if text.strip() else []


def _rows(values: Sequence[Sequence[str]]) -> str:
    shown = json.dumps([list(row) for row in values[:_MOST_ROWS]], ensure_ascii=False)
    if len(shown) > _MOST_CHARACTERS:
        shown = f"{shown[:_MOST_CHARACTERS]} … ({len(shown) - _MOST_CHARACTERS} characters left out)"
    more = len(values) - _MOST_ROWS
    return f"{shown} and {more} more rows" if more > 0 else shown


def _line(text: str) -> str:
    return " ".join(text.split())
