"""From a grid that rules draw to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from debriefer.documents.pdf.lines import Line
from debriefer.documents.pdf.ruled import Box, Content, Lattice
from debriefer.documents.pdf.rules import clusters
from debriefer.documents.pdf.segments import is_figure, segments
from debriefer.documents.pdf.table import PageTable, TableCell

# Letters from which a text that runs through the whole width below a table is a note, not a row.
_NOTE = 60
# Share of the cells of a grid that hold text; less is a drawing.
_FILLED = 0.2
# Lines that a cell has at least, for its lines to be rows of their own, and the share of all rows that they fill.
_TALL = 3
_ALIGNED = 0.6
_HEADER_ROWS = 4
# Share of a grid's lines that stand in one band, for its rows to be left to the reader.
_BULK = 0.3
# Share of a merged cell's lines that gaps part, from which they are rows.
_PARTED = 0.4


def gridded_table(page: int, lattice: Lattice, inside: Mapping[Box, Content]) -> PageTable | None:
    """Return the table in a grid, or `None` where the grid is a frame or a drawing.

    Args:
        page: Page number, from 1.
        lattice: The grid.
        inside: What stands in its cells.
    """
    parts = [part for box, content in inside.items() for part in _parts(lattice, box, content)]
    cells = [
        TableCell(content.text, box.row, box.column, box.last_row, box.last_column, content.bold)
        for box, content in parts
        if content.text
    ]
    if len(cells) < 2 or len(cells) < _FILLED * len(inside):  # noqa: PLR2004 -- a table has two cells
        return None
    title, cells, notes = _within(cells, len(lattice.across) - 1)
    table = _packed(page, lattice, cells)
    if table is None or (table.rows < 2 and table.columns < 3) or table.columns < 2:  # noqa: PLR2004
        return None
    return replace(table, header_rows=_header_rows(table), title=title, notes=notes)


def is_open(inside: Mapping[Box, Content]) -> bool:
    """Whether a grid leaves its rows to the reader: in a band, lines of several cells stand side by side as rows.

    Lines of a wrapped text stand side by side too, but are not begun in the first column each, nor are they figures.
    """
    total = sum(len(content.lines) for content in inside.values())
    left = sum(
        len(content.lines)
        for box, content in inside.items()
        if box.last_column > box.column
        and len(content.lines) >= _TALL
        and sum(len(segments(line)) > 1 for line in content.lines) >= _PARTED * len(content.lines)
    )
    bands: dict[tuple[int, int], list[tuple[Box, Content]]] = {}
    for box, content in inside.items():
        bands.setdefault((box.row, box.last_row), []).append((box, content))
    for band in bands.values():
        texts = [content for _, content in sorted(band, key=lambda pair: pair[0].column) if content.lines]
        if _are_rows(texts):
            left += sum(len(content.lines) for content in texts)
    return left > 0 and left >= _BULK * total


def _are_rows(texts: Sequence[Content]) -> bool:
    """Whether the lines of neighbouring cells are rows."""
    baselines = clusters(((line.baseline, line) for content in texts for line in content.lines), 4.0)
    if len(baselines) < _TALL or len(texts) < 2:  # noqa: PLR2004 -- one column is text
        return False
    first, others = texts[0], texts[1:]
    if len(first.lines) < _ALIGNED * len(baselines):
        return False
    tall = [content for content in others if len(content.lines) >= max(_TALL, _ALIGNED * len(baselines))]
    if any(_are_figures(content.lines) for content in tall):
        return True
    return len(tall) == len(others) and all(_are_short(content.lines) for content in (first, *tall))


def _are_figures(lines: Sequence[Line]) -> bool:
    return sum(all(is_figure(piece.text) for piece in segments(line)) for line in lines) * 2 >= len(lines)


def _are_short(lines: Sequence[Line]) -> bool:
    """Whether lines end at many places, and none goes on with the one above: they are entries, not running text."""
    width = max(line.area.width for line in lines)
    short = sum(line.area.width < 0.7 * width for line in lines)
    begun = sum(line.text[:1].isupper() or line.text[:1].isdigit() for line in lines)
    return short * 3 >= len(lines) and begun >= 0.8 * len(lines)


def _parts(lattice: Lattice, box: Box, content: Content) -> list[tuple[Box, Content]]:
    """Return a cell as it is, or as several where its texts stand apart over different columns."""
    if box.last_column == box.column or not content.lines:
        return [(box, content)]
    gaps = _common_gaps(content.lines)
    cuts: list[int] = []
    for left, right in gaps:
        inner = [
            (abs(lattice.across[edge] - (left + right) / 2), edge)
            for edge in range(box.column + 1, box.last_column + 1)
            if left - 1 <= lattice.across[edge] <= right + 1
        ]
        if inner:
            cuts.append(min(inner)[1])
    if not cuts:
        return [(box, content)]
    edges = [box.column, *sorted(set(cuts)), box.last_column + 1]
    parts: list[tuple[Box, Content]] = []
    for first, end in pairwise(edges):
        low, high = lattice.across[first], lattice.across[end]
        lines = tuple(
            Line(words)
            for line in content.lines
            if (words := tuple(word for word in line.words if low <= word.area.middle[0] < high))
        )
        parts.append((Box(box.row, first, box.last_row, end - 1), Content(lines, ())))
    return parts


def _common_gaps(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the wide gaps that all lines leave free."""
    gaps: list[tuple[float, float]] | None = None
    for line in lines:
        pieces = segments(line)
        own = [(left.area.right, right.area.left) for left, right in pairwise(pieces)]
        if gaps is None:
            gaps = own
        else:
            gaps = [
                (max(low, left), min(high, right))
                for low, high in gaps
                for left, right in own
                if max(low, left) < min(high, right)
            ]
    return gaps or []


def _within(cells: list[TableCell], columns: int) -> tuple[str, list[TableCell], tuple[str, ...]]:
    """Return title, cells and notes: title and notes stand in the frame but run through its whole width."""
    rows: dict[int, list[TableCell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    order = sorted(rows)
    title: list[str] = []
    notes: list[str] = []
    while len(order) > 2 and _is_whole(rows[order[0]], columns):  # noqa: PLR2004
        title.append(rows.pop(order.pop(0))[0].text)
    while len(order) > 2 and _is_whole(rows[order[-1]], columns) and len(rows[order[-1]][0].text) >= _NOTE:  # noqa: PLR2004
        notes.insert(0, rows.pop(order.pop())[0].text)
    return "\n".join(title), [cell for row in order for cell in rows[row]], tuple(notes)


def _is_whole(cells: Sequence[TableCell], columns: int) -> bool:
    return len(cells) == 1 and columns > 1 and cells[0].column == 0 and cells[0].last_column == columns - 1


def _packed(page: int, lattice: Lattice, cells: Sequence[TableCell]) -> PageTable | None:
    """Return a table without the rows and columns that no cell begins in."""
    if not cells:
        return None
    rows = sorted({cell.row for cell in cells})
    columns = sorted({cell.column for cell in cells})
    row_at = {row: number for number, row in enumerate(rows)}
    column_at = {column: number for number, column in enumerate(columns)}
    packed = [
        replace(
            cell,
            row=row_at[cell.row],
            column=column_at[cell.column],
            last_row=max(number for row, number in row_at.items() if row <= cell.last_row),
            last_column=max(number for column, number in column_at.items() if column <= cell.last_column),
        )
        for cell in cells
    ]
    return PageTable(
        page=page,
        area=lattice.area,
        cells=tuple(sorted(packed, key=lambda cell: (cell.row, cell.column))),
        rows=len(rows),
        columns=len(columns),
        header_rows=0,
        ruled=True,
        edges=(*(lattice.across[column] for column in columns), lattice.across[-1]),
    )


def _header_rows(table: PageTable) -> int:
    """Return how many leading rows name the columns: without figures besides years, the last under merged headings."""
    rows: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    count = 0
    for row in range(min(_HEADER_ROWS, table.rows - 1)):
        cells = [cell for cell in rows.get(row, []) if cell.column > 0 or cell.last_column > 0]
        values = sum(is_figure(cell.text) and not _is_year(cell.text) for cell in cells)
        if (not cells and count == 0) or values:
            break
        if not cells and not any(cell.last_row >= row for inner in range(row) for cell in rows.get(inner, [])):
            break
        count = row + 1
        # Only what stands over several columns, or beside such a heading, has more header below it.
        if not any(cell.last_column > cell.column or cell.last_row > row for cell in rows.get(row, [])):
            break
    return count


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[:2] in {"18", "19", "20"}  # noqa: PLR2004
