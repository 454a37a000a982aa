"""A document as a relation: its blocks, records, columns and cells, each with the place that it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# `ok`: quoted from its line and typed. `corrected`: the same, in place of a value that the text takes back.
# `repaired`: read again by a model after a check had failed. `flagged`: something was read that is not to be trusted,
# and is loaded as NULL. `missing`: the text says nothing.
Status = Literal["ok", "corrected", "repaired", "flagged", "missing"]
TRUSTED: frozenset[Status] = frozenset({"ok", "corrected", "repaired"})


@dataclass(frozen=True, slots=True)
class Record:
    """Where a document speaks of one record.

    Attributes:
        key: Texts of its key's parts, as they are written.
        line: Line of the document, from 0.
        spans: For each part of the key where it stands in the line, first and behind the last letter.
        extent: The part of the line that speaks of the record: a line may tell of several.
    """

    key: tuple[str, ...]
    line: int
    spans: tuple[tuple[int, int], ...]
    extent: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a document that tells one group of attributes of each record.

    Attributes:
        number: Counts the blocks from 0.
        records: Its records in the order of the text; no key stands twice.
        title: The heading or transition above it, else empty.
    """

    number: int
    records: tuple[Record, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """How a document marks its records.

    Attributes:
        labels: What stands before the key, in lower case; empty where the key stands alone.
        shape: Regular expression of the key.
        parts: Names of the key's parts.
    """

    labels: tuple[str, ...]
    shape: str
    parts: tuple[str, ...] = ("record_id",)


@dataclass(frozen=True, slots=True)
class Segmented:
    """A document in parts.

    Attributes:
        anchor: How records are marked; `None` where the document tells of none.
        blocks: The blocks in order.
        universe: Every key, in the order in which it is first spoken of.
        transitions: Lines that belong to no record, by number.
    """

    anchor: Anchor | None
    blocks: tuple[Block, ...] = ()
    universe: tuple[tuple[str, ...], ...] = ()
    transitions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table that was taken from a document.

    Attributes:
        name: Its name in the table.
        dtype: `INTEGER`, `REAL`, `DATE`, `TIMESTAMP` or `TEXT`.
        doc_unit: Units that the document writes, the most frequent first, with ` / ` between them; empty for none.
        target_unit: Unit of the loaded values; empty for none.
        enum: The values that there are, where they are few and come back; else empty.
        literal_format: How values are written where that must stay, else empty.
        meaning: What it says, in words of the document or the task's notes.
        operations: What brought the written values to the loaded ones.
        blocks: Numbers of the blocks that tell it.
    """

    name: str
    dtype: str = "TEXT"
    doc_unit: str = ""
    target_unit: str = ""
    enum: tuple[str, ...] = ()
    literal_format: str = ""
    meaning: str = ""
    operations: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One value and its evidence.

    Attributes:
        record: Key of its record.
        column: Name of its column.
        raw: As it is written.
        value: As it is loaded; `None` for NULL.
        line: Line of the document, from 0.
        span: First and behind the last letter of `raw` in that line.
        status: Whether it may be trusted.
        reason: Why it was flagged, else empty.
    """

    record: tuple[str, ...]
    column: str
    raw: str
    value: str | None
    line: int
    span: tuple[int, int]
    status: Status = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table that was taken from a document.

    Attributes:
        name: What it is called.
        document: Path of the document, relative to the task's `context/`.
        key: Names of the key columns; empty where the rows are only counted.
        columns: Its columns, without the key.
        records: Keys of the rows in order.
        cells: Cells by key and column; one that is absent is NULL.
        origin: `table` for what the document shows as one, `prose` for what it tells.
        flags: What is not to be relied on, a sentence each.
        tokens: Estimated tokens of the document, and of what was sent to a model for it.
        place: Which of the document's tables it is, from 0; 0 for what prose tells.
    """

    name: str
    document: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    records: tuple[tuple[str, ...], ...]
    cells: Mapping[tuple[tuple[str, ...], str], Cell] = field(default_factory=dict)
    origin: Literal["table", "prose"] = "prose"
    flags: tuple[str, ...] = ()
    tokens: tuple[int, int] = (0, 0)
    place: int = 0
