"""What a briefing video shows and says, and the task it belongs to, as JSON."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the video's frame; right and bottom are exclusive."""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text on a picture.

    Attributes:
        text: The characters.
        box: Where their ink is.
        tag: Kind, in the words of the layout tree: `h1 h2 h3 p label value button tag th td`.
        states: What can be seen of it: `selected`, `highlighted`, `disabled`, `struck`, `masked`.
        size: Height of the font, in pixels.
    """

    text: str
    box: Box
    tag: str
    states: tuple[str, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; `text` may be empty."""

    text: str
    box: Box
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has as many cells as the header, which is the first row."""

    box: Box
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    """One stretch of time in which the picture stands still, live regions aside.

    Attributes:
        index: Position in time, from 0.
        content: Index of the picture; states that show the same have the same.
        slide: Build-ups, one-cell changes and highlights of one slide share it; a return has a new one.
        begin: The pts of the first frame that differs from the state before, in seconds.
        stable: The pts of the first frame that shows this state and nothing else, in seconds.
        end: The pts of the first frame that differs from this state, or the end of the video, in seconds.
        entry: How it came: `first`, `cut`, `fade`, `push`.
        watch: What differs from the state before where it is little: `cell`, `digit`, `state`, `bullet`; else empty.
        required: Whether it shows something that no later state of its slide shows, for the first time.
        revisit_of: Index of the first state with the same content, or `None`.
        changed: What differs from the state before, if `watch` is given.
    """

    index: int
    content: int
    slide: int
    begin: float
    stable: float
    end: float
    entry: str
    watch: str
    required: bool
    revisit_of: int | None
    changed: Box | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """One still picture: its PNG without live regions, the texts and the tables on it."""

    file: str
    texts: tuple[Text, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Live:
    """A region that moves all the time: `head`, `clock`."""

    kind: str
    box: Box


@dataclass(frozen=True, slots=True)
class CursorAt:
    """Where the cursor's picture is from `time` on, in seconds; between two points it moves in a line."""

    time: float
    left: int
    top: int


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """One word of the narration with its times in seconds of the video; `from the` where two are one sound."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SpokenSegment:
    """A stretch of narration; `text` is empty where nobody wrote down what is said."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Narration:
    """What is said.

    Attributes:
        language: `en` or `zh`; `None` where nothing is said.
        source: `espeak-ng`, the name of a recording, or `None`.
        segments: Utterances.
        words: Words with times, where they are known.
        reason: Why nothing is said, or `None`.
    """

    language: str | None = None
    source: str | None = None
    segments: tuple[SpokenSegment, ...] = ()
    words: tuple[SpokenWord, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decoy:
    """Something that looks like the answer and is not.

    Attributes:
        kind: Its kind, one of `benchmarks.briefings.stories.DECOYS`.
        content: Index of the picture that shows it; `None` where it is only spoken.
        values: The values that a careless reader would take.
        why: Why they are not the answer.
    """

    kind: str
    content: int | None
    values: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class TaskTruth:
    """The task a video belongs to.

    Attributes:
        question: The question.
        columns: Names of the answer's columns.
        gold: The answer's rows as text.
        gold_sql: What gives the answer from the task's tables (one SQL dialect: SQLite's and DuckDB's common part).
        verdict: `ADOPT`, `ADOPT_AND_VERIFY` or `RECOMPUTE`.
        shown: Whether the video itself shows the complete answer.
        shown_on: Indices of the pictures that show it.
        decoys: What only looks like it.
        needs_speech: Whether the answer depends on something that is only said.
    """

    question: str
    columns: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    gold_sql: str
    verdict: str
    shown: bool
    shown_on: tuple[int, ...] = ()
    decoys: tuple[Decoy, ...] = ()
    needs_speech: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that is true of one video.

    Attributes:
        name: Folder of the video.
        video: File name of the video.
        kind: Kind of script.
        seed: Seed of the story and the look.
        language: Language of the slides, `en` or `zh`.
        theme: Name of the colours.
        codec: Name of the encoding, a key of `benchmarks.briefings.encode.CODECS`.
        rate: Name of the frame rate, a key of `benchmarks.briefings.encode.RATES`.
        width: Width of the frame, in pixels.
        height: Height of the frame, in pixels.
        duration: From the first frame to the end of the last, in seconds.
        frames: Number of coded frames.
        pictures: The still pictures, by `State.content`.
        states: The states, in order of time.
        live: Regions that move all the time.
        cursor: Path of the cursor; empty where there is none.
        cursor_size: Width and height of the cursor's picture, in pixels.
        narration: What is said.
        task: The task.
    """

    name: str
    video: str
    kind: str
    seed: int
    language: str
    theme: str
    codec: str
    rate: str
    width: int
    height: int
    duration: float
    frames: int
    pictures: tuple[Picture, ...]
    states: tuple[State, ...]
    live: tuple[Live, ...]
    cursor: tuple[CursorAt, ...]
    cursor_size: tuple[int, int]
    narration: Narration
    task: TaskTruth = field(repr=False)

    def cursor_box(self, time: float) -> Box | None:
        """Return where the cursor is at `time`, in seconds, or `None` without a cursor."""
        return cursor_box(self.cursor, self.cursor_size, time) if self.cursor else None

    def save(self, path: Path) -> None:
        """Write the manifest as JSON."""
        path.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a manifest that `save` wrote."""
        return _build(cls, json.loads(path.read_text(encoding="utf-8")))


_T = TypeVar("_T")


def _build(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """Return the dataclass `kind` made of JSON `values`, nested ones included."""
    hints = typing.get_type_hints(kind)
    return kind(**{item.name: _value(hints[item.name], values[item.name]) for item in fields(kind)})  # type: ignore[arg-type]


def _value(hint: Any, value: Any) -> Any:  # noqa: ANN401 - JSON in, the field's type out
    if value is None:
        return None
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return _value(next(part for part in arguments if part is not types.NoneType), value)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_value(arguments[0], item) for item in value)
        return tuple(_value(part, item) for part, item in zip(arguments, value, strict=True))
    if is_dataclass(hint) and isinstance(hint, type):
        return _build(hint, value)
    return value


def cursor_box(path: tuple[CursorAt, ...], size: tuple[int, int], time: float) -> Box:
    """Return where a cursor on `path` is at `time`, in seconds."""
    here, left, top = path[0], float(path[0].left), float(path[0].top)
    for there in path[1:]:
        if time < there.time:
            if time > here.time:
                share = (time - here.time) / (there.time - here.time)
                left, top = here.left + share * (there.left - here.left), here.top + share * (there.top - here.top)
            break
        here, left, top = there, float(there.left), float(there.top)
    return round(left), round(top), round(left) + size[0], round(top) + size[1]
