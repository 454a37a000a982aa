r"""The Solver's metrics: the table that a program predicts against the gold.

An example carries `gold` (or `gold_csv`): a `debriefer.scoring.Table`, a frame, a path, or CSV text; and, where the
task has a frozen configuration, `gold_config` (`debriefer.scoring.ExactConfig`). A prediction carries `table` (a table
or a frame), `csv_path`, or `csv` (text). Two scores are known of each answer, and both are told in the feedback:
`answer_score` is the column signature of the competition, `exact_answer_score` its final Task Accuracy.

>>> import dspy
>>> example = dspy.Example(question="How many?", gold="n\n4\n").with_inputs("question")
>>> answer_score(example, dspy.Prediction(csv="count\n4.0\n"))
1.0
"""

from __future__ import annotations

import dspy

from debriefer.errors import ScoringError
from debriefer.scoring import exact_score, signature_score
from dspy_programs.metrics.metric import Graded, Metric, first_of

# Where a prediction carries its table, the first that is there wins.
_TABLE_FIELDS = ("table", "csv_path", "csv")
_GOLD_FIELDS = ("gold", "gold_csv")


def _grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    gold = first_of(example, _GOLD_FIELDS)
    if gold is None:
        message = f"the example has none of {', '.join(_GOLD_FIELDS)}"
        raise ScoringError(message, hint="give each example its right answer as `gold`")
    guess = first_of(prediction, _TABLE_FIELDS)
    signature = signature_score(guess, gold)
    exact = exact_score(guess, gold, example.get("gold_config"))
    if signature.reason is None:
        feedback = "The table is right: every column is there, and no other."
    else:
        right = f"{signature.matched} of {signature.gold_columns} columns are right"
        feedback = f"{right}. What is wrong: {signature.reason}."
    if guess is None and (ended := prediction.get("reason")):
        feedback += f" The run ended by: {ended}."
    if not exact.passed and signature.reason is None:
        feedback += f" As a whole it is not the answer, though: {exact.reason}."
    return Graded(signature.score, feedback, {"signature": signature.score, "exact": exact.score})


def _grade_exactly(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    graded = _grade(example, prediction)
    return Graded(graded.parts["exact"], graded.feedback, graded.parts)


answer_score = Metric("answer_score", _grade)
exact_answer_score = Metric("exact_answer_score", _grade_exactly)
