"""One picture of all slides, for a person to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.packages import needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A sheet of 10 x 20 thumbnails is about 3,300 x 4,300 pixels; further slides are counted on it, not shown.
_MOST = 200
_WIDTH = 320
_CAPTION = 22
_GAP = 8
_PAPER, _INK, _AGAIN = (245, 245, 245), (30, 30, 30), (150, 90, 20)


def sheet_of(values: Mapping[str, Any], pictures: Path, target: Path) -> int:
    """Write a PNG with a thumbnail of each slide, its number and its times.

    Args:
        values: What `video_input.json` holds.
        pictures: Folder of the pictures.
        target: The PNG.

    Returns:
        How many slides are on it; the first 200 at most, and a line says how many are not.

    Raises:
        MediaError: There are no slides, or a picture is gone.
    """
    frames = values["frames"]
    if not frames:
        message = f"`{values['video']}` has no slides for a contact sheet"
        raise MediaError(message, hint=values["reason"] or None)
    shown = frames[:_MOST]
    columns = min(10, max(1, math.ceil(math.sqrt(len(shown)))))
    rows = math.ceil(len(shown) / columns)
    height = max(1, round(_WIDTH * frames[0]["height"] / frames[0]["width"]))
    cell = (height + _CAPTION + _GAP, _WIDTH + _GAP)
    left = len(frames) - len(shown)
    sheet = np.full((rows * cell[0] + _GAP + (_CAPTION if left else 0), columns * cell[1] + _GAP, 3), _PAPER, np.uint8)
    cv2 = needed("cv2")
    for place, frame in enumerate(shown):
        top, side = _GAP + place // columns * cell[0], _GAP + place % columns * cell[1]
        sheet[top : top + height, side : side + _WIDTH] = _thumbnail(cv2, pictures / frame["path"], height)
        _write(cv2, sheet, _caption(frame), (side, top + height + 16), _INK if frame["revisit_of"] is None else _AGAIN)
    if left:
        _write(cv2, sheet, f"{left} more slides are not shown", (_GAP, rows * cell[0] + _GAP + 14), _INK)
    done, encoded = cv2.imencode(".png", sheet)
    if not done:
        message = f"`{target}` cannot be written as PNG"
        raise MediaError(message)
    target.write_bytes(encoded.tobytes())
    return len(shown)


def cell_of(place: int, columns: int, width: int, height: int) -> tuple[int, int]:
    """Return left and top, in pixels, of picture number `place` (from 0) on a sheet that `grid_of` makes.

    >>> cell_of(4, 3, 320, 180)
    (336, 218)
    """
    return _GAP + place % columns * (width + _GAP), _GAP + place // columns * (height + _CAPTION + _GAP)


def grid_of(pictures: Sequence[NDArray[np.uint8]], captions: Sequence[str], columns: int, width: int) -> Any:  # noqa: ANN401
    """Return one RGB picture of several, row by row, each above its caption.

    Args:
        pictures: RGB, shape (height, width, 3) each; fitted into cells of the first one's shape.
        captions: One line each.
        columns: Pictures a row.
        width: Width of a cell, in pixels.

    Returns:
        Shape (height, width, 3), `uint8`; `cell_of` tells where each picture is.
    """
    cv2 = needed("cv2")
    height = max(1, round(width * pictures[0].shape[0] / pictures[0].shape[1]))
    rows = math.ceil(len(pictures) / columns)
    across = min(columns, len(pictures))
    shape = (rows * (height + _CAPTION + _GAP) + _GAP, across * (width + _GAP) + _GAP, 3)
    sheet = np.full(shape, _PAPER, np.uint8)
    for place, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        left, top = cell_of(place, columns, width, height)
        sheet[top : top + height, left : left + width] = _cell(cv2, picture, width, height)
        _write(cv2, sheet, caption, (left, top + height + 16), _INK)
    return sheet


def _caption(frame: Mapping[str, Any]) -> str:
    again = "" if frame["revisit_of"] is None else f"  = #{frame['revisit_of']}"
    return f"#{frame['index']}  {frame['burst_start']:.1f}-{frame['t_end']:.1f} s  {frame['change']}{again}"


def _thumbnail(cv2: Any, path: Path, height: int) -> Any:  # noqa: ANN401 -- OpenCV's, imported late
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    if pixels is None:
        message = f"`{path}` is no picture"
        raise MediaError(message, hint="make the slides again")
    return _cell(cv2, pixels, _WIDTH, height)


def _cell(cv2: Any, pixels: Any, width: int, height: int) -> Any:  # noqa: ANN401 -- as above
    # Slides of another shape (a video that changes its resolution) are fitted into the same place.
    share = min(width / pixels.shape[1], height / pixels.shape[0])
    size = max(1, int(pixels.shape[1] * share)), max(1, int(pixels.shape[0] * share))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    place = np.full((height, width, 3), 0, np.uint8)
    place[: size[1], : size[0]] = small
    return place


def _write(cv2: Any, sheet: Any, text: str, place: tuple[int, int], color: tuple[int, int, int]) -> None:  # noqa: ANN401
    cv2.putText(sheet, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, color, 1, cv2.LINE_AA)
