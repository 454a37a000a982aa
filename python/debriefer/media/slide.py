"""What a video shows: slides, each a stretch of time in which the picture stands still."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Change(StrEnum):
    """How a slide came into view."""

    FIRST = "first"
    """The video opens with it."""
    CUT = "cut"
    """Most of the picture changed between two frames."""
    FADE = "fade"
    """Most of the picture changed over several frames: a fade, a push, a wipe."""
    PARTIAL = "partial"
    """A part changed and the rest stayed: a table cell, a bullet, a highlight."""
    REVISIT = "revisit"
    """An earlier slide came back."""


class Method(StrEnum):
    """How the slides of a video were found."""

    PACKETS = "packets"
    """The rhythm of coded packets named candidates, and only those were decoded and verified."""
    DECODE = "decode"
    """The video was decoded throughout, because its rhythm tells nothing or misleads."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the picture, in pixels of the decoded frame; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Slide:
    """One stable state of the picture.

    Attributes:
        index: Position in the list, from 0.
        t_start: When the change that brought the slide began, in seconds from pts.
        t_end: When the next change began, or the end of the video, in seconds.
        t_frame: The pts of `image`, in seconds; `t_start <= t_frame <= t_end`.
        image: RGB picture of shape (height, width, 3), `uint8`, upright.
        revisit_of: Index of the earlier slide that this one shows again, or `None`.
        change: How it came into view.
        changed: What differs from the slide before; empty for a first slide or where all of it does.
    """

    index: int
    t_start: float
    t_end: float
    t_frame: float
    image: NDArray[np.uint8] = field(repr=False, compare=False)
    revisit_of: int | None
    change: Change
    changed: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Slides(Sequence[Slide]):
    """The slides of one video in order of time, and how they were found.

    Attributes:
        items: The slides.
        method: Which of the two ways was taken.
        reason: Why it was, in one sentence.
        duration: Length of the video stream, in seconds from pts.
        width: Width of the upright picture, in pixels.
        height: Height of the upright picture, in pixels.
        frames_decoded: How many frames were decoded.
        live: Regions that always move and were left out of the comparison.
        notes: What was odd about the file: truncation, resolutions that vary, rotation.
    """

    items: tuple[Slide, ...]
    method: Method
    reason: str
    duration: float
    width: int
    height: int
    frames_decoded: int
    live: tuple[Box, ...] = ()
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Slide: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Slide, ...]: ...
    def __getitem__(self, index: int | slice) -> Slide | tuple[Slide, ...]:
        """Return the slide at `index`, or those of a slice."""
        return self.items[index]

    def __len__(self) -> int:
        """Return the number of slides."""
        return len(self.items)

    def __iter__(self) -> Iterator[Slide]:
        """Iterate over the slides in order of time."""
        return iter(self.items)
