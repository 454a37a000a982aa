"""Tables of a picture: between rulings, by alignment alone, and charts with printed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from debriefer.media.layout.geometry import Area, around, contains, holds, shared, size
from debriefer.media.layout.state import SEEN, Look, common_colour, difference
from debriefer.media.slide import Box

# Cells between rulings stand this close together, in pixels: a ruling and the blur on both sides of it.
_RULING = 8
# Edges that differ by less are one edge, in pixels.
_EDGE = 6
# Share of a grid's places that cells must cover: less is a loose group of boxes.
_COVERED = 0.7
# At most so many lines above a table are tried as no part of it, once one is found.
_HEAD_LINES = 2
# Share of rectangles between rulings whose sides lie on the lines of the grid: noise on a dark ground makes flat
# patches that end anywhere.
_TIGHT = 0.7
# Share of a column's width, or a row's height, that a cell covers which stands in it.
_MOST = 0.5
# Two tables side by side are this far apart, in pixels: less is a line that something hovers over.
_BETWEEN = 12
# A first line with at most this share of the columns above one with at least that share stands above the table.
_BARE, _FULL = 0.5, 0.8
# Share of cells that may hold two texts side by side.
_LOOSE = 0.25
# Two pieces of a header stand at most so many em apart: what hovers over a letter takes it away.
_PIECES = 2.5
# A table without rulings has at least this many rows and columns (two rows of cards are no table).
_ROWS, _COLUMNS = 3, 2
# Rows further apart than this many usual steps belong to two tables.
_STEP = 2.1
# Text of a column starts, ends or is centred within this many em of the others.
_ALIGNED = 0.45
# Share of a column's cells that must be so, and of all cells that must not be blank.
_ALIKE = 0.6
_PRESENT = 0.55
# Rows of one table are written in one size, up to this ratio (the header may differ).
_ONE_SIZE = 1.4


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        looks: Its lines of text, top to bottom.
        box: Where it stands.
        background: Its colour, RGB, or `None` where nothing parts it from its neighbours.
    """

    looks: tuple[Look, ...]
    box: Box
    background: tuple[int, int, int] | None = None

    @property
    def text(self) -> str:
        """Its text on one line."""
        return " ".join(look.text for look in self.looks)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as rows of equally many cells; a merged cell stands at its first place, blank ones at the others.

    Attributes:
        rows: The cells.
        header: Whether the first row names the columns.
        box: Where it stands.
    """

    rows: tuple[tuple[Cell, ...], ...]
    header: bool
    box: Box


def ruled(found: Sequence[Area], looks: Sequence[Look]) -> list[Grid]:
    """Return the tables whose cells are parted by rulings."""
    cells = [area for area in found if not any(other is not area and _inside(other, area) for other in found)]
    # A letter's background (the hole of an O) is no cell; a cell with text is at least as high as it.
    cells = [
        area for area in cells if not any(contains(look.box, area.box, 1) and size(look.box) > 0 for look in looks)
    ]
    grids = []
    for group in _adjacent(cells):
        grid = _ruled_grid(group, looks)
        if grid is not None:
            grids.append(grid)
    return grids


def aligned(looks: Sequence[Look], bands: Sequence[Area], lines: Sequence[Box] = ()) -> list[Grid]:
    """Return the tables that are made by alignment: rows of a size and columns that share an edge.

    Args:
        looks: Text of one container that is in no ruled table.
        bands: Rectangles behind whole rows (headers, zebra stripes, a highlighted row).
        lines: Horizontal lines.
    """
    grids = []
    left = list(looks)
    for mark in _side_by_side(left, [band.box for band in bands], lines):
        under = [look for look in left if mark.left - _EDGE <= look.box.left and look.box.right <= mark.right + _EDGE]
        for grid in _aligned_grids(under, bands):
            # A header's band lies behind the first row, its line below it.
            first = around(cell.box for cell in grid.rows[0])
            if first.top - 2 * _EDGE <= mark.bottom and mark.top <= around(cell.box for cell in grid.rows[1]).top:
                grids.append(grid)
                used = {id(look) for row in grid.rows for cell in row for look in cell.looks}
                left = [look for look in left if id(look) not in used]
    return grids + _aligned_grids(left, bands)


def _side_by_side(looks: Sequence[Look], bands: Sequence[Box], lines: Sequence[Box]) -> list[Box]:
    """Return header bands and lines that stand side by side: each tells how wide its own table is."""
    marks = []
    for box in sorted(bands, key=lambda box: (box.top, box.left)):
        beside = [look for look in looks if holds(_level(box), look.box) and not holds(box, look.box)]
        if beside and all(any(holds(other, look.box) for other in bands) for look in beside):
            marks.append(box)
    marks += [
        line
        for line in lines
        if any(
            abs(other.top - line.top) <= _EDGE and max(other.left - line.right, line.left - other.right) >= _BETWEEN
            for other in lines
        )
    ]
    return marks


def lines_of(looks: Sequence[Look]) -> list[list[Look]]:
    """Return looks as the lines of a page: top to bottom, each left to right."""
    rows: list[list[Look]] = []
    for look in sorted(looks, key=lambda look: (look.box.top + look.box.bottom, look.box.left)):
        middle = (look.box.top + look.box.bottom) / 2
        if rows:
            own = [(other.box.top + other.box.bottom) / 2 for other in rows[-1]]
            if abs(middle - median(own)) < 0.5 * max(look.size, rows[-1][0].size):
                rows[-1].append(look)
                continue
        rows.append([look])
    return [sorted(row, key=lambda look: (look.box.left, look.box.top)) for row in rows]


def numeric(text: str) -> bool:
    """Return whether a text is mostly a figure: digits with signs, separators and a unit.

    >>> [numeric(text) for text in ("1,508.91", "+4.4%", "¥12万", "2026-03", "Q1 2026 revenue", "华东")]
    [True, True, True, True, False, False]
    """
    letters = sum(sign.isalpha() for sign in text)
    digits = sum(sign.isdigit() for sign in text)
    return digits > 0 and digits >= 2 * letters - 1 and letters <= 3  # noqa: PLR2004 -- a unit


def _inside(inner: Area, outer: Area) -> bool:
    return size(inner.box) < 0.8 * size(outer.box) and size(inner.box) > 400 and contains(outer.box, inner.box, 0)  # noqa: PLR2004


def _adjacent(cells: list[Area]) -> list[list[Area]]:
    """Return groups of rectangles that are parted by no more than a ruling."""
    groups: list[list[Area]] = []
    for area in sorted(cells, key=lambda area: (area.box.top, area.box.left)):
        touching = [group for group in groups if any(_next_to(area.box, other.box) for other in group)]
        merged = [area, *(other for group in touching for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append(merged)
    return [sorted(group, key=lambda area: (area.box.top, area.box.left)) for group in groups]


def _next_to(one: Box, other: Box) -> bool:
    beside = min(abs(one.left - other.right), abs(other.left - one.right)) <= _RULING
    below = min(abs(one.top - other.bottom), abs(other.top - one.bottom)) <= _RULING
    return (beside and shared((one.top, one.bottom), (other.top, other.bottom)) > 0.8) or (  # noqa: PLR2004
        below and shared((one.left, one.right), (other.left, other.right)) > 0.8  # noqa: PLR2004 -- most of a side
    )


def _starts(values: Sequence[int]) -> list[int]:
    """Return edges, those that nearly coincide taken as one."""
    edges: list[list[int]] = []
    for value in sorted(values):
        if edges and value - edges[-1][-1] <= _EDGE:
            edges[-1].append(value)
        else:
            edges.append([value])
    return [round(median(group)) for group in edges]


def _parting(starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return the starts that lie on a ruling: something else ends there, unless it is the first."""
    return [start for start in starts if start == starts[0] or any(abs(start - end) <= _RULING for end in ends)]


def _spanned(lines: Sequence[int], first: int, last: int) -> list[int]:
    """Return which columns or rows, parted by lines, a rectangle covers for the most part."""
    return [
        place
        for place, (start, end) in enumerate(pairwise(lines))
        if min(last, end) - max(first, start) > _MOST * (end - start)
    ]


def _tight(group: Sequence[Area], columns: Sequence[int], rows: Sequence[int]) -> bool:
    """Return whether most rectangles have all sides on the lines of a grid."""

    def on(value: int, lines: Sequence[int]) -> bool:
        return any(abs(value - line) <= _RULING for line in lines)

    good = sum(
        on(area.box.left, columns)
        and on(area.box.right, columns)
        and on(area.box.top, rows)
        and on(area.box.bottom, rows)
        for area in group
    )
    return good >= _TIGHT * len(group)


def _ruled_grid(group: list[Area], looks: Sequence[Look]) -> Grid | None:
    columns = _parting(_starts([area.box.left for area in group]), [area.box.right for area in group])
    rows = _parting(_starts([area.box.top for area in group]), [area.box.bottom for area in group])
    box = around(area.box for area in group)
    if len(columns) < 2 or len(rows) < 2 or len(group) < 4:  # noqa: PLR2004 -- a table has two rows of two
        return None
    lines_x, lines_y = [*columns, box.right], [*rows, box.bottom]
    if not _tight(group, lines_x, lines_y):
        return None
    taken: dict[tuple[int, int], Area] = {}
    covered = 0
    for area in group:
        across = _spanned(lines_x, area.box.left, area.box.right)
        down = _spanned(lines_y, area.box.top, area.box.bottom)
        if not across or not down or (down[0], across[0]) in taken:
            continue
        taken[down[0], across[0]] = area
        covered += len(across) * len(down)
    if covered < _COVERED * len(columns) * len(rows):
        return None
    unused = [look for look in looks if holds(box, look.box)]
    table: list[tuple[Cell, ...]] = []
    for y in range(len(rows)):
        cells: list[Cell] = []
        for x in range(len(columns)):
            held = taken.get((y, x))
            place = held.box if held else Box(lines_x[x], lines_y[y], lines_x[x + 1], lines_y[y + 1])
            own = [look for look in unused if holds(place, look.box)]
            unused = [look for look in unused if all(look is not other for other in own)]
            ordered = tuple(look for line in lines_of(own) for look in line)
            cells.append(Cell(ordered, place, held.colour if held else None))
        table.append(tuple(cells))
    texts = [cell for row in table for cell in row if cell.looks]
    if sum(_parted(cell) for cell in texts) > _LOOSE * len(texts):
        # Rulings between rows alone, broken by what hovers over them: the columns are told by alignment.
        return None
    if len(texts) < max(3, 0.3 * len(columns) * len(rows)):
        return None
    return Grid(tuple(table), _has_header(table), box)


def _level(box: Box) -> Box:
    """Return the whole strip of the page on which a box stands."""
    return Box(-1_000_000, box.top, 1_000_000, box.bottom)


def _parted(cell: Cell) -> bool:
    """Return whether a cell holds texts side by side with room for a column between them."""
    return any(
        after.box.left - before.box.right > before.size
        for line in lines_of(cell.looks)
        for before, after in pairwise(line)
    )


def _aligned_grids(looks: Sequence[Look], bands: Sequence[Area]) -> list[Grid]:
    grids = []
    for run in _row_runs(lines_of(looks)):
        grid = _aligned_grid(run, bands)
        if grid is not None:
            grids.append(grid)
    return grids


def _row_runs(rows: list[list[Look]]) -> list[list[list[Look]]]:
    """Return runs of rows at about even distances, each starting and ending with a row of two texts or more."""
    runs: list[list[list[Look]]] = []
    run: list[list[Look]] = []
    middles: list[float] = []

    def close() -> None:
        while run and len(run[-1]) < _COLUMNS:
            run.pop()
        if len(run) >= _ROWS:
            runs.append(list(run))
        run.clear()
        middles.clear()

    for row in rows:
        middle = median((look.box.top + look.box.bottom) / 2 for look in row)
        if run:
            step = middle - middles[-1]
            steps = [after - before for before, after in pairwise(middles)]
            usual = median(steps) if steps else 4 * run[0][0].size
            if step > _STEP * usual or (len(row) < _COLUMNS and len(run[-1]) < _COLUMNS):
                close()
        if run or len(row) >= _COLUMNS:
            run.append(row)
            middles.append(middle)
    close()
    return runs


def _aligned_grid(run: list[list[Look]], bands: Sequence[Area]) -> Grid | None:
    """Return the table of a run of rows, without lines above it that happen to hold two texts."""
    best: Grid | None = None
    while len(run) >= _ROWS:
        grid = _as_grid(run, bands)
        # A line above the table bridges columns, so that there are more without it.
        if grid is not None and not _above(grid) and (best is None or len(grid.rows[0]) > len(best.rows[0])):
            best = grid
        if best is not None and len(best.rows) - len(run) >= _HEAD_LINES:
            break
        run = run[1:]
        while run and len(run[0]) < _COLUMNS:
            run = run[1:]
    return best


def _above(grid: Grid) -> bool:
    """Return whether the first row of a table is a line above it: a title, or values of cards that stand there."""
    first, rest = grid.rows[0], grid.rows[1:]
    usual = median(look.size for row in rest for cell in row for look in cell.looks)
    if any(look.size > _ONE_SIZE * usual for cell in first for look in cell.looks):
        return True
    filled = [sum(bool(cell.looks) for cell in row) / len(row) for row in grid.rows[: _HEAD_LINES + 1]]
    return filled[0] <= _BARE and max(filled[1:]) >= _FULL


def _as_grid(run: list[list[Look]], bands: Sequence[Area]) -> Grid | None:
    usual = median(look.size for row in run for look in row)
    sizes = [median(look.size for look in row) for row in run[1:]]
    if max(sizes) > _ONE_SIZE * min(sizes):
        return None
    spans = _columns(run, usual)
    if len(spans) < _COLUMNS:
        return None
    cells: list[list[list[Look]]] = [[[] for _ in spans] for _ in run]
    for place, row in enumerate(run):
        for look in row:
            middle = (look.box.left + look.box.right) / 2
            column = next(
                (number for number, (_, end) in enumerate(spans) if middle < end),
                len(spans) - 1,
            )
            cells[place][column].append(look)
    if not _fits(cells[-1], cells[:-1], usual):
        # A line below the table: a count of its rows, buttons to leaf through it.
        return _as_grid(run[:-1], bands) if len(run) > _ROWS else None
    good = 0
    for number in range(len(spans)):
        column_looks = [row[number] for row in cells[1:] if row[number]]
        good += _is_aligned(column_looks, usual) and len(column_looks) >= 0.5 * (len(run) - 1)
    filled = sum(bool(cell) for row in cells for cell in row)
    if good < _COLUMNS or filled < _PRESENT * len(run) * len(spans) or good < _ALIKE * len(spans):
        return None
    return _filled_grid(run, cells, spans, bands)


def _filled_grid(
    run: list[list[Look]], cells: list[list[list[Look]]], spans: list[tuple[int, int]], bands: Sequence[Area]
) -> Grid:
    """Return a grid of looks that stand in their places, blank cells with the room they take."""
    box = around(look.box for row in run for look in row)
    edges = [box.left, *(round((a[1] + b[0]) / 2) for a, b in pairwise(spans)), box.right]
    table: list[tuple[Cell, ...]] = []
    for looks, row in zip(run, cells, strict=True):
        extent = around(look.box for look in looks)
        band = next((area for area in reversed(bands) if all(holds(area.box, look.box) for look in looks)), None)
        colour = None if band is None else band.colour
        rooms = [Box(left, extent.top, right, extent.bottom) for left, right in pairwise(edges)]
        table.append(
            tuple(
                Cell(tuple(cell), around(look.box for look in cell) if cell else room, colour)
                for cell, room in zip(row, rooms, strict=True)
            )
        )
    return Grid(tuple(table), _has_header(table), box)


def _columns(run: list[list[Look]], em: float) -> list[tuple[int, int]]:
    """Return the extents of columns: where no text of any row stands between them."""
    spans: list[list[int]] = []
    for left, right in sorted((look.box.left, look.box.right) for row in run for look in row):
        # Words of a cell stand in one text, so that a narrow gap parts columns.
        if spans and left < spans[-1][1] + max(2, 0.2 * em):
            spans[-1][1] = max(spans[-1][1], right)
        else:
            spans.append([left, right])
    return _joined([(left, right) for left, right in spans], run)


def _joined(spans: list[tuple[int, int]], run: list[list[Look]]) -> list[tuple[int, int]]:
    """Return columns, neighbours taken as one where a name stands to one side of its figures and no row has both."""
    joined: list[tuple[int, int]] = []
    held: list[set[int]] = []
    for left, right in spans:
        rows = {
            place
            for place, row in enumerate(run)
            if any(left <= (look.box.left + look.box.right) / 2 <= right for look in row)
        }
        if joined and (
            (not rows & held[-1] and min(len(rows), len(held[-1])) == 1)
            or ({0} in (rows, held[-1]) and len(rows | held[-1]) > 1 and _pieces(run[0], joined[-1], (left, right)))
        ):
            joined[-1] = (joined[-1][0], right)
            held[-1] |= rows
        else:
            joined.append((left, right))
            held.append(rows)
    return joined


def _pieces(header: list[Look], one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether what two columns have in the header stands so close that it is one name in pieces."""
    names = [
        [look for look in header if left <= (look.box.left + look.box.right) / 2 <= right]
        for left, right in (one, other)
    ]
    if not all(names):
        return False
    before, after = (around(look.box for look in part) for part in names)
    return after.left - before.right <= _PIECES * min(look.size for part in names for look in part)


def _fits(row: list[list[Look]], others: list[list[list[Look]]], em: float) -> bool:
    """Return whether at least half of a row's cells share an edge or the middle with most others of their column."""
    shared_edges = cells = 0
    for number, looks in enumerate(row):
        column = [around(look.box for look in other[number]) for other in others if other[number]]
        if not looks or not column:
            continue
        cells += 1
        own = _edges(around(look.box for look in looks))
        others_edges = [_edges(box) for box in column]
        shared_edges += any(
            2 * sum(abs(own[edge] - other[edge]) <= _ALIGNED * em for other in others_edges) >= len(column)
            for edge in range(3)
        )
    return 2 * shared_edges >= cells


def _is_aligned(cells: list[list[Look]], em: float) -> bool:
    if not cells:
        return False
    boxes = [_edges(around(look.box for look in cell)) for cell in cells]
    for edge in zip(*boxes, strict=True):
        usual = median(edge)
        if sum(abs(value - usual) <= _ALIGNED * em for value in edge) >= _ALIKE * len(edge):
            return True
    return False


def _edges(box: Box) -> tuple[float, float, float]:
    """Return the left edge, the right edge and the middle of a box."""
    return box.left, box.right, (box.left + box.right) / 2


def _has_header(table: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the first row is written or laid out other than the rest, or names columns of figures."""
    first, rest = table[0], [row for row in table[1:] if any(cell.looks for cell in row)]
    if not rest or any(cell.looks and numeric(cell.text) and not _year(cell.text) for cell in first[1:]):
        return False
    if not any(cell.looks for cell in first):
        return False
    backgrounds = [cell.background for row in rest for cell in row if cell.background is not None]
    usual = common_colour(backgrounds)
    own = common_colour(cell.background for cell in first if cell.background is not None)
    if own is not None and (usual is None or difference(own, usual) > SEEN):
        return True
    if any(
        cell.looks and not numeric(cell.text) and sum(numeric(row[place].text) for row in rest) > 0.5 * len(rest)
        for place, cell in enumerate(first)
    ):
        return True
    bold = [look.weight for cell in first for look in cell.looks]
    plain = [look.weight for row in rest for cell in row for look in cell.looks]
    return bool(bold and plain and median(bold) > 1.2 * median(plain))


def _year(text: str) -> bool:
    return len(text.strip("年")) == 4 and text.strip("年").isdigit() and text[:2] in {"19", "20"}  # noqa: PLR2004
