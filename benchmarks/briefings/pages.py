"""Kinds of page, as data, and how each is laid out; two equal pages give the same picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.briefings.design import FOOTER, HEADER, MARGIN, WIDTH
from benchmarks.briefings.render import MASK, Sheet


class Page(Protocol):
    """Whatever can be drawn on a sheet; pages are frozen dataclasses, so equal ones are one picture."""

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above and below the content of most pages: title, line below it, tag and footer."""

    title: str
    subtitle: str = ""
    tag: str = ""
    footer: str = ""
    tag_state: tuple[str, ...] = ()

    def draw(self, sheet: Sheet) -> None:
        """Draw them; the tag ends left of where a clock would be."""
        theme = sheet.theme
        if theme.banner:
            sheet.rectangle((0, 0, WIDTH, 96), theme.accent)
            title, below = theme.on_accent, theme.on_accent
        else:
            title, below = theme.text, theme.muted
        sheet.text((MARGIN, 38), self.title, 32, title, "h1", bold=True)
        if self.subtitle:
            sheet.text((MARGIN, 76), self.subtitle, 17, below, "p")
        if not theme.banner:
            sheet.line(MARGIN, 98, WIDTH - MARGIN, 98, theme.border)
        if self.tag:
            pill(
                sheet,
                sheet.tag_right - pill_width(sheet, self.tag, 15),
                24,
                self.tag,
                15,
                states=self.tag_state,
                tag="tag",
            )
        if self.footer:
            sheet.text((MARGIN, 702), self.footer, 14, theme.muted, "p")


def pill_width(sheet: Sheet, text: str, size: float) -> float:
    """Return the width of a pill around `text`."""
    return round(sheet.measure(text, size)) + 30


def pill(
    sheet: Sheet,
    left: float,
    top: float,
    text: str,
    size: float,
    *,
    states: tuple[str, ...] = (),
    tag: str = "button",
) -> float:
    """Draw a rounded option or tag and return its right edge; a selected one is filled."""
    theme = sheet.theme
    right, bottom = left + pill_width(sheet, text, size), top + size + 17
    if "selected" in states:
        fill, outline, colour = theme.accent, theme.accent, theme.on_accent
    elif "disabled" in states:
        fill, outline, colour = theme.background, theme.border, theme.disabled
    else:
        fill, outline, colour = theme.surface, theme.border, theme.text
    sheet.rectangle((left, top, right, bottom), fill, outline, 8)
    sheet.text(((left + right) / 2, (top + bottom) / 2), text, size, colour, tag, anchor="mm", states=states)
    return right


@dataclass(frozen=True, slots=True)
class TitlePage:
    """The opening: a large title, a line below it, who speaks."""

    title: str
    subtitle: str
    note: str

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        theme = sheet.theme
        sheet.rectangle((0, 0, 18, 720), theme.accent)
        sheet.text((96, 286), self.title, 50, theme.text, "h1", bold=True)
        sheet.rectangle((98, 334, 218, 339), theme.accent)
        sheet.text((96, 382), self.subtitle, 25, theme.muted, "h2")
        sheet.text((96, 640), self.note, 17, theme.muted, "p")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as data: the first row is the header; `states` are (row, column, state) triples."""

    rows: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...]
    states: tuple[tuple[int, int, str], ...] = ()
    caption: str = ""

    def draw(self, sheet: Sheet, box: tuple[float, float, float, float], size: float, style: str) -> None:
        """Fill the width of `box` and as much of its height as rows of a good height need."""
        left, top, right, bottom = box
        if self.caption:
            sheet.text((left, top + 13), self.caption, 19, sheet.theme.text, "h3", bold=True)
            top += 36
        total = sum(self.weights)
        widths = [round((right - left) * weight / total) for weight in self.weights]
        height = min(round(size * 2.5), int((bottom - top) / len(self.rows)))
        marks: dict[tuple[int, int], tuple[str, ...]] = {}
        for row, column, state in self.states:
            marks[row, column] = (*marks.get((row, column), ()), state)
        sheet.table(left, top, widths, self.rows, size=size, row_height=height, style=style, states=marks)

    def with_cell(self, row: int, column: int, text: str) -> Grid:
        """Return the grid with another text in one cell."""
        line = (*self.rows[row][:column], text, *self.rows[row][column + 1 :])
        return replace(self, rows=(*self.rows[:row], line, *self.rows[row + 1 :]))

    def with_row_state(self, row: int, state: str) -> Grid:
        """Return the grid with `state` on every cell of one row and on no other."""
        return replace(self, states=tuple((row, column, state) for column in range(len(self.weights))))


@dataclass(frozen=True, slots=True)
class TablePage:
    """A table, two side by side, or a table beside a text."""

    head: Head
    grid: Grid
    beside: Grid | None = None
    note: str = ""
    size: float = 19
    style: str = "ruled"

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        bottom = FOOTER - (34 if self.note else 6)
        top = HEADER + 14
        if self.beside is None:
            self.grid.draw(sheet, (MARGIN, top, sheet.right, bottom), self.size, self.style)
        else:
            middle = (MARGIN + sheet.right) / 2
            self.grid.draw(sheet, (MARGIN, top, middle - 16, bottom), self.size, self.style)
            self.beside.draw(sheet, (middle + 16, top, sheet.right, bottom), self.size, self.style)
        if self.note:
            sheet.text((MARGIN, FOOTER - 14), self.note, 16, sheet.theme.muted, "p")


@dataclass(frozen=True, slots=True)
class Card:
    """A figure with its label above and a remark below."""

    label: str
    value: str
    remark: str = ""
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardsPage:
    """Up to four cards in a row, and a table or a line below them."""

    head: Head
    cards: tuple[Card, ...]
    grid: Grid | None = None
    note: str = ""
    style: str = "lines"

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        theme = sheet.theme
        gap = 24
        top = HEADER + 22
        tall = 150 if self.grid else 200
        width = (sheet.right - MARGIN - gap * (len(self.cards) - 1)) / len(self.cards)
        for position, card in enumerate(self.cards):
            left = MARGIN + position * (width + gap)
            fill = theme.highlight if "highlighted" in card.states else theme.surface
            sheet.rectangle((left, top, left + width, top + tall), fill, theme.border, 12)
            sheet.rectangle((left, top + 18, left + 5, top + tall - 18), theme.accent)
            sheet.text((left + 26, top + 34), card.label, 18, theme.muted, "label", states=card.states)
            sheet.text(
                (left + 26, top + tall / 2 + 8), card.value, 40, theme.text, "value", bold=True, states=card.states
            )
            if card.remark:
                sheet.text((left + 26, top + tall - 28), card.remark, 15, theme.muted, "p")
        if self.grid:
            self.grid.draw(sheet, (MARGIN, top + tall + 26, sheet.right, FOOTER - 40), 17, self.style)
        if self.note:
            y = FOOTER - 16 if self.grid else top + tall + 52
            sheet.text((MARGIN, y), self.note, 18, theme.muted, "p")


@dataclass(frozen=True, slots=True)
class Group:
    """A field of a control panel with its options: (text, state), state empty or as in `Text.states`."""

    name: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PanelPage:
    """A control panel: fields with options on cards, thresholds as label and value at the right."""

    head: Head
    groups: tuple[Group, ...]
    values: tuple[tuple[str, str], ...] = ()
    button: str = ""
    note: str = ""

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        theme = sheet.theme
        left, top = MARGIN, HEADER + 20
        split = sheet.right if not self.values else round(MARGIN + (sheet.right - MARGIN) * 0.62)
        tall = min(146, (FOOTER - 40 - top) / len(self.groups))
        for position, group in enumerate(self.groups):
            y = top + position * tall
            sheet.rectangle((left, y, split - 12, y + tall - 12), theme.surface, theme.border, 10)
            sheet.text((left + 20, y + 30), group.name, 18, theme.muted, "label", bold=True)
            x = left + 20.0
            for text, state in group.options:
                x = pill(sheet, x, y + 62, text, 19, states=(state,) if state else ()) + 12
        if self.values:
            bottom = top + tall * len(self.groups) - 12
            sheet.rectangle((split + 12, top, sheet.right, bottom), theme.surface, theme.border, 10)
            step = min(86, (bottom - top - 70) / len(self.values))
            for position, (label, value) in enumerate(self.values):
                y = top + 30 + position * step
                sheet.text((split + 36, y), label, 16, theme.muted, "label")
                states = ("masked",) if MASK in value else ()
                sheet.text((split + 36, y + 30), value, 24, theme.text, "value", bold=True, states=states)
            if self.button:
                pill(sheet, split + 36, bottom - 50, self.button, 17, states=("selected",))
        if self.note:
            sheet.text((MARGIN, FOOTER - 16), self.note, 16, theme.muted, "p")


@dataclass(frozen=True, slots=True)
class BulletsPage:
    """Points one below the other; the first `shown` of them are visible."""

    head: Head
    points: tuple[str, ...]
    shown: int

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        for position, point in enumerate(self.points[: self.shown]):
            y = HEADER + 72 + position * 98
            sheet.rectangle((MARGIN + 8, y - 6, MARGIN + 20, y + 6), sheet.theme.accent, radius=6)
            sheet.text((MARGIN + 44, y), point, 26, sheet.theme.text, "p")


@dataclass(frozen=True, slots=True)
class ChartPage:
    """Horizontal bars with the value printed at each; `marked` is the index of a bar set off, or -1."""

    head: Head
    bars: tuple[tuple[str, str], ...]
    unit: str
    marked: int = -1

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        theme = sheet.theme
        sheet.text((MARGIN, HEADER + 24), self.unit, 16, theme.muted, "p")
        values = [float(value.replace(",", "")) for _, value in self.bars]
        start = MARGIN + max(sheet.measure(name, 18) for name, _ in self.bars) + 28
        reach = sheet.right - start - 130
        step = min(104, (FOOTER - HEADER - 70) / len(self.bars))
        for position, ((name, printed), value) in enumerate(zip(self.bars, values, strict=True)):
            y = HEADER + 66 + position * step
            colour = theme.accent if self.marked in {-1, position} else theme.border
            length = max(6, reach * value / max(values))
            sheet.text((start - 14, y + step * 0.3), name, 18, theme.text, "label", anchor="rm")
            sheet.rectangle((start, y, start + length, y + step * 0.6), colour, radius=4)
            sheet.text((start + length + 12, y + step * 0.3), printed, 18, theme.text, "value", bold=True)
        sheet.line(start - 4, HEADER + 54, start - 4, HEADER + 66 + step * len(self.bars), theme.muted, 2)


@dataclass(frozen=True, slots=True)
class NotePage:
    """Terms and what they mean, or remarks, as pairs of a bold word and a line."""

    head: Head
    lines: tuple[tuple[str, str], ...]

    def draw(self, sheet: Sheet) -> None:
        """Draw the page on an empty sheet."""
        self.head.draw(sheet)
        theme = sheet.theme
        for position, (term, meaning) in enumerate(self.lines):
            y = HEADER + 30 + position * 128
            sheet.rectangle((MARGIN, y, sheet.right, y + 108), theme.surface, theme.border, 10)
            sheet.text((MARGIN + 22, y + 34), term, 21, theme.text, "h3", bold=True)
            sheet.text((MARGIN + 22, y + 74), meaning, 19, theme.muted, "p")
