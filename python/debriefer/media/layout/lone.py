"""Places of a picture where a detector may have overlooked a lone sign: those that a column has in other rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from debriefer.media.slide import Box

# A short text is at most so many times as wide as it is high: a rank, a count.
_SHORT = 2.0
# Texts of a column share an edge or the middle within this share of their height.
_ALIGNED = 0.5
# A column has so many short texts, and a row so many texts, at least.
_MEMBERS = 2


def lone_places(rows: Sequence[Sequence[Box]]) -> list[Box]:
    """Return where rows of text may lack a short text that the row above or below has in its column.

    Args:
        rows: Boxes of text, top to bottom, those of a row left to right.
    """
    places: list[Box] = []
    short = [box for row in rows for box in row if _is_short(box)]
    for above, below in pairwise(rows):
        for own, other in ((above, below), (below, above)):
            if len(other) < _MEMBERS or len(own) < _MEMBERS:
                continue
            top, bottom = min(box.top for box in other), max(box.bottom for box in other)
            for box in own:
                if not _is_short(box) or sum(_in_column(box, more) for more in short) < _MEMBERS:
                    continue
                height = box.bottom - box.top
                place = Box(max(0, box.left - height), max(0, top - 3), box.right + height, bottom + 3)
                if bottom - top <= 2 * height and not any(_touch(place, more) for more in (*other, *places)):
                    places.append(place)
    return places


def _is_short(box: Box) -> bool:
    return box.right - box.left <= _SHORT * (box.bottom - box.top)


def _in_column(one: Box, other: Box) -> bool:
    near = _ALIGNED * (one.bottom - one.top)
    middles = abs(one.left + one.right - other.left - other.right) / 2
    return min(abs(one.left - other.left), abs(one.right - other.right), middles) <= near


def _touch(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
