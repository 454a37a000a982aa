"""Decoding with PyAV: one open door to a video file, its frames in order of time, luma without a copy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.errors import MediaError, MissingFileError
from debriefer.media.packages import needed

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream
    from numpy.typing import NDArray

# Formats whose first plane is 8-bit luma (or grey); all others are converted by the decoder's own scaler.
_LUMA_FIRST = re.compile(r"gray|nv(12|16|21|24)|yuv[aj]?4\d\dp")


def _av() -> Any:  # noqa: ANN401 -- an optional package
    return needed("av")


class Video:
    """An opened video file and its best video stream.

    Attributes:
        name: How messages call the file.
        container: PyAV's container.
        stream: The video stream of the highest resolution; a cover picture is none.
        notes: What was odd about the file, gathered while it is read.
        damaged: How many packets could not be decoded.
    """

    def __init__(self, name: str, container: InputContainer, stream: VideoStream) -> None:
        self.name = name
        self.container = container
        self.stream = stream
        self.notes: list[str] = []
        self.damaged = 0
        self._seconds = float(stream.time_base or 1)
        self._broken = _av().error.FFmpegError

    def note(self, text: str) -> None:
        """Remember what is odd about the file, once."""
        if text not in self.notes:
            self.notes.append(text)

    def seconds(self, ticks: int | None) -> float | None:
        """Return a time stamp of the stream in seconds."""
        return None if ticks is None else ticks * self._seconds

    def shown(self, packet: Packet[VideoStream]) -> float | None:
        """Return when what `packet` holds is shown, in seconds; where the file does not say, when it is decoded."""
        return self.seconds(packet.pts if packet.pts is not None else packet.dts)

    @property
    def promised(self) -> float | None:
        """The end of the whole file as its header gives it, in seconds; `None` where it says nothing."""
        if self.container.duration is None:
            return None
        return ((self.container.start_time or 0) + self.container.duration) / 1e6

    def decode_one_by_one(self) -> None:
        """Share no frames out to threads, before anything is decoded.

        Where a frame is but a copy of the one before, or stands alone, threads wait for each other: on still slides
        they take a quarter more processor time and no less of the clock's.
        """
        self.stream.thread_type = "SLICE"

    def packets(self) -> Iterator[Packet[VideoStream]]:
        """Iterate over the packets from the start of the file; a file that breaks off ends early, with a note."""
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
            except self._broken as error:
                self.note(f"the file breaks off: {_reason(error)}")
                return
            if packet is None or packet.size == 0:
                return
            yield packet

    def decode(self, packet: Packet[VideoStream] | None) -> list[VideoFrame]:
        """Return the frames that `packet` completes; `None` drains the decoder and makes it ready to begin anew.

        A packet that cannot be decoded is counted and left out.
        """
        try:
            frames = self.stream.codec_context.decode(packet)
        except self._broken:
            self.damaged += 1
            frames = []
        if packet is None:
            self.stream.codec_context.flush_buffers()
        return frames


@contextmanager
def open_video(path: Path) -> Iterator[Video]:
    """Open the file at `path` for decoding on several threads.

    Raises:
        MissingFileError: There is no such file.
        MediaError: It is no video, holds no video stream, or PyAV is not installed.
    """
    av = _av()
    if not path.is_file():
        message = f"`{path}` is not a file"
        raise MissingFileError(message, hint="give the path of a video file")
    if path.stat().st_size == 0:
        message = f"`{path.name}` is empty"
        raise MediaError(message, hint="copy the file again")
    try:
        container = av.open(str(path), metadata_errors="ignore")
    except (av.error.FFmpegError, OSError, ValueError) as error:
        message = f"`{path.name}` cannot be read as a video: {_reason(error)}"
        raise MediaError(
            message, hint="check that the file is whole, and that its content is what its name says"
        ) from error
    with container:
        streams = [stream for stream in container.streams.video if not _is_cover(stream)]
        if not streams:
            message = f"`{path.name}` holds no video stream"
            raise MediaError(message, hint="give a file with pictures; sound alone is read as narration")
        stream = max(streams, key=lambda one: (one.width * one.height, -one.index))
        if len(streams) > 1:
            others = len(streams) - 1
            note = f"{others} more video stream{'s' * (others > 1)} of lower resolution left out"
        else:
            note = ""
        stream.thread_type = "AUTO"
        video = Video(path.name, container, stream)
        if note:
            video.note(note)
        yield video


def _is_cover(stream: VideoStream) -> bool:
    return "attached_pic" in str(getattr(stream, "disposition", "")).lower()


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).strip().rstrip(".").lower() or type(error).__name__


@cache
def _has_luma_first(name: str) -> bool:
    return _LUMA_FIRST.fullmatch(name) is not None


def luma(frame: VideoFrame, width: int, height: int) -> tuple[NDArray[Any], int]:
    """Return the luma of a frame as flat bytes and the distance of its rows in bytes; no copy for 8-bit planar formats.

    Args:
        frame: A decoded frame.
        width: Width that the luma must have, in pixels; a frame of another size is scaled.
        height: Height that the luma must have.
    """
    import numpy as np  # noqa: PLC0415 -- the extra `video` may be absent

    if (frame.width, frame.height) != (width, height):
        frame = frame.reformat(width=width, height=height, format="gray")
    elif not _has_luma_first(frame.format.name):
        frame = frame.reformat(format="gray")
    plane: Any = frame.planes[0]
    return np.frombuffer(plane, dtype=np.uint8), plane.line_size


def rgb(frame: VideoFrame, width: int, height: int) -> NDArray[Any]:
    """Return a frame as an upright RGB picture of shape (rows, columns, 3); `width` and `height` are the coded size."""
    import numpy as np  # noqa: PLC0415 -- the extra `video` may be absent

    picture = frame.reformat(width=width, height=height, format="rgb24").to_ndarray()
    turns = quarter_turns(frame)
    return np.ascontiguousarray(np.rot90(picture, turns)) if turns else picture


def quarter_turns(frame: VideoFrame) -> int:
    """Return by how many quarter turns to the left the frame must be rotated to stand upright."""
    return round((getattr(frame, "rotation", 0) or 0) / 90) % 4
