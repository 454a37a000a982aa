"""Parquet as a table: DuckDB reads it, but for decimals of more than 38 digits, which it would round."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from debriefer import _core
from debriefer.catalog.arrow_stream import ArrowStream
from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.catalog.parquet_footer import MOST_DIGITS, Element, is_too_wide, read_schema, without_annotation
from debriefer.errors import SourceError

if TYPE_CHECKING:
    import polars as pl

DAMAGED_HINT = "write the file again; it is damaged or was cut off"
_FRAME = "exact"
_ROWS_AT_ONCE = 100_000

# Code, message, count and samples.
RawNote = tuple[str, str, int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Parquet:
    """A Parquet file that is ready to be copied.

    Attributes:
        columns: Name in the catalog and DuckDB type of each column.
        names: Names under which `scan` or `stream` gives them.
        rows: Number of rows.
        notes: Code, message, count and samples of each decision.
        scan: SQL table function that DuckDB reads the rows from, or `None` where `stream` gives them.
        stream: The rows, with every digit of wide decimals.
    """

    columns: Sequence[tuple[str, str]]
    names: Sequence[str]
    rows: int
    notes: Sequence[RawNote]
    scan: str | None = None
    stream: _Rows | None = None


class _Rows:
    """A query's rows as an Arrow stream; its temporary files go with it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, query: str) -> None:
        # DuckDB takes no relation of another instance as such, but any stream.
        self._relation = connection.sql(query)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return an `arrow_array_stream` capsule."""
        return self._relation.__arrow_c_stream__(requested_schema)


def read_parquet(path: Path) -> Parquet:
    """Read the outline of a Parquet file, and its rows where DuckDB alone would round them.

    Raises:
        SourceError: The file cannot be read.
    """
    scan = _scan(path)
    try:
        with duckdb.connect() as connection:
            described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
            counted = connection.execute(f"SELECT count(*) FROM {scan}").fetchone()
        elements = _elements(path)
        names = [str(name) for name, *_ in described]
        kinds = [str(kind) for _, kind, *_ in described]
        top = [element for element in elements if element.depth == 1]
        spelled = [element.name for element in top] if len(top) == len(names) else names
        columns = _core.unique_columns(spelled)
        renamed = _core.renamed_columns(spelled, columns)
        notes: list[RawNote] = [renamed] if renamed is not None else []
        notes += _rounded_notes(elements)
        exact: _Rows | None = None
        if len(top) == len(names) and any(element.plain and is_too_wide(element) for element in top):
            exact = _exact(path, names, kinds, top, notes, columns)
    except duckdb.Error as error:
        # The file is called as the user calls it, and the copy without annotations as the file.
        first = re.sub(r"""(["'])[^"']*/plain\.parquet\1""", f"`{path.name}`", str(error).splitlines()[0])
        message = f"cannot be read as Parquet: {first}"
        raise SourceError(message, hint=DAMAGED_HINT) from error
    return Parquet(
        list(zip(columns, kinds, strict=True)),
        names,
        counted[0] if counted else 0,
        notes,
        scan=scan if exact is None else None,
        stream=exact,
    )


def _scan(path: Path) -> str:
    # A path is a pattern to DuckDB, and `year=2024` in it a column: neither is meant here.
    literal = quote_literal(re.sub(r"([*?\[])", r"[\1]", str(path)))
    return f"read_parquet({literal}, hive_partitioning = false)"


def _elements(path: Path) -> list[Element]:
    try:
        return read_schema(path)
    except ValueError:
        # DuckDB has read it: the footer is encrypted or of a later format, and its names are DuckDB's.
        return []


def _rounded_notes(elements: Sequence[Element]) -> Iterator[RawNote]:
    nested = [element.name for element in elements if is_too_wide(element) and not element.plain]
    if nested:
        message = f"decimals of more than {MOST_DIGITS} digits inside lists or structs were rounded to 15"
        yield "rounded-decimals", message, len(nested), nested[:3]


def _exact(
    path: Path,
    names: Sequence[str],
    kinds: list[str],
    top: Sequence[Element],
    notes: list[RawNote],
    columns: Sequence[str],
) -> _Rows:
    """Return the rows with the digits of wide decimals, and put their types into `kinds`."""
    import polars as pl  # noqa: PLC0415 -- loads slowly; only such a column needs it

    folder = tempfile.mkdtemp(prefix="debriefer-")
    try:
        copy = Path(folder) / "plain.parquet"
        shutil.copyfile(path, copy)
        wide = [at for at, element in enumerate(top) if element.plain and is_too_wide(element) and element.annotation]
        with copy.open("r+b") as stream:
            for at in wide:
                place, delta = without_annotation(top[at])
                stream.seek(place)
                kind = stream.read(1)[0] & 15
                stream.seek(place)
                stream.write(bytes([delta << 4 | kind]))
        connection = duckdb.connect()
        scan = _scan(copy)
        series = []
        for at in wide:
            texts, kinds[at] = _digits(connection, scan, names[at], top[at].scale)
            series.append(texts.alias(f"d{at}"))
            message = f"`{columns[at]}` is a decimal of {top[at].precision} digits: kept as {kinds[at]}"
            notes.append(("wide-numbers", message, len(texts) - texts.null_count(), ()))
        connection.register(_FRAME, ArrowStream(pl.DataFrame(series)))
        items = ", ".join(
            f"{_FRAME}.d{at} AS {quote_identifier(name)}" if at in wide else f"file.{quote_identifier(name)}"
            for at, name in enumerate(names)
        )
        rows = _Rows(connection, f"SELECT {items} FROM {scan} AS file POSITIONAL JOIN {_FRAME}")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(rows, shutil.rmtree, folder, ignore_errors=True)
    return rows


def _digits(connection: duckdb.DuckDBPyConnection, scan: str, name: str, scale: int) -> tuple[pl.Series, str]:
    """Return the values of a column as text, and the type that holds them all."""
    import polars as pl  # noqa: PLC0415 -- loads slowly; only such a column needs it

    result = connection.execute(f"SELECT {quote_identifier(name)} FROM {scan}")
    texts = pl.Series([], dtype=pl.String)
    longest = 0
    while rows := result.fetchmany(_ROWS_AT_ONCE):
        # Two's complement, the highest byte first.
        values = [None if cell is None else int.from_bytes(cell, "big", signed=True) for (cell,) in rows]
        present = [value for value in values if value is not None]
        longest = max(longest, *(len(str(abs(value))) for value in present), 0)
        texts.append(pl.Series([None if v is None else _spelled(v, scale) for v in values], dtype=pl.String))
    if longest > MOST_DIGITS or not 0 <= scale <= MOST_DIGITS:
        return texts, "VARCHAR"
    return texts, f"DECIMAL({MOST_DIGITS},{scale})" if scale else "HUGEINT"


def _spelled(unscaled: int, scale: int) -> str:
    if scale <= 0:
        return str(unscaled * 10**-scale)
    digits = str(abs(unscaled)).zfill(scale + 1)
    return f"{'-' if unscaled < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
