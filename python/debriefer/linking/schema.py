"""The tables and columns of a catalog as names are looked up in a question."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from debriefer.catalog import Catalog, Table
from debriefer.linking.question import units
from debriefer.linking.words import compact, word_set

# Words that say of a name what kind of name it is, and little of what it names.
_GENERAL = word_set(
    """
    id name code number key uid uuid 编号 名称 代码 编码 名
    """
)
_GENERAL_WEIGHT = 0.6
# The table's own name inside a column's: `singer_name` in `singer`.
_OWN_WEIGHT = 0.35
_IDENTIFIER = re.compile(r"(?:^|_|\b)(?:id|uuid|uid|key)$|[a-z]I[Dd]$|(?:编号|代码|编码|ID|id)$")
_NAMING = re.compile(r"(?:^|_|\b)(?:name|title)$|[a-z](?:Name|Title)$|(?:名称|姓名|名字|名|标题)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a table or column, by the units that it is looked up by.

    Attributes:
        text: In normal form without white space.
        weights: Each unit and how much of the name it carries; they add up to 1.
    """

    text: str
    weights: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class LinkedColumn:
    """A column.

    Attributes:
        table: Canonical name of its table.
        column: Name in the source's spelling.
        name: The name's units.
        sql_type: DuckDB type.
        identifier: Whether its name or its table says that it identifies rows.
        naming: Whether its name says that it names a row for a person.
    """

    table: str
    column: str
    name: Name
    sql_type: str
    identifier: bool
    naming: bool


class Vocabulary:
    """Every name of a catalog's own tables, read once."""

    def __init__(self, catalog: Catalog) -> None:
        """Read the names of `catalog`."""
        self.tables: tuple[Table, ...] = catalog.source_tables
        named = [units(table.source_name) for table in self.tables]
        self._counts = Counter(unit for found in named for unit in set(found))
        self._counts.update(
            unit for table in self.tables for column in table.columns for unit in set(units(column.name))
        )
        self._size = len(self.tables) + sum(len(table.columns) for table in self.tables)
        self.table_names = {
            table.name: self._name(table.source_name, found, ())
            for table, found in zip(self.tables, named, strict=True)
        }
        self.columns: tuple[LinkedColumn, ...] = tuple(self._columns())
        same: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for column in self.columns:
            same[units(column.column)].append((column.table, column.column))
        # For each column, those that are called the same, itself among them.
        self.rivals = {(c.table, c.column): tuple(same[units(c.column)]) for c in self.columns}
        self.spellings = frozenset(
            [c.column.casefold() for c in self.columns] + [table.source_name.casefold() for table in self.tables]
        )
        self.titles = {table.name: table.source_name for table in self.tables}
        self.schema = {table.name: table.column_names for table in self.tables}

    @property
    def units(self) -> Collection[str]:
        """Every unit of a name."""
        return self._counts.keys()

    def rarity(self, unit: str) -> float:
        """Return how much a unit tells apart: large where few names hold it."""
        return math.log(1 + (self._size + 1) / (self._counts.get(unit, 0) + 0.5))

    def _columns(self) -> Iterator[LinkedColumn]:
        for table in self.tables:
            own = units(table.source_name)
            for column in table.columns:
                yield LinkedColumn(
                    table=table.name,
                    column=column.name,
                    name=self._name(column.name, units(column.name), own),
                    sql_type=column.sql_type,
                    identifier=column.name in table.primary_key or bool(_IDENTIFIER.search(column.name.strip())),
                    naming=bool(_NAMING.search(column.name.strip())),
                )

    def _name(self, text: str, found: Sequence[str], own: Sequence[str]) -> Name:
        weights = dict.fromkeys(found, 0.0)
        for unit in weights:
            weight = self.rarity(unit)
            if len(weights) > 1 and unit in _GENERAL:
                weight *= _GENERAL_WEIGHT
            if len(weights) > len(set(own) & set(weights)) and unit in own:
                weight *= _OWN_WEIGHT
            weights[unit] = weight
        total = sum(weights.values()) or 1.0
        return Name(compact(text), tuple((unit, weight / total) for unit, weight in weights.items()))
