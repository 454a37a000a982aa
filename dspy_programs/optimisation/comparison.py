"""Whether a program is better than before, or only looks so: a paired bootstrap over tasks."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 10_000
LEVEL = 0.95
# Up to 2 ** 14 patterns of signs are all looked at; of more, as many as there are resamples are drawn.
_EXACT = 14


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a mean."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The scores of the same tasks before and after.

    Attributes:
        n: Tasks.
        before: Mean score before.
        after: Mean score after.
        before_interval: Its interval.
        after_interval: Its interval.
        difference: Mean of the tasks' differences.
        difference_interval: Its interval; tasks are drawn with both of their scores.
        p_value: How often signs drawn at random for the differences give a mean that is as far from 0.
    """

    n: int
    before: float
    after: float
    before_interval: Interval
    after_interval: Interval
    difference: float
    difference_interval: Interval
    p_value: float

    @property
    def supported(self) -> bool:
        """Whether the tasks support that it is better: the interval lies above 0, and chance alone hardly gives it.

        The second condition is for few tasks: two that both improve have an interval above 0, and say nothing.
        """
        return self.difference_interval.low > 0 and self.p_value <= 1 - LEVEL

    @property
    def worse(self) -> bool:
        """Whether the tasks support that it is worse."""
        return self.difference_interval.high < 0 and self.p_value <= 1 - LEVEL


def compare(
    before: Sequence[float], after: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> Comparison:
    """Compare two programs on the same tasks.

    Percentile bootstrap over tasks, and a permutation test on the signs of their differences, two-sided.

    Args:
        before: A score a task, at least one.
        after: The same, in the same order.
        seed: Of all that is drawn.
        resamples: How often tasks, and signs, are drawn.

    Raises:
        ValueError: There are no tasks, or not as many scores before as after.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, chapters 13 and 15; Koehn, Statistical Significance
    Tests for Machine Translation Evaluation, 2004, for the pairing.
    """
    if not before or len(before) != len(after):
        message = f"{len(before)} scores before and {len(after)} after cannot be compared"
        raise ValueError(message)
    differences = [new - old for old, new in zip(before, after, strict=True)]
    n = len(differences)
    randomness = random.Random(seed)  # noqa: S311 -- statistics
    columns = (before, after, differences)
    means: tuple[list[float], list[float], list[float]] = ([], [], [])
    for _ in range(resamples):
        drawn = randomness.choices(range(n), k=n)
        for column, found in zip(columns, means, strict=True):
            found.append(_mean([column[index] for index in drawn]))
    intervals = [_interval(found) for found in means]
    return Comparison(
        n=n,
        before=_mean(before),
        after=_mean(after),
        before_interval=intervals[0],
        after_interval=intervals[1],
        difference=_mean(differences),
        difference_interval=intervals[2],
        p_value=_p_value(differences, randomness, resamples),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _interval(means: list[float]) -> Interval:
    """Return the middle `LEVEL` of some means."""
    ordered = sorted(means)
    cut = int((1 - LEVEL) / 2 * len(ordered))
    return Interval(ordered[cut], ordered[len(ordered) - 1 - cut])


def _p_value(differences: Sequence[float], randomness: random.Random, resamples: int) -> float:
    moved = [abs(difference) for difference in differences if difference]
    # What rounding does to a sum must not make a pattern less extreme than itself.
    bound = abs(sum(differences)) - 1e-9
    if len(moved) <= _EXACT:
        sums = [
            abs(sum(sign * size for sign, size in zip(signs, moved, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(moved))
        ]
        return sum(one >= bound for one in sums) / len(sums)
    extreme = 0
    for _ in range(resamples):
        signs = randomness.choices((1, -1), k=len(moved))
        extreme += abs(sum(sign * size for sign, size in zip(signs, moved, strict=True))) >= bound
    return (extreme + 1) / (resamples + 1)
