"""The slides of a video: packets first where their rhythm can be read, decoding throughout where it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from debriefer import _core
from debriefer.errors import MediaError
from debriefer.media.decode import Video, luma, open_video
from debriefer.media.gather import Gathered, Gatherer
from debriefer.media.packets import PacketList, Window, read_packets, rhythm, windows
from debriefer.media.slide import Method, Slides

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

Progress = Callable[[float], None]
# What `Stabilizer.push` says of a sample that looks exactly like the newest state.
_EXACT = 2
# A frame that is in view for longer than this, in seconds, is looked at though it came between two samples.
_STAYED = 0.15
# Two time stamps closer than this, in seconds, are one.
_SAME_TIME = 1e-6


def slides(path: str | os.PathLike[str], *, method: Method | None = None, progress: Progress | None = None) -> Slides:
    """Find the slides of a video: each stretch of time in which the picture stands still.

    A slide of 0.4 s is found, and a change of one digit makes a new one. What moves by itself does not: a talking head,
    a clock, a pointer. A scene in which nothing stands still (a film) is given by its calmest picture, at most one for
    each ten seconds of the video (twelve where it is shorter than two minutes) and 600 in all; still slides are
    bounded by 2000. Memory does not grow with the length of the video but by a signature a slide (58 kB at
    1280x720); pictures beyond 256 MiB are backed by a temporary file.

    Args:
        path: A video file of any kind that FFmpeg decodes.
        method: The way to take; by default the packets decide.
        progress: Called now and then with the share of the video that has been read, from 0 to 1.

    Returns:
        The slides in order of time; times are in seconds from the pts, never from frame counts.

    Raises:
        MissingFileError: There is no such file.
        MediaError: The file is no video or no frame of it can be decoded, or the extra `video` is not installed.

    Source: DESIGN, section 3, decision 8.
    """
    path = Path(path)
    with open_video(path) as video:
        packets = read_packets(video)
        notes = list(video.notes)
    if not packets.times:
        message = f"`{path.name}` holds no frame"
        raise MediaError(message, hint="the recording may have been stopped at once; copy or export the file again")
    found = rhythm(packets)
    planned, reason = None, found.reason
    if method is Method.DECODE:
        reason = "asked for"
    elif found.readable:
        planned = windows(found, _changed_keyframes(path), packets.end)
        if planned is None:
            reason = f"{found.reason}, but they are spread so wide that most of the video must be decoded anyway"
    elif method is Method.PACKETS:
        message = f"`{path.name}` cannot be searched by its packets: {found.reason}"
        raise MediaError(message, hint="let the method be chosen, or ask for `Method.DECODE`")
    with open_video(path) as video:
        gatherer = Gatherer(video)
        reader = _Reader(video, packets, gatherer, progress or (lambda _: None))
        if planned is None:
            reader.read_all()
        else:
            reader.read_windows(planned)
        if gatherer.frames == 0:
            message = f"`{path.name}` holds {len(packets.times)} packets, but no frame can be decoded"
            raise MediaError(message, hint="the file is damaged; copy or export it again")
        if video.damaged:
            video.note(f"{video.damaged} packets could not be decoded and were left out")
        gathered = gatherer.finish(max(packets.end, reader.time))
        return _assemble(
            gathered, video, notes, packets, reader, Method.DECODE if planned is None else Method.PACKETS, reason
        )


def _assemble(
    gathered: Gathered,
    video: Video,
    notes: list[str],
    packets: PacketList,
    reader: _Reader,
    method: Method,
    reason: str,
) -> Slides:
    if gathered.left_out:
        video.note(f"{gathered.left_out} shorter scenes beyond the bound were left out")
    return Slides(
        items=gathered.slides,
        method=method,
        reason=reason,
        duration=max(packets.end, reader.time) - packets.times[0],
        width=gathered.width,
        height=gathered.height,
        frames_decoded=reader.gatherer.frames,
        live=gathered.live,
        notes=tuple(dict.fromkeys([*notes, *video.notes])),
    )


def _changed_keyframes(path: Path) -> frozenset[float]:
    """Return the times of keyframes that do not look like the one before; only keyframes are decoded."""
    changed: set[float] = set()
    stabilizer = _core.Stabilizer()
    with open_video(path) as video:
        size: tuple[int, int] | None = None
        seen = False
        for frame in _keyframes(video):
            time = video.seconds(frame.pts)
            if time is None:
                continue
            if size is None:
                size = (frame.width, frame.height)
            plane, line_size = luma(frame, *size)
            _, _, shows, _ = stabilizer.push(plane, *size, line_size, time)
            if shows < _EXACT and seen:
                changed.add(time)
            seen = True
    return frozenset(changed)


def _keyframes(video: Video) -> Iterator[VideoFrame]:
    for packet in video.packets():
        if packet.is_keyframe:
            yield from video.decode(packet)
            # Each on its own: an open group of pictures would hold one back until others have come.
            yield from video.decode(None)


class _Reader:
    """Decodes what is asked for and hands samples to the gatherer."""

    def __init__(self, video: Video, packets: PacketList, gatherer: Gatherer, progress: Progress) -> None:
        self._video = video
        self._packets = packets
        self._progress = progress
        self._told = 0.0
        self.gatherer = gatherer
        self.time = packets.times[0]
        self._started = False
        self._skipped: tuple[VideoFrame, float] | None = None
        if packets.dense:
            video.stream.codec_context.skip_frame = "NONREF"

    def read_all(self) -> None:
        """Decode the video throughout."""
        for packet in self._video.packets():
            self._take(self._video.decode(packet), float("-inf"))
        self._flush(float("-inf"))

    def read_windows(self, planned: list[Window]) -> None:
        """Decode the windows alone; other packets are read and left."""
        remaining: Iterator[Window] = iter(planned)
        window = next(remaining, None)
        inside = False
        for packet in self._video.packets():
            time = self._time(packet)
            if inside and window is not None and (packet.is_keyframe or self._past(packet, window)):
                self._flush(window.look)
                window, inside = next(remaining, None), False
            if window is None:
                return
            if not inside and packet.is_keyframe and abs(time - window.start) < _SAME_TIME:
                inside = True
            if inside:
                self._take(self._video.decode(packet), window.look)
        if inside and window is not None:
            self._flush(window.look)

    def _sample(self, frame: VideoFrame, time: float) -> None:
        """Hand on a frame if it is due; one that was not due is due after all if it stayed in view for long."""
        if self._skipped is not None and time - self._skipped[1] > _STAYED:
            self.gatherer.take(*self._skipped)
            self._skipped = None
        if self.gatherer.wants(time):
            self.gatherer.take(frame, time)
            self._skipped = None
        else:
            self._skipped = (frame, time)

    def _flush(self, look: float) -> None:
        self._take(self._video.decode(None), look)
        if self._skipped is not None:
            self.gatherer.take(*self._skipped)
            self._skipped = None

    def _time(self, packet: Packet[VideoStream]) -> float:
        return self._video.seconds(packet.pts if packet.pts is not None else packet.dts) or 0.0

    def _past(self, packet: Packet[VideoStream], window: Window) -> bool:
        """Whether no later packet can be shown within the window: packets come in order of decoding."""
        decoded = self._video.seconds(packet.dts)
        return (self._time(packet) if decoded is None else decoded) > window.end

    def _take(self, frames: list[VideoFrame], look: float) -> None:
        for frame in frames:
            self.gatherer.frames += 1
            time = self._video.seconds(frame.pts)
            if time is None:
                self._video.note("frames without a time stamp; their times are guessed from the frame rate")
                rate = self._video.stream.average_rate
                time = self.time + float(1 / rate if rate else 0.04) if self._started else self.time
            if self._started and time <= self.time:
                continue
            if time >= look:
                self._sample(frame, time)
            self.time = time
            self._started = True
        if self.time - self._told >= 1.0:
            self._told = self.time
            span = max(self._packets.end - self._packets.times[0], 1e-9)
            self._progress(min(1.0, (self.time - self._packets.times[0]) / span))
