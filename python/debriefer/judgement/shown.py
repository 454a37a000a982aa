"""What a slide shows: figures under their labels and tables, with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from debriefer.judgement.asked import plain
from debriefer.judgement.cells import number
from debriefer.judgement.slides import JudgedSlide
from debriefer.media.tree import Node, Tag

_HEADINGS = (Tag.HEADING_1, Tag.HEADING_2, Tag.HEADING_3)
_OFF = ("disabled", "struck", "masked")
_UNIT = re.compile(r"[(（]\s*([^()（）]{1,12})\s*[)）]\s*$")
_UNIT_NOTE = re.compile(
    r"(?:\bunits?\b|单位|計量單位|计量单位)\s*[:：]\s*([^\s,，;；。]+(?: [A-Z]{2,4})?)", re.IGNORECASE
)
_VALUE = re.compile(r"^([+-]?[\d,]+(?:\.\d+)?%?)\s*([^\d\s][^\d]{0,11})?$")
_PIECES = re.compile(r"\s*[·•|｜:：,，;；()（）/]\s*|\s+")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value under its label.

    Attributes:
        label: What it is called, without its unit.
        value: As it is written, without its unit.
        unit: Its unit, empty where none is told.
        near: Texts that belong to it alone: remarks on its card, the other cells of its row.
        row: Name of its row in a table, else empty.
        off: Whether it is disabled, struck out or masked.
    """

    label: str
    value: str
    unit: str = ""
    near: tuple[str, ...] = ()
    row: str = ""
    off: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        header: Names of the columns without their units; empty where there are none.
        units: Units of the columns, empty where none is told.
        rows: Texts of the cells.
        caption: The heading or line right above it.
    """

    header: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A slide taken apart.

    Attributes:
        slide: The slide.
        titles: Its headings, tags and lines outside of figures and tables that tell what it is about.
        crossed: Those of them that are disabled, struck out or masked.
        texts: All its texts.
        figures: Its figures on cards and in lines.
        grids: Its tables.
        unit: The unit that holds for the whole slide, empty where none is told.
        options: Tags that stand side by side, as the options of one filter do.
    """

    slide: JudgedSlide
    titles: tuple[str, ...]
    crossed: tuple[str, ...]
    texts: tuple[str, ...]
    figures: tuple[Figure, ...]
    grids: tuple[Grid, ...]
    unit: str = ""
    options: tuple[frozenset[str], ...] = ()
    _pieces: frozenset[str] = field(default=frozenset())

    @property
    def pieces(self) -> frozenset[str]:
        """The parts of its texts between separators."""
        return self._pieces

    @property
    def about(self) -> frozenset[str]:
        """The parts of its titles between separators."""
        return frozenset(piece for text in self.titles for piece in pieces(text))


def pieces(text: str) -> Iterator[str]:
    """Yield a text and its parts between separators, without blanks.

    >>> sorted(pieces("District: Central · 2030-H2"))
    ['2030-H2', 'Central', 'District', 'District: Central · 2030-H2']
    """
    whole = plain(text)
    parts = {whole, *_PIECES.split(whole), *re.split(r"\s*[·•|｜:：,，;；()（）]\s*", whole)}
    yield from (part for part in parts if part)


def without_unit(label: str) -> tuple[str, str]:
    """Return a label and the unit in brackets behind it.

    >>> without_unit("营业额 (万元)"), without_unit("Contracts")
    (('营业额', '万元'), ('Contracts', ''))
    """
    text = plain(label)
    found = _UNIT.search(text)
    return (text, "") if found is None else (text[: found.start()].strip(), found[1].strip())


def look(slide: JudgedSlide) -> Shown | None:
    """Take a slide apart; `None` where it has no layout tree."""
    if slide.tree is None:
        return None
    texts = tuple(plain(node.text) for node in slide.tree.walk() if node.text.strip())
    unit = next((found[1] for text in texts if (found := _UNIT_NOTE.search(text))), "")
    figures = [*_of_cards(slide.tree), *_of_lines(slide.tree)]
    grids = tuple(_grids(slide.tree))
    told = list(_titles(slide.tree))
    titles = tuple(text for text, off in told if not off)
    crossed = tuple(text for text, off in told if off)
    all_pieces = frozenset(piece for text in texts for piece in pieces(text))
    return Shown(slide, titles, crossed, texts, tuple(figures), grids, unit, tuple(_options(slide.tree)), all_pieces)


def _titles(page: Node) -> Iterator[tuple[str, bool]]:
    """Yield what tells what a slide is about, and whether it is crossed out."""

    def inside(node: Node) -> Iterator[tuple[str, bool]]:
        if node.tag is Tag.TABLE:
            return
        if node.tag is Tag.CARD and any(child.tag in (Tag.LABEL, Tag.VALUE) for child in node.walk()):
            return
        if node.text.strip():
            yield plain(node.text), any(node.attributes.get(state) for state in _OFF)
        for child in node.children:
            yield from inside(child)

    yield from inside(page)


def _options(page: Node) -> Iterator[frozenset[str]]:
    for node in page.walk():
        tags = [plain(child.text) for child in node.children if child.tag in (Tag.TAG, Tag.BUTTON) and child.text]
        if len(tags) > 1:
            yield frozenset(tags)


def _of_cards(page: Node) -> Iterator[Figure]:
    for node in page.walk():
        if node.tag not in (Tag.CARD, Tag.COLUMN, Tag.ROW):
            continue
        labels = [child for child in node.children if child.tag is Tag.LABEL]
        values = [child for child in node.children if child.tag is Tag.VALUE]
        if len(labels) != 1 or len(values) != 1:
            continue
        label, unit = without_unit(labels[0].text)
        found = _VALUE.match(plain(values[0].text))
        if found is None:
            continue
        others = tuple(
            plain(child.text) for child in node.children if child.text and child.tag not in (Tag.LABEL, Tag.VALUE)
        )
        off = any(part.attributes.get(state) for part in (node, *node.children) for state in _OFF)
        yield Figure(label, found[1], unit or (found[2] or "").strip(), others, off=off)


_IN_LINE = re.compile(
    r"(?<![\w.,-])([+-]?\d[\d,]*(?:\.\d+)?)\s*"
    r"(%|[A-Za-z]{1,3} [A-Z]{3}|[A-Z]{2,4}|[千万亿]?[元方吨]|[万亿]元)?(?![\w.-])"
)


def _of_lines(page: Node) -> Iterator[Figure]:
    """Yield figures that are told in a sentence of their own: one number, with its unit."""
    for node in page.walk():
        if node.tag is not Tag.PARAGRAPH or not node.text.strip():
            continue
        text = plain(node.text)
        found = [match for match in _IN_LINE.finditer(text) if number(match[1]) is not None]
        if len(found) != 1 or len(text) < len(found[0][0]) + 4:
            continue
        off = any(node.attributes.get(state) for state in _OFF)
        yield Figure(
            text[: found[0].start()].strip(" :：") or text,
            found[0][1],
            (found[0][2] or "").strip(),
            (text,),
            row=text,
            off=off,
        )


def _grids(page: Node) -> Iterator[Grid]:
    above = ""
    for node in page.walk():
        if node.tag in (*_HEADINGS, Tag.PARAGRAPH, Tag.LABEL) and node.text.strip():
            above = plain(node.text)
        if node.tag is not Tag.TABLE:
            continue
        rows = [row for row in node.children if row.tag is Tag.TABLE_ROW]
        head = rows[0].children if rows and any(cell.tag is Tag.TABLE_HEADER for cell in rows[0].children) else ()
        names = [without_unit(cell.text) for cell in head]
        body = tuple(
            tuple(plain(cell.text) for cell in row.children) for row in rows[1 if head else 0 :] if not _is_off(row)
        )
        yield Grid(tuple(name for name, _ in names), tuple(unit for _, unit in names), body, above)


def _is_off(row: Node) -> bool:
    states: Sequence[Mapping[str, str]] = [row.attributes, *(cell.attributes for cell in row.children)]
    return any(attributes.get(state) for attributes in states for state in _OFF)
