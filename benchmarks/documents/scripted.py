"""Models that know a generated document's gold: one that answers perfectly, and ones that fail in a given way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.documents.generator import Told
from benchmarks.documents.wording import Field
from debriefer.documents.normalising import is_nothing
from debriefer.documents.reader_port import (
    AnchorReply,
    AnchorRequest,
    ChunkReply,
    ChunkRequest,
    DataType,
    Example,
    PlannedColumn,
    QuotedCell,
    RecordText,
    RepairReply,
    RepairRequest,
    SchemaReply,
    SchemaRequest,
    TruncatedReplyError,
    UnreadableReplyError,
)

Fault = Literal[
    "none",
    "drops_rows",
    "drops_cells",
    "shifts_cells",
    "shifts_some",
    "shifts_chunks",
    "swaps_rows",
    "first_value",
    "cuts_values",
    "truncates",
    "bad_json",
]
_TYPES: dict[str, DataType] = {
    "money": "REAL",
    "percent": "REAL",
    "length": "INTEGER",
    "date": "DATE",
    "count": "INTEGER",
    "plain": "INTEGER",
}
# A faulty model fails in so many of a hundred records.
_SOME = 30
# Longer chunks are cut off.
_MOST_ROWS = 10


@dataclass(frozen=True, slots=True)
class GoldReader:
    """Answers from the gold; the quotes are what the document writes.

    Attributes:
        told: The document.
        fault: How it fails; the schema is right in every case.
    """

    told: Told
    fault: Fault = "none"

    def pick_anchor(self, request: AnchorRequest) -> AnchorReply:
        """Say nothing: the records of generated documents are told apart by rule."""
        del request
        return AnchorReply(())

    def infer_schema(self, request: SchemaRequest) -> SchemaReply:
        """Return the fields of the parts that the blocks tell."""
        columns: list[PlannedColumn] = []
        for block in request.blocks:
            columns += [self._column(one, block.number, block.records) for one in self._fields(block.records)]
        return SchemaReply(tuple(columns))

    def extract_chunk(self, request: ChunkRequest) -> ChunkReply:
        """Return the rows of a chunk, or fail."""
        if self.fault == "bad_json":
            message = "scripted: no JSON"
            raise UnreadableReplyError(message)
        if self.fault == "truncates" and len(request.records) > _MOST_ROWS:
            message = "scripted: cut off"
            raise TruncatedReplyError(message)
        names = [column.name for column in request.columns]
        rows = [record.record for record in request.records]
        if self.fault == "drops_rows":
            rows = [record for record in rows if not _some(record)]
        texts = {record.record: record.text for record in request.records}
        chunk = f"{request.block} {rows[:1]}"
        cells = [cell for record in rows for cell in self._row(record, names, texts[record], chunk)]
        if self.fault == "swaps_rows":
            cells = [replace(cell, record=rows[rows.index(cell.record) - 1]) for cell in cells]
        return ChunkReply(tuple(rows), tuple(cells))

    def repair_cells(self, request: RepairRequest) -> RepairReply:
        """Return the doubtful cells, as wrong as the first time."""
        if self.fault in ("bad_json", "truncates"):
            message = "scripted: no JSON"
            raise UnreadableReplyError(message)
        names = [column.name for column in request.columns]
        found: list[QuotedCell] = []
        for doubtful in request.cells:
            if self.fault == "drops_rows" and _some(doubtful.record):
                continue
            row = self._row(doubtful.record, names, doubtful.text, doubtful.record)
            found += [cell for cell in row if cell.column == doubtful.column]
        return RepairReply(found)

    def _fields(self, records: Sequence[RecordText]) -> list[Field]:
        """Return the fields of the part whose texts the records have."""
        counts = [
            sum(
                bool(text := self._text(record.record, name)) and text in record.text
                for record in records
                for name in part.fields
            )
            / len(part.fields)
            for part in self.told.wording.parts
        ]
        part = self.told.wording.parts[counts.index(max(counts))]
        return [one for one in self.told.wording.fields if one.name in part.fields]

    def _column(self, one: Field, block: int, records: Sequence[RecordText]) -> PlannedColumn:
        quotes = [(record.record, self._text(record.record, one.name)) for record in records]
        examples = [Example(record, quote) for record, quote in quotes if quote and not is_nothing(quote)]
        return PlannedColumn(
            name=one.name,
            block=block,
            dtype=_TYPES.get(one.kind, "TEXT"),
            target_unit=one.unit,
            meaning=one.meaning or one.label,
            called=(one.label,),
            examples=tuple(examples[:3]),
        )

    def _text(self, record: str, name: str) -> str:
        return self.told.texts.get((tuple(record.split("|")), name), "")

    def _row(self, record: str, names: Sequence[str], text: str, chunk: str) -> list[QuotedCell]:
        quotes = [self._text(record, name) for name in names]
        shifted = {
            "shifts_cells": True,
            "shifts_some": _some(record),
            "shifts_chunks": _some(chunk),
        }.get(self.fault, False)
        if shifted:
            quotes = quotes[1:] + quotes[:1]
        elif self.fault == "drops_cells" and _some(record):
            quotes[0] = ""
        elif self.fault == "first_value":
            quotes = [_first(quote, self.told, name, text) for quote, name in zip(quotes, names, strict=True)]
        elif self.fault == "cuts_values" and _some(record):
            quotes = [quote.split()[0] if " " in quote else quote[: max(1, len(quote) // 2)] for quote in quotes]
        key = tuple(record.split("|"))
        silent = {self._text(record, name) for name in names if self.told.gold.get((key, name)) is None}
        found = [
            QuotedCell(record, name, quote, missing=quote in silent) for name, quote in zip(names, quotes, strict=True)
        ]
        return [cell for cell in found if cell.quote]


def _first(quote: str, told: Told, name: str, text: str) -> str:
    """Return the wrong value that a text has in place of one that it corrects, where there is one."""
    wrong = [other for (_, field), other in told.texts.items() if field == name and other != quote and other in text]
    before = [other for other in wrong if other and text.find(other) < text.find(quote)]
    return max(before, key=len, default=quote)


def _some(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 100 < _SOME


FAULTS: dict[str, Fault] = {
    "perfect": "none",
    "drops_rows": "drops_rows",
    "drops_cells": "drops_cells",
    "shifts_cells": "shifts_cells",
    "shifts_some_cells": "shifts_some",
    "shifts_chunks": "shifts_chunks",
    "swaps_rows": "swaps_rows",
    "takes_first_value": "first_value",
    "cuts_values": "cuts_values",
    "truncates": "truncates",
    "bad_json": "bad_json",
}
ReaderFor = Callable[[Told, Fault], GoldReader]
