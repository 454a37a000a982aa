"""Where a page may have a table that no grid of lines draws: between rules of one length, or where gaps repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from debriefer.documents.pdf.ink import Area, Rule, around
from debriefer.documents.pdf.lines import Line
from debriefer.documents.pdf.rules import SAME, clusters, covered
from debriefer.documents.pdf.segments import is_figure, lines_within, segments

# Points by which the ends of rules of one table may differ, and the least length of such a rule.
_ENDS = 8.0
_SHORTEST_FRAME = 90.0
# A line that is one piece and takes this share of the width is prose.
_PROSE = 0.72
# Baselines further apart than this many heights of the font are not of one table without rules.
_STEP = 2.6
# Lines without gaps that may stand between two with gaps.
_BETWEEN = 2
CAPTION = re.compile(
    r"^\s*(table|exhibit|figure|fig\.|chart|box|tab\.|tableau|tabelle|abbildung|tabla|tabella|tabela|表|图|圖)\s*"
    r"[-–—]?\s*([A-Z]{0,3}[-.–]?\d|[IVX]+\b|[A-Z]\b)",
    re.IGNORECASE,
)

_SENTENCE = re.compile(
    r"^\s*\w+\.?\s+\S*\d\S*\s+"
    r"(?:and|below|above|also|gives?|shows?|lists?|is|are|has|presents?|illustrates?|summari[sz]es?)\b"
)


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that may form a table.

    Attributes:
        lines: The lines, top to bottom.
        bars: y of rules that run through its whole width, in order.
        partial: Horizontal rules that run through a part of it.
        framed: Whether rules bound it above and below.
    """

    lines: tuple[Line, ...]
    bars: tuple[float, ...]
    partial: tuple[Rule, ...]
    framed: bool

    @property
    def area(self) -> Area:
        """Where its text stands."""
        return around([line.area for line in self.lines])


def is_row(line: Line) -> bool:
    """Whether gaps part a line into pieces, so that it may be a row."""
    return len(segments(line)) > 1


def is_caption(line: Line) -> bool:
    """Whether a line begins like the caption of a table or figure."""
    return names_table(line.text)


def names_table(text: str) -> bool:
    """Whether a text begins like the caption of a table or figure, and is no sentence about one.

    >>> [names_table(text) for text in ("Table 8.20 - Coffee", "Table 8.20 shows the sales.", "表3 销售额")]
    [True, False, True]
    """
    return CAPTION.match(text) is not None and _SENTENCE.match(text) is None


def regions(lines: Sequence[Line], rules: Sequence[Rule]) -> list[Region]:
    """Return the places of a column of a page that may be tables, top to bottom; no line is in two.

    Args:
        lines: Lines outside of other tables.
        rules: Whole rules outside of other tables.
    """
    flats = [rule for rule in rules if rule.axis == "h"]
    found: list[Region] = []
    taken: set[int] = set()
    for left, right, bars in _frames(flats):
        for first, last in _runs(lines, left, right, bars):
            region = _framed(lines, (left, right), bars[first : last + 1], flats, taken)
            if region is not None:
                found.append(region)
                taken.update(map(id, region.lines))
    free = [line for line in lines if id(line) not in taken]
    found.extend(_grown(free, flats))
    return sorted(found, key=lambda region: (region.area.top, region.area.left))


def _frames(flats: Sequence[Rule]) -> list[tuple[float, float, list[float]]]:
    """Return groups of rules with the same ends: left, right and the rules' y in order."""
    rows: list[tuple[float, float, float]] = []
    for group in clusters(((rule.at, rule) for rule in flats), SAME):
        start, end = min(rule.start for rule in group), max(rule.end for rule in group)
        at = sum(rule.at for rule in group) / len(group)
        if end - start >= _SHORTEST_FRAME and covered(group, start, end) >= 0.8:  # noqa: PLR2004
            rows.append((start, end, at))
        else:
            rows.extend((rule.start, rule.end, rule.at) for rule in group if rule.length >= _SHORTEST_FRAME)
    frames: list[tuple[float, float, list[float]]] = []
    for start, end, at in sorted(rows, key=lambda row: (row[0] - row[1], row[2])):
        for left, right, bars in frames:
            if abs(left - start) <= _ENDS and abs(right - end) <= _ENDS:
                bars.append(at)
                break
        else:
            frames.append((start, end, [at]))
    return [(left, right, sorted(bars)) for left, right, bars in frames if len(bars) > 1]


def _runs(lines: Sequence[Line], left: float, right: float, bars: Sequence[float]) -> list[tuple[int, int]]:
    """Return first and last bar of each stretch whose bands look like rows."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for number in range(len(bars)):
        fits = number + 1 < len(bars) and _is_band(lines, Area(left, bars[number], right, bars[number + 1]))
        if fits and start is None:
            start = number
        if not fits and start is not None:
            runs.append((start, number))
            start = None
    return runs


def _is_band(lines: Sequence[Line], band: Area) -> bool:
    inside = lines_within(lines, band)
    if not inside:
        return True
    rows = sum(map(is_row, inside))
    prose = sum(not is_row(line) and line.area.width >= _PROSE * band.width for line in inside)
    if any(map(is_caption, inside)):
        return False
    if rows == 0:
        return prose == 0 and len(inside) <= 4  # noqa: PLR2004 -- a heading between rows
    return prose <= 0.3 * len(inside)


def _framed(
    lines: Sequence[Line], ends: tuple[float, float], bars: Sequence[float], flats: Sequence[Rule], taken: set[int]
) -> Region | None:
    free = [line for line in lines if id(line) not in taken]
    inside = [line for line in free if _in_frame(line, ends, bars[0], bars[-1])]
    if sum(map(is_row, inside)) < 2 or not inside:  # noqa: PLR2004 -- one row is no table
        return None
    step = _step(inside)
    above = _headers_above(free, ends, bars, inside, step)
    below = _rows_below(free, ends, bars[-1], inside, step)
    whole = [*above, *inside, *below]
    top = min(line.area.top for line in whole)
    bottom = max(line.area.bottom for line in whole)
    partial = [
        rule
        for rule in flats
        if top - 2 <= rule.at <= bottom + 2
        and rule.start >= ends[0] - _ENDS
        and rule.end <= ends[1] + _ENDS
        and not any(abs(rule.at - bar) <= SAME for bar in bars)
    ]
    return Region(tuple(whole), tuple(bars), tuple(partial), framed=True)


def _in_frame(line: Line, ends: tuple[float, float], top: float, bottom: float) -> bool:
    area = line.area
    middle = (area.top + area.bottom) / 2
    return top <= middle <= bottom and ends[0] - _ENDS <= area.middle[0] <= ends[1] + _ENDS


def _step(lines: Sequence[Line]) -> float:
    """Return the middle distance of baselines, in points."""
    ordered = sorted(line.baseline for line in lines)
    found = [after - before for before, after in pairwise(ordered) if after - before > 1]
    return median(found) if found else 12.0


def _headers_above(
    lines: Sequence[Line], ends: tuple[float, float], bars: Sequence[float], inside: Sequence[Line], step: float
) -> list[Line]:
    """Return header lines that stand on the first rule, where the rules give the table no other header."""
    filled = sum(any(low <= line.baseline <= high for line in inside) for low, high in pairwise(bars))
    if filled > 1:
        return []
    found: list[Line] = []
    at = bars[0]
    for line in sorted(lines, key=lambda line: -line.baseline):
        if line.baseline > bars[0] + 1 or not _in_frame(line, ends, 0, bars[0]):
            continue
        if at - line.baseline > 1.7 * step or is_caption(line) or not is_row(line) or len(found) > 4:  # noqa: PLR2004
            break
        found.append(line)
        at = line.baseline
    return found[::-1]


def _rows_below(
    lines: Sequence[Line], ends: tuple[float, float], bottom: float, inside: Sequence[Line], step: float
) -> list[Line]:
    """Return rows that run on below the last rule: pieces under the table's own pieces, several of them figures."""
    found: list[Line] = []
    at = bottom
    lefts = [segment.area for line in inside for segment in segments(line)]
    for line in sorted(lines, key=lambda line: line.baseline):
        if line.baseline <= bottom or not _in_frame(line, ends, bottom, 1e9):
            continue
        pieces = segments(line)
        figures = sum(is_figure(piece.text) for piece in pieces)
        under = all(
            any(piece.area.left < area.right and area.left < piece.area.right for area in lefts) for piece in pieces
        )
        if line.baseline - at > 2 * step or len(pieces) < 2 or not figures or not under or figures < len(pieces) / 2:  # noqa: PLR2004
            break
        found.append(line)
        at = line.baseline
    return found


def _grown(lines: Sequence[Line], flats: Sequence[Rule]) -> list[Region]:
    """Return runs of rows that no rules bound."""
    ordered = sorted(lines, key=lambda line: (line.baseline, line.area.left))
    width = around([line.area for line in ordered]).width if ordered else 0.0
    found: list[Region] = []
    run: list[Line] = []
    waiting: list[Line] = []
    for line in ordered:
        before = (waiting or run or [line])[-1]
        apart = line.baseline - before.baseline > _STEP * max(line.size, before.size)
        if is_caption(line) or apart:
            _close(found, run, flats)
            run, waiting = [], []
        if is_row(line) and not is_caption(line):
            run = [*run, *waiting, line]
            waiting = []
        elif run:
            waiting.append(line)
            if line.area.width >= _PROSE * width or len(waiting) > _BETWEEN:
                _close(found, run, flats)
                run, waiting = [], []
        elif not is_caption(line) and line.area.width < 0.5 * width:
            # A heading may come before the first row; whether it belongs to the table is settled with the columns.
            waiting = []
    _close(found, run, flats)
    return found


def _close(found: list[Region], run: Sequence[Line], flats: Sequence[Rule]) -> None:
    if sum(map(is_row, run)) < 2:  # noqa: PLR2004 -- one row is no table
        return
    area = around([line.area for line in run])
    near = [
        rule
        for rule in flats
        if area.top - 4 <= rule.at <= area.bottom + 4 and rule.end > area.left and rule.start < area.right
    ]
    bars = [rule for rule in near if rule.length >= 0.85 * area.width]
    partial = [rule for rule in near if rule.length < 0.85 * area.width and rule.start >= area.left - _ENDS]
    found.append(Region(tuple(run), tuple(sorted(rule.at for rule in bars)), tuple(partial), framed=False))
