"""Tables that no grid of lines draws: their columns are where gaps stand one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from debriefer.documents.pdf.columns import Valley, cuts_for, valleys
from debriefer.documents.pdf.headers import column_of, header_cells
from debriefer.documents.pdf.ink import Area, Rule, around
from debriefer.documents.pdf.lines import Line
from debriefer.documents.pdf.regions import Region, is_row, regions
from debriefer.documents.pdf.rows import Row, rows_of
from debriefer.documents.pdf.segments import is_figure, segments
from debriefer.documents.pdf.table import PageTable, TableCell

# Share of the places of a grid that hold text; less is a chart's labels.
_FILLED = 0.4
# Letters a cell has on the average from which two columns of them are text set in columns.
_PROSE_LETTERS = 38
_MARKERS = frozenset("•●◦○▪■□–—-*·»►✓")


def aligned_tables(
    page: int, lines: Sequence[Line], rules: Sequence[Rule], pictures: Sequence[Area]
) -> list[tuple[PageTable, tuple[Line, ...]]]:
    """Return the tables of a column of a page without a grid, each with the lines that it is made of.

    Args:
        page: Page number, from 1.
        lines: Lines outside of other tables.
        rules: Whole rules outside of other tables.
        pictures: Areas of pictures and drawings; what stands in one is its lettering.
    """
    found: list[tuple[PageTable, tuple[Line, ...]]] = []
    for region in regions(lines, rules):
        if not region.framed and _letters_picture(region, pictures):
            continue
        table = _table(page, region)
        if table is not None:
            found.append((table, region.lines))
    return found


def open_table(page: int, region: Region, walls: Sequence[float]) -> PageTable | None:
    """Return the table in a frame whose columns `walls` part, but whose rows are not ruled; `None` where there is none.

    Args:
        page: Page number, from 1.
        region: The lines within the frame.
        walls: x of the vertical rules within it.
    """
    return _table(page, region, walls)


def _table(page: int, region: Region, walls: Sequence[float] = ()) -> PageTable | None:
    head = header_size(region)
    header, body = list(region.lines[:head]), list(region.lines[head:])
    rows = [line for line in body if is_row(line)]
    found = valleys(rows if len(rows) > 1 else [line for line in region.lines if is_row(line)])
    found = _with_walls(found, walls)
    if not found:
        return None
    lowest = header[-1:]
    cuts = cuts_for(found, lowest)
    spans = _spans(rows or list(region.lines), cuts)
    cells = header_cells(header, cuts, spans, _header_rules(region, header, body))
    height = 1 + max((cell.last_row for cell in cells), default=-1)
    bodies = rows_of(body, cuts, region.bars)
    if not _is_table(region, bodies, len(cuts) + 1, height):
        return None
    for number, row in enumerate(bodies):
        for piece in row.pieces.values():
            cells.append(
                TableCell(
                    piece.text,
                    height + number,
                    piece.first,
                    height + number,
                    piece.last,
                    all(word.bold for word in piece.words),
                )
            )
    area = around([line.area for line in region.lines])
    if region.framed:
        area = Area(area.left, min(area.top, region.bars[0]), area.right, max(area.bottom, region.bars[-1]))
    return PageTable(
        page=page,
        area=area,
        cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        rows=height + len(bodies),
        columns=len(cuts) + 1,
        header_rows=height,
        ruled=False,
        edges=(area.left, *cuts, area.right),
    )


def _with_walls(found: list[Valley], walls: Sequence[float]) -> list[Valley]:
    """Return valleys together with drawn lines; a line in a valley is where it is cut."""
    kept = [valley for valley in found if not any(valley.left - 2 <= wall <= valley.right + 2 for wall in walls)]
    return sorted((*kept, *(Valley(wall, wall) for wall in walls)), key=lambda valley: valley.middle)


def header_size(region: Region) -> int:
    """Return how many leading lines are the header: what the first rule parts off, else lines without figures."""
    lines = region.lines
    inner = [bar for bar in region.bars if lines[0].baseline < bar < lines[-1].baseline - 0.5 * lines[-1].size]
    for bar in inner:
        above = sum(line.baseline <= bar + 1 for line in lines)
        rows = sum(map(is_row, lines[:above]))
        if above <= max(6, len(lines) // 3) and rows:
            return above
        if rows:
            break
    for number, line in enumerate(lines):
        if _has_figures(line):
            return number if number <= 6 and any(map(is_row, lines[:number])) else 0  # noqa: PLR2004
    return 1 if len(lines) > 2 and is_row(lines[0]) else 0  # noqa: PLR2004


def _has_figures(line: Line) -> bool:
    pieces = segments(line)
    figures = sum(is_figure(piece.text) for piece in pieces[1:])
    return len(pieces) > 1 and figures * 2 >= len(pieces) - 1 and not _are_years(line)


def _are_years(line: Line) -> bool:
    pieces = segments(line)
    texts = [piece.text for piece in pieces if is_figure(piece.text)]
    return bool(texts) and all(len(text) == 4 and text.isdigit() and text[:2] in {"18", "19", "20"} for text in texts)  # noqa: PLR2004


def _spans(rows: Sequence[Line], cuts: Sequence[float]) -> list[tuple[float, float]]:
    """Return left and right of the text of each column."""
    spans: list[tuple[float, float]] = []
    for column in range(len(cuts) + 1):
        words = [word for row in rows for word in row.words if column_of(word, cuts) == column]
        low = cuts[column - 1] if column else min(word.area.left for row in rows for word in row.words)
        high = cuts[column] if column < len(cuts) else max(word.area.right for row in rows for word in row.words)
        spans.append(
            (
                max(low, min((word.area.left for word in words), default=low)),
                min(high, max((word.area.right for word in words), default=high)),
            )
        )
    return spans


def _header_rules(region: Region, header: Sequence[Line], body: Sequence[Line]) -> list[Rule]:
    """Return the rules that stand between lines of the header."""
    if not header:
        return []
    top = header[0].area.top
    bottom = header[-1].baseline - 0.4 * header[-1].size
    del body
    return [rule for rule in region.partial if top < rule.at < bottom]


def _is_table(region: Region, rows: Sequence[Row], columns: int, header_rows: int) -> bool:
    full = [row for row in rows if len(row.pieces) > 1]
    if not full or len(full) + header_rows < 2 or columns < 2:  # noqa: PLR2004 -- a table has two rows and columns
        return False
    if _is_list(full) or _is_prose(full, columns) or _is_contents(region, full):
        return False
    filled = sum(len(row.pieces) for row in full) / (len(full) * columns)
    if region.framed:
        return filled >= _FILLED / 2
    if len(full) < 3 and (columns < 3 or filled < 1):  # noqa: PLR2004 -- two pairs are no evidence
        return False
    figures = sum(is_figure(piece.text) for row in full for piece in row.pieces.values())
    texts = sum(len(row.pieces) for row in full)
    return filled >= _FILLED and (figures * 4 >= texts or filled >= 0.7) and len(full) * 2 >= len(rows)  # noqa: PLR2004


def _letters_picture(region: Region, pictures: Sequence[Area]) -> bool:
    middles = [line.area.middle for line in region.lines]
    return any(sum(picture.holds(*middle) for middle in middles) * 2 > len(middles) for picture in pictures)


def _is_list(rows: Sequence[Row]) -> bool:
    """Whether the first column holds nothing but the marks of a list, or numbers of lines, and there is one more."""
    labels = [row.label.text for row in rows if row.label is not None]
    width = max(len(row.pieces) for row in rows)
    numbers = [int(label) for label in labels if label.isdecimal()]
    counted = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(labels)))  # noqa: PLR2004
    if counted and width <= 2 and not any(is_figure(row.pieces[1].text) for row in rows if 1 in row.pieces):  # noqa: PLR2004
        return True
    marks = [label for label in labels if set(label) <= _MARKERS or (len(label) <= 4 and label[-1:] in ".)")]  # noqa: PLR2004
    return width <= 2 and len(labels) > 0 and len(marks) * 2 > len(labels)  # noqa: PLR2004


def _is_prose(rows: Sequence[Row], columns: int) -> bool:
    """Whether at least two columns are running text."""
    long = 0
    for column in range(columns):
        texts = [row.pieces[column].text for row in rows if column in row.pieces]
        if texts and mean(map(len, texts)) >= _PROSE_LETTERS and not any(map(is_figure, texts)):
            long += 1
    return long > 1


def _is_contents(region: Region, rows: Sequence[Row]) -> bool:
    """Whether leaders run to page numbers that do not fall."""
    dotted = sum("...." in line.text.replace(" ", "") for line in region.lines)
    if dotted * 2 < len(region.lines):
        return False
    numbers = [row.pieces[max(row.pieces)].text for row in rows]
    pages = [int(text) for text in numbers if text.isdigit()]
    return len(pages) * 2 >= len(numbers) and pages == sorted(pages) and len(set(pages)) > 1
