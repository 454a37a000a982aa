"""Where the pictures of slides wait: few in memory, the others in a file that is gone with the process."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Decoded frames held as they are, and pictures handed out in memory, in bytes; beyond that a file holds them.
FRAMES = 24
IN_MEMORY = 256 << 20


class Shelf:
    """Frames by number; the oldest are converted and put into a temporary file once there are too many.

    Args:
        convert: Turns a frame into an RGB picture; all have the same shape.
    """

    def __init__(self, convert: Callable[[Any], NDArray[Any]]) -> None:
        self._convert = convert
        self._frames: OrderedDict[int, Any] = OrderedDict()
        self._places: dict[int, int] = {}
        self._free: list[int] = []
        self._file: IO[bytes] | None = None
        self._shape: tuple[int, ...] = ()
        self._used = 0

    def put(self, number: int, frame: object) -> None:
        """Keep `frame` under `number`."""
        self._frames[number] = frame
        while len(self._frames) > FRAMES:
            oldest, held = self._frames.popitem(last=False)
            self._spill(oldest, self._convert(held))

    def drop(self, number: int) -> None:
        """Let go of what is kept under `number`."""
        self._frames.pop(number, None)
        place = self._places.pop(number, None)
        if place is not None:
            self._free.append(place)

    def picture(self, number: int) -> NDArray[Any]:
        """Return the picture kept under `number`: an array in memory, or beyond 256 MiB one that a file backs."""
        if number in self._frames:
            picture = self._convert(self._frames.pop(number))
            if self._used + picture.nbytes <= IN_MEMORY:
                self._used += picture.nbytes
                return picture
            self._spill(number, picture)
        picture = self._mapped(self._places[number])
        if self._used + picture.nbytes <= IN_MEMORY:
            self._used += picture.nbytes
            return picture.copy()
        return picture

    def __contains__(self, number: int) -> bool:
        return number in self._frames or number in self._places

    def _spill(self, number: int, picture: NDArray[Any]) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the arrays that it backs
            self._shape = picture.shape
        place = self._free.pop() if self._free else len(self._places)
        self._file.seek(place * picture.nbytes)
        self._file.write(picture.tobytes())
        self._places[number] = place

    def _mapped(self, place: int) -> NDArray[Any]:
        import numpy as np  # noqa: PLC0415 -- the extra `video` may be absent

        assert self._file is not None  # noqa: S101 -- a place exists only in a file
        self._file.flush()
        size = int(np.prod(self._shape))
        return np.memmap(self._file, dtype=np.uint8, mode="r", offset=place * size, shape=self._shape)
