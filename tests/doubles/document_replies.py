"""A document reader's answers as a model's replies: what `DocumentReader` gives, over the wire of `scripted_models`."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from debriefer.documents.reader_port import (
    ChunkRequest,
    DocumentReader,
    DoubtfulCell,
    PlannedColumn,
    RecordText,
    RepairRequest,
    SampledBlock,
    SchemaRequest,
    TruncatedReplyError,
    UnreadableReplyError,
)
from tests.doubles.script import Answer, Reply, Script, Turn, fields

_RECORD = re.compile(r"^### (?P<record>[^\n]+)\n(?P<text>.*?)(?=\n\n### |\n\nBLOCK |\Z)", re.MULTILINE | re.DOTALL)
_DOUBT = re.compile(r"^- (?P<column>.+?): read (?P<quote>.+); doubted: (?P<reason>.+)$", re.MULTILINE)


def replies_of(reader: DocumentReader) -> Script:
    """Return a script that answers prompts as `reader` answers the requests that they were made of."""

    def answer(turn: Turn) -> Answer:
        try:
            if "[[ ## rows ## ]]" in turn.system:
                return _rows(turn, reader)
            if "[[ ## cells ## ]]" in turn.system:
                return _cells(turn, reader)
            return _columns(turn, reader)
        except TruncatedReplyError:
            return Reply('[[ ## rows ## ]]\n[{"record": "1", "cells": [{"col', finish_reason="length")
        except UnreadableReplyError:
            return Reply("Here is the table you asked for: | 1 | a |")

    return answer


def _field(turn: Turn, name: str) -> str:
    text = turn.last.split(f"[[ ## {name} ## ]]\n", 1)[1]
    return re.split(r"\n\n\[\[ ## |\n\nRespond with", text, maxsplit=1)[0]


def _records(text: str) -> tuple[RecordText, ...]:
    return tuple(RecordText(match["record"], match["text"].strip()) for match in _RECORD.finditer(text))


def _rows(turn: Turn, reader: DocumentReader) -> Reply:
    number = int(_field(turn, "block").split(":", 1)[0])
    request = ChunkRequest("", number, "", _planned(turn, number), _records(_field(turn, "records")))
    reply = reader.extract_chunk(request)
    cells: dict[str, list[Any]] = {}
    for cell in reply.cells:
        cells.setdefault(cell.record, []).append({"column": cell.column, "quote": cell.quote, "missing": cell.missing})
    return fields(turn, rows=[{"record": record, "cells": cells.get(record, [])} for record in reply.records])


def _planned(turn: Turn, block: int) -> tuple[PlannedColumn, ...]:
    lines = _field(turn, "columns").splitlines()
    return tuple(PlannedColumn(line[2:].split(" (", 1)[0], block) for line in lines if line.startswith("- "))


def _cells(turn: Turn, reader: DocumentReader) -> Reply:
    doubtful = [
        DoubtfulCell(record.record, match["column"], record.text, match["quote"], match["reason"])
        for record in _records(_field(turn, "doubtful"))
        for match in _DOUBT.finditer(record.text)
    ]
    reply = reader.repair_cells(RepairRequest("", _planned(turn, 0), tuple(doubtful)))
    return fields(turn, cells=[asdict(cell) for cell in reply.cells])


def _columns(turn: Turn, reader: DocumentReader) -> Reply:
    parts = re.split(r"^BLOCK (\d+): .*$", _field(turn, "samples"), flags=re.MULTILINE)[1:]
    blocks = tuple(
        SampledBlock(int(number), "", _records(text)) for number, text in zip(parts[::2], parts[1::2], strict=True)
    )
    return fields(
        turn, columns=[asdict(column) for column in reader.infer_schema(SchemaRequest("", (), blocks)).columns]
    )
