"""Requests as the text of a prompt; whatever comes from a document has no power there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from debriefer.documents.reader_port import (
    AnchorRequest,
    ChunkRequest,
    PlannedColumn,
    RecordText,
    RepairRequest,
    SchemaRequest,
)
from debriefer.models import neutralise

NONE = "(none)"


def anchor_inputs(request: AnchorRequest) -> dict[str, str]:
    """Return the inputs of `PickAnchor`."""
    lines = "\n".join(f"[{number}] {text}" for number, text in request.lines)
    return _plain(document=request.document, lines=lines)


def schema_inputs(request: SchemaRequest) -> dict[str, str]:
    """Return the inputs of `InferSchema`."""
    blocks = [f"BLOCK {block.number}: {block.title}\n\n{_records(block.records)}" for block in request.blocks]
    notes = [f"{note.name}: {note.meaning}" for note in request.notes]
    return _plain(
        document=request.document,
        context="\n".join(request.context) or NONE,
        samples="\n\n".join(blocks),
        field_notes="\n".join(notes) or NONE,
    )


def chunk_inputs(request: ChunkRequest) -> dict[str, str]:
    """Return the inputs of `ExtractChunk`."""
    return _plain(
        document=request.document,
        block=f"{request.block}: {request.title}",
        columns=_columns(request.columns),
        records=_records(request.records),
    )


def repair_inputs(request: RepairRequest) -> dict[str, str]:
    """Return the inputs of `RepairCells`; a record's text stands there once for all of its cells."""
    by_record: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for cell in request.cells:
        read = json.dumps(cell.quote, ensure_ascii=False) if cell.quote else "nothing"
        by_record.setdefault(cell.record, []).append(f"- {cell.column}: read {read}; doubted: {cell.reason}")
        texts[cell.record] = cell.text
    parts = [f"### {record}\n{texts[record]}\n" + "\n".join(own) for record, own in by_record.items()]
    return _plain(document=request.document, columns=_columns(request.columns), doubtful="\n\n".join(parts))


def _records(records: Iterable[RecordText]) -> str:
    return "\n\n".join(f"### {record.record}\n{record.text}" for record in records)


def _columns(columns: Sequence[PlannedColumn]) -> str:
    return "\n".join(map(_column, columns))


def _column(column: PlannedColumn) -> str:
    parts = [f"{column.name} ({column.dtype})"]
    for label, value in (
        ("meaning", column.meaning),
        ("unit in the document", column.doc_unit),
        ("called", ", ".join(column.called)),
        ("one of", ", ".join(column.enum)),
        ("written", column.literal_format),
    ):
        if value:
            parts.append(f"{label}: {value}")
    return "- " + "; ".join(parts)


def _plain(**texts: str) -> dict[str, str]:
    # What is joined is neutralised, not its pieces: two of them could complete a marker.
    return {name: neutralise(text) for name, text in texts.items()}
