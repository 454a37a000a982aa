"""Text set in columns: cuts a page along the rivers that its lines do not cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from debriefer.documents.pdf.ink import around
from debriefer.documents.pdf.lines import Line
from debriefer.documents.pdf.segments import segments

# Lines that a column of text has at least, and the share of them that run through its whole width: running text
# does, the cells of a table do not.
_LEAST_LINES = 6
_FULL = 0.5
_FULL_WIDTH = 0.8
# Share of a column's lines that may be parted by gaps.
_PARTED = 0.3
# A river lies within these shares of the width of the text.
_FROM, _TO = 0.2, 0.8
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class _Cut:
    """A river: at `x`, from line `first` up to before line `end`."""

    x: float
    first: int
    end: int


def page_columns(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of a page in reading order, as blocks of one column each.

    A river is a stretch of x that at least six lines on either side of it leave free, most of which run from one
    side of their column to the other. What stands above or below such lines, over the whole width, is a block of its
    own.
    """
    return _cut(sorted(lines, key=lambda line: (line.baseline, line.area.left)), 0)


def _cut(lines: list[Line], depth: int) -> list[list[Line]]:
    river = _river(lines) if depth < _DEEPEST else None
    if river is None:
        return [lines] if lines else []
    inside = lines[river.first : river.end]
    left, right = _sides(inside, river.x)
    blocks: list[list[Line]] = []
    for part in (lines[: river.first], left, right, lines[river.end :]):
        blocks.extend(_cut(part, depth + 1))
    return blocks


def _sides(lines: Sequence[Line], x: float) -> tuple[list[Line], list[Line]]:
    left = [tuple(word for word in line.words if word.area.middle[0] < x) for line in lines]
    right = [tuple(word for word in line.words if word.area.middle[0] >= x) for line in lines]
    return [Line(words) for words in left if words], [Line(words) for words in right if words]


def _river(lines: Sequence[Line]) -> _Cut | None:
    """Return the river with the most lines beside it, or `None`."""
    # Both columns may share baselines.
    if len(lines) < 2 * _LEAST_LINES and sum(len(segments(line)) > 1 for line in lines) < _LEAST_LINES:
        return None
    whole = around([line.area for line in lines])
    best: tuple[int, float, _Cut] | None = None
    for x in _candidates(lines, whole.left + _FROM * whole.width, whole.left + _TO * whole.width):
        for first, end in _free(lines, x):
            left, right = _sides(lines[first:end], x)
            if _is_text(left) and _is_text(right):
                rank = (len(left) + len(right), -abs(x - whole.middle[0]), _Cut(x, first, end))
                if best is None or rank[:2] > best[:2]:
                    best = rank
    return None if best is None else best[2]


def _candidates(lines: Sequence[Line], low: float, high: float) -> list[float]:
    """Return the places where a river may lie: middles of gaps that several lines leave."""
    places: list[float] = []
    for line in lines:
        pieces = segments(line)
        for left, right in pairwise(pieces):
            places.append((left.area.right + right.area.left) / 2)
        places.append(pieces[0].area.left - 0.5 * line.size) if pieces else None
        places.append(line.area.right + 0.5 * line.size)
    counted = sorted(round(place / 4) * 4.0 for place in places if low < place < high)
    common = sorted(((len(list(group)), place) for place, group in groupby(counted)), reverse=True)
    return [place for count, place in common[:12] if count > 2]  # noqa: PLR2004


def _free(lines: Sequence[Line], x: float) -> list[tuple[int, int]]:
    """Return the stretches of lines none of which runs over `x`."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for number, line in enumerate(lines):
        crossed = any(piece.area.left < x < piece.area.right for piece in segments(line))
        if crossed:
            if start is not None:
                found.append((start, number))
            start = None
        elif start is None:
            start = number
    if start is not None:
        found.append((start, len(lines)))
    return found


def _is_text(lines: Sequence[Line]) -> bool:
    """Whether lines are running text of one column."""
    if len(lines) < _LEAST_LINES:
        return False
    width = around([line.area for line in lines]).width
    full = sum(line.area.width >= _FULL_WIDTH * width for line in lines)
    parted = sum(len(segments(line)) > 1 for line in lines)
    letters = median(len(line.text) for line in lines)
    return full >= _FULL * len(lines) and parted <= _PARTED * len(lines) and letters >= 18  # noqa: PLR2004
