"""One document into typed relations: real tables as they are shown, and the table that its prose retells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from debriefer.catalog.names import canonical_name, canonical_names, unique_columns
from debriefer.documents.model import Document
from debriefer.documents.notes import FieldNote
from debriefer.documents.prose import Told, read_prose
from debriefer.documents.relation import Relation, Segmented
from debriefer.documents.shown import shown_table
from debriefer.documents.validation import checked

# A label that says no more than that it marks a record.
_GENERIC = frozenset(
    {"record", "record_id", "entry", "file", "item", "no", "number", "part", "row", "档案", "记录", "编号"}
)
# Kinds of lines that stand beside the text.
_BESIDE = frozenset({"header", "footer", "page-number", "turned"})


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was taken from a document.

    Attributes:
        document: Its path.
        relations: The tables, that of its prose first.
        parts: Blocks and records of its prose.
        lines: Texts of its lines, as the cells count them.
        flags: What is not to be relied on.
        residual: Lines that hold values which no template explains.
    """

    document: str
    relations: tuple[Relation, ...]
    parts: Segmented
    lines: tuple[str, ...]
    flags: tuple[str, ...] = ()
    residual: tuple[int, ...] = ()


def extract(document: Document, source: str, notes: Sequence[FieldNote] = (), name: str | None = None) -> Extraction:
    """Take the tables out of a document, without a model.

    Args:
        document: The document as it was read.
        source: Its path, relative to the task's `context/`.
        notes: What the task's notes say of its fields.
        name: What its tables are called; its file's stem where `None`.
    """
    lines = prose_lines(document)
    return assembled(document, source, lines, checked(read_prose(lines, notes), lines), name)


def prose_lines(document: Document) -> tuple[str, ...]:
    """Return the texts of a document's lines, empty for what stands beside the text."""
    return tuple("" if line.kind in _BESIDE else line.text for line in document.lines)


def assembled(
    document: Document, source: str, lines: tuple[str, ...], told: Told, name: str | None = None
) -> Extraction:
    """Return what was read of a document's prose together with the tables that it shows; arguments as of `extract`."""
    stem = PurePosixPath(source).stem if name is None else name
    relations: list[Relation] = []
    if told.columns:
        relations.append(prose_relation(told, canonical_name(stem), source))
    alone = not relations and len(document.tables) == 1
    for number, table in enumerate(document.tables, start=1):
        relation = shown_table(table, canonical_name(stem if alone else f"{stem}_table_{number}"), source)
        if relation is not None:
            relations.append(replace(relation, place=number - 1))
    return Extraction(source, tuple(relations), told.parts, lines, tuple(told.flags), tuple(told.residual))


def prose_relation(told: Told, name: str, source: str) -> Relation:
    """Return what was read of prose as a relation over every key that the document has."""
    anchor = told.parts.anchor
    parts = () if anchor is None else anchor.parts
    return Relation(
        name=name,
        document=source,
        key=_key_names(parts, [column.name for column in told.columns]),
        columns=tuple(told.columns),
        records=told.parts.universe,
        cells=told.cells,
        flags=tuple(told.flags),
    )


def _key_names(parts: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    """Return names for the parts of a key; a single part is `record_id`."""
    if len(parts) == 1:
        return ("record_id",)
    plain = canonical_names([part if part not in _GENERIC else f"{part}_id" for part in parts])
    return tuple(unique_columns(["record_id", *taken, *plain])[1 + len(taken) :])
