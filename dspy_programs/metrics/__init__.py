"""How right an answer is, for `dspy.Evaluate` and the optimisers: one metric a program."""

from dspy_programs.metrics.answers import answer_score, exact_answer_score
from dspy_programs.metrics.documents import cell_f1, document_score
from dspy_programs.metrics.judge import judge_score
from dspy_programs.metrics.metric import Graded, Metric
from dspy_programs.metrics.relevance import relevance_score
from dspy_programs.metrics.videos import overlap, video_score

__all__ = [
    "Graded",
    "Metric",
    "answer_score",
    "cell_f1",
    "document_score",
    "exact_answer_score",
    "judge_score",
    "overlap",
    "relevance_score",
    "video_score",
]
