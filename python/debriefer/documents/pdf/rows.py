"""Lines into rows: a line that only goes on with the text of the one above is of the same row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from debriefer.documents.pdf.headers import column_of, stacked
from debriefer.documents.pdf.ink import Area, around
from debriefer.documents.pdf.lines import Line, Word
from debriefer.documents.pdf.segments import is_figure, is_leader

# Gaps in heights of the font: words closer than the first are of one cell, wherever the columns are parted.
_ONE_CELL = 0.42
# In heights of the font: how far a line is set in before it hangs below the one above.
_HANGS = 0.12


@dataclass(slots=True)
class Piece:
    """Words of a row that stand in one cell.

    Attributes:
        words: The words, of one or more lines.
        first: First column.
        last: Last column.
    """

    words: list[Word]
    first: int
    last: int

    @property
    def text(self) -> str:
        """What it says, line by line."""
        return stacked(self.words)

    @property
    def area(self) -> Area:
        """Where it stands."""
        return around([word.area for word in self.words])


@dataclass(slots=True)
class Row:
    """A row on its way to a table.

    Attributes:
        pieces: Its cells by first column.
        baseline: y of its last line.
        size: Height of its font in points.
        bold: Whether it is bold.
    """

    pieces: dict[int, Piece]
    baseline: float
    size: float
    bold: bool

    @property
    def label(self) -> Piece | None:
        """Its cell in the first column."""
        return self.pieces.get(0)


def row_of(line: Line, cuts: Sequence[float]) -> Row:
    """Return a line as a row: words by column, those that run on over a cut together."""
    runs: list[list[Word]] = []
    before: Word | None = None
    for word in line.words:
        if is_leader(word.text):
            before = None
            continue
        near = before is not None and word.area.left - before.area.right <= _ONE_CELL * max(word.size, before.size)
        same = before is not None and column_of(word, cuts) == column_of(before, cuts)
        both = before is not None and is_figure(before.text) and is_figure(word.text)
        # What began left of a cut and ends right of it leaves the place to what begins there.
        over = bool(runs) and column_of(runs[-1][0], cuts) != column_of(word, cuts)
        if runs and ((same and not over) or (near and not both)):
            runs[-1].append(word)
        else:
            runs.append([word])
        before = word
    pieces: dict[int, Piece] = {}
    for run in runs:
        columns = [column_of(word, cuts) for word in run]
        first, last = _span(columns)
        if first in pieces:
            pieces[first].words.extend(run)
        else:
            pieces[first] = Piece(run, first, last)
    starts = sorted(pieces)
    for first, after in pairwise(starts):
        pieces[first].last = min(pieces[first].last, after - 1)
    return Row(pieces, line.baseline, line.size, line.bold)


def _span(columns: Sequence[int]) -> tuple[int, int]:
    """Return the columns that a run of words takes: all, but of a label that runs on the first."""
    first, last = min(columns), max(columns)
    if first in {last, 0}:
        return first, first
    return first, last


def rows_of(lines: Sequence[Line], cuts: Sequence[float], bars: Sequence[float]) -> list[Row]:
    """Return the rows that lines form.

    Args:
        lines: Lines below the header, top to bottom.
        cuts: Where the columns are parted.
        bars: y of rules through the whole table; a row does not go on over one.
    """
    rows = [row_of(line, cuts) for line in lines]
    rows = [row for row in rows if row.pieces]
    step = _row_step(rows)
    merged: list[Row] = []
    for number, row in enumerate(rows):
        after = rows[number + 1] if number + 1 < len(rows) else None
        if merged and not _parted(merged[-1], row, bars) and _goes_on(merged[-1], row, after, step):
            _append(merged[-1], row)
        else:
            merged.append(row)
    return merged


def _row_step(rows: Sequence[Row]) -> float:
    """Return the middle distance of neighbouring rows that have a label and figures, in points."""
    steps = [
        after.baseline - before.baseline for before, after in pairwise(rows) if _is_full(before) and _is_full(after)
    ]
    return median(steps) if steps else 0.0


def _is_full(row: Row) -> bool:
    return row.label is not None and len(row.pieces) > 1


def _parted(above: Row, below: Row, bars: Sequence[float]) -> bool:
    return any(above.baseline - 0.3 * above.size <= bar <= below.baseline - 0.3 * below.size for bar in bars)


def _goes_on(above: Row, row: Row, after: Row | None, step: float) -> bool:  # noqa: PLR0911 -- one reason each
    """Whether `row` is the rest of `above`."""
    distance = row.baseline - above.baseline
    if distance > 1.6 * max(row.size, above.size) or (step and distance > 1.2 * step):
        return False
    if row.label is None:
        return _wraps(above, row.pieces)
    label = row.label
    if above.label is None:
        return False
    text, before = label.text, above.label.text
    small = text[:1].islower() or text[:1] in "([&/"
    if before.endswith(":") or (above.bold != row.bold and not small):
        return False
    deeper = label.area.left > above.label.words[-1].area.left + _HANGS * row.size or (
        label.area.left > above.label.area.left + _HANGS * row.size
    )
    if len(row.pieces) == 1:
        if len(above.pieces) == 1:
            return small and not before.endswith(".")
        tight = not step or distance < 0.9 * step
        next_deeper = (
            after is not None and after.label is not None and after.label.area.left > label.area.left + 0.1 * row.size
        )
        return (
            small
            or (deeper and tight)
            or (deeper and not next_deeper and row.size <= above.size and not _starts_group(label, after))
        )
    if len(above.pieces) == 1:
        return small and not before.endswith(".") and distance < 1.5 * row.size
    others = {column: piece for column, piece in row.pieces.items() if column}
    return small and _wraps(above, others)


def _starts_group(label: Piece, after: Row | None) -> bool:
    return after is None or (after.label is not None and after.label.area.left > label.area.left + 0.5)


def _wraps(above: Row, pieces: Mapping[int, Piece]) -> bool:
    """Whether all pieces go on with text of the row above them, and none is a figure of its own."""
    for column, piece in pieces.items():
        over = above.pieces.get(column)
        if over is None or is_figure(piece.text) or is_figure(over.text):
            return False
        if piece.text[:1].isupper() and over.text.endswith((".", ";")) and column != 0:
            return False
    return True


def _append(above: Row, row: Row) -> None:
    for column, piece in row.pieces.items():
        if column in above.pieces:
            above.pieces[column].words.extend(piece.words)
        else:
            above.pieces[column] = piece
    above.baseline = row.baseline
