"""What sequences have in common, in order; the rule stands in Rust."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer import _core


def common_places(one: Sequence[int], others: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """Return for each of `others` the places, both rising, at which it has an item in common with `one`.

    There are as many as there can be; of several ways it is the one with the fewest gaps. Items are not negative.

    >>> common_places([1, 2], [[1, 3, 1, 2], [5]])
    [[(0, 2), (1, 3)], []]
    """
    return _core.common_places(one, others)
