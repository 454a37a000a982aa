"""What is printed on a page: letters, rules and filled areas, in one upright coordinate system.

Everything is in points (1/72 inch), x to the right and y down from the top left corner of the page as its text is
read: a page whose text runs upwards is turned first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle: left, top, right and bottom in points, y down."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Extent in x."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Extent in y."""
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        """The centre, as x and y."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float, slack: float = 0.0) -> bool:
        """Whether a point lies inside, or at most `slack` points outside."""
        return self.left - slack <= x <= self.right + slack and self.top - slack <= y <= self.bottom + slack

    def meets(self, other: Area) -> bool:
        """Whether both share more than an edge."""
        return min(self.right, other.right) > max(self.left, other.left) and min(self.bottom, other.bottom) > max(
            self.top, other.top
        )

    def with_(self, other: Area) -> Area:
        """Return the smallest rectangle that holds both."""
        return Area(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


def around(areas: list[Area]) -> Area:
    """Return the smallest rectangle that holds all of `areas` (at least one)."""
    return Area(
        min(area.left for area in areas),
        min(area.top for area in areas),
        max(area.right for area in areas),
        max(area.bottom for area in areas),
    )


@dataclass(frozen=True, slots=True)
class Glyph:
    """One printed character.

    Attributes:
        text: The character, or the two or three of a ligature; a space where the file has one.
        area: Its advance box: as wide as the pen moves, as high as the font.
        baseline: y of the line that it stands on.
        size: Height of the font in points.
        bold: Whether the font is heavy.
        turn: Quarters of a turn counter-clockwise, relative to the page's text; `None` for a slanted angle.
        order: Position in the file.
    """

    text: str
    area: Area
    baseline: float
    size: float
    bold: bool
    turn: int | None
    order: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line along an axis.

    Attributes:
        axis: `h` for horizontal, `v` for vertical.
        at: y of a horizontal rule, x of a vertical one.
        start: Where it begins: x, or y from the top.
        end: Where it ends.
    """

    axis: Literal["h", "v"]
    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """Its extent along the axis."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class PageInk:
    """All that a page shows.

    Attributes:
        number: Page number, from 1.
        width: Of the upright page.
        height: Of the upright page.
        turned: Quarters of a turn counter-clockwise that its text has in the file's own coordinates.
        glyphs: Letters, in the file's order.
        rules: Drawn lines, thin rectangles, and edges of drawn boxes.
        fills: Areas with a colour other than white.
        pictures: Areas that images, curves and slanted lines take.
        unmapped: Letters whose font does not say which characters they are.
        hidden: Letters left out, because they stand wholly outside the visible page.
        doubled: Letters left out, because the same stands in the same place (bold by overprinting).
    """

    number: int
    width: float
    height: float
    turned: int
    glyphs: tuple[Glyph, ...]
    rules: tuple[Rule, ...]
    fills: tuple[Area, ...]
    pictures: tuple[Area, ...]
    unmapped: int = 0
    hidden: int = 0
    doubled: int = 0
