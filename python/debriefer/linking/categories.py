"""Columns of few different texts: their cells are known one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier
from debriefer.errors import SqlError

# Columns of more different texts hold names, not kinds.
MOST_CELLS = 40
# Columns of one catalog that are looked at.
_MOST_COLUMNS = 1000
_LONGEST = 60
_NUMBER = re.compile(r"^(?:U?(?:TINY|SMALL|BIG)INT|U?INTEGER|DOUBLE|BOOLEAN)")
_FLAGS = (
    ("1", "0"),
    ("1.0", "0.0"),
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("是", "否"),
    ("有", "无"),
    ("有", "没有"),
)


@dataclass(frozen=True, slots=True)
class Category:
    """A column of few different texts.

    Attributes:
        table: Canonical name of its table.
        column: Name in the source's spelling.
        cells: Each text and how often it occurs, in order.
        affirmative: The cell that says yes where the column holds nothing but yes and no.
    """

    table: str
    column: str
    cells: tuple[tuple[str, int], ...]
    affirmative: str | None

    def holders(self) -> Counter[str]:
        """Return how many of the texts hold each character."""
        return Counter(c for cell, _ in self.cells for c in set(cell))


def categories(catalog: Catalog) -> Iterator[Category]:
    """Yield the columns of few different texts, in the order of tables and columns."""
    columns = [(table.name, c) for table in catalog.source_tables for c in table.columns]
    looked_at = [(table, c) for table, c in columns if c.sql_type == "VARCHAR" or _NUMBER.match(c.sql_type)]
    for table, typed in looked_at[:_MOST_COLUMNS]:
        column, text = typed.name, typed.sql_type == "VARCHAR"
        name = quote_identifier(column)
        # Of numbers only those that say yes and no are kinds.
        most = MOST_CELLS if text else 2
        try:
            found = catalog.preview(
                f"SELECT {name}::VARCHAR AS v, count(*) AS n FROM {quote_identifier(table)} "
                f"WHERE {name} IS NOT NULL AND length({name}::VARCHAR) <= {_LONGEST} "
                f"GROUP BY v ORDER BY v LIMIT {most + 1}",
                most + 1,
            ).rows
        except SqlError:
            # Two columns of one name cannot be told apart by SQL.
            continue
        cells = tuple((str(cell), int(count)) for cell, count in found[:most])
        affirmative = _affirmative([cell for cell, _ in cells])
        if cells and len(found) <= most and (text or affirmative is not None):
            yield Category(table, column, cells, affirmative)


def _affirmative(cells: list[str]) -> str | None:
    lowered = {cell.strip().casefold(): cell for cell in cells}
    for yes, no in _FLAGS:
        if yes in lowered and set(lowered) <= {yes, no}:
            return lowered[yes]
    return None
