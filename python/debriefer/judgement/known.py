"""Whether names that were read off a slide are values of the task's tables."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.catalog.sides import SIDE_KINDS
from debriefer.judgement.cells import number


def misread_names(catalog: Catalog, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names among some rows that no table holds, where tables hold others of the same column.

    A column of which the tables hold no name at all is called otherwise in the data, and tells nothing.

    Args:
        catalog: The task's tables.
        rows: Rows of equal length; numbers and blanks are no names.
    """
    missing: list[str] = []
    for column in zip(*rows, strict=True):
        names = list(dict.fromkeys(cell for cell in column if cell.strip() and number(cell) is None))
        known = _known(catalog, names) if names else set()
        missing += [name for name in names if known and name not in known]
    return missing


def _known(catalog: Catalog, names: Sequence[str]) -> set[str]:
    wanted = ", ".join(map(quote_literal, names))
    parts = [
        f"SELECT {column} AS name FROM {quote_identifier(table.name)} WHERE {column} IN ({wanted})"
        for table in catalog.tables.values()
        if table.kind not in SIDE_KINDS
        for column in (quote_identifier(each.name) for each in table.columns if each.sql_type == "VARCHAR")
    ]
    if not parts:
        return set()
    query = f"SELECT DISTINCT name FROM ({' UNION ALL '.join(parts)})"
    return {str(row[0]) for row in catalog.preview(query, limit=len(names)).rows}
