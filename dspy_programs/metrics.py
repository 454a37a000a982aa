"""How right an answer is, for `dspy.Evaluate` and the optimisers."""

from __future__ import annotations

from typing import Any

import dspy

from debriefer.errors import ScoringError
from debriefer.scoring import SignatureScore, signature_score

# Where a prediction carries its table, the first that is there wins.
_TABLE_FIELDS = ("table", "csv_path", "csv")
_GOLD_FIELDS = ("gold", "gold_csv")


def answer_score(
    example: dspy.Example,
    prediction: dspy.Prediction,
    trace: Any = None,  # noqa: ANN401  DSPy's own type of a trace is a list of tuples of anything
    pred_name: str | None = None,
    pred_trace: Any = None,  # noqa: ANN401
) -> float | dspy.Prediction:
    r"""Score the table that a program predicts by the column-signature metric.

    Fits `dspy.Evaluate`, every optimiser, and GEPA, which asks with the name of one predictor and gets the same score
    with a sentence of feedback. The score of a half-right answer is above 0, so an optimiser that keeps whatever is
    true must be told `metric_threshold=1.0`. Safe to call from many threads.

    Args:
        example: `gold`, or `gold_csv`: a `debriefer.scoring.Table`, a frame, a path, or CSV text.
        prediction: `table` (a table or a frame), `csv_path`, or `csv` (text).
        trace: What DSPy passes while it bootstraps or reflects; changes nothing, so that all callers agree.
        pred_name: The predictor that GEPA is about to improve.
        pred_trace: That predictor's own trace; not looked at.

    Returns:
        A number from 0 to 1, or with `pred_name` a `dspy.Prediction(score, feedback)`. A prediction without a table, or
        with an unreadable one, scores 0, and the feedback says why.

    Raises:
        ScoringError: The example has no gold, or one that cannot be read: a mistake in the data set, not in an answer.
        MissingFileError: The gold's file does not exist.

    Source: competition rules 6.2 to 6.5.

    >>> example = dspy.Example(question="How many?", gold="n\n4\n").with_inputs("question")
    >>> answer_score(example, dspy.Prediction(csv="count\n4.0\n"))
    1.0
    """
    del trace, pred_trace
    result = _score(example, prediction)
    if pred_name is None:
        return result.score
    return dspy.Prediction(score=result.score, feedback=_feedback(result))


def _score(example: dspy.Example, prediction: dspy.Prediction) -> SignatureScore:
    gold = _first(example, _GOLD_FIELDS)
    if gold is None:
        message = f"the example has none of {', '.join(_GOLD_FIELDS)}"
        raise ScoringError(message, hint="give each example its right answer as `gold`")
    return signature_score(_first(prediction, _TABLE_FIELDS), gold)


def _first(record: dspy.Example, names: tuple[str, ...]) -> Any:  # noqa: ANN401  whatever a program put there
    return next((value for name in names if (value := record.get(name)) is not None), None)


def _feedback(result: SignatureScore) -> str:
    if result.reason is None:
        return "The table is right: every column is there, and no other."
    return f"{result.matched} of {result.gold_columns} columns are right. What is wrong: {result.reason}."
