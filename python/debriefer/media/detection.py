"""The slides of a video: packets first where their rhythm can be read, decoding throughout where it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from debriefer import _core
from debriefer.errors import MediaError
from debriefer.media.behind import Behind
from debriefer.media.decode import Video, luma, open_video
from debriefer.media.gather import Gathered, Gatherer
from debriefer.media.packets import PacketList, Window, in_doubt, read_packets, rhythm, windows
from debriefer.media.slide import Method, Slides

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

Progress = Callable[[float], None]
# Samples a second. A change is placed at the first sample that shows it: at most 0.1 s late.
_SAMPLES = 10.0
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
        planned = windows(found, _changed(path, in_doubt(found, packets.end)), packets.end)
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


def _changed(path: Path, pairs: Sequence[tuple[float, float]]) -> frozenset[float]:
    """Return the second keyframe of each pair that does not look like the first; only these keyframes are decoded."""
    changed: set[float] = set()
    if not pairs:
        return frozenset()
    wanted = {time for pair in pairs for time in pair}
    later = {pair[1] for pair in pairs}
    last: float | None = None
    stabilizer = _core.Stabilizer()
    with open_video(path) as video:
        video.decode_one_by_one()
        size: tuple[int, int] | None = None
        for frame in _keyframes(video, wanted):
            time = video.seconds(frame.pts)
            # Frames of an open group of pictures may come out of order.
            if time is None or (last is not None and time <= last):
                continue
            if size is None:
                size = (frame.width, frame.height)
            plane, line_size = luma(frame, *size)
            shows = stabilizer.push(plane, *size, line_size, time)[2]
            if shows < _EXACT and time in later:
                changed.add(time)
            last = time
    return frozenset(changed)


def _keyframes(video: Video, wanted: Collection[float]) -> Iterator[VideoFrame]:
    remaining = len(wanted)
    for packet in video.packets():
        if packet.is_keyframe and video.shown(packet) in wanted:
            yield from video.decode(packet)
            # Each on its own: an open group of pictures would hold one back until others have come.
            yield from video.decode(None)
            remaining -= 1
            if remaining == 0:
                return


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
        # When the next sample is due.
        self._next = float("-inf")
        self._hand_on: Callable[[VideoFrame, float], None] = self._look
        # How well the last sample showed the newest state, and when that was.
        self._shows, self._shown = 0, float("-inf")
        # Whether a sample of this window has shown what is known.
        self._confirmed = True
        if packets.still(video.stream.width * video.stream.height):
            video.decode_one_by_one()
        if packets.dense:
            video.stream.codec_context.skip_frame = "NONREF"

    def read_all(self) -> None:
        """Decode the video throughout."""
        with Behind(self.gatherer.take) as behind:
            self._hand_on = behind.add
            for packet in self._video.packets():
                self._take(self._video.decode(packet), None)
            self._flush(None)

    def read_windows(self, planned: list[Window]) -> None:
        """Decode the windows alone; other packets are read and left."""
        remaining: Iterator[Window] = iter(planned)
        window = next(remaining, None)
        inside = False
        for packet in self._video.packets():
            if inside and window is not None and (packet.is_keyframe or self._over(packet, window)):
                self._flush(window)
                window, inside = next(remaining, None), False
            if window is None:
                return
            if not inside and packet.is_keyframe and abs(self._time(packet) - window.start) < _SAME_TIME:
                inside, self._confirmed = True, not window.confirm
            if inside:
                self._take(self._video.decode(packet), window)
        if inside and window is not None:
            self._flush(window)

    def _over(self, packet: Packet[VideoStream], window: Window) -> bool:
        """Whether the window has told what it was to tell, or no later packet can be shown within it.

        Packets come in order of decoding.
        """
        if self._shows == _EXACT and self._shown >= window.enough:
            return True
        decoded = self._video.seconds(packet.dts)
        return (self._time(packet) if decoded is None else decoded) > window.end

    def _sample(self, frame: VideoFrame, time: float) -> None:
        """Hand on a frame if it is due; one that was not due is due after all if it stayed in view for long."""
        if self._skipped is not None and time - self._skipped[1] > _STAYED:
            self._hand_on(*self._skipped)
            self._skipped = None
        if time >= self._next:
            # Samples keep to a grid, so that 25 frames a second give every second or third and not every third.
            self._next = max(self._next + 1 / _SAMPLES, time + 0.5 / _SAMPLES)
            self._hand_on(frame, time)
            self._skipped = None
        else:
            self._skipped = (frame, time)

    def _look(self, frame: VideoFrame, time: float) -> None:
        self._shows, self._shown = self.gatherer.take(frame, time), time
        self._confirmed = self._confirmed or self._shows == _EXACT

    def _flush(self, window: Window | None) -> None:
        self._take(self._video.decode(None), window)
        if self._skipped is not None:
            self._hand_on(*self._skipped)
            self._skipped = None

    def _time(self, packet: Packet[VideoStream]) -> float:
        return self._video.shown(packet) or 0.0

    def _take(self, frames: list[VideoFrame], window: Window | None) -> None:
        for frame in frames:
            self.gatherer.frames += 1
            time = self._video.seconds(frame.pts)
            if time is None:
                self._video.note("frames without a time stamp; their times are guessed from the frame rate")
                rate = self._video.stream.average_rate
                time = self.time + float(1 / rate if rate else 0.04) if self._started else self.time
            if self._started and time <= self.time:
                continue
            if window is None or time >= window.look or not self._confirmed:
                self._sample(frame, time)
            self.time = time
            self._started = True
        if self.time - self._told >= 1.0:
            self._told = self.time
            span = max(self._packets.end - self._packets.times[0], 1e-9)
            self._progress(min(1.0, (self.time - self._packets.times[0]) / span))
