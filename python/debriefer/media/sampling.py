"""Pictures of a video for a model to look at, within a budget."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.decode import Video, open_video, rgb
from debriefer.media.packages import needed
from debriefer.media.store import VideoStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

Span = tuple[float, float]


class Policy(StrEnum):
    """Which pictures are taken."""

    SLIDES = "slides"
    """Pictures of the store whose slide is seen within the spans, each once; nothing is decoded."""
    UNIFORM = "uniform"
    """Frames at even distances over the spans, decoded from the video."""


class FrameStore(Protocol):
    """Whatever gives pictures of a video."""

    def sample(
        self, spans: Sequence[Span], budget: int, max_side: int, policy: Policy
    ) -> list[tuple[float, NDArray[np.uint8]]]:
        """Return at most `budget` pictures from the spans, in order of time, each with its pts in seconds.

        Args:
            spans: Stretches in seconds.
            budget: Largest number of pictures.
            max_side: Largest width or height in pixels; larger pictures are made smaller, the aspect stays.
            policy: Which are taken.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoredFrames:
    """A `FrameStore` over a video's store and, for `Policy.UNIFORM`, its file.

    Attributes:
        store: The store.
        video: The file, or `None` where it is no longer at hand.
    """

    store: VideoStore
    video: Path | None = None

    def sample(
        self, spans: Sequence[Span], budget: int, max_side: int, policy: Policy = Policy.SLIDES
    ) -> list[tuple[float, NDArray[np.uint8]]]:
        """See `FrameStore`. Where there are more slides than the budget allows, they are thinned evenly.

        Raises:
            MediaError: A picture is gone, or the video cannot be decoded or is not at hand.
        """
        if budget < 1 or not spans:
            return []
        if policy is Policy.SLIDES:
            return [(time, within_side(_read(path), max_side)) for time, path in self._slides(spans, budget)]
        if self.video is None:
            message = "frames cannot be sampled: the video's file is not at hand"
            raise MediaError(message, hint="open the store together with the file")
        return [(time, within_side(image, max_side)) for time, image in decoded(self.video, even_times(spans, budget))]

    def _slides(self, spans: Sequence[Span], budget: int) -> list[tuple[float, Path]]:
        rows = self.store.sql(
            "SELECT min(f.pts_s), f.blob_ref, list(s.t0), list(s.t1) FROM frame f JOIN span s ON s.id = f.id "
            "WHERE f.kind = 'slide' GROUP BY f.blob_ref ORDER BY 1"
        )
        seen = [
            (float(pts), self.store.pictures / blob)
            for pts, blob, begins, ends in rows
            if any(t0 < end and t1 > begin for t0, t1 in zip(begins, ends, strict=True) for begin, end in spans)
        ]
        if len(seen) <= budget:
            return seen
        return [seen[int(place)] for place in np.linspace(0, len(seen) - 1, budget).round()]


def even_times(spans: Sequence[Span], budget: int) -> list[float]:
    """Return times at the middles of `budget` equal parts of the spans' whole length, in order."""
    merged: list[list[float]] = []
    for begin, end in sorted((max(0.0, begin), end) for begin, end in spans if end > max(0.0, begin)):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    total = sum(end - begin for begin, end in merged)
    times = []
    for number in range(budget if merged else 0):
        place = (number + 0.5) * total / budget
        for begin, end in merged:
            if place <= end - begin:
                times.append(begin + place)
                break
            place -= end - begin
    return times


def decoded(path: Path, times: Sequence[float]) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Yield the frame that is on screen at each of the times, which ascend; each frame once, upright.

    Decoding goes on from one time to the next; it seeks only over more than a keyframe's usual distance.
    """
    with open_video(path) as video:
        frames: Iterator[tuple[float, Any]] = iter(())
        shown: tuple[float, Any] | None = None
        following: tuple[float, Any] | None = None
        given = -1.0
        for time in times:
            if shown is None or time - shown[0] > _SEEK_SECONDS:
                frames = _frames_from(video, time)
                shown, following = None, next(frames, None)
            while following is not None and (shown is None or following[0] <= time):
                shown, following = following, next(frames, None)
            if shown is not None and shown[0] > given:
                given = shown[0]
                yield given, rgb(shown[1], shown[1].width, shown[1].height)


# Encoders set a keyframe at least every 250 frames by default; a longer way is quicker by seeking.
_SEEK_SECONDS = 10.0
# MPEG-TS has no index: a seek may end behind the last keyframe, and the decoder then gives nothing up to the next one.
_BACK_SECONDS = (0.0, 10.0, 60.0, math.inf)


def _frames_from(video: Video, time: float) -> Iterator[tuple[float, Any]]:
    """Return the frames from one at or before `time` on; from the first where none is as early."""
    base = video.stream.time_base or 1
    first: tuple[float, Any] | None = None
    frames: Iterator[tuple[float, Any]] = iter(())
    least = min(0, video.stream.start_time or 0)
    for back in _BACK_SECONDS:
        ticks = least if math.isinf(back) else max(least, int((time - back) / base))
        video.container.seek(ticks, stream=video.stream)
        frames = frames_of(video)
        first = next(frames, None)
        if first is not None and first[0] <= time:
            break
    return frames if first is None else itertools.chain((first,), frames)


def frames_of(video: Video) -> Iterator[tuple[float, Any]]:
    """Yield frames with their times from where the container stands."""
    for packet in itertools.chain(video.packets(), (None,)):
        for frame in video.decode(packet):
            time = video.seconds(frame.pts)
            if time is not None:
                yield time, frame


def _read(path: Path) -> NDArray[np.uint8]:
    cv2 = needed("cv2")
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MediaError(message, hint="make the store again")
    pixels = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        message = f"`{path}` is no picture"
        raise MediaError(message, hint="make the store again")
    image: NDArray[np.uint8] = cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB)
    return image


def within_side(image: NDArray[np.uint8], max_side: int) -> NDArray[np.uint8]:
    """Return a picture whose longer side has at most `max_side` pixels; a smaller one comes back as it is."""
    height, width = image.shape[:2]
    share = max_side / max(height, width)
    if share >= 1:
        return image
    cv2 = needed("cv2")
    size = max(1, round(width * share)), max(1, round(height * share))
    smaller: NDArray[np.uint8] = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return smaller
