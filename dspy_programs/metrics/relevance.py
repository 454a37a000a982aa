"""The metric of relevance: nothing that is needed may be lost, and what is kept costs tokens.

An example carries `needed` (names of tables and documents) and `tokens` (name to tokens of all that could be kept); a
prediction carries `kept` (names).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dspy

from debriefer.errors import ScoringError
from dspy_programs.metrics.metric import Graded, Metric

# What tokens are worth against recall. They are looked at only where nothing is lost: a table that is missing costs the
# answer, a table too many some tokens.
TOKEN_SHARE = 0.2


def _grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    """Grade a selection: 0.8 × recall, and where recall is 1 up to 0.2 more for the tokens that were saved.

    Savings are the share of the superfluous tokens that was left out; 1 where nothing superfluous was there.
    """
    needed = _names(example, "needed", "the example")
    sizes = example.get("tokens") or {}
    if not isinstance(sizes, Mapping):
        message = "the example's `tokens` are no mapping from name to number"
        raise ScoringError(message)
    unknown = sorted(name for name in needed if sizes and name not in sizes)
    if unknown:
        message = f"the example needs `{unknown[0]}`, which is not among its `tokens`"
        raise ScoringError(message)
    if prediction.get("kept") is None:
        return Graded(0.0, "Nothing was selected.", {"recall": 0.0, "tokens_saved": 0.0})
    kept = _names(prediction, "kept", "the prediction")
    lost = sorted(needed - kept)
    recall = 1 - len(lost) / len(needed) if needed else 1.0
    spare = {name: max(0.0, float(size)) for name, size in sizes.items() if name not in needed}
    superfluous = sum(spare.values())
    carried = sorted((name for name in kept if spare.get(name)), key=lambda name: (-spare[name], name))
    saved = 1 - sum(spare[name] for name in carried) / superfluous if superfluous else 1.0
    score = (1 - TOKEN_SHARE) * recall + (TOKEN_SHARE * saved if not lost else 0.0)
    if lost:
        feedback = f"{len(lost)} of {len(needed)} needed sources were left out: {_listed(lost)}."
    else:
        feedback = "Everything that is needed was kept."
    if carried:
        feedback += f" Not needed and kept, the largest first: {_listed(carried)}."
    return Graded(score, feedback, {"recall": recall, "tokens_saved": saved})


def _names(record: dspy.Example, field: str, whose: str) -> set[str]:
    value: Any = record.get(field)
    if isinstance(value, str) or not isinstance(value, Iterable):
        message = f"{whose} has no `{field}`: names of tables and documents"
        raise ScoringError(message)
    return {str(name) for name in value}


def _listed(names: list[str], most: int = 5) -> str:
    return ", ".join(f"`{name}`" for name in names[:most]) + (", …" if len(names) > most else "")


relevance_score = Metric("relevance_score", _grade)
