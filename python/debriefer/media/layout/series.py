"""The pictures of one video in turn: text is read anew only where a picture differs from an earlier one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from debriefer.media.layout.geometry import size, strongest
from debriefer.media.packages import needed
from debriefer.media.slide import Box
from debriefer.media.tree import Ocr, TextLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Pictures that a new one is compared with: slides mostly differ little from one of the last few.
_KEPT = 6
# Levels by which the mean of 3x3 pixels may differ, at most, and the share of a text's contrast. Over 75 generated
# videos of all codecs, texts that are the same differed by up to 16 in nine of ten cases, those that are not by 101
# at least (595.95 and 595.55), which is 0.55 of their contrast.
_SAME = 20.0
_SAME_SHARE = 0.15
# Side of the tiles in which changes are gathered, in pixels.
_TILE = 16


class Rereader(Ocr, Protocol):
    """A reader of text that can read a picture anew in parts."""

    def reread(
        self, image: NDArray[np.uint8], before: Sequence[TextLine], changed: Sequence[Box]
    ) -> tuple[TextLine, ...]:
        """Return the lines of a picture that differs from an earlier one only within some boxes."""
        ...


class _Seen(NamedTuple):
    image: NDArray[np.uint8]
    lines: tuple[TextLine, ...]


class SeriesOcr:
    """Reads pictures that follow each other; an `Ocr` for one video.

    A line whose pixels are those of an earlier picture, but for the noise of a codec, keeps that one's text, box and
    confidence. What is read therefore depends on the pictures before and their order, and on nothing else.
    """

    def __init__(self, reader: Rereader) -> None:
        self._reader = reader
        self._seen: deque[_Seen] = deque(maxlen=_KEPT)

    @property
    def name(self) -> str:
        """What the reader is called in logs and cache keys."""
        return self._reader.name

    def read(self, image: NDArray[np.uint8]) -> tuple[TextLine, ...]:
        """Return the lines of text of an RGB picture of shape (height, width, 3), top to bottom, left to right.

        Raises:
            MediaError: As the reader does.
        """
        near = [
            (changes(earlier.image, image, earlier.lines), earlier.lines)
            for earlier in reversed(self._seen)
            if earlier.image.shape == image.shape
        ]
        if near:
            changed, before = min(near, key=lambda item: sum(map(size, item[0])))
            lines = self._reader.reread(image, before, changed)
        else:
            lines = self._reader.read(image)
        self._seen.append(_Seen(image, lines))
        return lines


def changes(before: NDArray[np.uint8], after: NDArray[np.uint8], lines: Sequence[TextLine]) -> list[Box]:
    """Return where two RGB pictures of one shape differ by more than the noise of a codec.

    Args:
        before: The earlier picture.
        after: The later one.
        lines: Text of the earlier one; where it is faint, smaller differences count.

    Raises:
        MediaError: OpenCV is not installed.
    """
    cv2 = needed("cv2")
    levels: NDArray[np.float32] = cv2.blur(strongest(cv2.absdiff(before, after)).astype(np.float32), (3, 3))
    height, width = levels.shape
    mask = levels > _SAME
    boxes: list[Box] = []
    if mask.any():
        rows, columns = -(-height // _TILE), -(-width // _TILE)
        padded = np.zeros((rows * _TILE, columns * _TILE), dtype=bool)
        padded[:height, :width] = mask
        tiles = np.asarray(padded.reshape(rows, _TILE, columns, _TILE).any(axis=(1, 3)), dtype=bool)
        boxes = [
            Box(left * _TILE, top * _TILE, min(width, right * _TILE), min(height, bottom * _TILE))
            for left, top, right, bottom in _rectangles(tiles)
        ]
    return boxes + [line.box for line in lines if _faintly_changed(before, levels, line.box)]


def _rectangles(tiles: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Return rectangles (left, top, right, bottom) that cover the marked tiles and no other."""
    done: list[tuple[int, int, int, int]] = []
    growing: dict[tuple[int, int], int] = {}
    for row in range(tiles.shape[0] + 1):
        marked = tiles[row] if row < tiles.shape[0] else np.zeros(tiles.shape[1], dtype=bool)
        edges = np.flatnonzero(np.diff(marked.astype(np.int8), prepend=0, append=0))
        runs = {(int(left), int(right)) for left, right in zip(edges[::2], edges[1::2], strict=True)}
        done += [(left, top, right, row) for (left, right), top in growing.items() if (left, right) not in runs]
        growing = {run: growing.get(run, row) for run in sorted(runs)}
    return done


def _faintly_changed(before: NDArray[np.uint8], levels: NDArray[np.float32], box: Box) -> bool:
    most = float(levels[box.top : box.bottom, box.left : box.right].max(initial=0.0))
    if most <= 1 or most > _SAME:
        return False
    contrast = int(np.ptp(before[box.top : box.bottom, box.left : box.right].reshape(-1, 3), axis=0).max())
    return most > _SAME_SHARE * contrast
