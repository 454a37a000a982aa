"""Which cells of which columns hold a given text."""

from __future__ import annotations

import bisect
import string
from collections import defaultdict
from dataclasses import dataclass

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier
from debriefer.linking.words import normalise, stem

# Beyond this many different texts a catalog's widest columns are left out: the index is built in memory.
MOST_VALUES = 200_000
LONGEST_VALUE = 100
# A single character begins too many cells.
_SHORTEST_PART = 2
_EDGE = string.punctuation + "。，！？、；：“”‘’《》（）·… "


@dataclass(frozen=True, slots=True)
class Hit:
    """A column that holds the text.

    Attributes:
        table: Canonical name.
        column: Name of the column.
        raw: The cells that match, as stored.
        score: 1 for the same text, less where case, plural or an ending differ.
    """

    table: str
    column: str
    raw: tuple[str, ...]
    score: float


class ValueIndex:
    """The different texts of a catalog."""

    def __init__(self, catalog: Catalog) -> None:
        """Read the different values of the text columns of `catalog`, small columns first."""
        texts = [
            (table.name, column.name)
            for table in catalog.source_tables
            for column in table.columns
            if column.sql_type == "VARCHAR"
        ]
        counted = []
        for table, column in texts:
            query = f"SELECT count(DISTINCT {quote_identifier(column)}) FROM {quote_identifier(table)}"
            counted.append((int(catalog.preview(query, 1).rows[0][0]), table, column))
        self._exact: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
        self.left_out: list[tuple[str, str]] = []
        left = MOST_VALUES
        for count, table, column in sorted(counted):
            if count > left:
                self.left_out.append((table, column))
                continue
            left -= count
            name = quote_identifier(column)
            cells = catalog.preview(
                f"SELECT DISTINCT {name} AS v FROM {quote_identifier(table)} "
                f"WHERE {name} IS NOT NULL AND length({name}) <= {LONGEST_VALUE} ORDER BY v",
                MOST_VALUES,
            )
            for (cell,) in cells.rows:
                key = bare(cell)
                if key:
                    self._exact[key].setdefault((table, column), []).append(cell)
        self._forward = sorted(key for key in self._exact if len(key) >= _SHORTEST_PART)
        self._backward = sorted(key[::-1] for key in self._forward)

    def find(self, text: str) -> tuple[Hit, ...]:
        """Return the columns that hold `text`, whatever its case, number or closing punctuation."""
        key = bare(text)
        if not key:
            return ()
        hits = []
        for (table, column), raw in self._exact.get(key, {}).items():
            same = any(cell.strip() == text.strip() for cell in raw)
            hits.append(Hit(table, column, tuple(raw), 1.0 if same else 0.95))
        if not hits and key.isascii():
            words = key.split(" ")
            other = " ".join([*words[:-1], stem(words[-1])])
            if other != key:
                hits = [
                    Hit(table, column, tuple(raw), 0.85) for (table, column), raw in self._exact.get(other, {}).items()
                ]
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.table, hit.column)))

    def extended(self, text: str, *, most: int = 3) -> tuple[Hit, ...]:
        """Return columns whose cells begin or end with `text`; none where more than `most` texts do."""
        key = bare(text)
        found = {*_prefixed(self._forward, key, most + 1)}
        found.update(k[::-1] for k in _prefixed(self._backward, key[::-1], most + 1))
        found.discard(key)
        if not 0 < len(found) <= most:
            return ()
        columns: dict[tuple[str, str], list[str]] = defaultdict(list)
        longest = 0
        for other in sorted(found):
            longest = max(longest, len(other))
            for place, raw in self._exact[other].items():
                columns[place].extend(raw)
        score = 0.5 + 0.4 * len(key) / longest
        return tuple(Hit(table, column, tuple(raw), score) for (table, column), raw in sorted(columns.items()))


def bare(text: str) -> str:
    """Return `text` in normal form without punctuation at its ends.

    >>> bare("The Rise of the Blue Beetle! ")
    'the rise of the blue beetle'
    """
    key = normalise(text)
    return key.strip(_EDGE) or key


def _prefixed(keys: list[str], prefix: str, most: int) -> list[str]:
    start = bisect.bisect_left(keys, prefix)
    result = []
    for key in keys[start : start + most]:
        if not key.startswith(prefix):
            break
        result.append(key)
    return result
