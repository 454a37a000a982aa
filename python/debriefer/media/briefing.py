"""A video as evidence: its slides with their layout, its narration, and the timeline of both."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from debriefer.errors import MediaError
from debriefer.media.audio import opened
from debriefer.media.packages import needed
from debriefer.media.slide import Box, Change, Method, Slide, Slides
from debriefer.media.speech import Transcriber, Transcript
from debriefer.media.timeline import Item, interleave
from debriefer.media.tree import Node, Tag

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Say = Callable[[str, float, float], None]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a slide is laid out.

    Attributes:
        tree: Typed nodes with boxes and confidences.
        hiccup: The tree as text.
        note: Why a model's tree was not taken, where one was asked and failed; else `None`.
    """

    tree: Node
    hiccup: str
    note: str | None = None


class LayoutReader(Protocol):
    """Whatever makes a layout tree of a picture."""

    @property
    def name(self) -> str:
        """What the reader is called in logs and cache keys."""
        ...

    def read(self, image: NDArray[np.uint8]) -> Layout:
        """Return the layout of an RGB picture of shape (height, width, 3)."""
        ...


@runtime_checkable
class SeriesReader(LayoutReader, Protocol):
    """A reader of layouts that can gain by what it read on earlier slides of a video."""

    def series(self) -> LayoutReader:
        """Return a reader for the slides of one video, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """A slide without its pixels, and where they are.

    Attributes:
        number: Counts slides from 1; what `#3` in texts refers to.
        t_start: When the change that brought it began, in seconds.
        t_end: When the next change began, in seconds.
        t_frame: The picture's pts, in seconds.
        picture: Name of the PNG; that of the earlier slide for a revisit.
        change: How it came into view.
        revisit_of: Number of the earlier slide, or `None`.
        changed: What differs from the slide before.
        width: Of the picture, in pixels.
        height: Of the picture, in pixels.
        dhash: Difference hash of the picture, 16 hex digits.
        sharpness: Variance of the Laplacian of its luma.
        layout: Its layout, or `None` where none was made.
        note: Why it has none, or why a model's was not taken.
    """

    number: int
    t_start: float
    t_end: float
    t_frame: float
    picture: str
    change: Change
    revisit_of: int | None
    changed: tuple[Box, ...]
    width: int
    height: int
    dhash: str
    sharpness: float
    layout: Layout | None
    note: str | None = None

    @property
    def title(self) -> str:
        """The text of its first heading, else its first text, else nothing."""
        if self.layout is None:
            return ""
        nodes = [node for node in self.layout.tree.walk() if node.text.strip()]
        headings = (node for node in nodes if node.tag in {Tag.HEADING_1, Tag.HEADING_2, Tag.HEADING_3})
        best = next(headings, nodes[0] if nodes else None)
        return "" if best is None else " ".join(best.text.split())


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything that a video shows and says.

    Attributes:
        video: The file's name, as the task knows it (`video/briefing.mp4`).
        sha256: Of the file.
        streams: What the container holds: type, codec, time base and language of each stream.
        views: The slides.
        transcript: The narration, or why there is none.
        timeline: Both in the order of time; `Shown.slide` counts from 0.
        duration: In seconds.
        width: Of the picture, in pixels; 0 where there is none.
        height: Of the picture, in pixels; 0 where there is none.
        method: How slides were found, or `None` where that failed.
        reason: Why it was that way, or why slides could not be found.
        frames_decoded: Frames that were decoded to find slides.
        layout_name: Name of the layout reader, or `None`.
        notes: What was odd.
        seconds: Wall time by step: `slides`, `layout`, `speech`.
    """

    video: str
    sha256: str
    streams: tuple[dict[str, Any], ...]
    views: tuple[View, ...]
    transcript: Transcript
    timeline: tuple[Item, ...]
    duration: float
    width: int
    height: int
    method: Method | None
    reason: str
    frames_decoded: int
    layout_name: str | None
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes the parts of a briefing.

    Attributes:
        slides: Finds the slides of a file.
        layout: Reads a slide's layout, or `None` for none.
        listener: Hears the narration.
    """

    slides: Callable[[Path], Slides]
    layout: LayoutReader | None
    listener: Transcriber


def brief(
    path: Path,
    folder: Path,
    makers: Makers,
    *,
    video: str | None = None,
    hotwords: tuple[str, ...] = (),
    say: Say = lambda *_: None,
) -> Briefing:
    """Look at and listen to a video; the pictures of its slides are written to `folder`.

    Whatever fails does so alone: without narration there are slides, without slides there is narration.

    Args:
        path: The video.
        folder: Where pictures go; exists.
        makers: Who finds slides, reads layouts and listens.
        video: The name under which it is known; the file's name where `None`.
        hotwords: Terms to expect in the narration.
        say: Told the step (`slides`, `layout`, `speech`), how much of it is done and how much there is; 0 of 0 at the
            begin of a step of unknown length.

    Raises:
        MediaError: The file is no video, or neither its pictures nor its sound can be read.
    """
    streams, length = _streams(path)
    seconds: dict[str, float] = {}
    say("slides", 0, 0)
    began = time.perf_counter()
    slides, failure = _slides(path, makers)
    seconds["slides"] = time.perf_counter() - began
    began = time.perf_counter()
    views: list[View] = []
    reader = makers.layout.series() if isinstance(makers.layout, SeriesReader) else makers.layout
    for slide in slides or ():
        say("layout", len(views), len(slides or ()))
        views.append(_view(slide, views, folder, reader))
    seconds["layout"] = time.perf_counter() - began
    say("speech", 0, length)
    began = time.perf_counter()
    transcript = makers.listener.transcribe(path, hotwords=hotwords)
    seconds["speech"] = time.perf_counter() - began
    if failure is not None and not transcript.segments:
        raise failure
    return Briefing(
        video=video or path.name,
        sha256=_sha256(path),
        streams=tuple(streams),
        views=tuple(views),
        transcript=transcript,
        timeline=interleave(tuple(slides or ()), transcript),
        duration=round(max(slides.duration if slides else 0.0, transcript.duration), 3),
        width=slides.width if slides else 0,
        height=slides.height if slides else 0,
        method=slides.method if slides else None,
        reason=slides.reason if slides else (failure.message if failure else ""),
        frames_decoded=slides.frames_decoded if slides else 0,
        layout_name=None if makers.layout is None else makers.layout.name,
        notes=slides.notes if slides else (),
        seconds={step: round(value, 3) for step, value in seconds.items()},
    )


def _slides(path: Path, makers: Makers) -> tuple[Slides | None, MediaError | None]:
    try:
        return makers.slides(path), None
    except MediaError as error:
        return None, error


def _view(slide: Slide, earlier: list[View], folder: Path, reader: LayoutReader | None) -> View:
    # A revisit points to the earlier picture and shares its layout: reading it again would cost most and tell nothing.
    first = None if slide.revisit_of is None else earlier[slide.revisit_of]
    number = slide.index + 1
    if first is not None:
        picture, layout, note = first.picture, first.layout, first.note
        dhash, sharpness, height, width = first.dhash, first.sharpness, first.height, first.width
    else:
        image = slide.image
        height, width = image.shape[:2]
        picture = f"slide_{number:02d}_t{slide.t_frame:06.2f}.png"
        dhash, sharpness = _write(image, folder / picture)
        layout, note = _layout(image, reader)
    return View(
        number=number,
        t_start=round(slide.t_start, 3),
        t_end=round(slide.t_end, 3),
        t_frame=round(slide.t_frame, 3),
        picture=picture,
        change=slide.change,
        revisit_of=None if first is None else first.number,
        changed=slide.changed,
        width=width,
        height=height,
        dhash=dhash,
        sharpness=sharpness,
        layout=layout,
        note=note,
    )


def _layout(image: NDArray[np.uint8], reader: LayoutReader | None) -> tuple[Layout | None, str | None]:
    if reader is None:
        return None, None
    try:
        layout = reader.read(image)
    except Exception as error:  # noqa: BLE001 -- a slide that cannot be read is still seen
        return None, f"no layout: {getattr(error, 'message', None) or error}"
    return layout, layout.note


def _write(image: NDArray[np.uint8], path: Path) -> tuple[str, float]:
    """Write a picture as PNG; return its difference hash and sharpness."""
    cv2 = needed("cv2")
    done, encoded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_PNG_COMPRESSION, 3])
    if not done:
        message = f"`{path.name}` cannot be written as PNG"
        raise MediaError(message)
    path.write_bytes(encoded.tobytes())
    luma = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(luma, (9, 8), interpolation=cv2.INTER_AREA)
    bits = (small[:, 1:] > small[:, :-1]).flatten()
    value = sum(1 << place for place, bit in enumerate(bits) if bit)
    return f"{value:016x}", round(float(cv2.Laplacian(luma, cv2.CV_64F).var()), 3)


def _streams(path: Path) -> tuple[list[dict[str, Any]], float]:
    """Return what the container holds, and its length in seconds as it says itself."""
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MediaError(message, hint="name a video file")
    with opened(path) as container:
        length = float(container.duration or 0) / 1e6
        return [
            {
                "index": stream.index,
                "type": stream.type,
                "codec": stream.codec_context.name if stream.codec_context is not None else None,
                "time_base": None if stream.time_base is None else str(stream.time_base),
                "language": stream.language,
            }
            for stream in container.streams
        ], length


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
