"""One file -> the tables in it, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from debriefer import _core
from debriefer.catalog.parquet import DAMAGED_HINT, read_parquet
from debriefer.errors import SourceError

__all__ = ["DAMAGED_HINT", "TABLE_KINDS", "ArrowStream", "Readable", "detect_kind", "read", "sniff_dialect"]

TABLE_KINDS = frozenset({"delimited", "json", "jsonl", "sqlite", "workbook", "parquet"})

_PROSE_ENDINGS = frozenset({".txt", ".text"})
_PROSE_LINES, _PROSE_SHARE = 200, 0.8
# Far more than so many lines have; a text in UTF-16 is read as a whole.
_PROSE_BYTES, _WIDE = 1 << 18, (b"\xff\xfe", b"\xfe\xff")
_STOPS = (".", "。", "!", "?", "！", "？")


class ArrowStream(Protocol):
    """Anything that gives its rows through Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return an `arrow_array_stream` capsule."""


@dataclass(frozen=True, slots=True)
class Readable:
    """A table that is ready to be copied into the catalog.

    Attributes:
        name: Sheet, table or key inside the file, or `None` where the file is one table.
        kind: `delimited`, `json`, `sqlite`, `workbook` or `parquet`.
        columns: Name and DuckDB type of each column.
        rows: Number of rows.
        notes: Code, message, count and samples of each decision or repair.
        stream: The rows, or `None` where `scan` gives them.
        scan: SQL table function that DuckDB reads the rows from itself, or `None`.
        scan_names: Names under which the rows give the columns, where they are not the columns' own.
        declared: Declared type by column.
        primary_key: Columns of the declared key.
        foreign_keys: Column, other table inside the same file, its column.
    """

    name: str | None
    kind: str
    columns: Sequence[tuple[str, str]]
    rows: int
    notes: Sequence[tuple[str, str, int, Sequence[str]]]
    stream: ArrowStream | None = None
    scan: str | None = None
    scan_names: Sequence[str] = ()
    declared: Sequence[tuple[str, str]] = ()
    primary_key: Sequence[str] = ()
    foreign_keys: Sequence[tuple[str, str, str]] = ()


def detect_kind(path: Path) -> str | None:
    """Return what a file is, by its content first and its ending second; `None` where neither tells.

    Sentences of one form have a comma in the same places, line after line: a `.txt` of sentences is no table.
    """
    kind = _core.detect_kind(path)
    return None if kind == "delimited" and path.suffix.lower() in _PROSE_ENDINGS and _is_prose(path) else kind


def _head(path: Path) -> str:
    """Return the whole lines of a text's first bytes; all of it where these hold none."""
    with path.open("rb") as file:
        raw = file.read(_PROSE_BYTES)
    lines, newline, _ = raw.rpartition(b"\n")
    if len(raw) < _PROSE_BYTES or not newline or raw.startswith(_WIDE):
        return _core.read_text(path)[0]
    try:
        return lines.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _core.read_text(path)[0]


def _is_prose(path: Path) -> bool:
    lines = [line.strip() for line in _head(path).splitlines()[:_PROSE_LINES] if line.strip()]
    ended = sum(line.endswith(_STOPS) for line in lines)
    return bool(lines) and ended >= _PROSE_SHARE * len(lines)


def sniff_dialect(path: Path) -> _core.Dialect:
    """Return how a delimited file is written: delimiter, quoting, encoding, where the header stands.

    Raises:
        SourceError: The file cannot be read or holds no delimited text.
    """
    return _core.sniff_dialect(path)


def read(path: Path, kind: str) -> Iterator[Readable | SourceError]:
    """Yield every table of a file; a table inside it that cannot be read gives its error, and the others follow.

    Args:
        path: The file.
        kind: One of `TABLE_KINDS`, as `detect_kind` found.

    Raises:
        SourceError: The whole file cannot be read.
    """
    match kind:
        case "delimited":
            yield from _named(_core.read_delimited(path), path, "delimited")
        case "json" | "jsonl":
            yield from _named(_core.read_json(path), path, "json")
        case "workbook":
            yield from _named(_core.read_workbook(path), path, "workbook")
        case "sqlite":
            yield from _sqlite(path)
        case _:
            yield _parquet(path)


def _named(tables: Sequence[_core.SourceTable], path: Path, kind: str) -> Iterator[Readable]:
    for table in tables:
        # The one table of a file is called like the file, and so needs no name inside it.
        name = None if len(tables) == 1 and table.name == path.stem else table.name
        yield Readable(name, kind, table.columns, table.rows, table.notes, stream=table)


def _sqlite(path: Path) -> Iterator[Readable | SourceError]:
    source = _core.open_sqlite(path)
    for name, _ in source.tables:
        try:
            table = source.read(name)
            columns, foreign_keys = source.declared(name)
        except SourceError as error:
            yield error
            continue
        # A column whose name is empty or another's in other letters has got a name of its own.
        called = dict(zip((column for column, *_ in columns), (column for column, _ in table.columns), strict=False))
        key = sorted((place, called.get(column, column)) for column, _, _, place in columns if place)
        yield Readable(
            name,
            "sqlite",
            table.columns,
            table.rows,
            table.notes,
            stream=table,
            declared=[(called.get(column, column), kind) for column, kind, _, _ in columns if kind],
            primary_key=[column for _, column in key],
            foreign_keys=[(called.get(column, column), to, other) for column, to, other in foreign_keys],
        )


def _parquet(path: Path) -> Readable:
    table = read_parquet(path)
    return Readable(
        None,
        "parquet",
        table.columns,
        table.rows,
        table.notes,
        stream=table.stream,
        scan=table.scan,
        scan_names=table.names,
    )
