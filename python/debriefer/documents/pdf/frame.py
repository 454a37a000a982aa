"""From the coordinates of a file, y up and text in any direction, to those of the upright page, y down."""

from __future__ import annotations

from dataclasses import dataclass

from debriefer.documents.pdf.ink import Area

# A page's text is upright after `-turn` quarters. The rows are x and y of the upright page as sums of the file's
# x and y, each measured from the edge that becomes left or top.
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """How one page is laid upright.

    Attributes:
        box: Left, bottom, right and top of the visible page in the file's coordinates.
        turn: Quarters counter-clockwise that the text is turned by.
    """

    box: Box
    turn: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the upright page."""
        left, bottom, right, top = self.box
        width, height = right - left, top - bottom
        return (width, height) if self.turn % 2 == 0 else (height, width)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return a point of the file on the upright page."""
        left, bottom, right, top = self.box
        if self.turn == 0:
            return x - left, top - y
        if self.turn == 1:
            return y - bottom, x - left
        if self.turn == 2:  # noqa: PLR2004 -- half a turn
            return right - x, y - bottom
        return top - y, right - x

    def area(self, left: float, bottom: float, right: float, top: float) -> Area:
        """Return a rectangle of the file on the upright page."""
        first, second = self.point(left, bottom), self.point(right, top)
        return Area(
            min(first[0], second[0]), min(first[1], second[1]), max(first[0], second[0]), max(first[1], second[1])
        )
