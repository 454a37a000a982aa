"""The header of a table without a grid: which text names one column and which several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debriefer.documents.pdf.ink import Rule, around
from debriefer.documents.pdf.lines import Line, Word, joined
from debriefer.documents.pdf.rules import clusters
from debriefer.documents.pdf.segments import without_leader
from debriefer.documents.pdf.table import TableCell

# Heights of the font that part two headings over one rule.
_TWO_HEADINGS = 1.5
# A blank is at most this wide, in heights of the font.
_BLANK = 0.42
# Points by which a rule may miss the edge of a column that it stands over.
_MISS = 4.0


@dataclass(frozen=True, slots=True)
class _Bar:
    """A rule in a header, or the place where one would be, and the columns below it."""

    at: float
    first: int
    last: int


def header_cells(
    lines: Sequence[Line], cuts: Sequence[float], spans: Sequence[tuple[float, float]], rules: Sequence[Rule]
) -> list[TableCell]:
    """Return the cells of a header; rows count from 0.

    Text over a rule names the columns that the rule covers, text below the lowest rule over a column names that
    column alone. Where there are no rules, a piece that stands over several columns names them together.

    Args:
        lines: Lines of the header, top to bottom.
        cuts: Where the columns are parted, one less than there are columns.
        spans: Left and right of the text of each column's rows.
        rules: Rules within the header that do not run through all columns.
    """
    if not lines:
        return []
    bars = _bars(rules, spans) or _imagined(lines, cuts, spans)
    levels = [min(group) for group in clusters(((bar.at, bar.at) for bar in bars), 3.0)]
    words = [word for line in lines for word in line.words]
    last_level = len(levels)
    cells: list[TableCell] = []
    taken: set[int] = set()
    for bar in sorted(bars, key=lambda bar: (bar.at, bar.first)):
        roof = max((other.at for other in bars if other.at < bar.at - 3 and _over(other, bar)), default=-1.0)
        own = [
            word
            for word in words
            if id(word) not in taken
            and roof <= word.baseline <= bar.at + 1
            and bar.first <= column_of(word, cuts) <= bar.last
        ]
        taken.update(map(id, own))
        top = 0 if roof < 0 else 1 + _level(roof, levels)
        for first, last, part in _headings(own, bar, cuts):
            cells.append(_cell(part, top, first, _level(bar.at, levels), last))
    for column in range(len(cuts) + 1):
        roof = max((bar.at for bar in bars if bar.first <= column <= bar.last), default=-1.0)
        own = [word for word in words if id(word) not in taken and column_of(word, cuts) == column]
        if own:
            cells.append(_cell(own, 0 if roof < 0 else 1 + _level(roof, levels), column, last_level, column))
    return cells


def column_of(word: Word, cuts: Sequence[float]) -> int:
    """Return the column that the middle of a word stands in."""
    middle = word.area.middle[0]
    return sum(middle >= cut for cut in cuts)


def _level(at: float, levels: Sequence[float]) -> int:
    return min(range(len(levels)), key=lambda number: abs(levels[number] - at))


def _over(upper: _Bar, lower: _Bar) -> bool:
    return upper.first <= lower.last and lower.first <= upper.last


def _bars(rules: Sequence[Rule], spans: Sequence[tuple[float, float]]) -> list[_Bar]:
    bars: list[_Bar] = []
    for rule in rules:
        under = [
            number
            for number, (left, right) in enumerate(spans)
            if rule.start - _MISS <= (left + right) / 2 <= rule.end + _MISS
        ]
        if under:
            bars.append(_Bar(rule.at, under[0], under[-1]))
    return bars


def _imagined(lines: Sequence[Line], cuts: Sequence[float], spans: Sequence[tuple[float, float]]) -> list[_Bar]:
    """Return where rules would be under pieces that stand over several columns, but not in the lowest line."""
    bars: list[_Bar] = []
    for number, line in enumerate(lines[:-1]):
        for piece in _pieces(line):
            area = around([word.area for word in piece])
            under = [
                column
                for column, (left, right) in enumerate(spans)
                if min(area.right, right) - max(area.left, left) > 1
            ]
            if len(under) > 1 and all(
                any(column_of(word, cuts) == column for below in lines[number + 1 :] for word in below.words)
                for column in under
            ):
                bars.append(_Bar(line.baseline + 0.25 * line.size, under[0], under[-1]))
    return bars


def _pieces(line: Line) -> list[list[Word]]:
    """Return the words of a line, parted where more than a blank is between them."""
    pieces: list[list[Word]] = []
    for word in line.words:
        if pieces and word.area.left - pieces[-1][-1].area.right <= _BLANK * word.size:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return pieces


def _headings(words: Sequence[Word], bar: _Bar, cuts: Sequence[float]) -> list[tuple[int, int, list[Word]]]:
    """Return the headings over one rule with the first and last column of each."""
    if not words:
        return []
    ordered = sorted(words, key=lambda word: word.area.left)
    groups: list[list[Word]] = [[ordered[0]]]
    right = ordered[0].area.right
    for word in ordered[1:]:
        if word.area.left - right > _TWO_HEADINGS * word.size:
            groups.append([])
        groups[-1].append(word)
        right = max(right, word.area.right)
    if len(groups) == 1 or bar.last - bar.first + 1 < len(groups):
        return [(bar.first, bar.last, list(words))]
    found: list[tuple[int, int, list[Word]]] = []
    first = bar.first
    for number, group in enumerate(groups):
        last = bar.last
        if number + 1 < len(groups):
            middle = (max(word.area.right for word in group) + groups[number + 1][0].area.left) / 2
            between = range(first, max(first + 1, bar.last))
            last = min(between, key=lambda cut: abs(cuts[cut] - middle))
        found.append((first, last, group))
        first = min(last + 1, bar.last)
    return found


def _cell(words: Sequence[Word], row: int, column: int, last_row: int, last_column: int) -> TableCell:
    return TableCell(
        text=stacked(words),
        row=min(row, last_row),
        column=column,
        last_row=last_row,
        last_column=last_column,
        bold=all(word.bold for word in words),
    )


def stacked(words: Sequence[Word]) -> str:
    """Return words as lines of text, top to bottom."""
    size = max(word.size for word in words)
    groups = clusters(((word.baseline, word) for word in words), 0.45 * size)
    return "\n".join(
        without_leader(joined(sorted(group, key=lambda word: (word.area.left, word.order)))) for group in groups
    )
