"""A person's name may stand in one column or in two: the one rule that the signature score has beside equality.

Source: competition rules 2.4 and 6.5 ("John" and "Smith", or "John Smith"); joined row by row with one space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from debriefer.scoring.cells import is_word


@dataclass(frozen=True, slots=True)
class NameMatch:
    """What is left once names are matched.

    Attributes:
        missing: Gold columns that still have no partner.
        shift: How many columns more the prediction has once its names are written in the gold's form.
    """

    missing: list[int]
    shift: int


@dataclass(frozen=True, slots=True)
class _Words:
    """A column whose every cell is a word or NULL."""

    cells: Sequence[str]
    length: int

    @classmethod
    def of(cls, cells: Sequence[str]) -> _Words | None:
        """Return the column, or `None` where it holds a number or a date, or nothing at all."""
        distinct = set(cells) - {""}
        if not distinct or not all(map(is_word, distinct)):
            return None
        return cls(cells, sum(map(len, cells)))


def match_names(
    gold: Callable[[int], Sequence[str]],
    missing: Sequence[int],
    gold_width: int,
    predicted: Callable[[int], Sequence[str]],
    extra: Sequence[int],
) -> NameMatch:
    """Match names that one side writes in two columns and the other in one.

    Two predicted columns without a partner that join to a gold column count as that column. One predicted column
    without a partner that is the join of two gold columns counts as both, even where the prediction has one of the two
    on its own as well; that one is then extra.

    Args:
        gold: Gives the canonical cells of a gold column, in order of rows.
        missing: Gold columns without a partner.
        gold_width: Number of gold columns.
        predicted: Gives the canonical cells of a predicted column.
        extra: Predicted columns without a partner.
    """
    gold_words = cache(lambda column: _Words.of(gold(column)))
    predicted_words = cache(lambda column: _Words.of(predicted(column)))
    still_missing, still_extra, shift = list(missing), list(extra), 0
    for column in missing:
        pair = _pair(permutations(still_extra, 2), predicted_words, gold_words(column))
        if pair is not None:
            still_missing.remove(column)
            still_extra = [other for other in still_extra if other not in pair]
            shift -= 1
    for column in still_extra:
        pairs = (pair for pair in permutations(range(gold_width), 2) if not set(pair).isdisjoint(still_missing))
        pair = _pair(pairs, gold_words, predicted_words(column))
        if pair is not None:
            still_missing = [other for other in still_missing if other not in pair]
            shift += 1
    return NameMatch(still_missing, shift)


def _pair(
    pairs: Iterable[tuple[int, int]], words: Callable[[int], _Words | None], whole: _Words | None
) -> tuple[int, int] | None:
    return next((pair for pair in pairs if _joins(words(pair[0]), words(pair[1]), whole)), None)


def _joins(first: _Words | None, last: _Words | None, whole: _Words | None) -> bool:
    """Tell whether two columns, joined row by row with one space, have the cells of a third, in any order of rows."""
    if first is None or last is None or whole is None:
        return False
    spaces = whole.length - first.length - last.length
    # A row adds a space only where it has both parts, and some row must, or there is nothing to join.
    if not 0 < spaces <= len(first.cells):
        return False
    joined = Counter(" ".join(filter(None, parts)) for parts in zip(first.cells, last.cells, strict=True))
    return joined == Counter(whole.cells)
