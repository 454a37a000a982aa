"""What a task has to go on: the video's timeline, descriptions of tables, tables taken from documents."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dspy
import pydantic

from debriefer.judgement import VideoVerdict
from debriefer.models import neutralise
from debriefer.offline import Link
from dspy_programs.solver.trajectory import image_block

_URLS = ("data:", "https:", "http:")
_MOST_CHARACTERS = 160
_EVIDENCE_LINE = (
    "(NULL is what a document leaves out or contradicts; `\\evidence TABLE RECORD COLUMN` of `explore_data` shows the "
    "text that a value was read from)"
)
_FROZEN = pydantic.ConfigDict(frozen=True, extra="forbid")


class Slide(pydantic.BaseModel):
    """A slide of the video.

    Attributes:
        seconds: Time at which it appears, from the start of the video.
        number: Counts the slides from 1.
        layout: Its layout tree as text, empty where none was made.
        image: URL of its picture (`data:` or `https:`), path of a PNG file that `with_pictures` reads, or `None`.
        video: Name of its video where there are several, else empty.
    """

    model_config = _FROZEN

    seconds: float
    number: int
    layout: str = ""
    image: str | None = None
    video: str = ""


class Narration(pydantic.BaseModel):
    """A stretch of speech.

    Attributes:
        start: Seconds from the start of the video.
        end: Seconds from the start of the video.
        text: What was said, as it was transcribed.
        video: Name of its video where there are several, else empty.
    """

    model_config = _FROZEN

    start: float
    end: float
    text: str
    video: str = ""


class Timeline(dspy.Type):
    """Slides and narration of a video in the order of time.

    Attributes:
        items: Slides and narration, in the order in which they are shown to the model.
        note: What was left out to fit the model's window, else empty.
    """

    model_config = _FROZEN

    items: tuple[Slide | Narration, ...] = ()
    note: str = ""

    def format(self) -> list[dict[str, Any]]:
        """Return content blocks with each picture between its heading and its layout tree."""
        blocks: list[dict[str, Any]] = []
        for item in self.items:
            if isinstance(item, Narration):
                heading = f"narration {item.start:.1f}-{item.end:.1f} s{_of(item.video)}"
                blocks.append(_text(f"[{heading}] {neutralise(item.text)}\n"))
                continue
            blocks.append(_text(f"[slide {item.number} at {item.seconds:.1f} s{_of(item.video)}]\n"))
            if item.image is not None:
                blocks.append(image_block(item.image))
            if item.layout:
                blocks.append(_text(f"[layout of slide {item.number}{_of(item.video)}]\n{neutralise(item.layout)}\n"))
        if self.note:
            blocks.append(_text(f"({self.note})\n"))
        return blocks

    def with_pictures(self) -> Timeline:
        """Return the timeline with its picture files read, so that only those that are shown are held in memory.

        A file that is gone leaves its slide without a picture: the layout tree is there.
        """
        items = (
            item.model_copy(update={"image": _read(item.image)})
            if isinstance(item, Slide) and item.image is not None and not item.image.startswith(_URLS)
            else item
            for item in self.items
        )
        return Timeline(items=tuple(items), note=self.note)

    def without_images(self) -> Timeline:
        """Return the timeline for a model that does not see."""
        items = (item.model_copy(update={"image": None}) if isinstance(item, Slide) else item for item in self.items)
        return Timeline(items=tuple(items), note=self.note)


@dataclass(frozen=True, slots=True)
class DocumentColumn:
    """A column of a table that was taken from a document.

    Attributes:
        name: Its name.
        type: Its type, empty where it is not known.
        unit: Unit of its values, empty for none.
        meaning: What it says, in words of the document or the notes.
        nulls: Rows without a value.
        sample: Its value in the sample row; `None` where that has none.
    """

    name: str
    type: str = ""
    unit: str = ""
    meaning: str = ""
    nulls: int = 0
    sample: str | None = None

    def text(self) -> str:
        """Return what is known of the column beside its name; empty where that is nothing."""
        unit = f" [{self.unit}]" if self.unit else ""
        meaning = f": {_short(self.meaning)}" if self.meaning and self.meaning != self.name else ""
        nulls = f", {self.nulls} NULL" if self.nulls else ""
        sample = "" if self.sample is None else f", e.g. {_short(self.sample)}"
        kind = f" {self.type}" if self.type else ""
        said = f"{kind}{unit}{nulls}{sample}{meaning}"
        return f"  - {self.name}{said}" if said else ""


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A table that was taken from a document.

    Attributes:
        table: Its name in the catalog.
        document: Path of the document, relative to the task folder.
        database: Path of the database that holds the table, relative to the task folder.
        rows: Number of rows.
        columns: The columns that carry business content.
        primary_key: Name of the key column, or `None`.
        flags: What is not to be relied on.
    """

    table: str
    document: str
    database: str
    rows: int
    columns: tuple[DocumentColumn, ...]
    primary_key: str | None = None
    flags: tuple[str, ...] = ()

    def registered(self, name: str, types: Mapping[str, str]) -> DocumentTable:
        """Return the table under the name and with the types that the catalog gave it."""
        columns = tuple(
            replace(column, type=_type(column.type, types.get(column.name, column.type))) for column in self.columns
        )
        return replace(self, table=name, columns=columns)

    def text(self) -> str:
        """Return the hint as the model reads it."""
        key = "" if self.primary_key is None else f", primary_key={self.primary_key}"
        lines = [
            f"- table `{self.table}` ← `{self.document}`",
            f"  (rows={self.rows}, {self.database})",
            f"  business columns{key}: {', '.join(column.name for column in self.columns)}",
            *(text for column in self.columns if (text := column.text())),
            *(f"  ⚠ {_short(flag)}" for flag in self.flags),
        ]
        return neutralise("\n".join(lines))


def _type(taken: str, registered: str) -> str:
    """Return the type that a column has in the catalog; SQLite keeps days as text."""
    if taken in ("DATE", "TIMESTAMP") and registered == "VARCHAR":
        return "VARCHAR (YYYY-MM-DD)" if taken == "DATE" else "VARCHAR (YYYY-MM-DD HH:MM:SS)"
    return registered


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_CHARACTERS else flat[: _MOST_CHARACTERS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Findings:
    """What other programs found out about a task before the Solver starts. All of it may be absent.

    Attributes:
        timeline: The video's timeline.
        verdict: The judgement on whether the video shows the answer, typed or as text.
        document_tables: Tables that were taken from documents.
        documents: Other documents, a line each: left aside, without a table, or not readable.
        folded: Canonical names of tables that were judged irrelevant; they are named but not described.
        links: What the offline baseline took each span of the question for.
    """

    timeline: Timeline | None = None
    verdict: VideoVerdict | str | None = None
    document_tables: tuple[DocumentTable, ...] = ()
    documents: tuple[str, ...] = ()
    folded: frozenset[str] = frozenset()
    links: tuple[Link, ...] = ()


class Evidence(dspy.Type):
    """The part of a request that shows what the task has to go on, before its question.

    Attributes:
        timeline: The video's timeline, or `None`.
        tables: Descriptions of the catalog's tables.
        documents: Hints on tables that were taken from documents; empty where there are none.
        links: What words of the question may mean, by rule; empty where nothing was linked.
    """

    model_config = _FROZEN

    timeline: Timeline | None = None
    tables: str = ""
    documents: str = ""
    links: str = ""

    def format(self) -> list[dict[str, Any]]:
        """Return content blocks: timeline, tables, document tables, links; a part that is empty is left out."""
        blocks: list[dict[str, Any]] = []
        if self.timeline is not None and self.timeline.items:
            blocks += [_text("# Video, in order of time\n\n"), *self.timeline.format(), _text("\n")]
        if self.tables:
            blocks.append(_text(f"# Data sources\n\n{neutralise(self.tables)}\n"))
        if self.documents:
            blocks.append(_text(f"\n# Tables taken from documents\n\n{neutralise(self.documents)}\n"))
        if self.links:
            heading = "# Words of the question (linked by rule, often wrong: check before you rely on one)"
            blocks.append(_text(f"\n{heading}\n\n{neutralise(self.links)}\n"))
        return blocks or [_text("There is no evidence beside the question.\n")]


def document_hints(
    tables: Sequence[DocumentTable],
    budget: int | None = None,
    count: Callable[[str], int] = len,
    others: Sequence[str] = (),
) -> str:
    """Return the hints on tables taken from documents, in the order given.

    Args:
        tables: The tables.
        budget: Largest size in the units of `count`; what goes beyond it is only counted.
        count: Size of a text.
        others: What is said of documents that gave no table.
    """
    texts = [table.text() for table in tables]
    if texts:
        texts.append(_EVIDENCE_LINE)
    texts += [neutralise(f"- {_short(other)}") for other in others]
    sizes = itertools.accumulate(count(text) + 1 for text in texts)
    fitting = len(texts) if budget is None else sum(size <= budget for size in sizes)
    more = [f"({len(texts) - fitting} more; `\\documents` of `explore_data` lists all)"] if fitting < len(texts) else []
    return "\n".join([*texts[:fitting], *more])


def _read(path: str) -> str | None:
    try:
        data = Path(path).read_bytes()
    except OSError:
        return None
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _of(video: str) -> str:
    # A name with a line break could open a heading of its own.
    return f" of {neutralise(' '.join(video.split()))}" if video else ""
