"""The judge's metric: the verdict, the values, and what a false adoption costs.

An example carries `verdict` (`ADOPT`, `ADOPT_AND_VERIFY` or `RECOMPUTE`) and, where the video shows the answer,
`values` (rows of text). A prediction carries `verdict`: a `debriefer.judgement.VideoVerdict` or its JSON values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dspy
import pydantic

from debriefer.errors import ScoringError
from debriefer.judgement import VideoVerdict
from debriefer.judgement.cells import normal
from dspy_programs.metrics.metric import Graded, Metric

# To adopt what is not the answer ends in a wrong prediction; to recompute what was shown costs only the computation.
# At 1 a false adoption takes away as much as a perfect judgement gives.
FALSE_ADOPT_COST = 1.0
_DECISIONS = ("ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE")


def _grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    """Grade one verdict.

    Worth is the mean of verdict and values where the answer is shown and the verdict alone where it is not, less
    `FALSE_ADOPT_COST` for a false adoption; the score is the worth, brought from [-cost, 1] to [0, 1]. So a wrong
    value adopted scores at most 0.25, an abstention 0.5, a right verdict with right values 1.
    """
    gold = example.get("verdict")
    if gold not in _DECISIONS:
        message = f"the example's `verdict` is `{gold}`, none of {', '.join(_DECISIONS)}"
        raise ScoringError(message)
    rows = example.get("values") or ()
    if gold != "RECOMPUTE" and not rows:
        message = "the example says that the answer is shown, and has no `values`"
        raise ScoringError(message)
    verdict = _verdict(prediction)
    if verdict is None:
        return _scored(gold, verdict=False, values=False, adopted=False, feedback="There is no verdict.")
    judged = verdict.finding in ("shown", "not_shown")
    right = judged and verdict.decision == gold
    values = gold != "RECOMPUTE" and _rows(rows) in (_rows(verdict.claimed_values), _rows(verdict.normalized_values))
    adopts = verdict.finding == "shown" and verdict.decision != "RECOMPUTE"
    adopted = adopts and (gold == "RECOMPUTE" or not values)
    return _scored(
        gold, verdict=right, values=values, adopted=adopted, feedback=_feedback(gold, verdict, values=values)
    )


def _scored(gold: str, *, verdict: bool, values: bool, adopted: bool, feedback: str) -> Graded:
    worth = float(verdict) if gold == "RECOMPUTE" else (verdict + values) / 2
    score = (worth - FALSE_ADOPT_COST * adopted + FALSE_ADOPT_COST) / (1 + FALSE_ADOPT_COST)
    parts = {"verdict": float(verdict), "false_adopt": float(adopted)}
    if gold != "RECOMPUTE":
        parts["values"] = float(values)
    return Graded(score, feedback, parts)


def _verdict(prediction: dspy.Prediction) -> VideoVerdict | None:
    value: Any = prediction.get("verdict")
    if isinstance(value, VideoVerdict):
        return value
    if not isinstance(value, Mapping):
        return None
    try:
        return VideoVerdict.model_validate(dict(value))
    except pydantic.ValidationError as error:
        message = f"the predicted verdict is none: {error.errors()[0]['msg']}"
        raise ScoringError(message) from None


def _rows(table: Sequence[Sequence[object]]) -> list[tuple[str, ...]]:
    return sorted(tuple(normal(str(cell)) for cell in row) for row in table)


def _feedback(gold: str, verdict: VideoVerdict, *, values: bool) -> str:
    if verdict.finding not in ("shown", "not_shown"):
        told = f"The judge came to no verdict ({verdict.error or verdict.reason or verdict.finding})."
        return f"{told} Right is {gold}."
    said = f"{verdict.decision}" if verdict.finding == "shown" else "RECOMPUTE, because the answer is not shown"
    if gold == "RECOMPUTE":
        if verdict.decision == "RECOMPUTE":
            return "The verdict is right: the video does not show an answer to take over."
        return (
            f"The verdict is {said}, and right is RECOMPUTE: what was read is not the answer to the question (another "
            "scope, period, unit or grain, or a part of it). To adopt it is the costliest error."
        )
    which = "The values are right." if values else _about_values(verdict)
    if verdict.decision == gold and verdict.finding == "shown":
        return f"The verdict is right. {which}"
    return f"The verdict is {said}, and right is {gold}. {which}"


def _about_values(verdict: VideoVerdict) -> str:
    if not verdict.claimed_values:
        return "The slides show the complete answer in the question's scope, and no values were read."
    return "The values that were read are not those that the question asks for."


judge_score = Metric("judge_score", _grade)
