"""Results of statements as Polars frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from debriefer.catalog.door import without_terminator
from debriefer.catalog.far_times import far_as_text, holds_stand_in, is_temporal

if TYPE_CHECKING:
    import polars as pl

# Polars cannot import these Arrow types, alone or inside others; as text they keep their value.
_AS_TEXT = ("INTERVAL", "BIT", "UNION", "VARIANT", "TIME WITH TIME ZONE", "GEOMETRY")


def result_frame(cursor: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    """Run `query` and return its whole result; column names that occur twice get a suffix (`name_2`).

    A column that holds an infinite date or moment, or one outside the years 1 to 9999, is text.
    """
    import polars as pl  # noqa: PLC0415 -- 40 MB that who only builds, lists and previews is spared

    relation = cursor.sql(query)
    names = unique_names(relation.columns)
    casts = [_imported_as(str(sql_type).upper()) for sql_type in relation.types]
    if list(relation.columns) == names and not any(casts):
        return far_as_text(pl.DataFrame(relation))
    plain = [f"c{i}" for i in range(len(names))]
    items = ", ".join(f"{c}::{cast} AS {c}" if cast else c for c, cast in zip(plain, casts, strict=True))
    inner = without_terminator(query)
    frame = pl.DataFrame(cursor.sql(f"SELECT {items} FROM ({inner}) AS result({', '.join(plain)})"))
    return far_as_text(frame.rename(dict(zip(plain, names, strict=True))))


def _imported_as(sql_type: str) -> str | None:
    """Return the type as which Polars can import a column, `None` where it is its own."""
    if sql_type == "TIMESTAMP_S":
        # Polars has no seconds, and what is infinite in them would become a moment of 1970.
        return "TIMESTAMP"
    return "VARCHAR" if any(kind in sql_type for kind in (*_AS_TEXT, "TIMESTAMP_S")) else None


def without_stand_ins(
    cursor: duckdb.DuckDBPyConnection, query: str, types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Sequence[tuple[Any, ...]]:
    """Return the first rows of a query with infinite dates and moments as text, where DuckDB's client makes some up.

    Args:
        cursor: Where the query runs once more, if `rows` hold what may be made up.
        query: The statement that gave `rows`.
        types: DuckDB types of the columns.
        rows: The first rows of its result.
    """
    suspects = [
        number
        for number, sql_type in enumerate(types)
        if is_temporal(sql_type) and any(holds_stand_in(row[number]) for row in rows)
    ]
    if not suspects:
        return rows
    plain = [f"c{i}" for i in range(len(types))]
    texts = ", ".join(f"c{i}::VARCHAR" for i in suspects)
    inner = without_terminator(query)
    cursor.execute(f"SELECT *, {texts} FROM ({inner}) AS result({', '.join(plain)}) LIMIT {len(rows)}")
    again = []
    for row in cursor.fetchall():
        values = list(row[: len(types)])
        for number, text in zip(suspects, row[len(types) :], strict=True):
            if holds_stand_in(values[number]) and "infinity" in text:
                values[number] = text
        again.append(tuple(values))
    return again


def unique_names(names: Sequence[str]) -> list[str]:
    """Return `names` with a number behind each that occurred before, never one that another column has.

    >>> unique_names(["a", "a", "a_2"])
    ['a', 'a_3', 'a_2']
    """
    seen: set[str] = set()
    result = []
    for name in names:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in names):
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate)
        result.append(candidate)
    return result
