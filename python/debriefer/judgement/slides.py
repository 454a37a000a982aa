"""A task's videos as a judge reads them: slides with their layout trees, and the narration, in order of time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debriefer.errors import MediaError
from debriefer.media.layout.hiccup import parse_hiccup
from debriefer.media.places import FRAMES_FOLDER, INPUT_FILE
from debriefer.media.tree import Node


@dataclass(frozen=True, slots=True)
class JudgedSlide:
    """A slide.

    Attributes:
        reference: `7`, and `2:7` for slide 7 of the second video.
        number: Counts the slides of its video from 1.
        video: Its video's name where there are several, else empty.
        seconds: When it appears.
        layout: Its layout tree as Hiccup, empty where none was made.
        tree: The same as a tree, `None` where none was made or it cannot be read.
        picture: The picture's file.
        revisit_of: Number of the slide that it shows again, else `None`.
    """

    reference: str
    number: int
    video: str
    seconds: float
    layout: str
    tree: Node | None
    picture: Path | None = None
    revisit_of: int | None = None


@dataclass(frozen=True, slots=True)
class JudgedSpeech:
    """A stretch of narration.

    Attributes:
        start: Seconds.
        end: Seconds.
        text: What was said.
        video: Its video's name where there are several, else empty.
    """

    start: float
    end: float
    text: str
    video: str = ""


@dataclass(frozen=True, slots=True)
class JudgedVideo:
    """What a judge may look at.

    Attributes:
        items: Slides and speech, video by video, each in order of time.
    """

    items: tuple[JudgedSlide | JudgedSpeech, ...] = ()

    @property
    def slides(self) -> tuple[JudgedSlide, ...]:
        """The slides alone."""
        return tuple(item for item in self.items if isinstance(item, JudgedSlide))

    @property
    def speech(self) -> tuple[JudgedSpeech, ...]:
        """The narration alone."""
        return tuple(item for item in self.items if isinstance(item, JudgedSpeech))

    def slide(self, reference: str) -> JudgedSlide | None:
        """Return the slide of this reference."""
        return next((slide for slide in self.slides if slide.reference == reference), None)


def prepared_video(workdir: Path) -> JudgedVideo | None:
    """Return what the media stage laid into a task's `workdir`, or `None` where it laid nothing.

    Raises:
        MediaError: A `video_input.json` cannot be read.
    """
    frames = workdir / FRAMES_FOLDER
    folders = [
        frames,
        *sorted((path for path in frames.glob("*/") if path.name.isdecimal()), key=lambda p: int(p.name)),
    ]
    folders = [folder for folder in folders if (folder / INPUT_FILE).is_file()]
    if not folders:
        return None
    items: list[JudgedSlide | JudgedSpeech] = []
    for place, folder in enumerate(folders, start=1):
        items.extend(_items(folder, place, several=len(folders) > 1))
    return JudgedVideo(tuple(items))


def _items(folder: Path, place: int, *, several: bool) -> Sequence[JudgedSlide | JudgedSpeech]:
    path = folder / INPUT_FILE
    try:
        values = json.loads(path.read_bytes())
        # Models name a slide of the second video `2:7`, so they are told which one is the second.
        name = f"video {place}, {values['video']}" if several else ""
        return [_item(item, folder, place, name) for item in values["timeline"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"`{path.name}` of `{folder.name}` cannot be read: {error}"
        raise MediaError(message, hint="run the task's media stage again") from error


def _item(item: Mapping[str, Any], folder: Path, place: int, video: str) -> JudgedSlide | JudgedSpeech:
    if item["type"] == "speech":
        return JudgedSpeech(item["t_start"], item["t_end"], item["text"], video)
    number, again = int(item["slide"]), item.get("revisit_of")
    layout = "" if again is not None else item.get("hiccup") or ""
    return JudgedSlide(
        reference=str(number) if place == 1 else f"{place}:{number}",
        number=number,
        video=video,
        seconds=item["t_start"],
        layout=layout,
        tree=tree_of(layout),
        picture=folder / item["path"] if item.get("path") else None,
        revisit_of=again,
    )


def tree_of(layout: str) -> Node | None:
    """Return a printed layout as a tree, `None` where it is empty or cannot be read."""
    if not layout.strip():
        return None
    try:
        return parse_hiccup(layout)
    except MediaError:
        return None
