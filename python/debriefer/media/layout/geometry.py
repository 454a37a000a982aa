"""Rectangles of a picture, and the order in which what stands on it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from debriefer.media.packages import needed
from debriefer.media.slide import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from debriefer.media.layout.state import Colour

_Item = TypeVar("_Item")

# Levels by which a pixel may differ from its neighbours within one flat area. Codecs leave 2 to 3 on plain ground,
# which keeps pale stripes apart, and up to 20 along the edges of a strong fill, whose areas a second look finds.
_FLAT = (4, 20)
# A horizontal line differs from what is above or below it by so many levels, is so long and so thin at most, in pixels.
_STEP, _LONG, _THIN = 14, 120, 8
# Lines of columns that stand between other lines are at most so many em apart.
_NEAR = 2.2
# Share of a rectangle of the first look within one of the second from which the two are the same rectangle.
_SAME = 0.4
# Least width, height and area of a rectangle in pixels: smaller ones are counters of letters and parts of icons.
_LEAST = (14, 9, 160)
# Share of its bounding box that a filled rectangle covers at least; small ones lose more to their round corners.
_FILLED = 0.9
_FILLED_SMALL = 0.8
_SMALL = 60
# A side of a rectangle is seen as a step of so many levels within so many pixels, its corners left out. Palest stripes
# have 6; patches that are flat by chance of a codec's noise end where nothing is, mostly with less than 5 somewhere.
_SEEN_STEP, _SEEN_WITHIN, _CORNER = 5.0, 3, 0.15
# Noise may hide one side of a cell.
_SIDES = 3


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of one colour, with whatever stands on it.

    Attributes:
        box: Where it is.
        colour: Its colour, RGB.
    """

    box: Box
    colour: Colour


def areas(image: NDArray[np.uint8], texts: Iterable[Box] = ()) -> tuple[Area, ...]:
    """Return the rectangles of a picture, the largest first: panels, cards, buttons, bars, cells between rulings.

    A rectangle is a connected flat area whose outline fills its bounding box. Text and icons on it are holes, and a
    ruling or an outline parts what is inside from what is outside. The page itself is one, where it is flat.

    Args:
        image: RGB picture of shape (height, width, 3).
        texts: Where text stands; it fills a small button so that little of its flat ground hangs together.

    Raises:
        MediaError: OpenCV is not installed.
    """
    cv2 = _opencv()
    kernel = np.ones((3, 3), dtype=np.uint8)
    span = strongest(cv2.subtract(cv2.dilate(image, kernel), cv2.erode(image, kernel)))
    written = np.zeros(image.shape[:2], dtype=bool)
    for box in texts:
        written[box.top : box.bottom, box.left : box.right] = True
    plain, strong = (_flat_areas(cv2, image, (span <= bound) | written, written) for bound in _FLAT)
    found = list(plain)
    for area in strong:
        place = next((place for place, other in enumerate(found) if _same(other, area)), None)
        if place is None:
            found.append(area)
        elif size(area.box) > size(found[place].box):
            found[place] = area
    found = [area for area in found if sides(image, area.box) >= _SIDES]
    return tuple(sorted(found, key=lambda area: (-size(area.box), area.box.top, area.box.left)))


def sides(image: NDArray[np.uint8], box: Box) -> int:
    """Return how many sides of a rectangle can be seen: the median across them steps; the picture's edge is one."""
    height, width = image.shape[:2]
    across, down = round(_CORNER * (box.right - box.left)), round(_CORNER * (box.bottom - box.top))
    strips = [
        (image[max(0, row - _SEEN_WITHIN) : row + _SEEN_WITHIN, box.left + across : box.right - across], 1)
        for row in (box.top, box.bottom)
        if 0 < row < height
    ]
    strips += [
        (image[box.top + down : box.bottom - down, max(0, column - _SEEN_WITHIN) : column + _SEEN_WITHIN], 0)
        for column in (box.left, box.right)
        if 0 < column < width
    ]
    unseen = sum(bool(np.ptp(np.median(strip, axis=axis), axis=0).max() < _SEEN_STEP) for strip, axis in strips)
    return 4 - unseen


def rules(image: NDArray[np.uint8]) -> tuple[Box, ...]:
    """Return the long horizontal lines of a picture: rulings, and upper and lower edges of rectangles.

    Args:
        image: RGB picture of shape (height, width, 3).

    Raises:
        MediaError: OpenCV is not installed.
    """
    cv2 = _opencv()
    if image.shape[0] < 2 or image.shape[1] < _LONG:  # noqa: PLR2004 -- a line has something above it
        return ()
    steps = strongest(cv2.absdiff(image[1:], image[:-1])) >= _STEP
    long = cv2.morphologyEx(steps.astype(np.uint8), cv2.MORPH_OPEN, np.ones((1, _LONG), dtype=np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(long, connectivity=8)
    boxes = [[int(value) for value in stats[number][:4]] for number in range(1, count)]
    return tuple(
        Box(left, top, left + width, top + height + 1)
        for left, top, width, height in sorted(boxes, key=lambda box: (box[1], box[0]))
        if height <= _THIN
    )


def strongest(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the largest of each pixel's three channels: 20 times as fast as a reduction over so short an axis."""
    return np.maximum(np.maximum(levels[:, :, 0], levels[:, :, 1]), levels[:, :, 2])


def _opencv() -> Any:  # noqa: ANN401 -- a module without type hints
    return needed("cv2")


def _flat_areas(
    cv2: Any,  # noqa: ANN401 -- a module without type hints
    image: NDArray[np.uint8],
    flat: NDArray[np.bool_],
    written: NDArray[np.bool_],
) -> list[Area]:
    """Return the connected parts of a mask that are rectangles, with the colour of what is not written on."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(flat.astype(np.uint8), connectivity=4)
    found: list[Area] = []
    for number in range(1, count):
        left, top, width, height, pixels = (int(value) for value in stats[number])
        if width < _LEAST[0] or height < _LEAST[1] or pixels < _LEAST[2]:
            continue
        own = labels[top : top + height, left : left + width] == number
        outlines, _ = cv2.findContours(own.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        filled = max(cv2.contourArea(outline) for outline in outlines) / max(1, (width - 1) * (height - 1))
        if filled < (_FILLED_SMALL if height < _SMALL else _FILLED):
            continue
        ground = own & ~written[top : top + height, left : left + width]
        if not ground.any():
            continue
        colour = np.median(image[top : top + height, left : left + width][ground], axis=0)
        red, green, blue = (int(value) for value in colour)
        # The flat area ends one pixel before the rectangle does.
        box = Box(
            max(0, left - 1),
            max(0, top - 1),
            min(image.shape[1], left + width + 1),
            min(image.shape[0], top + height + 1),
        )
        found.append(Area(box, (red, green, blue)))
    return found


def _same(first: Area, second: Area) -> bool:
    one, other = first.box, second.box
    overlap = max(0, min(one.right, other.right) - max(one.left, other.left)) * max(
        0, min(one.bottom, other.bottom) - max(one.top, other.top)
    )
    return overlap >= _SAME * max(size(one), size(other))


def arrange(
    items: Sequence[_Item],
    box: Callable[[_Item], Box],
    row: Callable[[list[_Item]], _Item],
    column: Callable[[list[_Item]], _Item],
    em: float,
) -> list[_Item]:
    """Return items in reading order, those side by side put together by `row`: the recursive X-Y cut.

    Args:
        items: What stands in one container.
        box: Where an item stands.
        row: Makes one item of several side by side.
        column: Makes one item of several below each other, where they are part of a row.
        em: Size of the common text in pixels.
    """
    if len(items) < 2:  # noqa: PLR2004 -- nothing to arrange
        return list(items)
    across, down = _cut(items, box, across=True), _cut(items, box, across=False)
    sides_first = len(across) > 1 and (len(down) < 2 or _stands_apart(across, down, box, em))  # noqa: PLR2004
    if sides_first:
        if len(down) > 1:
            # Columns are parted where the gap is widest, so that a pair within one of them stays together.
            across = _at_widest(across, box)
        parts = []
        for group in across:
            inner = arrange(group, box, row, column, em)
            parts.append(inner[0] if len(inner) == 1 else column(inner))
        return [row(parts)]
    if len(down) > 1:
        return [item for block in _blocks(down, box, em) for item in arrange(block, box, row, column, em)]
    # Items overlap crosswise: top to bottom, left to right.
    return sorted(items, key=lambda item: (box(item).top, box(item).left))


def _blocks(down: list[list[_Item]], box: Callable[[_Item], Box], em: float) -> list[list[_Item]]:
    """Return lines, those put together that one gap parts into columns: headings side by side over their tables."""
    blocks: list[list[_Item]] = []
    start = 0
    while start < len(down):
        end = start + 1
        for stop in range(len(down), start + 1, -1):
            if stop - start == len(down):
                continue
            lines = down[start:stop]
            across = _cut([item for group in lines for item in group], box, across=True)
            near = max(_gaps(lines, box, across=False)) <= _NEAR * em
            if near and len(across) > 1 and _stands_apart(across, lines, box, em):
                end = stop
                break
        blocks.append([item for group in down[start:end] for item in group])
        start = end
    return blocks


def _cut(items: Sequence[_Item], box: Callable[[_Item], Box], *, across: bool) -> list[list[_Item]]:
    """Return groups of items that no straight line through a gap parts further, left to right or top to bottom."""

    def extent(item: _Item) -> tuple[int, int]:
        own = box(item)
        return (own.left, own.right) if across else (own.top, own.bottom)

    groups: list[list[_Item]] = []
    end = 0
    for item in sorted(items, key=lambda item: (extent(item), extent_other(box(item), across))):
        start, stop = extent(item)
        # Two pixels of overlap are descenders of letters and blur.
        if groups and start < end - 2:
            groups[-1].append(item)
            end = max(end, stop)
        else:
            groups.append([item])
            end = stop
    return groups


def extent_other(box: Box, across: bool) -> tuple[int, int]:
    """Return the extent of a box on the other axis, which settles the order of equals."""
    return (box.top, box.bottom) if across else (box.left, box.right)


def _stands_apart(across: list[list[_Item]], down: list[list[_Item]], box: Callable[[_Item], Box], em: float) -> bool:
    """Return whether columns are parted by more than their lines are."""
    gap = max(_gaps(across, box, across=True))
    lines = max(_gaps(down, box, across=False))
    left, right = _at_widest(across, box)
    tall = all(len(_cut(side, box, across=False)) > 1 for side in (left, right))
    return tall and gap >= max(1.5 * em, 1.2 * lines)


def _at_widest(groups: list[list[_Item]], box: Callable[[_Item], Box]) -> list[list[_Item]]:
    gaps = _gaps(groups, box, across=True)
    place = gaps.index(max(gaps)) + 1
    return [[item for group in part for item in group] for part in (groups[:place], groups[place:])]


def _gaps(groups: list[list[_Item]], box: Callable[[_Item], Box], *, across: bool) -> list[int]:
    gaps = []
    for before, after in pairwise(groups):
        if across:
            gaps.append(min(box(item).left for item in after) - max(box(item).right for item in before))
        else:
            gaps.append(min(box(item).top for item in after) - max(box(item).bottom for item in before))
    return gaps


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest rectangle that holds all boxes; there must be one."""
    boxes = list(boxes)
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def contains(outer: Box, inner: Box, slack: int = 3) -> bool:
    """Return whether a box lies within another, up to a few pixels."""
    return (
        outer.left - slack <= inner.left
        and outer.top - slack <= inner.top
        and inner.right <= outer.right + slack
        and inner.bottom <= outer.bottom + slack
    )


def holds(outer: Box, inner: Box) -> bool:
    """Return whether the middle of a box lies within another."""
    return (
        outer.left <= (inner.left + inner.right) / 2 < outer.right
        and outer.top <= (inner.top + inner.bottom) / 2 < outer.bottom
    )


def size(box: Box) -> int:
    """Return the area of a box in pixels."""
    return (box.right - box.left) * (box.bottom - box.top)


def shared(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return how much two extents overlap, as a share of the shorter."""
    overlap = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, overlap) / max(1, min(one[1] - one[0], other[1] - other[0]))
