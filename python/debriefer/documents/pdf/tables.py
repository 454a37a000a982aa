"""All tables of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from debriefer.documents.pdf.aligned import aligned_tables, open_table
from debriefer.documents.pdf.columnize import page_columns
from debriefer.documents.pdf.gridded import gridded_table, is_open
from debriefer.documents.pdf.ink import Area, Glyph, PageInk, Rule
from debriefer.documents.pdf.lines import Line, Word, lines_of
from debriefer.documents.pdf.regions import Region
from debriefer.documents.pdf.ruled import Lattice, contents, lattices
from debriefer.documents.pdf.rules import TOUCH, covered, whole
from debriefer.documents.pdf.table import PageTable
from debriefer.documents.pdf.turned import turned_lines

_TABLE = "\ufffc"
# Share of a table's width that a rule through all of it takes at least.
_THROUGH = 0.9
# Share of the page from which a picture is the paper that the text is printed on.
_BACKDROP = 0.7
# Share of a table's height from which a vertical rule parts its columns.
_WALL = 0.5
# A grid of more cells than this without text in them is a chart; its lettering stands around it, this many points away.
_DRAWING_CELLS = 8
_LETTERING = 24.0


@dataclass(frozen=True, slots=True)
class PageParts:
    """A page taken apart.

    Attributes:
        blocks: Its columns of text in reading order: lines and tables, top to bottom.
        turned: Text outside of tables that runs in another direction, and where it stands.
    """

    blocks: tuple[tuple[Line | PageTable, ...], ...]
    turned: tuple[tuple[str, Area], ...]

    @property
    def tables(self) -> list[PageTable]:
        """Its tables in reading order."""
        return [item for block in self.blocks for item in block if isinstance(item, PageTable)]


def page_parts(ink: PageInk) -> PageParts:
    """Return the tables of a page and the lines around them."""
    rules = whole(ink.rules)
    glyphs = list(ink.glyphs)
    drawn: list[PageTable] = []
    drawings: list[Area] = []
    for lattice in lattices(rules, glyphs):
        table = _drawn(ink.number, lattice, glyphs)
        if table is None:
            if len(lattice.boxes) > _DRAWING_CELLS:
                drawings.append(_with_lettering(lattice.area))
            continue
        drawn.append(table)
        glyphs = [glyph for glyph in glyphs if not lattice.area.holds(*glyph.area.middle)]
        rules = [rule for rule in rules if rule not in lattice.rules]
    lines = lines_of(glyph for glyph in glyphs if glyph.turn == 0)
    # A table takes part in the cut into columns as a line as wide as it is.
    kept: dict[int, PageTable] = {}
    for table in drawn:
        place = _placeholder(table)
        kept[id(place.words[0])] = table
        lines.append(place)
    page = ink.width * ink.height
    pictures = drawings + [picture for picture in ink.pictures if picture.width * picture.height < _BACKDROP * page]
    blocks = tuple(_block(ink.number, column, rules, pictures, kept) for column in page_columns(lines))
    return PageParts(blocks, tuple(turned_lines(glyphs)))


def _placeholder(table: PageTable) -> Line:
    return Line((Word(_TABLE, table.area, table.area.top, 1.0, False, 0),))


def _block(
    page: int, column: Sequence[Line], rules: Sequence[Rule], pictures: Sequence[Area], kept: Mapping[int, PageTable]
) -> tuple[Line | PageTable, ...]:
    items: list[Line | PageTable] = []
    free = [line for line in column if line.words[0].text != _TABLE]
    items.extend(kept[id(line.words[0])] for line in column if id(line.words[0]) in kept)
    for table, used in aligned_tables(page, free, rules, pictures):
        gone = set(map(id, used))
        free = [line for line in free if id(line) not in gone]
        items.append(table)
    items.extend(free)
    return tuple(sorted(items, key=_top))


def _top(item: Line | PageTable) -> tuple[float, float]:
    area = item.area
    return (item.baseline, area.left) if isinstance(item, Line) else (area.top, area.left)


def _drawn(page: int, lattice: Lattice, glyphs: Sequence[Glyph]) -> PageTable | None:
    """Return the table in a grid: cell by cell, or line by line where its rows are not ruled."""
    inside = contents(lattice, glyphs)
    if is_open(inside):
        area = lattice.area
        lines = lines_of(glyph for glyph in glyphs if glyph.turn == 0 and area.holds(*glyph.area.middle))
        flats = [rule for rule in lattice.rules if rule.axis == "h"]
        long = [rule for rule in flats if rule.length >= _THROUGH * area.width]
        bars = tuple(sorted({area.top, area.bottom, *(rule.at for rule in long)}))
        partial = tuple(rule for rule in flats if rule.length < _THROUGH * area.width)
        walls = [
            edge
            for edge in lattice.across[1:-1]
            if covered(
                [rule for rule in lattice.rules if rule.axis == "v" and abs(rule.at - edge) <= TOUCH], *_ends(area)
            )
            >= _WALL
        ]
        table = open_table(page, Region(tuple(lines), bars, partial, framed=True), walls)
        if table is not None:
            return replace(table, ruled=True, area=area)
    return gridded_table(page, lattice, inside)


def _with_lettering(area: Area) -> Area:
    return Area(area.left - _LETTERING, area.top - _LETTERING, area.right + _LETTERING, area.bottom + _LETTERING)


def _ends(area: Area) -> tuple[float, float]:
    return area.top, area.bottom
