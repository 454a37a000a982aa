"""Judges what a detector gives by what its frames show, compared with the true pictures pixel by pixel.

A frame shows a picture if, outside the live regions and around the cursor,

- no other picture of the video is nearer: where two pictures are alike, only what differs decides;
- it holds little of any other picture: less than `_GHOST` of a slide that comes or goes;
- each text box and each block of the picture agree with it within the noise of the encoding.

A frame that shows none of the still pictures was taken in mid-transition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.briefings.manifest import Box, Manifest, State

# Share of another slide that may still be seen; a tenth is invisible beside the noise of the encoding.
_GHOST = 0.15
# Within less than this share of the pixels (a cell, a digit) the encoding's blur looks like a ghost; half is the
# point where a change turns over.
_LITTLE = 0.004
_LITTLE_GHOST = 0.4
# Two pictures differ in a pixel if a channel differs by more than this, in levels of 256.
_DIFFERS = 24
# A text agrees if its error is below this share of its contrast: blur costs up to a third, another text more than all.
_TEXT_ERROR = 0.55
# A block of 32x32 pixels agrees if its mean error is below this, in levels of 256; a few blocks may not.
_BLOCK = 32
_BLOCK_ERROR = 32.0
_BLOCK_SHARE = 0.005
# Pictures whose error on a coarse grid is within this of the least are compared pixel by pixel, in levels summed over
# three channels: a one-cell change moves it by less than 1.
_STRIDE = 4
_NEAR = 6.0
# So many of the pixels in which two large pictures differ are enough to tell how much of each is there.
_ENOUGH = 20000
# The encoding smears what moves over the blocks around it; pixels, and seconds before and after.
_SMEAR = 16
_CURSOR_SECONDS = 0.15


class Given(Protocol):
    """What a detector gives for one slide: `debriefer.media.slide.Slide` is one."""

    @property
    def t_start(self) -> float:
        """When the change that brought it began, in seconds."""
        ...

    @property
    def t_frame(self) -> float:
        """The pts of `image`, in seconds."""
        ...

    @property
    def image(self) -> NDArray[np.uint8]:
        """RGB of shape (height, width, 3)."""
        ...

    @property
    def revisit_of(self) -> int | None:
        """Index of the earlier slide that it shows again."""
        ...


@dataclass(slots=True)
class Score:
    """What was counted over one video or many; `+=` adds them up.

    Attributes:
        required: States with content that no later state of their slide holds.
        found: Of these, how many a given frame shows.
        given: Frames given.
        duplicates: Frames that show what an earlier one shows, and do not say so.
        mid_transition: Frames that show no still picture.
        false_revisits: Frames that claim to show an earlier slide again and do not.
        revisits: Returns to an earlier slide.
        revisits_flagged: Of these, how many were given and said to be one.
        changes: Changes of one cell or one digit.
        changes_caught: Of these, how many are seen before and after.
        time_errors: Distance of `t_start` from the begin of the change, in seconds, of each frame but duplicates.
        missed: Names of what was not found, for people.
    """

    required: int = 0
    found: int = 0
    given: int = 0
    duplicates: int = 0
    mid_transition: int = 0
    false_revisits: int = 0
    revisits: int = 0
    revisits_flagged: int = 0
    changes: int = 0
    changes_caught: int = 0
    time_errors: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def __iadd__(self, other: Score) -> Score:  # noqa: PYI034 - nothing derives from it
        self.required += other.required
        self.found += other.found
        self.given += other.given
        self.duplicates += other.duplicates
        self.mid_transition += other.mid_transition
        self.false_revisits += other.false_revisits
        self.revisits += other.revisits
        self.revisits_flagged += other.revisits_flagged
        self.changes += other.changes
        self.changes_caught += other.changes_caught
        self.time_errors += other.time_errors
        self.missed += other.missed
        return self

    @property
    def state_recall(self) -> float | None:
        """Share of the required states that were found."""
        return _share(self.found, self.required)

    @property
    def duplicate_share(self) -> float | None:
        """Share of the frames given that show again what was given."""
        return _share(self.duplicates, self.given)

    @property
    def one_cell_recall(self) -> float | None:
        """Share of the changes of one cell or digit that are seen before and after."""
        return _share(self.changes_caught, self.changes)

    @property
    def time_error_p95(self) -> float | None:
        """95th percentile of the time errors, in seconds."""
        return float(np.percentile(self.time_errors, 95)) if self.time_errors else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class _Step:
    """Where one picture differs from another, and by how much.

    Attributes:
        places: Flat indices of pixels, spread evenly where there are more than enough.
        start: What the one has there, of shape (places, 3).
        towards: What leads from there to the other.
        share: Share of the pixels that differ.
    """

    places: NDArray[np.intp]
    start: NDArray[np.float32]
    towards: NDArray[np.float32]
    share: float

    @classmethod
    def between(cls, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> _Step:
        """Compare two pictures."""
        places = np.flatnonzero((np.maximum(one, other) - np.minimum(one, other)).max(axis=2) > _DIFFERS)
        share = len(places) / (one.shape[0] * one.shape[1])
        places = places[:: max(1, len(places) // _ENOUGH)]
        start = one.reshape(-1, 3)[places].astype(np.float32)
        return cls(places, start, other.reshape(-1, 3)[places].astype(np.float32) - start, share)


class Judge:
    """Compares frames with the true pictures of one video."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        files = (folder / picture.file for picture in manifest.pictures)
        self._set_up([np.asarray(Image.open(file).convert("RGB")) for file in files], manifest)

    @classmethod
    def of_pictures(cls, pictures: Sequence[NDArray[np.uint8]], manifest: Manifest) -> Judge:
        """Return a judge of pictures that are at hand: RGB, in the order of the manifest's."""
        judge = cls.__new__(cls)
        judge._set_up(pictures, manifest)  # noqa: SLF001 - its own class
        return judge

    def _set_up(self, pictures: Sequence[NDArray[np.uint8]], manifest: Manifest) -> None:
        self.manifest = manifest
        self._pictures = list(pictures)
        self._still = np.ones((manifest.height, manifest.width), bool)
        for live in manifest.live:
            _clear(self._still, live.box, _SMEAR)
        self._contrasts: dict[int, list[tuple[Box, float]]] = {}
        self._steps: dict[tuple[int, int], _Step] = {}
        self._blurred: set[int] = set()

    def allow_for_coding(self, content: int, image: NDArray[np.uint8], time: float) -> bool:
        """Take over how the video itself shows a picture while it stands still; returns whether its texts are blurred.

        Small grey text on a dark ground may be coded so roughly that no frame of the video agrees with it. Then blocks
        and ghosts alone decide, since a detector can give no better picture than the video has.

        Args:
            content: The picture.
            image: A frame from the middle of its stillness.
            time: Its pts, in seconds.
        """
        if self.shows(image, time) is None:
            self._blurred.add(content)
            if self.shows(image, time) != content:
                self._blurred.discard(content)
        return content in self._blurred

    def shows(self, image: NDArray[np.uint8], time: float) -> int | None:
        """Return which picture a frame shows, or `None` if it shows none of them.

        Args:
            image: RGB of shape (height, width, 3).
            time: Its pts, in seconds: tells where the cursor is.
        """
        if image.shape != self._pictures[0].shape:
            return None
        mask = self._still.copy()
        if self.manifest.cursor:
            for moment in (time - _CURSOR_SECONDS, time, time + _CURSOR_SECONDS):
                box = self.manifest.cursor_box(moment)
                if box is not None:
                    _clear(mask, box, _SMEAR)
        errors = {content: _error(image, self._pictures[content]) for content in self._near(image, mask)}
        best = min(errors, key=lambda content: int(errors[content][mask].sum(dtype=np.int64)))
        if best not in self._blurred and not self._texts_agree(best, errors[best], mask):
            return None
        if not _blocks_agree(errors[best], mask):
            return None
        others = (other for other in range(len(self._pictures)) if other != best)
        return None if any(self._ghost(image, best, other, mask) for other in others) else best

    def _near(self, image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> list[int]:
        """Return the pictures that may be the nearest, by every fourth pixel of every fourth row."""
        grid = np.s_[::_STRIDE, ::_STRIDE]
        rough = [float(_error(image[grid], picture[grid])[mask[grid]].mean()) for picture in self._pictures]
        return [content for content, error in enumerate(rough) if error <= min(rough) + _NEAR]

    def _ghost(self, image: NDArray[np.uint8], best: int, other: int, mask: NDArray[np.bool_]) -> bool:
        """Return whether too much of picture `other` is seen besides `best`."""
        if (best, other) not in self._steps:
            self._steps[best, other] = _Step.between(self._pictures[best], self._pictures[other])
        step = self._steps[best, other]
        judged = mask.reshape(-1)[step.places]
        if not judged.any():
            return False
        rest = image.reshape(-1, 3)[step.places].astype(np.float32) - step.start
        share = float((rest * step.towards)[judged].sum() / np.square(step.towards[judged]).sum())
        return share > (_LITTLE_GHOST if step.share < _LITTLE else _GHOST)

    def _texts_agree(self, content: int, error: NDArray[np.uint16], mask: NDArray[np.bool_]) -> bool:
        if content not in self._contrasts:
            self._contrasts[content] = [
                (text.box, _contrast(self._pictures[content].astype(np.int16), text.box))
                for text in self.manifest.pictures[content].texts
            ]
        for box, contrast in self._contrasts[content]:
            left, top, right, bottom = box
            inside = mask[top:bottom, left:right]
            # A text mostly under the cursor or the inset cannot be judged.
            if inside.mean() < 0.5 or contrast == 0:
                continue
            if error[top:bottom, left:right][inside].mean() > _TEXT_ERROR * contrast:
                return False
        return True

    def score(self, slides: Sequence[Given]) -> Score:
        """Score the slides of one video, given in order of time."""
        manifest = self.manifest
        score = Score(given=len(slides))
        shown: list[int | None] = [self.shows(slide.image, slide.t_frame) for slide in slides]
        for index, slide in enumerate(slides):
            if slide.revisit_of is None:
                continue
            if not 0 <= slide.revisit_of < index or shown[slide.revisit_of] != shown[index]:
                # What follows shows the earlier picture in its place, so that is what it counts as.
                score.false_revisits += 1
                shown[index] = shown[slide.revisit_of] if 0 <= slide.revisit_of < index else None
        found: set[int] = set()
        previous = -1
        for slide, content in zip(slides, shown, strict=True):
            if content is None:
                score.mid_transition += 1
                continue
            here = self._occurrence(content, slide.t_frame)
            if content in found and slide.revisit_of is None:
                score.duplicates += 1
                previous = here.index
                continue
            if content in found and here.revisit_of is not None:
                score.revisits_flagged += 1
            found.add(content)
            begins = [
                state.begin
                for state in manifest.states[max(0, previous + 1) : here.index + 1]
                if state.slide == here.slide
            ]
            score.time_errors.append(min(abs(slide.t_start - begin) for begin in (*begins, here.begin)))
            previous = here.index
        self._count_states(score, found)
        return score

    def _count_states(self, score: Score, found: set[int]) -> None:
        manifest = self.manifest
        for index, state in enumerate(manifest.states):
            if state.required:
                score.required += 1
                score.found += state.content in found
                if state.content not in found:
                    score.missed.append(
                        f"{manifest.name}: state {state.index} ({state.watch or state.entry}, "
                        f"{state.stable:.2f} to {state.end:.2f} s) is shown by no frame"
                    )
            score.revisits += state.revisit_of is not None
            if state.watch in {"cell", "digit"}:
                score.changes += 1
                score.changes_caught += {manifest.states[index - 1].content, state.content} <= found

    def _occurrence(self, content: int, time: float) -> State:
        """Return the state with this picture that is nearest in time."""

        def distance(state: State) -> float:
            return max(state.begin - time, time - state.end, 0.0)

        return min((state for state in self.manifest.states if state.content == content), key=distance)


def _error(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the distance of two pictures, summed over the channels, of shape (height, width)."""
    distance = np.maximum(one, other) - np.minimum(one, other)
    total: NDArray[np.uint16] = distance[..., 0].astype(np.uint16) + distance[..., 1] + distance[..., 2]
    return total


def _contrast(picture: NDArray[np.int16], box: Box) -> float:
    """Return the mean distance of a box's pixels from its ground, the colour that most of its rim has."""
    left, top, right, bottom = box
    inside = picture[top:bottom, left:right]
    if not inside.size:
        return 0.0
    rim = np.concatenate((inside[0], inside[-1], inside[:, 0], inside[:, -1]))
    ground = np.median(rim, axis=0)
    return float(np.abs(inside - ground).sum(axis=2).mean())


def _blocks_agree(error: NDArray[np.uint16], mask: NDArray[np.bool_]) -> bool:
    height, width = (size // _BLOCK * _BLOCK for size in error.shape)
    shape = (height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK)
    judged = mask[:height, :width].reshape(shape).sum(axis=(1, 3))
    total = np.where(mask, error, 0)[:height, :width].reshape(shape).sum(axis=(1, 3), dtype=np.int64)
    # Three channels were added up.
    wrong = total > judged * 3 * _BLOCK_ERROR
    return float(wrong.mean()) <= _BLOCK_SHARE


def _clear(mask: NDArray[np.bool_], box: Box, margin: int) -> None:
    left, top, right, bottom = box
    mask[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin] = False
