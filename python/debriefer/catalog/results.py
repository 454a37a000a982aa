"""Results of statements as Polars frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import duckdb

from debriefer.catalog.door import without_terminator

if TYPE_CHECKING:
    import polars as pl

# Polars cannot import these Arrow types, alone or inside others; as text they keep their value.
_AS_TEXT = ("INTERVAL", "BIT", "UNION", "VARIANT", "TIME WITH TIME ZONE", "GEOMETRY")


def result_frame(cursor: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    """Run `query` and return its whole result; column names that occur twice get a suffix (`name_2`)."""
    import polars as pl  # noqa: PLC0415 -- 40 MB that who only builds, lists and previews is spared

    relation = cursor.sql(query)
    names = unique_names(relation.columns)
    as_text = [any(kind in str(sql_type).upper() for kind in _AS_TEXT) for sql_type in relation.types]
    if list(relation.columns) == names and not any(as_text):
        return pl.DataFrame(relation)
    plain = [f"c{i}" for i in range(len(names))]
    items = ", ".join(f"{c}::VARCHAR AS {c}" if text else c for c, text in zip(plain, as_text, strict=True))
    inner = without_terminator(query)
    frame = pl.DataFrame(cursor.sql(f"SELECT {items} FROM ({inner}) AS result({', '.join(plain)})"))
    return frame.rename(dict(zip(plain, names, strict=True)))


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
