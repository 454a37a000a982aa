"""What others do for linking: BM25 over descriptions of tables and columns, and fuzzy search over all cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rank_bm25 import BM25Okapi
from rapidfuzz import fuzz, process

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier

Place = tuple[str, str]

_WORD = re.compile(r"[a-z]+|\d+|[\u3400-\u9fff]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A cell that fits less well is no link; the usual cut of such code.
_CUTOFF = 90
_MOST_VALUES = 20
_SHORTEST = 2


def words(text: str) -> list[str]:
    """Return words in lower case without plural endings, Chinese ones as pairs of characters and single ones.

    >>> words("StadiumNames 球员")
    ['stadium', 'name', '球', '员', '球员']
    """
    found = [word.rstrip("s") or word for word in _WORD.findall(_CAMEL.sub(" ", text).casefold())]
    for run in re.findall(r"[\u3400-\u9fff]+", text):
        found += [run[at : at + 2] for at in range(len(run) - 1)]
    return found


class Bm25:
    """Ranks the tables and the columns of a catalog by BM25, as retrieval over a schema is usually done.

    A table's document is its name and those of its columns, a column's its name, its table's, and what the task's
    knowledge says in the lines that name it.
    """

    def __init__(self, catalog: Catalog, knowledge: str) -> None:
        self._tables = [table.name for table in catalog.source_tables]
        self._columns = [(table.name, c.name) for table in catalog.source_tables for c in table.columns]
        lines = knowledge.splitlines()
        tables = [words(" ".join([table.source_name, *table.column_names])) for table in catalog.source_tables]
        columns = [
            words(" ".join([column.name, table.source_name, *(line for line in lines if column.name in line)]))
            for table in catalog.source_tables
            for column in table.columns
        ]
        self._by_table = BM25Okapi([found or ["-"] for found in tables])
        self._by_column = BM25Okapi([found or ["-"] for found in columns])

    def rank(self, question: str) -> tuple[list[str], list[Place]]:
        """Return tables and columns, best first."""
        asked = words(question)
        tables = sorted(zip(-self._by_table.get_scores(asked), self._tables, strict=True))
        columns = sorted(zip(-self._by_column.get_scores(asked), self._columns, strict=True))
        return [table for _, table in tables], [column for _, column in columns]


class Fuzzy:
    """Ranks names by `rapidfuzz.fuzz.partial_ratio`, and finds cells that the question holds nearly whole."""

    def __init__(self, catalog: Catalog) -> None:
        self._tables = [table.name for table in catalog.source_tables]
        self._columns = [(table.name, c.name) for table in catalog.source_tables for c in table.columns]
        self._cells: list[str] = []
        self._places: list[Place] = []
        for table in catalog.source_tables:
            for column in table.columns:
                name = quote_identifier(column.name)
                cells = catalog.preview(
                    f"SELECT DISTINCT {name}::VARCHAR AS v FROM {quote_identifier(table.name)} "
                    f"WHERE length({name}::VARCHAR) BETWEEN {_SHORTEST} AND 200 ORDER BY v",
                    2_000_000,
                )
                self._cells += [cell for (cell,) in cells.rows]
                self._places += [(table.name, column.name)] * len(cells.rows)
        self._lowered = [cell.casefold() for cell in self._cells]

    def rank(self, question: str) -> tuple[list[str], list[Place]]:
        """Return tables and columns, best first."""
        asked = question.casefold()

        def order(names: Sequence[str]) -> list[int]:
            scores = [fuzz.partial_ratio(name.replace("_", " ").casefold(), asked) for name in names]
            return sorted(range(len(names)), key=lambda at: (-scores[at], at))

        tables = [self._tables[at] for at in order(self._tables)]
        return tables, [self._columns[at] for at in order([column for _, column in self._columns])]

    def find(self, question: str) -> list[tuple[str, str, str]]:
        """Return table, column and cell of what the question nearly holds, best first."""
        found = process.extract(
            question.casefold(), self._lowered, scorer=fuzz.partial_ratio, score_cutoff=_CUTOFF, limit=_MOST_VALUES
        )
        return [(*self._places[at], self._cells[at]) for _, _, at in found]
