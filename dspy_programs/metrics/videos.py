"""The metric of long videos: the answer, and the seconds that it rests on.

An example carries `answer` (text or a number; a list where several wordings are right) and, where they are known,
`spans`: pairs of seconds that show the answer. A prediction carries `answer` and `spans`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import dspy

from debriefer.errors import ScoringError
from debriefer.judgement.cells import normal
from dspy_programs.metrics.metric import Graded, Metric

# A right answer without its evidence is worth more than evidence without the answer.
ANSWER_SHARE = 0.7
_OPTION = re.compile(r"[(（]?([A-Za-z])(?:[)）.:：、]|$)")
_LENGTH = 2
Span = tuple[float, float]


def overlap(predicted: Sequence[Span], gold: Sequence[Span]) -> float:
    """Return the temporal intersection over union of two sets of spans, in [0, 1].

    Args:
        predicted: Pairs of seconds, start and end.
        gold: The same.

    >>> overlap([(0, 10), (5, 20)], [(10, 30)])
    0.3333333333333333
    """
    ours, theirs = _merged(predicted), _merged(gold)
    shared = sum(max(0.0, min(end, stop) - max(start, begin)) for start, end in ours for begin, stop in theirs)
    union = sum(end - start for start, end in ours) + sum(end - start for start, end in theirs) - shared
    return shared / union if union > 0 else 0.0


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    gold = example.get("answer")
    wanted = [str(one) for one in (gold if isinstance(gold, list | tuple) else [gold]) if one is not None]
    if not any(one.strip() for one in wanted):
        message = "the example has no `answer`"
        raise ScoringError(message)
    said = prediction.get("answer")
    text = "" if said is None else str(said)
    right = any(_same(text, one) for one in wanted)
    if right:
        feedback = "The answer is right."
    else:
        feedback = "The answer is not right." if text.strip() else "There is no answer."
    spans = _spans(example.get("spans"), "the example's")
    if not spans:
        return Graded(float(right), feedback, {"answer": float(right)})
    found = _spans(prediction.get("spans"), "the predicted")
    evidence = overlap(found, spans)
    if not found:
        feedback += " No part of the video was named that shows it."
    elif not evidence:
        feedback += " The part of the video that was named does not show it."
    else:
        feedback += f" The part of the video that was named overlaps what shows it by {evidence:.0%}."
    score = ANSWER_SHARE * right + (1 - ANSWER_SHARE) * evidence
    return Graded(score, feedback, {"answer": float(right), "evidence": evidence})


def _same(said: str, wanted: str) -> bool:
    """Whether an answer is the right one: numbers by value, an option by its letter, text without case and stops."""
    if _text(said) == _text(wanted):
        return True
    letter = wanted.strip()
    option = _OPTION.match(unicodedata.normalize("NFKC", said).strip())
    return len(letter) == 1 and letter.isalpha() and option is not None and option[1].upper() == letter.upper()


def _text(answer: str) -> str:
    return normal(answer.strip().rstrip("。．.!！"))


def _spans(value: Any, whose: str) -> list[Span]:  # noqa: ANN401 -- what a program put there
    spans: list[Span] = []
    for one in () if value is None else value:
        if not isinstance(one, Sequence) or isinstance(one, str) or len(one) != _LENGTH:
            message = f"{whose} `spans` are not pairs of seconds"
            raise ScoringError(message)
        start, end = float(one[0]), float(one[1])
        if not (math.isfinite(start) and math.isfinite(end)) or end < start:
            message = f"{whose} span {start:g} to {end:g} is none"
            raise ScoringError(message)
        spans.append((start, end))
    return spans


video_score = Metric("video_score", _grade)
