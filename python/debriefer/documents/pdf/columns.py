"""Where the columns of a table lie that no drawn lines part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from debriefer.documents.pdf.lines import Line, Word, line_height
from debriefer.documents.pdf.segments import is_figure, is_leader

# As shares of the font's height. A valley between columns is at least as wide as the first over all rows, and its
# rows have a middle gap of the second: the blanks of prose are 0.25 to 0.35 wide. With less than `_FEW` rows chance
# aligns blanks, so that the gap must be that of `_WIDE`.
_NARROWEST = 0.12
_GAP = 0.5
_FEW = 5
_WIDE = 0.8
# Share of the rows that may run over a valley: a long label, a heading between rows.
_OVER = 0.04
# A blank is at most this wide, in heights of the font.
_BLANK = 0.42
# Signs that belong to the number on their right, or on their left.
_BEFORE = frozenset("$€£¥￥#<>≤≥±+-−(~")
_AFTER = frozenset("%)*†‡§¹²³°")


@dataclass(frozen=True, slots=True)
class Valley:
    """A stretch of x that no row has text in."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        """Where it is cut."""
        return (self.left + self.right) / 2


def valleys(rows: Sequence[Line]) -> list[Valley]:
    """Return the gaps between the columns of rows, left to right.

    Args:
        rows: Lines that have text in more than one column, without headers.
    """
    words = [[word for word in row.words if not is_leader(word.text)] for row in rows]
    words = [line for line in words if line]
    if len(words) < 2:  # noqa: PLR2004 -- one row aligns with nothing
        return []
    size = line_height(rows)
    allowed = int(_OVER * len(words))
    found = [
        valley
        for valley in _low(words, allowed)
        if valley.right - valley.left >= _NARROWEST * size and _parts(valley, words, size)
    ]
    return _without_signs(_without_overhang(found, words), words)


def _low(words: Sequence[Sequence[Word]], allowed: int) -> list[Valley]:
    """Return the stretches that at most `allowed` rows have a word in."""
    events = sorted(event for line in words for word in line for event in ((word.area.left, 1), (word.area.right, -1)))
    # At one place ends come before beginnings, so that words that touch leave no depth.
    depth = 0
    found: list[Valley] = []
    start: float | None = None
    for at, change in events:
        depth += change
        if start is not None and depth > allowed:
            if at > start:
                found.append(Valley(start, at))
            start = None
        elif start is None and change < 0 and depth <= allowed:
            start = at
    return found


def _parts(valley: Valley, words: Sequence[Sequence[Word]], size: float) -> bool:
    """Whether rows stand on both sides of a valley with more than a blank between."""
    gaps: list[float] = []
    for line in words:
        left = [word.area.right for word in line if word.area.middle[0] < valley.middle]
        right = [word.area.left for word in line if word.area.middle[0] >= valley.middle]
        if left and right:
            gaps.append(min(right) - max(left))
    if len(gaps) < 2:  # noqa: PLR2004 -- one row aligns with nothing
        return False
    least = _WIDE if len(gaps) < _FEW else _GAP
    narrow = valley.right - valley.left >= (0.5 if len(gaps) < _FEW else _NARROWEST) * size
    return narrow and median(gaps) >= least * size


def _without_overhang(found: Sequence[Valley], words: Sequence[Sequence[Word]]) -> list[Valley]:
    """Return valleys without those left of a column that holds nothing but the ends of long texts."""
    kept = list(found)
    number = 0
    while number < len(kept):
        right = kept[number + 1].left if number + 1 < len(kept) else float("inf")
        begun = sum(_begins(line, kept[number].middle, right) for line in words)
        if begun <= _OVER * len(words) / 2:
            del kept[number]
        else:
            number += 1
    return kept


def _begins(line: Sequence[Word], left: float, right: float) -> bool:
    """Whether a text begins between two places: a word with more than a blank before it."""
    before: Word | None = None
    for word in line:
        apart = before is None or word.area.left - before.area.right > _BLANK * word.size
        if apart and left <= word.area.middle[0] <= right:
            return True
        before = word
    return False


def _without_signs(found: Sequence[Valley], words: Sequence[Sequence[Word]]) -> list[Valley]:
    """Return valleys without those that part a sign from its number."""
    kept = list(found)
    while True:
        cuts = [valley.middle for valley in kept]
        columns: list[list[str]] = [[] for _ in range(len(cuts) + 1)]
        for line in words:
            for word in line:
                columns[sum(word.area.middle[0] >= cut for cut in cuts)].append(word.text)
        drop = _sign_column(columns)
        if drop is None or not kept:
            return kept
        del kept[drop]


def _sign_column(columns: Sequence[Sequence[str]]) -> int | None:
    """Return the number of a valley beside a column that holds nothing but signs."""
    for number, texts in enumerate(columns):
        letters = set("".join(texts))
        if not letters:
            return max(0, number - 1)
        if letters <= _BEFORE and not letters <= frozenset("-−") and number + 1 < len(columns):
            return number
        if letters <= _AFTER and number > 0 and any(map(is_figure, columns[number - 1])) and len(letters) <= 2:  # noqa: PLR2004
            return number - 1
    return None


def cuts_for(found: Sequence[Valley], others: Sequence[Line]) -> list[float]:
    """Return where to cut each valley, so that few words of other lines (headers) are cut in two.

    Args:
        found: Valleys of the rows.
        others: Lines of the header that have one piece a column.
    """
    cuts: list[float] = []
    for valley in found:
        words = [
            word
            for line in others
            for word in line.words
            if word.area.right > valley.left and word.area.left < valley.right
        ]
        edges = sorted({valley.left, valley.right, *_inside(valley, words)})
        best = (0, 0.0, valley.middle)
        chosen: tuple[float, float, float] | None = None
        for low, high in pairwise(edges):
            middle = (low + high) / 2
            over = sum(word.area.left < middle < word.area.right for word in words)
            rank = (over, low - high, middle)
            if chosen is None or rank < chosen:
                chosen = rank
        cuts.append((chosen or best)[2])
    return cuts


def _inside(valley: Valley, words: Sequence[Word]) -> list[float]:
    return [edge for word in words for edge in (word.area.left, word.area.right) if valley.left < edge < valley.right]
