"""A prediction or gold file as the metrics see it: a header and columns of text, nothing interpreted."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import polars as pl

from debriefer.errors import MissingFileError, ScoringError

UNNAMED = "table"
_NULL_HINT = 'write a NULL in a table of one column as `""`'
# `csv.field_size_limit` belongs to the process, so two readers must not set and restore it at the same time.
_FIELD_LIMIT_LOCK = threading.Lock()


@runtime_checkable
class ArrowFrame(Protocol):
    """Any table that speaks Arrow's C stream: a polars or pandas frame, a DuckDB relation, a pyarrow table."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the table over as a stream of Arrow batches."""
        ...


@runtime_checkable
class Relation(Protocol):
    """A query's result that gives its rows as Python values; DuckDB's may have two columns of one name."""

    columns: list[str]

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may not exceed.

    Attributes:
        size: Bytes.
        rows: Data rows, the header not counted.
        columns: Columns.
        cell: Characters of one cell.
        symbolic_links: Whether a symbolic link is read.
    """

    size: int
    rows: int
    columns: int
    cell: int
    symbolic_links: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, column by column.

    Attributes:
        header: Column names as written; no metric looks at them.
        columns: One sequence of cells a column, all of `height` cells; an empty cell is NULL.
        height: Number of data rows.
    """

    header: tuple[str, ...]
    columns: tuple[Sequence[str], ...]
    height: int

    @property
    def width(self) -> int:
        """Number of columns, at least 1."""
        return len(self.columns)

    @classmethod
    def parse(cls, text: str, *, name: str = UNNAMED, limits: Limits | None = None) -> Table:
        """Read CSV text: commas, double quotes, one header row, every row as wide as the header.

        Blank lines after the last row are ignored, except under `limits`: the strict metric counts them as rows.

        Args:
            text: The CSV text, without a byte order mark.
            name: What an error calls it.
            limits: Refuse what exceeds them.

        Raises:
            ScoringError: No header, a row of another width, a blank line, a NUL character, a stray quote, a limit.
        """
        rows = _rows(text, name, len(text) if limits is None else limits.cell)
        while limits is None and rows and not rows[-1]:
            rows.pop()
        if not rows or not rows[0]:
            message = f"`{name}` has no header row"
            raise ScoringError(message, hint="the first line of a prediction names its columns")
        header, body = rows[0], rows[1:]
        if limits is not None:
            _check_shape(name, len(header), len(body), limits)
        if "\0" in text:
            message = f"`{name}` has a NUL character"
            raise ScoringError(message)
        if any(len(row) != len(header) for row in body):
            raise _ragged(name, header, body)
        columns = tuple(zip(*body, strict=True)) if body else ((),) * len(header)
        return cls(tuple(header), columns, len(body))

    @classmethod
    def from_rows(cls, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
        """Build a table from Python values, each written as `cell_text` writes it.

        Raises:
            ScoringError: No column, or a row of another width than the header.

        >>> Table.from_rows(["n"], [(4,), (None,)]).columns
        (('4', ''),)
        """
        body = [[cell_text(value) for value in row] for row in rows]
        if not header:
            message = "a table needs at least one column"
            raise ScoringError(message)
        if any(len(row) != len(header) for row in body):
            raise _ragged(UNNAMED, header, body)
        columns = tuple(zip(*body, strict=True)) if body else ((),) * len(header)
        return cls(tuple(header), columns, len(body))

    @classmethod
    def from_frame(cls, frame: ArrowFrame) -> Table:
        """Build a table from a polars frame, a DuckDB relation, or anything else that speaks Arrow's C stream.

        Raises:
            ScoringError: It has no column, or cannot be brought to rows of values.
        """
        if isinstance(frame, Relation):
            return cls.from_rows(frame.columns, frame.fetchall())
        try:
            data = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
        except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
            message = f"`{type(frame).__name__}` cannot be read as a table: {error}"
            raise ScoringError(message) from error
        return cls.from_rows(data.columns, data.iter_rows())


# What the metrics take for a table: a table, a frame, a path, or CSV text (told from a path by its line break).
Source: TypeAlias = Table | ArrowFrame | os.PathLike[str] | str


def as_table(source: Source, limits: Limits | None = None) -> Table:
    """Return `source` as a table.

    Args:
        source: A table; a frame (`Table.from_frame`); a path; or CSV text, which is told from a path by having at
            least one line break.
        limits: Refuse a file or text that exceeds them.

    Raises:
        MissingFileError: The path names no file.
        ScoringError: The file or text is no valid table.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        return Table.parse(source.removeprefix("\ufeff"), limits=limits)
    if isinstance(source, str | os.PathLike):
        return read_table(Path(source), limits=limits)
    return Table.from_frame(source)


def read_table(path: Path, *, limits: Limits | None = None) -> Table:
    """Read a prediction or gold CSV file: UTF-8 with or without a byte order mark, rectangular, one header row.

    Args:
        path: The file.
        limits: Refuse a file that exceeds them; without, any size is read.

    Returns:
        The table, with every cell as it is written.

    Raises:
        MissingFileError: There is no such file.
        ScoringError: The file is no valid table.
    """
    if limits is not None and not limits.symbolic_links and path.is_symlink():
        message = f"`{path}` is a symbolic link"
        raise ScoringError(message, hint="write the file itself")
    if not path.exists():
        message = f"`{path}` does not exist"
        raise MissingFileError(message)
    if not path.is_file():
        message = f"`{path}` is not a file"
        raise ScoringError(message)
    try:
        if limits is not None and path.stat().st_size > limits.size:
            message = f"`{path}` has {path.stat().st_size} bytes, {limits.size} are allowed"
            raise ScoringError(message)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        message = f"`{path}` cannot be read: {error.strerror or error}"
        raise ScoringError(message) from error
    except UnicodeDecodeError as error:
        message = f"`{path}` is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}"
        raise ScoringError(message, hint="save it as UTF-8") from error
    return Table.parse(text, name=str(path), limits=limits)


def cell_text(value: object) -> str:
    """Return a value as `prediction.csv` writes it: NULL and NaN empty, ISO dates, full precision.

    >>> [cell_text(value) for value in (None, 0.1, True, "000021")]
    ['', '0.1', 'true', '000021']
    """
    match value:
        case bool():
            return str(value).lower()
        case float():
            return "" if math.isnan(value) else repr(value)
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.decode("utf-8", errors="backslashreplace")
        case list() | tuple() | dict():
            return json.dumps(value, ensure_ascii=False, default=cell_text)
        case _:
            return "" if value is None else str(value)


def _rows(text: str, name: str, cell_limit: int) -> list[list[str]]:
    with _FIELD_LIMIT_LOCK:
        previous = csv.field_size_limit(max(1, cell_limit))
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            return list(reader)
        except csv.Error as error:
            message = f"`{name}` is no valid CSV: line {reader.line_num}: {error}"
            raise ScoringError(message) from error
        finally:
            csv.field_size_limit(previous)


def _check_shape(name: str, columns: int, rows: int, limits: Limits) -> None:
    for count, limit, what in ((columns, limits.columns, "columns"), (rows, limits.rows, "rows")):
        if count > limit:
            message = f"`{name}` has {count} {what}, {limit} are allowed"
            raise ScoringError(message)


def _ragged(name: str, header: Sequence[Any], body: Sequence[Sequence[Any]]) -> ScoringError:
    number, row = next((number, row) for number, row in enumerate(body, 1) if len(row) != len(header))
    if not row:
        message = f"`{name}` has a blank line where row {number} is expected"
        return ScoringError(message, hint=_NULL_HINT if len(header) == 1 else None)
    message = f"`{name}` is not rectangular: row {number} has {len(row)} fields, the header has {len(header)}"
    return ScoringError(message)
