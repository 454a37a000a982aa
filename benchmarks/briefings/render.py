"""Draws with Pillow and keeps, for each text and table cell, the box where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image, ImageDraw

from benchmarks.briefings.design import HEIGHT, WIDTH, Colour, Theme, font
from benchmarks.briefings.manifest import Box, Cell, Table, Text

MASK = "***"


@dataclass(slots=True)
class Sheet:
    """A page being drawn; all measures are in pixels of 1280x720 and are multiplied by `scale`.

    Attributes:
        theme: Colours.
        family: Family of fonts, `han` or `latin`.
        scale: Width of the frame ÷ 1280.
        right: Right edge of the area that content may use.
        tag_right: Right edge of the tag in the header.
    """

    theme: Theme
    family: str
    scale: float = 1.0
    right: int = WIDTH - 48
    tag_right: int = WIDTH - 48
    image: Image.Image = field(init=False)
    draw: ImageDraw.ImageDraw = field(init=False)
    texts: list[Text] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = (round(WIDTH * self.scale), round(HEIGHT * self.scale))
        self.image = Image.new("RGB", size, self.theme.background)
        self.draw = ImageDraw.Draw(self.image)

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """Return a rectangle of the page in pixels of the frame."""
        return tuple(round(value * self.scale) for value in (left, top, right, bottom))  # type: ignore[return-value]

    def rectangle(
        self,
        box: tuple[float, float, float, float],
        fill: Colour | None = None,
        outline: Colour | None = None,
        radius: float = 0,
    ) -> None:
        """Draw a rectangle; `box` excludes its right and bottom edge."""
        left, top, right, bottom = self.box(*box)
        width = max(1, round(self.scale)) if outline else 0
        if radius:
            self.draw.rounded_rectangle(
                (left, top, right - 1, bottom - 1), round(radius * self.scale), fill, outline, width
            )
        else:
            self.draw.rectangle((left, top, right - 1, bottom - 1), fill, outline, width)

    def line(self, left: float, top: float, right: float, bottom: float, fill: Colour, width: float = 1) -> None:
        """Draw a horizontal or vertical line of `width` pixels."""
        thick = max(1, round(width * self.scale))
        a, b, c, d = self.box(left, top, right, bottom)
        if b == d:
            self.draw.rectangle((a, b, c - 1, b + thick - 1), fill)
        else:
            self.draw.rectangle((a, b, a + thick - 1, d - 1), fill)

    def measure(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return the width of `text`, in pixels of the page."""
        return font(self.family, round(size * self.scale), bold).getlength(text) / self.scale

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        colour: Colour,
        tag: str,
        *,
        bold: bool = False,
        anchor: str = "lm",
        states: Sequence[str] = (),
    ) -> Box:
        """Draw one line, note it down and return the box of its ink.

        Args:
            at: Where the anchor is, in pixels of the page.
            text: The characters.
            size: Height of the font, in pixels of the page.
            colour: Colour of the letters.
            tag: Kind of text, as in `Text.tag`.
            bold: Whether the letters are bold.
            anchor: Pillow's anchor: `lm` left middle, `mm` centre, `rm` right middle, `ls` left baseline.
            states: What can be seen of it, as in `Text.states`; `struck` draws the line too.
        """
        pixels = round(size * self.scale)
        face = font(self.family, pixels, bold)
        x, y = round(at[0] * self.scale), round(at[1] * self.scale)
        self.draw.text((x, y), text, colour, face, anchor)
        left, top, right, bottom = self.draw.textbbox((x, y), text, face, anchor)
        box = (int(left), int(top), round(right + 0.499), round(bottom + 0.499))
        if "struck" in states:
            middle = (box[1] + box[3]) // 2
            thick = max(2, round(pixels / 12))
            reach = round(3 * self.scale)
            self.draw.rectangle((box[0] - reach, middle, box[2] + reach, middle + thick - 1), colour)
        self.texts.append(Text(text, box, tag, tuple(states), pixels))
        return box

    def table(
        self,
        left: float,
        top: float,
        widths: Sequence[float],
        rows: Sequence[Sequence[str]],
        *,
        size: float = 19,
        row_height: float = 40,
        style: str = "ruled",
        states: dict[tuple[int, int], tuple[str, ...]] | None = None,
    ) -> Box:
        """Draw a table whose first row is the header.

        Args:
            left: Left edge.
            top: Top edge.
            widths: Widths of the columns.
            rows: Texts of the cells; numbers stand at the right of their column.
            size: Height of the font.
            row_height: Height of a row.
            style: `ruled` (all lines), `lines` (a line under each row), `zebra` (every second row tinted), `plain`.
            states: States of cells by row (0 is the header) and column; `highlighted` tints the cell.

        Returns:
            The table's box.
        """
        theme, states = self.theme, states or {}
        right, bottom = left + sum(widths), top + row_height * len(rows)
        if style != "plain":
            self.rectangle((left, top, right, top + row_height), theme.header)
        edges = [left]
        for width in widths:
            edges.append(edges[-1] + width)
        numeric = [all(_is_number(row[column]) for row in rows[1:]) for column in range(len(widths))]
        noted: list[tuple[Cell, ...]] = []
        for row, cells in enumerate(rows):
            y = top + row * row_height
            if style == "zebra" and row and row % 2 == 0:
                self.rectangle((left, y, right, y + row_height), theme.zebra)
            elif style in {"ruled", "zebra"} and row:
                self.rectangle((left, y, right, y + row_height), theme.surface)
            line = []
            for column, value in enumerate(cells):
                seen = states.get((row, column), ())
                if "highlighted" in seen:
                    self.rectangle((edges[column], y, edges[column + 1], y + row_height), theme.highlight)
                self._cell(
                    value, edges[column], edges[column + 1], y + row_height / 2, row, numeric[column], size, seen, style
                )
                line.append(Cell(value, self.box(edges[column], y, edges[column + 1], y + row_height), seen))
            noted.append(tuple(line))
        self._rules(edges, top, bottom, row_height, len(rows), style)
        box = self.box(left, top, right, bottom)
        self.tables.append(Table(box, tuple(noted)))
        return box

    def _cell(
        self,
        value: str,
        left: float,
        right: float,
        middle: float,
        row: int,
        numeric: bool,
        size: float,
        states: Sequence[str],
        style: str,
    ) -> None:
        if not value:
            return
        theme = self.theme
        colour = theme.text if row else (theme.muted if style == "plain" else theme.on_header)
        if "disabled" in states:
            colour = theme.disabled
        at = (right - 14, middle) if numeric else (left + 14, middle)
        self.text(
            at,
            value,
            size,
            colour,
            "td" if row else "th",
            bold=row == 0,
            anchor="rm" if numeric else "lm",
            states=states,
        )

    def _rules(
        self, edges: Sequence[float], top: float, bottom: float, row_height: float, rows: int, style: str
    ) -> None:
        colour = self.theme.border
        left, right = edges[0], edges[-1]
        if style in {"ruled", "lines"}:
            for row in range(rows + 1):
                self.line(left, top + row * row_height, right, top + row * row_height, colour)
        elif style == "plain":
            self.line(left, top + row_height, right, top + row_height, self.theme.muted, 2)
        if style == "ruled":
            for edge in edges:
                self.line(edge, top, edge, bottom + 1, colour)


def _is_number(text: str) -> bool:
    letters = text.strip().lstrip("+-").rstrip("%").replace(",", "").replace(".", "", 1)
    return letters.isascii() and letters.isdigit()
