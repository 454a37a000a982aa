"""Frames in, slides out: feeds the stabilizer and keeps the one frame that shows each state best."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from debriefer import _core
from debriefer.media.decode import Video, luma, quarter_turns, rgb
from debriefer.media.shelf import Shelf
from debriefer.media.slide import Box, Change, Slide

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

# How long a frame waits before it may stand for its state, in seconds: the begin of a change is told only when it has
# settled, and beside a moving head that takes a while. Those that wait are this far apart, the older ones further.
_WAIT = 4.0
_APART = 0.25
_FAR_APART = 1.0
_NEWEST = 3
# A state's frame is taken at least this long before the next change, in seconds, where the state is long enough: the
# first steps of a slow fade are too pale to be told from noise.
_CLEAR = 0.3
# States between two attempts to unite them while the video goes on.
_COMPACT = 24


class _Candidate(NamedTuple):
    quality: int
    time: float
    frame: VideoFrame


class Gathered(NamedTuple):
    """What a whole video gave: slides, live regions, how many beyond the bound were left out, size of the picture."""

    slides: tuple[Slide, ...]
    live: tuple[Box, ...]
    left_out: int
    width: int
    height: int


class Gatherer:
    """Takes the frames of one video in order of time."""

    def __init__(self, video: Video) -> None:
        self._video = video
        self._stabilizer = _core.Stabilizer()
        self._shelf = Shelf(self._picture)
        self._times: dict[int, float] = {}
        self._size = (0, 0)
        self._turns = 0
        self._state: int | None = None
        self._opened = 0
        self._waiting: deque[_Candidate] = deque()
        self._best: _Candidate | None = None
        self._last: _Candidate | None = None
        self._calmest: _Candidate | None = None
        self.frames = 0

    @property
    def opened(self) -> int:
        """How many states have been opened so far."""
        return self._opened

    def take(self, frame: VideoFrame, time: float) -> int:
        """Take the frame shown from `time` on, in seconds; returns 2, 1 or 0 for how well it shows the newest state."""
        if self._size == (0, 0):
            self._size = (frame.width, frame.height)
            self._turns = quarter_turns(frame)
            if self._turns:
                self._video.note(f"rotated by {90 * self._turns} degrees; its pictures are given upright")
            if frame.interlaced_frame:
                self._video.note("interlaced; its pictures are given as coded")
        elif self._size != (frame.width, frame.height):
            self._video.note(f"the resolution varies; all pictures are scaled to {self._size[0]}x{self._size[1]}")
        width, height = self._size
        plane, line_size = luma(frame, width, height)
        opened, scene, shows, calmest = self._stabilizer.push(plane, width, height, line_size, time)
        self._note(opened, scene)
        candidate = _Candidate(shows, time, frame)
        if calmest:
            self._calmest = candidate
        if shows and self._state is not None:
            self._wait(candidate)
            while self._waiting[0].time < time - _WAIT:
                self._promote(self._waiting.popleft())
        self._last = candidate
        return shows

    def finish(self, end: float) -> Gathered:
        """End the video at `end`, in seconds, and return what it showed."""
        opened, scene, found, live, left_out = self._stabilizer.finish(end)
        self._note(opened, scene)
        self._settle(float("inf"))
        slides = tuple(self._slide(index, slide) for index, slide in enumerate(found))
        width, height = self._size[::-1] if self._turns % 2 else self._size
        return Gathered(slides, tuple(self._box(box) for box in live), left_out, width, height)

    def _note(self, opened: tuple[int, float] | None, scene: tuple[int, float] | None) -> None:
        for told, candidate in ((opened, self._last), (scene, self._calmest)):
            if told is None:
                continue
            number, start = told
            self._settle(start)
            self._state = number
            self._opened += 1
            self._best = candidate
            if self._opened % _COMPACT == 0:
                for gone in self._stabilizer.compact():
                    self._shelf.drop(gone)
                    self._times.pop(gone, None)

    def _wait(self, candidate: _Candidate) -> None:
        """Keep a candidate where there is none so near; a decoder that lends few frames works within the cache."""
        waiting = self._waiting
        if waiting and candidate.quality <= waiting[-1].quality and candidate.time - waiting[-1].time < _APART:
            return
        waiting.append(candidate)
        if len(waiting) > _NEWEST and waiting[-_NEWEST].time - waiting[-_NEWEST - 1].time < _FAR_APART:
            del waiting[-_NEWEST]

    def _promote(self, candidate: _Candidate) -> None:
        if self._best is None or candidate[:2] >= self._best[:2] or candidate.quality == 2:  # noqa: PLR2004
            self._best = candidate

    def _settle(self, until: float) -> None:
        """Choose the frame of the state that ends at `until`."""
        for candidate in self._waiting:
            if candidate.time <= until - _CLEAR:
                self._promote(candidate)
        self._waiting.clear()
        if self._state is not None and self._best is not None:
            self._shelf.put(self._state, self._best.frame)
            self._times[self._state] = self._best.time
        self._best = None

    def _picture(self, frame: VideoFrame) -> Any:  # noqa: ANN401 -- an array of the optional package
        return rgb(frame, *self._size)

    def _slide(self, index: int, found: _core.FoundSlide) -> Slide:
        time = self._times[found.state]
        return Slide(
            index=index,
            t_start=min(found.start, time),
            t_end=max(found.end, time),
            t_frame=time,
            image=self._shelf.picture(found.state),
            revisit_of=found.revisit_of,
            change=Change(found.change),
            changed=tuple(self._box(box) for box in found.changed),
        )

    def _box(self, edges: tuple[int, int, int, int]) -> Box:
        """Turn a rectangle of the coded picture with the picture."""
        left, top, right, bottom = edges
        width, height = self._size
        for _ in range(self._turns):
            left, top, right, bottom = top, width - right, bottom, width - left
            width, height = height, width
        return Box(left, top, right, bottom)
