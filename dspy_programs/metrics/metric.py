"""What every metric has in common: a score, a reason in words, and no exception."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dspy

from debriefer.errors import DebrieferError


@dataclass(frozen=True, slots=True)
class Graded:
    """What one answer is worth.

    Attributes:
        score: From 0 to 1.
        feedback: What is right and what is wrong, in words that a model can learn from; never the gold's cells.
        parts: Single figures by name, each from 0 to 1, such as `exact` or `false_adopt`.
    """

    score: float
    feedback: str
    parts: Mapping[str, float] = field(default_factory=dict)


class Metric:
    """A metric as DSPy calls it: `(example, prediction, trace, pred_name, pred_trace)`.

    Fits `dspy.Evaluate` and every optimiser. GEPA, which asks with the name of one predictor, gets the same score with
    the feedback. A half-right answer scores above 0, so an optimiser that keeps whatever is true must be told
    `metric_threshold=1.0`. Keeps no state: safe to call from many threads. Never raises: whatever cannot be scored
    scores 0 and says why.
    """

    def __init__(self, name: str, grade: Callable[[dspy.Example, dspy.Prediction], Graded]) -> None:
        """Wrap a function that grades.

        Args:
            name: What DSPy's tables call it.
            grade: From example and prediction to a grade; may raise.
        """
        self.__name__ = name
        self._grade = grade

    def __call__(
        self,
        example: dspy.Example,
        prediction: dspy.Prediction | None,
        trace: Any = None,  # noqa: ANN401  DSPy's own type of a trace is a list of tuples of anything
        pred_name: str | None = None,
        pred_trace: Any = None,  # noqa: ANN401
    ) -> float | dspy.Prediction:
        """Return the score, or with `pred_name` a `dspy.Prediction(score, feedback)`.

        Args:
            example: The task with what is right.
            prediction: What a program gave back; `None` where it failed.
            trace: What DSPy passes while it bootstraps or reflects; changes nothing, so that all callers agree.
            pred_name: The predictor that GEPA is about to improve.
            pred_trace: That predictor's own trace; not looked at.
        """
        del trace, pred_trace
        graded = self.grade(example, prediction)
        if pred_name is None:
            return graded.score
        return dspy.Prediction(score=graded.score, feedback=graded.feedback)

    def grade(self, example: dspy.Example, prediction: dspy.Prediction | None) -> Graded:
        """Return the score with its reason and its parts."""
        try:
            graded = self._grade(example, dspy.Prediction() if prediction is None else prediction)
        except DebrieferError as error:
            return Graded(0.0, f"This cannot be scored: {error.message}.")
        except Exception as error:  # noqa: BLE001 -- an optimiser would take an exception for a fault of its own
            return Graded(0.0, f"This cannot be scored: {type(error).__name__}: {error}.")
        if not math.isfinite(graded.score):
            return Graded(0.0, f"This cannot be scored: the score is {graded.score}.")
        return graded

    def __repr__(self) -> str:
        return f"Metric({self.__name__!r})"


def first_of(record: dspy.Example, names: tuple[str, ...]) -> Any:  # noqa: ANN401  whatever a program put there
    """Return the first of some fields that is there and not `None`, else `None`."""
    return next((value for name in names if (value := record.get(name)) is not None), None)
