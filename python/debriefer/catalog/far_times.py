"""Dates and times that Python and Polars have no value for: infinity, and years before 1 or after 9999.

DuckDB's client hands out the last moment of 9999 for infinity, and Polars overflows. They are shown as DuckDB writes
them: `infinity`, `-infinity`, `10000-01-01`, `0044-03-15 (BC)`.
"""

from __future__ import annotations

__all__ = ["far_as_text", "holds_stand_in", "is_temporal"]

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb

from debriefer.catalog.arrow_stream import ArrowStream

if TYPE_CHECKING:
    import polars as pl

# Days from 0001-01-01 to 9999-12-31, counted from 1970-01-01.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_SECONDS_A_DAY = 86_400
_UNITS_A_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
# Infinity in every unit; in nanoseconds it lies within the bounds of the years.
_INFINITE = 2**63 - 1
# What DuckDB's client hands out for infinity and for its negative, without a zone even for moments that have one.
_STAND_INS = frozenset((dt.date.max, dt.date.min, dt.datetime.max, dt.datetime.min))  # noqa: DTZ901


def is_temporal(sql_type: str) -> bool:
    """Return whether values of a DuckDB type hold dates or moments, at any depth.

    >>> [is_temporal(kind) for kind in ("DATE[]", "TIMESTAMP WITH TIME ZONE", "TIME", "VARCHAR")]
    [True, True, False, False]
    """
    return "DATE" in sql_type or "TIMESTAMP" in sql_type


def holds_stand_in(value: object) -> bool:
    """Return whether a value of DuckDB's client is, or holds, what may stand in for an infinite date or moment."""
    if isinstance(value, dt.date):
        return (value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value) in _STAND_INS
    if isinstance(value, Mapping):
        return any(holds_stand_in(item) for pair in value.items() for item in pair)
    return isinstance(value, list | tuple) and any(holds_stand_in(item) for item in value)


def far_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return `frame` with each column that holds such a date or moment, at any depth, as DuckDB's text of it."""
    import polars as pl  # noqa: PLC0415 -- who only builds, lists and previews needs none

    columns = frame.get_columns()
    far = [_is_far(column.dtype, column.to_physical()) if _may_be(column.dtype) else False for column in columns]
    if not any(far):
        return frame
    return pl.DataFrame([_text(column) if beyond else column for column, beyond in zip(columns, far, strict=True)])


def _may_be(kind: pl.DataType) -> bool:
    import polars as pl  # noqa: PLC0415

    return kind.is_nested() or isinstance(kind, pl.Date | pl.Datetime)


def _is_far(kind: pl.DataType, physical: pl.Series) -> bool:
    """Whether the numbers behind a column of a type hold a date or moment outside the years 1 to 9999."""
    import polars as pl  # noqa: PLC0415

    if not _may_be(kind):
        return False
    if isinstance(kind, pl.Date | pl.Datetime):
        low, high = physical.min(), physical.max()
        if not isinstance(low, int) or not isinstance(high, int):
            return False
        unit = 1 if isinstance(kind, pl.Date) else _SECONDS_A_DAY * _UNITS_A_SECOND[kind.time_unit]
        return low < _FIRST_DAY * unit or high >= (_LAST_DAY + 1) * unit or low == -_INFINITE or high == _INFINITE
    if isinstance(kind, pl.Struct):
        return any(_is_far(_known(field.dtype), physical.struct.field(field.name)) for field in kind.fields)
    values = physical.explode()
    if isinstance(kind, pl.List | pl.Array):
        return _is_far(_known(kind.inner), values)
    # Maps, which earlier versions of Polars give as lists.
    return any(_is_far(getattr(kind, part), values.struct.field(part)) for part in ("key", "value"))


def _known(kind: Any) -> pl.DataType:  # noqa: ANN401 -- Polars also takes the class for the type
    known: pl.DataType = kind() if isinstance(kind, type) else kind
    return known


def _text(column: pl.Series) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("far", ArrowStream(column.alias("value").to_frame()))
        return pl.DataFrame(connection.sql("SELECT value::VARCHAR AS value FROM far"))["value"].alias(column.name)
