"""Tables whose cells are parted by drawn lines in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from debriefer.documents.pdf.ink import Area, Glyph, Rule
from debriefer.documents.pdf.lines import Line, lines_of
from debriefer.documents.pdf.rules import SAME, TOUCH, covered, places, touching
from debriefer.documents.pdf.segments import without_leader
from debriefer.documents.pdf.turned import turned_lines

# A side of a cell is drawn if rules cover at least this share of it.
_DRAWN = 0.6
# Points by which lines may stick out and still end at the table's edge.
_OUTSIDE = 6.0


@dataclass(frozen=True, slots=True)
class Box:
    """A cell as the rules draw it: grid positions, both ends included."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Lattice:
    """A grid that rules draw.

    Attributes:
        across: x of the edges of its columns.
        down: y of the edges of its rows.
        boxes: Its cells, merged ones once.
        rules: The rules that draw it.
    """

    across: tuple[float, ...]
    down: tuple[float, ...]
    boxes: tuple[Box, ...]
    rules: tuple[Rule, ...]

    @property
    def area(self) -> Area:
        """Where it stands."""
        return Area(self.across[0], self.down[0], self.across[-1], self.down[-1])

    def area_of(self, box: Box) -> Area:
        """Where one of its cells stands."""
        return Area(
            self.across[box.column], self.down[box.row], self.across[box.last_column + 1], self.down[box.last_row + 1]
        )


def lattices(rules: Sequence[Rule], glyphs: Sequence[Glyph]) -> list[Lattice]:
    """Return the grids of a page that hold text in at least two cells of a row or column."""
    found: list[Lattice] = []
    for group in touching(rules):
        lattice = _lattice(group, glyphs)
        if lattice is not None:
            found.append(lattice)
    return found


def _lattice(group: Sequence[Rule], glyphs: Sequence[Glyph]) -> Lattice | None:
    flat = [rule for rule in group if rule.axis == "h"]
    upright = [rule for rule in group if rule.axis == "v"]
    if not flat or not upright or len(flat) + len(upright) < 3:  # noqa: PLR2004 -- two lines make a cross, not cells
        return None
    across = places((rule.at for rule in upright), SAME)
    down = places((rule.at for rule in flat), SAME)
    reach = Area(
        min(rule.start for rule in flat),
        min(rule.start for rule in upright),
        max(rule.end for rule in flat),
        max(rule.end for rule in upright),
    )
    inside = [
        glyph
        for glyph in glyphs
        if not glyph.text.isspace() and reach.holds(*glyph.area.middle) and glyph.turn is not None
    ]
    across = _opened(across, reach.left, reach.right, [glyph.area.middle[0] for glyph in inside])
    down = _opened(down, reach.top, reach.bottom, [glyph.area.middle[1] for glyph in inside])
    if len(across) < 2 or len(down) < 2 or (len(across) - 1) * (len(down) - 1) < 2:  # noqa: PLR2004 -- one cell
        return None
    boxes = _boxes(across, down, flat, upright)
    return Lattice(tuple(across), tuple(down), tuple(boxes), tuple(group))


def _opened(edges: list[float], low: float, high: float, text: Sequence[float]) -> list[float]:
    """Return edges with those of an open side, where lines of the other direction run on past text."""
    if edges[0] - low > _OUTSIDE and any(low < place < edges[0] for place in text):
        edges = [low, *edges]
    if high - edges[-1] > _OUTSIDE and any(edges[-1] < place < high for place in text):
        edges = [*edges, high]
    return edges


def _boxes(across: Sequence[float], down: Sequence[float], flat: Sequence[Rule], upright: Sequence[Rule]) -> list[Box]:
    """Return the cells: grid positions with no line between them are one."""
    right = [[False] * (len(across) - 1) for _ in range(len(down) - 1)]
    below = [[False] * (len(across) - 1) for _ in range(len(down) - 1)]
    for row, (top, bottom) in enumerate(pairwise(down)):
        for column, (left, far) in enumerate(pairwise(across)):
            walls = [rule for rule in upright if abs(rule.at - far) <= TOUCH]
            floors = [rule for rule in flat if abs(rule.at - bottom) <= TOUCH]
            right[row][column] = covered(walls, top + 1, bottom - 1) >= _DRAWN
            below[row][column] = covered(floors, left + 1, far - 1) >= _DRAWN
    taken = [[False] * (len(across) - 1) for _ in range(len(down) - 1)]
    boxes: list[Box] = []
    for row in range(len(down) - 1):
        for column in range(len(across) - 1):
            if taken[row][column]:
                continue
            box = _grown(row, column, right, below, taken)
            for inner in range(box.row, box.last_row + 1):
                for place in range(box.column, box.last_column + 1):
                    taken[inner][place] = True
            boxes.append(box)
    return boxes


def _grown(row: int, column: int, right: list[list[bool]], below: list[list[bool]], taken: list[list[bool]]) -> Box:
    rows, columns = len(right), len(right[0])
    last_column = column
    while last_column + 1 < columns and not right[row][last_column] and not taken[row][last_column + 1]:
        last_column += 1
    last_row = row
    while last_row + 1 < rows:
        span = range(column, last_column + 1)
        if any(below[last_row][place] or taken[last_row + 1][place] for place in span):
            break
        if any(right[last_row + 1][place] for place in range(column, last_column)):
            break
        if last_column + 1 < columns and not right[last_row + 1][last_column]:
            break
        last_row += 1
    return Box(row, column, last_row, last_column)


@dataclass(frozen=True, slots=True)
class Content:
    """What stands in a cell.

    Attributes:
        lines: Upright text.
        turned: Text on its side, line by line.
    """

    lines: tuple[Line, ...]
    turned: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it, one line below the other."""
        return "\n".join((*(without_leader(line.text) for line in self.lines), *self.turned))

    @property
    def bold(self) -> bool:
        """Whether all upright text is bold."""
        return bool(self.lines) and all(line.bold for line in self.lines)


def contents(lattice: Lattice, glyphs: Sequence[Glyph]) -> dict[Box, Content]:
    """Return what stands in each cell; a letter belongs to the cell that its centre is in."""
    letters: dict[Box, list[Glyph]] = {box: [] for box in lattice.boxes}
    at = {
        (row, column): box
        for box in lattice.boxes
        for row in range(box.row, box.last_row + 1)
        for column in range(box.column, box.last_column + 1)
    }
    for glyph in glyphs:
        x, y = glyph.area.middle
        row, column = _index(lattice.down, y), _index(lattice.across, x)
        box = at.get((row, column))
        if box is not None:
            letters[box].append(glyph)
    return {
        box: Content(
            tuple(lines_of(glyph for glyph in inside if glyph.turn == 0)),
            tuple(text for text, _ in turned_lines(inside)),
        )
        for box, inside in letters.items()
    }


def _index(edges: Sequence[float], value: float) -> int:
    return next((number for number, (low, high) in enumerate(pairwise(edges)) if low <= value < high), -1)
