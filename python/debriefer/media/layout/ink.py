"""The ink of a line of text: where its strokes are, what colours they have, what is drawn through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debriefer.media.slide import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Ink differs from its background by this many levels at least: less is noise of the video codec.
_LEAST_CONTRAST = 20
# And by this share of the strongest difference: less is the smooth edge of a stroke.
_EDGE_SHARE = 0.35
# A gap without ink wider than this many heights of the line parts two cells: a word space is a third of a
# height, a full-width comma three quarters.
_CELL_GAP = 1.3
# A horizontal line through the letters: its zone within their height, the share of their width that it covers,
# its thickness in heights, and how wide the text must be in heights (a dash, a plus and a ten have such lines, too).
_STRIKE_ZONE = (0.3, 0.75)
_STRIKE_COVER = 0.94
_STRIKE_THICKNESS = 0.22
_STRIKE_WIDTH = 1.25
_FULL = 0.92
# Letters cover less of their box, bold ones too.
_SOLID = 0.62
# What touches the upper or lower edge of a detected box and runs along so much of it is no letter.
_ALONG = 0.8
# Pixels of a speck of blur at most.
_SPECK = 24
# A text is read with this much background above and below, and left and right, in heights of its ink. The detector's
# own boxes are up to three times as high as a lone digit, and then a 7 reads as a 1.
_MARGINS = (0.3, 0.5)
# A row of points or dashes is lower than its line by more than this.
_LOWEST = 0.45
# A mask: at least so many equal signs at equal distances.
_MASK_SIGNS = 3
# Share of pixels in which two signs of a mask agree.
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class Ink:
    """One run of text.

    Attributes:
        box: The smallest rectangle that holds its strokes.
        around: A rectangle with some background around it, and without rulings.
        foreground: Colour of the strokes, RGB.
        background: Colour behind them, RGB.
        share: Share of `box` that is ink.
        strike: Rows of the picture (first, one past the last) of a line through the text, or `None`.
    """

    box: Box
    around: Box
    foreground: tuple[int, int, int]
    background: tuple[int, int, int]
    share: float
    strike: tuple[int, int] | None


def pieces(image: NDArray[np.uint8], box: Box) -> list[Ink]:
    """Return the runs of text within a detected box, left to right.

    A box is parted at vertical rulings and at gaps too wide for a space. Rulings above and below the text are no ink.

    Args:
        image: RGB picture of shape (height, width, 3).
        box: What a detector found, in pixels.
    """
    crop = image[box.top : box.bottom, box.left : box.right]
    background = _ground(crop)
    mask = _mask(crop, background)
    if not mask.any():
        return []
    walls = _walls(image, box, mask)
    mask = _without_frames(mask)
    mask[:, walls] = False
    mask[_rulings(mask)] = False
    if not mask.any():
        return []
    runs = _runs(mask, walls)
    inks = []
    for left, right in runs:
        part = mask[:, left:right]
        rows = np.flatnonzero(part.any(axis=1))
        if rows.size == 0 or part.sum() < 4:  # noqa: PLR2004 -- a point has four pixels at least
            continue
        top, bottom = int(rows[0]), int(rows[-1]) + 1
        tight = Box(box.left + left, box.top + top, box.left + right, box.top + bottom)
        around = _around(box, tight, walls)
        if part[top:bottom].mean() > _SOLID and (tight.right - tight.left) > bottom - top and tight != box:
            # A button rather than letters: what is written on it is its ink.
            inks += pieces(image, tight)
            continue
        inks.append(_ink(crop, background, part, (left, top, right, bottom), tight, around))
    return inks


def ink_of(image: NDArray[np.uint8], box: Box) -> Ink | None:
    """Return what can be seen of a line of text within its box, or `None` where the box is of one colour."""
    height, width = image.shape[:2]
    wide = Box(max(0, box.left - 2), max(0, box.top - 2), min(width, box.right + 2), min(height, box.bottom + 2))
    if wide.right <= wide.left or wide.bottom <= wide.top:
        return None
    crop = image[wide.top : wide.bottom, wide.left : wide.right]
    background = _border(crop)
    mask = _mask(crop, background)
    if not mask.any():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    left, right, top, bottom = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    tight = Box(wide.left + left, wide.top + top, wide.left + right, wide.top + bottom)
    return _ink(crop, background, mask[:, left:right], (left, top, right, bottom), tight, wide)


def crop_of(image: NDArray[np.uint8], ink: Ink, *, lifted: bool = False) -> NDArray[np.uint8]:
    """Return the picture of one text with its margins, which go on in the background's colour where room is short.

    Args:
        image: RGB picture of shape (height, width, 3).
        ink: The text.
        lifted: Whether a line through it is taken away.
    """
    around, tight = ink.around, ink.box
    crop = image[around.top : around.bottom, around.left : around.right]
    if lifted:
        crop = lift_strike(crop, ink)
    rows, columns = _margins(tight, around.bottom - around.top)
    edges = (
        (max(0, rows - (tight.top - around.top)), max(0, rows - (around.bottom - tight.bottom))),
        (max(0, columns - (tight.left - around.left)), max(0, columns - (around.right - tight.right))),
    )
    padded = np.empty((crop.shape[0] + sum(edges[0]), crop.shape[1] + sum(edges[1]), 3), dtype=np.uint8)
    padded[:] = ink.background
    padded[edges[0][0] : edges[0][0] + crop.shape[0], edges[1][0] : edges[1][0] + crop.shape[1]] = crop
    return padded


def ink_columns(crop: NDArray[np.uint8], ink: Ink) -> NDArray[np.bool_]:
    """Return which columns of a crop of a text hold ink."""
    return np.asarray(_mask(crop, np.array(ink.background, dtype=np.int16)).any(axis=0), dtype=bool)


def is_mask(image: NDArray[np.uint8], ink: Ink) -> bool:
    """Return whether a text is a row of equal signs at equal distances, as masks are: `***`, `●●●●`, and `ooo`."""
    box = ink.box
    height, width = box.bottom - box.top, box.right - box.left
    if width < _MASK_SIGNS * height * 0.9:
        return False
    inside = image[box.top : box.bottom, box.left : box.right].astype(np.int16)
    mask = _mask(inside.astype(np.uint8), np.array(ink.background, dtype=np.int16))
    edges = np.flatnonzero(np.diff(mask.any(axis=0).astype(np.int8), prepend=0, append=0))
    starts, ends = edges[::2], edges[1::2]
    widths, steps = ends - starts, np.diff(starts)
    if starts.size < _MASK_SIGNS or np.ptp(widths) > 2 or np.ptp(steps) > 2:  # noqa: PLR2004 -- sampling of edges
        return False
    if widths.max() > 1.4 * height or widths.min() < 0.6 * height:
        return False
    signs = [mask[:, start : start + int(widths.min())] for start in starts]
    return all(float((signs[0] == sign).mean()) >= _ALIKE for sign in signs[1:])


def lift_strike(crop: NDArray[np.uint8], ink: Ink) -> NDArray[np.uint8]:
    """Return a crop of `ink.around` without the line through its text: kept only where strokes cross it."""
    if ink.strike is None:
        return crop
    first, last = ink.strike[0] - ink.around.top, ink.strike[1] - ink.around.top
    first, last = max(1, first - 1), min(crop.shape[0] - 1, last + 1)
    lifted = crop.copy()
    above, below = crop[first - 1].astype(np.float32), crop[last].astype(np.float32)
    for row in range(first, last):
        share = (row - first + 1) / (last - first + 1)
        lifted[row] = (above * (1 - share) + below * share).astype(np.uint8)
    return lifted


def _ink(
    crop: NDArray[np.uint8],
    background: NDArray[np.int16],
    part: NDArray[np.bool_],
    extent: tuple[int, int, int, int],
    tight: Box,
    around: Box,
) -> Ink:
    left, top, right, bottom = extent
    strokes = part[top:bottom]
    inside = crop[top:bottom, left:right]
    distance = np.abs(inside.astype(np.int16) - background).max(axis=2)
    # The core of the strokes: smooth edges and chroma at half resolution pale the rest.
    core = distance >= np.percentile(distance[strokes], 70)
    foreground = np.median(inside[core], axis=0)
    strike = _strike(strokes)
    return Ink(
        box=tight,
        around=around,
        foreground=_colour(foreground),
        background=_colour(background),
        share=float(strokes.mean()),
        strike=None if strike is None else (tight.top + strike[0], tight.top + strike[1]),
    )


def _colour(values: NDArray[np.generic]) -> tuple[int, int, int]:
    red, green, blue = (int(value) for value in values)
    return red, green, blue


def _ground(crop: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return the colour behind a text: the commonest in its detected box.

    The edge of such a box says less: it may reach beyond the button that the text stands on.
    """
    pixels = crop.reshape(-1, 3)
    weights = np.array([4096, 64, 1], dtype=np.int32)
    best: NDArray[np.bool_] | None = None
    # Two grids of bins, so that a colour on the edge of a bin in one of them is in the midst of one in the other.
    for shift in (0, 12):
        codes = ((pixels.astype(np.int32) + shift) // 24) @ weights
        values, counts = np.unique(codes, return_counts=True)
        members = codes == values[counts.argmax()]
        if best is None or members.sum() > best.sum():
            best = members
    seed = np.median(pixels[best], axis=0).astype(np.int16)
    near = np.abs(pixels.astype(np.int16) - seed).max(axis=1) <= _LEAST_CONTRAST // 2
    ground: NDArray[np.int16] = np.median(pixels[near], axis=0).astype(np.int16)
    return ground


def _border(crop: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return the colour around a text: the commonest along the edge of a box that fits it."""
    return _ground(np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])[None])


def _without_frames(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return ink without what comes in from outside and runs along a side: edges of buttons, rulings."""
    import cv2  # noqa: PLC0415 -- an extra, and slow to load

    width = mask.shape[1]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    left, right, ends = (
        {int(number) for number in np.unique(side) if number}
        for side in (labels[:, 0], labels[:, -1], np.concatenate([labels[0], labels[-1]]))
    )
    along = {number for number in ends if stats[number][2] >= _ALONG * width}
    # A letter that its box cuts touches one side alone; what surrounds a button comes in at a corner.
    frames = sorted((left & right) | (left & ends) | (right & ends) | along)
    gone = np.isin(labels, frames)
    if gone.any():
        # Blur along an edge stands by itself, a pixel or two from it.
        near = cv2.dilate(gone.astype(np.uint8), np.ones((5, 5), dtype=np.uint8)) > 0
        specks = [number for number in np.unique(labels[near & mask]) if stats[number][4] <= _SPECK]
        gone |= np.isin(labels, specks) & mask
    kept: NDArray[np.bool_] = mask & ~gone
    return kept


def _mask(crop: NDArray[np.uint8], background: NDArray[np.int16]) -> NDArray[np.bool_]:
    distance = np.abs(crop.astype(np.int16) - background).max(axis=2)
    mask: NDArray[np.bool_] = distance >= max(_LEAST_CONTRAST, _EDGE_SHARE * float(np.percentile(distance, 99)))
    return mask


def _walls(image: NDArray[np.uint8], box: Box, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which columns of a box hold a vertical ruling: ink throughout, which goes on above and below."""
    full = np.asarray(mask.mean(axis=0) >= _FULL, dtype=bool)
    if not full.any():
        return full
    height = image.shape[0]
    reach = max(4, (box.bottom - box.top) // 4)
    top, bottom = max(0, box.top - reach), min(height, box.bottom + reach)
    column = image[top:bottom, box.left : box.right].astype(np.int16)
    inside = np.median(image[box.top : box.bottom, box.left : box.right].astype(np.int16), axis=0)
    same = (np.abs(column - inside[None]).max(axis=2) < _LEAST_CONTRAST).mean(axis=0) >= _FULL
    walls: NDArray[np.bool_] = full & same
    return walls


def _rulings(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of a box hold a horizontal ruling beside the text rather than through it."""
    height = mask.shape[0]
    full = mask.mean(axis=1) >= _FULL
    outer = np.zeros(height, dtype=bool)
    edge = max(1, round(height * 0.22))
    outer[:edge] = outer[height - edge :] = True
    rulings: NDArray[np.bool_] = full & outer
    return rulings


def _runs(mask: NDArray[np.bool_], walls: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs of columns (first, one past the last) that hold one text each."""
    columns = np.flatnonzero(mask.any(axis=0))
    rows = np.flatnonzero(mask.any(axis=1))
    if columns.size == 0:
        return []
    widest = _CELL_GAP * max(int(rows[-1]) - int(rows[0]) + 1, _LOWEST * mask.shape[0])
    runs: list[tuple[int, int]] = []
    start = previous = int(columns[0])
    for column in (int(value) for value in columns[1:]):
        if column - previous > widest or walls[previous:column].any():
            runs.append((start, previous + 1))
            start = column
        previous = column
    runs.append((start, previous + 1))
    return runs


def _around(box: Box, tight: Box, walls: NDArray[np.bool_]) -> Box:
    rows, columns = _margins(tight, box.bottom - box.top)
    left, right = max(box.left, tight.left - columns), min(box.right, tight.right + columns)
    rulings = np.flatnonzero(walls) + box.left
    before, after = rulings[rulings < tight.left], rulings[rulings >= tight.right]
    if before.size:
        left = max(left, int(before[-1]) + 1)
    if after.size:
        right = min(right, int(after[0]))
    return Box(left, max(box.top, tight.top - rows), right, min(box.bottom, tight.bottom + rows))


def _margins(tight: Box, line: int) -> tuple[int, int]:
    """Return how much background goes above and beside a text, for a line of some height in pixels."""
    height = max(tight.bottom - tight.top, _LOWEST * line)
    return max(2, round(_MARGINS[0] * height)), max(2, round(_MARGINS[1] * height))


def _strike(strokes: NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return the rows of a line through the text, counted from its top, or `None`."""
    height, width = strokes.shape
    if width < _STRIKE_WIDTH * height or height < 6:  # noqa: PLR2004 -- no letters are so low
        return None
    full = strokes.mean(axis=1) >= _STRIKE_COVER
    rows = np.flatnonzero(full)
    if rows.size == 0 or rows.size != rows[-1] - rows[0] + 1:
        return None
    first, last = int(rows[0]), int(rows[-1]) + 1
    middle = (first + last) / 2 / height
    inside = _STRIKE_ZONE[0] <= middle <= _STRIKE_ZONE[1]
    if not inside or last - first > max(2.0, _STRIKE_THICKNESS * height) + 1:
        return None
    return first, last
