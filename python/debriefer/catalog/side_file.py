"""Writes a side file of the catalog: tables with a manifest, read-only for everyone after."""

from __future__ import annotations

import contextlib
import csv
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from debriefer.catalog.arrow_stream import ArrowStream
from debriefer.catalog.identifiers import quote_identifier
from debriefer.catalog.model import META_SCHEMA, Column, Manifest, Table
from debriefer.catalog.names import unique_columns
from debriefer.catalog.readers import read
from debriefer.errors import DebrieferError

_INCOMING = "incoming"


class SideFile:
    """A side file while it is written.

    Attributes:
        tables: What was added, in order.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, kind: str) -> None:
        self._connection = connection
        self._kind = kind
        self.tables: list[Table] = []

    def add(self, name: str, frame: pl.DataFrame, source: str, source_name: str) -> None:
        """Add a table.

        Args:
            name: Its name, plain.
            frame: Its rows.
            source: Where its content comes from.
            source_name: What it is called there.
        """
        self._connection.register(_INCOMING, ArrowStream(frame))
        self._connection.execute(f"CREATE TABLE {quote_identifier(name)} AS FROM {_INCOMING}")
        self._connection.unregister(_INCOMING)
        described = self._connection.execute(f"DESCRIBE {quote_identifier(name)}").fetchall()
        columns = tuple(Column(row[0], row[1]) for row in described)
        self.tables.append(Table(name, source, source_name, self._kind, columns, len(frame)))


@contextlib.contextmanager
def side_file(target: Path, kind: str, fingerprint: str) -> Iterator[SideFile]:
    """Write a side file; it appears under its name when the block ends well, in place of an earlier one.

    Args:
        target: The file.
        kind: What its tables say of their kind.
        fingerprint: What the content depends on.

    Raises:
        duckdb.Error: It cannot be written.
    """
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with contextlib.closing(duckdb.connect(str(partial))) as connection:
            side = SideFile(connection, kind)
            yield side
            manifest = Manifest(tuple(side.tables), (), (), fingerprint=fingerprint)
            connection.execute(f"CREATE SCHEMA {META_SCHEMA}")
            connection.execute(f"CREATE TABLE {META_SCHEMA}.manifest AS SELECT ? AS value", [manifest.to_json()])
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def typed_frame(header: Sequence[str], rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    """Return texts with the types that the catalog's reader gives a file of them.

    Where the reader sees another shape than this header above these rows, all stays text; blank cells are NULL.
    """
    names = unique_columns(header)
    plain = pl.DataFrame([list(texts) for texts in rows], schema=dict.fromkeys(names, pl.String), orient="row").select(
        pl.all().replace("", None)
    )
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        path = Path(folder) / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([names, *rows])
        try:
            readable: Any = next(read(path, "delimited"))
        except (DebrieferError, StopIteration):
            return plain
        if isinstance(readable, DebrieferError) or readable.stream is None or readable.rows != len(rows):
            return plain
        if [name for name, _ in readable.columns] != names:
            return plain
        with contextlib.closing(duckdb.connect()) as connection:
            connection.register(_INCOMING, readable.stream)
            items = ", ".join(
                f"{quote_identifier(name)}::{kind} AS {quote_identifier(name)}" for name, kind in readable.columns
            )
            return pl.DataFrame(connection.sql(f"SELECT {items} FROM {_INCOMING}"))
