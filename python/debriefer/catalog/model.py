"""What a catalog knows of its tables, and its form on disk."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

MANIFEST_VERSION = 2
# Schema of the catalog file that holds the manifest; tables and aliases stand in `main`.
META_SCHEMA = "debriefer"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was decided or repaired while a file was read.

    Attributes:
        source: Path of the file, relative to the task's `context/`, with `/` between its parts.
        code: Stable identifier, such as `ragged-rows` or `encoding`.
        message: One sentence for a person.
        count: Rows, cells or columns concerned; 0 where counting means nothing.
        samples: At most three excerpts.
        table: Canonical name of the table, or `None` where the note is on the whole file.
    """

    source: str
    code: str
    message: str
    count: int = 0
    samples: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column as SQL sees it.

    Attributes:
        name: In the source's spelling; quote it in SQL unless it is a plain identifier.
        sql_type: DuckDB type.
        declared: Type that the source declares (SQLite), or `None`.
    """

    name: str
    sql_type: str
    declared: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A reference that the source declares: `column` holds values of `to_table.to_column`."""

    column: str
    to_table: str
    to_column: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the catalog.

    Attributes:
        name: Canonical name.
        source: Path of the file, relative to the task's `context/`.
        source_name: Sheet, table or key inside the file; the file's stem where the file is one table.
        kind: `delimited`, `json`, `sqlite`, `workbook` or `parquet`.
        columns: In source order.
        row_count: Number of rows.
        aliases: Other names under which SQL finds the table.
        primary_key: Columns of the key that the source declares, in order; empty where it declares none.
        foreign_keys: References that the source declares.
    """

    name: str
    source: str
    source_name: str
    kind: str
    columns: tuple[Column, ...]
    row_count: int
    aliases: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file or a table inside it that could not be loaded; the others were.

    Attributes:
        source: Path of the file, relative to the task's `context/`.
        message: What is wrong, without a full stop.
        hint: How to mend it, or `None`.
    """

    source: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a catalog but its rows; stored inside the catalog file."""

    tables: tuple[Table, ...]
    notes: tuple[Note, ...]
    refusals: tuple[Refusal, ...]
    fingerprint: str
    version: int = MANIFEST_VERSION
    skipped: tuple[str, ...] = field(default=())

    def to_json(self) -> str:
        """Return the manifest as JSON, the same text for the same content."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read what `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        tables = tuple(
            Table(
                **{
                    **table,
                    "columns": tuple(Column(**column) for column in table["columns"]),
                    "aliases": tuple(table["aliases"]),
                    "primary_key": tuple(table["primary_key"]),
                    "foreign_keys": tuple(ForeignKey(**key) for key in table["foreign_keys"]),
                }
            )
            for table in values["tables"]
        )
        notes = tuple(Note(**{**note, "samples": tuple(note["samples"])}) for note in values["notes"])
        return cls(
            tables=tables,
            notes=notes,
            refusals=tuple(Refusal(**refusal) for refusal in values["refusals"]),
            fingerprint=values["fingerprint"],
            version=values["version"],
            skipped=tuple(values["skipped"]),
        )
