"""How right the answers to a benchmark's questions are, as each benchmark counts, with abstentions kept apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.longvideo.formats import BenchmarkQuestion
from dspy_programs.longvideo.choices import parse_choice

# MLVU publishes the mean over its tasks; the others the share of all questions.
_MACRO = {"mlvu"}


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a run; shares are `None` where there is nothing to count.

    Attributes:
        accuracy: The benchmark's own figure: abstentions and questions without a prediction are wrong.
        questions: Questions with a known answer.
        right: Right answers.
        abstained: Predictions that name no option; each is wrong.
        unanswered: Questions without a prediction; each is wrong.
        without_gold: Questions whose answer is hidden, or none of their options; they do not count.
        by_type: Share of right answers by kind; a question counts in each of its kinds.
        by_group: Share by group of length.
        answered_only: Share among the questions that have a prediction: what scripts that leave out the others report.
    """

    accuracy: float | None
    questions: int
    right: int
    abstained: int
    unanswered: int
    without_gold: int
    by_type: dict[str, float] = field(default_factory=dict)
    by_group: dict[str, float] = field(default_factory=dict)
    answered_only: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def score(dataset: str, questions: Sequence[BenchmarkQuestion], predictions: Mapping[str, str]) -> Scores:
    """Score predictions.

    Args:
        dataset: Whose way of counting is used.
        questions: The questions.
        predictions: By id of the question the answer, as a letter or in words.
    """
    counted = [one for one in questions if one.answer is not None]
    right = abstained = unanswered = 0
    kinds: dict[str, list[bool]] = {}
    groups: dict[str, list[bool]] = {}
    for one in counted:
        said = predictions.get(one.id)
        letter = None if said is None else parse_choice(one.choices, text=said)
        unanswered += said is None
        abstained += said is not None and letter is None
        correct = letter == one.answer
        right += correct
        for kind in one.types:
            kinds.setdefault(kind, []).append(correct)
        if one.group:
            groups.setdefault(one.group, []).append(correct)
    by_type = {kind: _share(found) for kind, found in sorted(kinds.items())}
    accuracy = right / len(counted) if counted else None
    if dataset in _MACRO and by_type:
        accuracy = sum(by_type.values()) / len(by_type)
    answered = len(counted) - unanswered
    return Scores(
        accuracy,
        len(counted),
        right,
        abstained,
        unanswered,
        len(questions) - len(counted),
        by_type,
        {group: _share(found) for group, found in sorted(groups.items())},
        right / answered if answered else None,
    )


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)
