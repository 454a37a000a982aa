"""From lines of text and the picture they stand on to a layout tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from debriefer.media.layout.charts import charts
from debriefer.media.layout.geometry import areas, around, arrange, contains, holds, rules, sides, size
from debriefer.media.layout.grid import Cell, Grid, aligned, ruled
from debriefer.media.layout.roles import Frame, frames, headings, is_heading, is_list, pairs
from debriefer.media.layout.state import (
    SEEN,
    Colour,
    Look,
    colour_name,
    common_colour,
    contrast,
    difference,
    emphasis,
    look_of,
)
from debriefer.media.slide import Box
from debriefer.media.tree import UNCERTAIN, Node, Ocr, Tag, TextLine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Text is large or small from these ratios to the common size.
_LARGE, _SMALL = 1.35, 0.82
# Colours of text with other names that differ by fewer levels are one colour: thin strokes are paler than thick ones.
_INK = 60
# Rows of a background that at least this share of a table has are plain: zebra stripes are two of them.
_PLAIN = 0.3
# A button with less than this contrast, and with this many times less than two others, is greyed out.
_FAINT, _FAINTER = 3.6, 2.2
# A text of a cell, a button or a tag has so many em of room on one side of it at least.
_PADDING = 0.15
# Sides of a button, a tag or a field, all of which can be seen.
_ALL = 4
_LEAD = ("selected", "highlighted", "disabled", "struck", "masked", "uncertain")


def layout_tree(image: NDArray[np.uint8], ocr: Ocr) -> Node:
    """Return the layout tree of a picture.

    Args:
        image: RGB picture of shape (height, width, 3), `uint8`.
        ocr: Reader of its text.

    Returns:
        A `page`. Every text that the reader found stands in one leaf, with its box and confidence. Rows of a table
        have equally many cells.

    Raises:
        MediaError: The picture cannot be read, or a package is missing.
    """
    return tree_of(image, ocr.read(image))


def tree_of(image: NDArray[np.uint8], lines: Sequence[TextLine]) -> Node:
    """Return the layout tree of a picture whose text was read before; else as `layout_tree`."""
    return _Builder(image, lines).page()


@dataclass(frozen=True, slots=True)
class _Item:
    """A node with the place it takes."""

    node: Node
    box: Box


class _Builder:
    """One page on its way to a tree."""

    def __init__(self, image: NDArray[np.uint8], lines: Sequence[TextLine]) -> None:
        self.page_box = Box(0, 0, image.shape[1], image.shape[0])
        self.looks = [look_of(image, line) for line in lines]
        self.areas = [area for area in areas(image, (look.box for look in self.looks)) if not self._hugging(area.box)]
        self.lines = rules(image)
        self.backdrop = self._backdrop(image)
        self.body = self._body()
        self.titles: list[Look] = []
        self.ink = common_colour(look.foreground for look in self.looks) or (0, 0, 0)
        self.grids = ruled(self.areas, self.looks)
        taken = self._in(self.grids)
        free = [look for look in self.looks if id(look) not in taken]
        outside = [area for area in self.areas if not any(contains(grid.box, area.box, 4) for grid in self.grids)]
        bars = charts(outside, free, self.page_box)
        self.grids += bars
        self.frames = [
            frame
            for frame in frames(outside, self.looks, self.page_box, self.backdrop)
            if frame.tag == Tag.CARD
            or (
                not any(holds(grid.box, frame.area.box) for grid in bars)
                and (frame.tag == Tag.ROW or sides(image, frame.area.box) == _ALL)
            )
        ]

    def _hugging(self, box: Box) -> bool:
        """Return whether a rectangle ends right beside the letters of its one text: a patch that is the text's own."""
        own = [look for look in self.looks if holds(box, look.box)]
        if len(own) != 1:
            return False
        look = own[0]
        return max(look.box.left - box.left, box.right - look.box.right) < _PADDING * look.size

    def page(self) -> Node:
        """Return the tree."""
        cards = [frame for frame in self.frames if frame.tag == Tag.CARD]
        page = self._container(Tag.PAGE, self.page_box, self.backdrop, cards, self.looks)
        return self._ranked(page, headings(self.titles, self.page_box))

    def _ranked(self, node: Node, levels: Mapping[Box, Tag]) -> Node:
        """Return a tree whose headings have their level among all of the page."""
        if node.tag == Tag.HEADING_1 and node.box is not None:
            return replace(node, tag=levels[node.box])
        return replace(node, children=tuple(self._ranked(child, levels) for child in node.children))

    def _container(self, tag: Tag, box: Box, colour: Colour, cards: Sequence[Frame], looks: Sequence[Look]) -> Node:
        """Return a page or card with all that stands on it."""
        grids = [grid for grid in self.grids if self._owner(grid.box, cards) is None and holds(box, grid.box)]
        items: list[_Item] = []
        taken: set[int] = self._in(grids)
        for card in [card for card in cards if self._owner(card.area.box, cards, but=card) is None]:
            inner = [other for other in cards if other is not card and contains(card.area.box, other.area.box)]
            own = [look for look in looks if id(look) not in taken and holds(card.area.box, look.box)]
            if not own and not any(holds(card.area.box, grid.box) for grid in self.grids):
                continue
            taken.update(id(look) for look in own)
            node = self._container(Tag.CARD, card.area.box, card.area.colour, inner, own)
            items.append(_Item(self._filled(node, card.area.colour, colour), card.area.box))
        free = [look for look in looks if id(look) not in taken]
        bands = [frame.area for frame in self.frames if frame.tag == Tag.ROW]
        for grid in aligned([look for look in free if self._single(look) is None], bands, self.lines):
            if is_list(grid):
                continue
            grids.append(grid)
            taken.update(self._in([grid]))
        items += [_Item(self._table(grid, colour), grid.box) for grid in grids]
        free = [look for look in free if id(look) not in taken]
        items += self._leaves(free, colour)
        children = arrange(items, lambda item: item.box, self._row, self._column, self.body)
        nodes = tuple(
            node
            for item in children
            # What stands on a page or a card stands below each other anyway.
            for node in (item.node.children if item.node.tag == Tag.COLUMN else (item.node,))
        )
        if tag == Tag.CARD and len(nodes) == 1 and nodes[0].tag == Tag.ROW:
            # A card whose content stands in one row needs no row within.
            nodes = nodes[0].children if all(child.children == () for child in nodes[0].children) else nodes
        return Node(tag, children=nodes, box=box)

    def _leaves(self, looks: Sequence[Look], colour: Colour) -> list[_Item]:
        """Return the texts outside of tables, each with its role and state."""
        framed = {id(look): frame for look in looks if (frame := self._single(look)) is not None}
        plain = [look for look in looks if id(look) not in framed]
        fields = [frame for frame in self.frames if frame.tag == Tag.VALUE]
        tags: dict[int, Tag] = {key: frame.tag for key, frame in framed.items()}
        items: list[_Item] = []
        paired: set[int] = set()
        for label, value in [*self._listed(plain), *pairs(plain, fields)]:
            if id(label) in paired or id(value) in paired:
                continue
            paired.update((id(label), id(value)))
            tags[id(label)], tags[id(value)] = Tag.LABEL, Tag.VALUE
            # A pair stays together whatever stands around it.
            box = around((label.box, value.box))
            nodes = [self._leaf(look, tags[id(look)], colour, looks) for look in (label, value)]
            beside = label.box.bottom > value.box.top and label.box.top < value.box.bottom
            items.append(_Item(Node(Tag.ROW if beside else Tag.COLUMN, children=tuple(nodes), box=box), box))
        rest = [look for look in plain if id(look) not in paired]
        titles = [look for look in rest if is_heading(look, self.body)]
        self.titles += titles
        tags |= {id(look): Tag.HEADING_1 for look in titles}
        items += [
            _Item(self._leaf(look, tags.get(id(look), Tag.PARAGRAPH), colour, looks), self._place(look, framed))
            for look in looks
            if id(look) not in paired
        ]
        return items

    def _listed(self, looks: Sequence[Look]) -> list[tuple[Look, Look]]:
        return [
            (row[0].looks[0], row[1].looks[0])
            for grid in aligned(looks, [])
            if is_list(grid) and all(len(cell.looks) == 1 for row in grid.rows for cell in row)
            for row in grid.rows
        ]

    def _leaf(self, look: Look, tag: Tag, colour: Colour, siblings: Sequence[Look]) -> Node:
        attributes = dict(self._state(look))
        if self._greyed(look):
            attributes["disabled"] = "true"
        if difference(look.background, colour) > SEEN:
            attributes["background"] = colour_name(look.background)
            if tag == Tag.PARAGRAPH and self._among(look, siblings, colour):
                said = emphasis(look.background, colour)
                attributes |= {said: "true"} if said else {}
            if tag in {Tag.BUTTON, Tag.TAG} and self._chosen(look, colour):
                attributes["selected"] = "true"
        return self._node(tag, (look,), look.box, attributes)

    def _state(self, look: Look, usual: Colour | None = None) -> Iterator[tuple[str, str]]:
        usual = usual or self.ink
        if look.disabled:
            yield "disabled", "true"
        if look.struck:
            yield "struck", "true"
        if look.masked:
            yield "masked", "true"
        name = colour_name(look.foreground, ink=True)
        if name != colour_name(usual, ink=True) and difference(look.foreground, usual) >= _INK:
            yield "color", name
        if look.size >= _LARGE * self.body:
            yield "size", "large"
        elif look.size <= _SMALL * self.body:
            yield "size", "small"

    def _table(self, grid: Grid, colour: Colour) -> Node:
        """Return a table; what is plain in it is left unsaid, and what stands out is said."""
        body = grid.rows[1:] if grid.header else grid.rows
        cells = [cell for row in body for cell in row if cell.looks]
        usual = common_colour(look.foreground for cell in cells for look in cell.looks) or self.ink
        shades = [self._shade(row, colour) for row in body]
        plain = _plain(shades)
        rows: list[Node] = []
        for number, row in enumerate(grid.rows):
            header = grid.header and number == 0
            shade = self._shade(row, colour)
            said = None if header else self._said(shade, plain)
            attributes = {said: "true", "background": colour_name(shade)} if said else {}
            nodes = tuple(self._cell(cell, header, usual, shade) for cell in row)
            rows.append(Node(Tag.TABLE_ROW, children=nodes, attributes=_frozen(attributes), box=self._extent(row)))
        return Node(Tag.TABLE, children=tuple(rows), box=grid.box)

    def _cell(self, cell: Cell, header: bool, usual: Colour, shade: Colour) -> Node:
        attributes: dict[str, str] = {}
        for look in cell.looks:
            attributes |= {
                key: value
                for key, value in self._state(look, look.foreground if header else usual)
                if not (header and key == "size")
            }
            said = emphasis(look.background, shade)
            if said and not header:
                attributes |= {said: "true", "background": colour_name(look.background)}
        tag = Tag.TABLE_HEADER if header else Tag.TABLE_CELL
        return self._node(tag, cell.looks, cell.box if not cell.looks else None, attributes)

    def _node(self, tag: Tag, looks: Sequence[Look], box: Box | None, attributes: Mapping[str, str]) -> Node:
        if any(look.line.confidence < UNCERTAIN and not look.masked for look in looks):
            attributes = {**attributes, "uncertain": "true"}
        return Node(
            tag,
            text=" ".join(look.text for look in looks),
            attributes=_frozen(attributes),
            box=box or around(look.box for look in looks),
            confidence=min((look.line.confidence for look in looks), default=None),
        )

    def _shade(self, row: Sequence[Cell], colour: Colour) -> Colour:
        """Return the background of a row: the one most of its cells have."""
        seen = [look.background for cell in row for look in cell.looks]
        seen += [cell.background for cell in row if not cell.looks and cell.background is not None]
        return common_colour(seen) or colour

    def _said(self, shade: Colour, plain: Sequence[Colour]) -> str | None:
        nearest = min(plain, key=lambda other: difference(shade, other), default=None)
        return None if nearest is None else emphasis(shade, nearest)

    def _filled(self, node: Node, own: Colour, behind: Colour) -> Node:
        name = colour_name(own)
        if difference(own, behind) <= SEEN or name in {colour_name(behind), "white"}:
            return node
        return Node(node.tag, children=node.children, attributes=_frozen({"background": name}), box=node.box)

    def _among(self, look: Look, siblings: Sequence[Look], colour: Colour) -> bool:
        """Return whether a text is an entry of a list or a bar of tabs whose other entries are plain."""
        return any(
            other is not look
            and difference(other.background, colour) <= SEEN
            and 1 / 1.25 <= other.size / look.size <= 1.25  # noqa: PLR2004 -- one size
            and (
                abs(other.box.left - look.box.left) <= look.size
                or abs(other.box.top + other.box.bottom - look.box.top - look.box.bottom) <= look.size
            )
            for other in siblings
        )

    def _greyed(self, look: Look) -> bool:
        """Return whether a button has far less contrast than others of the page: greyed out on a dark page."""
        own = contrast(look.foreground, look.background)
        if own >= _FAINT or look.vivid or self._single(look) is None:
            return False
        clear = [
            other
            for other in self.looks
            if _FAINTER * own <= contrast(other.foreground, other.background) and self._single(other) is not None
        ]
        return len(clear) > 1

    def _neighbours(self, look: Look) -> list[Look]:
        """Return the texts of other buttons on the line of a button."""
        middle = (look.box.top + look.box.bottom) / 2
        return [
            other
            for other in self.looks
            if other is not look
            and abs((other.box.top + other.box.bottom) / 2 - middle) <= 0.5 * look.size
            and self._single(other) is not None
        ]

    def _chosen(self, look: Look, colour: Colour) -> bool:
        """Return whether a button is filled strongly and a neighbour on its line is not."""
        if emphasis(look.background, colour) != "selected":
            return False
        return any(emphasis(other.background, colour) != "selected" for other in self._neighbours(look))

    def _single(self, look: Look) -> Frame | None:
        """Return the button or tag around a text, or `None`."""
        return next(
            (frame for frame in self.frames if frame.tag in {Tag.BUTTON, Tag.TAG} and holds(frame.area.box, look.box)),
            None,
        )

    def _place(self, look: Look, framed: Mapping[int, Frame]) -> Box:
        frame = framed.get(id(look))
        return look.box if frame is None else frame.area.box

    def _owner(self, box: Box, cards: Sequence[Frame], but: Frame | None = None) -> Frame | None:
        return next(
            (
                card
                for card in cards
                if card is not but and contains(card.area.box, box) and size(card.area.box) > size(box)
            ),
            None,
        )

    def _row(self, items: list[_Item]) -> _Item:
        return _join(Tag.ROW, items)

    def _column(self, items: list[_Item]) -> _Item:
        return _join(Tag.COLUMN, items)

    def _in(self, grids: Sequence[Grid]) -> set[int]:
        return {id(look) for grid in grids for row in grid.rows for cell in row for look in cell.looks}

    def _extent(self, row: Sequence[Cell]) -> Box:
        return around(cell.box for cell in row)

    def _backdrop(self, image: NDArray[np.uint8]) -> Colour:
        """Return the colour of the page: of its largest flat rectangle, else of its edge."""
        if self.areas and size(self.areas[0].box) > 0.5 * size(self.page_box):
            return self.areas[0].colour
        edges = [line[:: max(1, len(line) // 64)] for line in (image[0], image[-1])]
        colours = [(int(red), int(green), int(blue)) for edge in edges for red, green, blue in edge]
        return common_colour(colours) or (255, 255, 255)

    def _body(self) -> float:
        """Return the size of the common text: the median over characters."""
        sizes = sorted((look.size, len(look.text)) for look in self.looks)
        half = sum(count for _, count in sizes) / 2
        for own, count in sizes:
            half -= count
            if half <= 0:
                return own
        return 16.0


def _join(tag: Tag, items: Sequence[_Item]) -> _Item:
    children: list[Node] = []
    for item in items:
        # A row within a row and a column within a column add nothing.
        children += item.node.children if item.node.tag == tag else [item.node]
    box = around(item.box for item in items)
    return _Item(Node(tag, children=tuple(children), box=box), box)


def _plain(shades: Sequence[Colour]) -> list[Colour]:
    groups: list[list[Colour]] = []
    for shade in shades:
        group = next((group for group in groups if difference(group[0], shade) <= SEEN), None)
        if group is None:
            groups.append([shade])
        else:
            group.append(shade)
    if not groups:
        return []
    most = max(map(len, groups))
    return [group[0] for group in groups if len(group) >= max(2, _PLAIN * len(shades)) or len(group) == most]


def _frozen(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return attributes in one order: state first, then colours and size."""
    order = (*_LEAD, "color", "background", "size")
    return MappingProxyType({key: attributes[key] for key in order if key in attributes})
