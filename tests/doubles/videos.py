"""Small real videos and small stand-ins for what looks at them and listens to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from debriefer.media.briefing import Layout
from debriefer.media.slide import Box, Change, Method, Slide, Slides
from debriefer.media.speech import Segment, Transcript, Word
from debriefer.media.tree import Node, Tag

RATE = 16_000


def write_video(
    path: Path, colors: Sequence[tuple[int, int, int]], *, sound: NDArray[np.float32] | None = None, fps: int = 5
) -> Path:
    """Write one second of each colour, 64x48, and mono sound at 16 kHz."""
    with av.open(str(path), "w") as container:
        video: Any = container.add_stream("libx264", rate=fps)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio: Any = None if sound is None else container.add_stream("aac", rate=RATE, layout="mono")
        for number in range(len(colors) * fps):
            image = np.full((48, 64, 3), colors[number // fps], np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        if audio is not None:
            _mux_sound(container, audio, sound)
    return path


def write_sound(
    path: Path, sound: NDArray[np.float32], *, gap_at: int | None = None, gap: float = 0.0, start: float = 0.0
) -> Path:
    """Write mono sound at 16 kHz without loss into a Matroska file, with a gap in its timestamps after `gap_at` samples."""
    with av.open(str(path), "w") as container:
        audio: Any = container.add_stream("pcm_s16le", rate=RATE, layout="mono")
        _mux_sound(container, audio, sound, gap_at=gap_at, gap=gap, start=start)
    return path


def _mux_sound(
    container: av.container.OutputContainer,
    audio: av.AudioStream,
    sound: NDArray[np.float32],
    *,
    gap_at: int | None = None,
    gap: float = 0.0,
    start: float = 0.0,
) -> None:
    samples = (np.clip(sound, -1, 1) * 32_767).astype(np.int16)
    size = 1_024
    for begin in range(0, len(samples), size):
        frame = av.AudioFrame.from_ndarray(samples[None, begin : begin + size], format="s16", layout="mono")
        late = start + (gap if gap_at is not None and begin >= gap_at else 0.0)
        frame.sample_rate, frame.pts, frame.time_base = RATE, begin + int(late * RATE), Fraction(1, RATE)
        container.mux(audio.encode(frame))
    container.mux(audio.encode())


def tone(seconds: float, hertz: float = 440.0) -> NDArray[np.float32]:
    return (0.3 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)).astype(np.float32)


def colored(index: int, start: float, end: float, color: tuple[int, int, int], revisit_of: int | None = None) -> Slide:
    change = Change.REVISIT if revisit_of is not None else Change.FIRST if index == 0 else Change.CUT
    return Slide(
        index, start, end, start + 0.2, np.full((48, 64, 3), color, np.uint8), revisit_of, change, (Box(0, 0, 8, 8),)
    )


@dataclass
class FixedSlides:
    """Finds three slides, the last a revisit of the first, and counts its runs."""

    runs: list[Path] = field(default_factory=list)

    def __call__(self, path: Path) -> Slides:
        self.runs.append(path)
        items = (
            colored(0, 0.0, 1.0, (200, 0, 0)),
            colored(1, 1.0, 2.0, (0, 0, 200)),
            colored(2, 2.0, 3.0, (200, 0, 0), 0),
        )
        return Slides(items, Method.DECODE, "it is a test", 3.0, 64, 48, 15)


@dataclass
class FixedLayout:
    """Sees a table on a red slide and a heading on any other."""

    name: str = "fixed"
    runs: list[int] = field(default_factory=list)

    def read(self, image: NDArray[np.uint8]) -> Layout:
        self.runs.append(int(image[0, 0, 0]))
        if image[0, 0, 0] < 100:
            return Layout(Node(Tag.PAGE, children=(leaf(Tag.HEADING_1, "Summary"),)), '[:page [:h1 "Summary"]]')
        rows = (("Region", "Net profit"), ("North", "12.5"), ("South", "7"))
        tags = (Tag.TABLE_HEADER, Tag.TABLE_CELL, Tag.TABLE_CELL)
        table = Node(
            Tag.TABLE,
            children=tuple(
                Node(
                    Tag.TABLE_ROW,
                    children=tuple(leaf(tag, text) for text in row),
                    attributes={"selected": "true"} if row[0] == "North" else {},
                )
                for tag, row in zip(tags, rows, strict=True)
            ),
        )
        return Layout(
            Node(Tag.PAGE, children=(leaf(Tag.HEADING_1, "Profit by region"), table)),
            '[:page [:h1 "Profit by region"] [:table]]',
        )


def leaf(tag: Tag, text: str) -> Node:
    return Node(tag, text, box=Box(1, 2, 3, 4), confidence=0.9)


@dataclass
class FixedListener:
    """Hears one sentence across the first two slides, and counts its runs."""

    name: str = "fixed"
    runs: list[tuple[str, ...]] = field(default_factory=list)
    reason: str | None = None
    passing: bool = False

    def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> Transcript:
        del path
        self.runs.append(hotwords)
        if self.reason is not None:
            return Transcript(reason=self.reason, passing=self.passing)
        words = (Word(0.4, 0.8, "Profit", 0.9), Word(0.9, 1.0, " is", 0.8), Word(1.2, 1.6, " up.", 0.7))
        return Transcript((Segment(0.4, 1.6, "Profit is up.", words, 0.8),), "en", 0.99, 3.0, "fixed", hotwords)
