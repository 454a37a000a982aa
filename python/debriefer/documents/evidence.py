"""The side file of documents: where each value was read, what columns mean, every line; and tables asked for later."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.catalog.model import META_SCHEMA, Manifest
from debriefer.catalog.readers import Readable, read
from debriefer.catalog.side_file import SideFile, side_file
from debriefer.documents.extraction import Extraction
from debriefer.documents.loading import record_id, write_database
from debriefer.documents.model import Document
from debriefer.documents.relation import Relation
from debriefer.side_names import EVIDENCE_TABLES

KIND = "documents"
CELLS, COLUMNS, LINES = EVIDENCE_TABLES
_INCOMING = "incoming"

_CELL_SCHEMA: dict[str, type[pl.DataType]] = {
    "table_name": pl.String,
    "record_id": pl.String,
    "column_name": pl.String,
    "raw": pl.String,
    "value": pl.String,
    "document": pl.String,
    "line": pl.Int64,
    "span_start": pl.Int64,
    "span_end": pl.Int64,
    "table_row": pl.Int64,
    "page": pl.Int64,
    "status": pl.String,
    "reason": pl.String,
}
_COLUMN_SCHEMA: dict[str, type[pl.DataType]] = {
    "table_name": pl.String,
    "column_name": pl.String,
    "type": pl.String,
    "unit": pl.String,
    "document_unit": pl.String,
    "meaning": pl.String,
    "literal_format": pl.String,
    "operations": pl.String,
}
_LINE_SCHEMA: dict[str, type[pl.DataType]] = {
    "document": pl.String,
    "line": pl.Int64,
    "page": pl.Int64,
    "kind": pl.String,
    "text": pl.String,
}
_SCHEMAS: dict[str, dict[str, type[pl.DataType]]] = {CELLS: _CELL_SCHEMA, COLUMNS: _COLUMN_SCHEMA, LINES: _LINE_SCHEMA}


@dataclass(frozen=True, slots=True)
class Part:
    """What one document adds to the side file.

    Attributes:
        source: Its path, relative to `context/`.
        document: What was read.
        extraction: What was taken from it; `None` for nothing yet.
    """

    source: str
    document: Document
    extraction: Extraction | None


def write_evidence(parts: Sequence[Part], target: Path) -> None:
    """Write the side file: `document_cells`, `document_columns` and `document_lines`.

    Lines and rows of tables are counted from 1; spans count letters from 0, the end behind the last one. A value of a
    table that a document shows has its row, one that prose tells has its line.
    """
    with side_file(target, KIND, _fingerprint(parts)) as side:
        for name, frame in _frames(parts).items():
            side.add(name, frame, "documents", name)


def add_extraction(part: Part, target: Path) -> None:
    """Add tables that were asked for later to a side file, and where their values were read.

    The file is written anew and takes its name's place at once; nothing may have it open in this process.
    """
    with contextlib.closing(duckdb.connect(str(target), read_only=True)) as connection:
        names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        before = {name: pl.DataFrame(connection.sql(f"FROM {quote_identifier(name)}")) for name in names}
        origins = _origins(connection)
    added = _frames([part])
    with side_file(target, KIND, _fingerprint([part])) as side:
        for name, frame in before.items():
            if name == LINES:
                frame = frame.filter(pl.col("document") != part.source)  # noqa: PLW2901 -- the document's come again
            more = added.get(name)
            side.add(name, frame if more is None else pl.concat([frame, more]), *origins.get(name, ("documents", name)))
        relations = () if part.extraction is None else part.extraction.relations
        _add_tables(side, relations, part.source)


def _origins(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str]]:
    row = connection.execute(f"SELECT value FROM {META_SCHEMA}.manifest").fetchone()
    tables = Manifest.from_json(row[0]).tables if row else ()
    return {table.name: (table.source, table.source_name) for table in tables}


def _add_tables(side: SideFile, relations: Sequence[Relation], source: str) -> None:
    """Add relations with the types that the catalog gives their SQLite tables."""
    if not relations:
        return
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        database = Path(folder) / "document.db"
        write_database(relations, database)
        for readable in read(database, "sqlite"):
            if isinstance(readable, Readable) and readable.name is not None:
                side.add(readable.name, _frame(readable), source, readable.name)


def _frame(readable: Readable) -> pl.DataFrame:
    items = ", ".join(
        f"{quote_identifier(name)}::{kind} AS {quote_identifier(name)}" for name, kind in readable.columns
    )
    with contextlib.closing(duckdb.connect()) as connection:
        connection.register(_INCOMING, readable.stream)
        return pl.DataFrame(connection.sql(f"SELECT {items} FROM {_INCOMING}"))


def _fingerprint(parts: Sequence[Part]) -> str:
    return ",".join(part.source for part in parts)


def _frames(parts: Sequence[Part]) -> dict[str, pl.DataFrame]:
    rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in _SCHEMAS}
    for part in parts:
        rows[LINES].extend(
            (part.source, number, line.page, line.kind, line.text)
            for number, line in enumerate(part.document.lines, start=1)
        )
        if part.extraction is not None:
            rows[CELLS].extend(_cells(part.extraction, part))
            rows[COLUMNS].extend(_columns(part.extraction.relations))
    return {name: pl.DataFrame(rows[name], schema=schema, orient="row") for name, schema in _SCHEMAS.items()}


def _cells(extraction: Extraction, part: Part) -> Iterator[tuple[object, ...]]:
    for relation in extraction.relations:
        is_table = relation.origin == "table"
        pages: Sequence[int] = ()
        if is_table:
            pages = part.document.tables[relation.place].row_pages
        for key in relation.records:
            for column in relation.columns:
                cell = relation.cells.get((key, column.name))
                if cell is None:
                    continue
                start, end = cell.span
                if is_table:
                    page = pages[cell.line] if cell.line < len(pages) else None
                    place: tuple[object, ...] = (None, start, end, cell.line + 1, page)
                else:
                    place = (cell.line + 1, start, end, None, part.document.lines[cell.line].page)
                yield (
                    relation.name,
                    record_id(key),
                    column.name,
                    cell.raw,
                    cell.value,
                    part.source,
                    *place,
                    cell.status,
                    cell.reason or None,
                )


def _columns(relations: Iterable[Relation]) -> Iterator[tuple[object, ...]]:
    for relation in relations:
        for column in relation.columns:
            yield (
                relation.name,
                column.name,
                column.dtype,
                column.target_unit or None,
                column.doc_unit or None,
                column.meaning or None,
                column.literal_format or None,
                ", ".join(column.operations),
            )


def evidence_query(table: str, record: str, column: str) -> str:
    """Return the statement that finds where one value was read, with the text of its line."""
    wanted = " AND ".join(
        f"lower(c.{name}) = lower({quote_literal(text)})"
        for name, text in (("table_name", table), ("record_id", record), ("column_name", column))
    )
    return (
        f"SELECT c.raw, c.value, c.document, c.line, c.span_start, c.span_end, c.table_row, c.page, c.status, c.reason,"
        f" l.text FROM documents.{CELLS} c LEFT JOIN documents.{LINES} l ON l.document = c.document AND l.line = c.line"
        f" WHERE {wanted}"
    )
