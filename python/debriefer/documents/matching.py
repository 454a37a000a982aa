"""Which slots of one form are which of another's, where values tell it only for all of them together."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations

from debriefer.documents.slots import Kind

Key = tuple[str, ...]
Pairs = list[tuple[int, int]]
# Records that slots of one form share, and those of two forms do not.
_TOGETHER, _APART = 0.5, 0.02
_MOST_SLOTS = 4
# How much likelier the best way must be than the next, as a logarithm: 400 to 1. A label in common is worth as much.
_LEAST_LEAD, _LABEL = 6.0, 6.0
_VALUES_A_BIN, _MOST_BINS = 8, 6


@dataclass(frozen=True, slots=True)
class Side:
    """What fills a slot, or several that are one column.

    Attributes:
        kind: What the values are.
        keys: Keys of the records that have one.
    """

    kind: Kind
    keys: frozenset[Key]


def matched_forms(sides: Sequence[Side], label: Callable[[int, int], float | None]) -> Pairs:
    """Return pairs of places that are one column each, of the first two forms whose slots match in one way only.

    Two forms of a paragraph tell the same columns of other records. Each way to match their slots of one kind has a
    likelihood: that the values of each pair, those that are missing among them, are drawn from one distribution
    (Dirichlet and multinomial over the quantiles of both).

    Args:
        sides: The slots of a block.
        label: How much the labels of two slots have in common, from 0 to 1; `None` where they cannot be one column.

    Returns:
        The pairs, the lower place first; none where nothing is certain.
    """
    by_kind: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, side in enumerate(sides):
        if side.kind.name in ("number", "date") and side.kind.measures:
            by_kind[side.kind.name, side.kind.unit].append(place)
    for kind in sorted(by_kind):
        for one, other in combinations(_forms(by_kind[kind], sides), 2):
            pairs = _matched(one, other, sides, label)
            if pairs:
                return pairs
    return []


def _forms(places: Sequence[int], sides: Sequence[Side]) -> list[list[int]]:
    """Return the slots that stand beside each other in the same records."""
    forms: list[list[int]] = []
    for place in places:
        form = next((form for form in forms if all(_share(sides[place], sides[one]) > _TOGETHER for one in form)), None)
        if form is None:
            forms.append([place])
        else:
            form.append(place)
    return forms


def _share(one: Side, other: Side) -> float:
    return len(one.keys & other.keys) / max(len(one.keys), len(other.keys), 1)


def _matched(
    one: Sequence[int], other: Sequence[int], sides: Sequence[Side], label: Callable[[int, int], float | None]
) -> Pairs:
    if not 1 < len(one) == len(other) <= _MOST_SLOTS:
        return []
    if any(_share(sides[i], sides[j]) > _APART for i in one for j in other):
        return []
    ways: list[tuple[float, Pairs]] = []
    for order in permutations(other):
        pairs = list(zip(one, order, strict=True))
        labels = [label(i, j) for i, j in pairs]
        alike = [share for share in labels if share is not None]
        if len(alike) == len(labels):
            ways.append(
                (sum(_LABEL * share for share in alike) + sum(_likelihood(sides, *pair) for pair in pairs), pairs)
            )
    ways.sort(key=lambda way: -way[0])
    if not ways or (len(ways) > 1 and ways[0][0] - ways[1][0] < _LEAST_LEAD):
        return []
    return [(min(pair), max(pair)) for pair in ways[0][1]] if len(ways) > 1 else []


def _likelihood(sides: Sequence[Side], i: int, j: int) -> float:
    """Return the logarithm of how much likelier two slots' values are from one distribution than from two."""
    one, other = sides[i], sides[j]
    values = sorted((*one.kind.measures, *other.kind.measures))
    bins = max(2, min(_MOST_BINS, len(values) // _VALUES_A_BIN))
    edges = [values[len(values) * number // bins] for number in range(1, bins)]
    counts = [_counts(side, edges) for side in (one, other)]
    both = [a + b for a, b in zip(*counts, strict=True)]
    return _evidence(both) - sum(_evidence(row) for row in counts)


def _counts(side: Side, edges: Sequence[float]) -> list[int]:
    measures = side.kind.measures
    below = [0, *(bisect_right(measures, edge) for edge in edges), len(measures)]
    return [*(b - a for a, b in pairwise(below)), len(side.keys) - len(measures)]


def _evidence(counts: Sequence[int]) -> float:
    return math.lgamma(len(counts)) - math.lgamma(len(counts) + sum(counts)) + sum(math.lgamma(n + 1) for n in counts)
