"""Join keys of a catalog: declared ones, and columns whose values lie within another's."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from debriefer.catalog import Catalog, Table
from debriefer.catalog.identifiers import quote_identifier
from debriefer.errors import SqlError
from debriefer.linking.model import JoinKey
from debriefer.linking.question import units
from debriefer.linking.words import compact

# Share of the different values that must occur in the other column; a few may be stray.
INCLUSION = 0.9
# Pairs of columns that are compared value by value in one catalog, most promising first.
MOST_COMPARED = 400
# A handful of small numbers lies in any row of ids.
_LEAST_SHARE = 0.02
_COLUMNS_AT_ONCE = 64
_LONGEST_PATH = 4
_NUMBER = re.compile(r"^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|DOUBLE|FLOAT)")
_TEXT = re.compile(r"^(?:VARCHAR|UUID)")
_KEY_UNITS = frozenset(("id", "code", "number", "key", "编号", "代码", "编码"))


@dataclass(frozen=True, slots=True)
class _Measured:
    """A column and what one pass over its table counts."""

    table: Table
    column: str
    kind: str
    distinct: int
    present: int
    least: str
    most: str
    low: float | None
    high: float | None

    @property
    def unique(self) -> bool:
        """Whether no value occurs twice."""
        return self.distinct == self.present > 0

    @property
    def key_like(self) -> bool:
        """Whether its name says that it identifies something."""
        return self.column in self.table.primary_key or bool(_KEY_UNITS & set(units(self.column)[-1:]))


class Joins:
    """The join keys of a catalog's own tables, found once."""

    def __init__(self, catalog: Catalog) -> None:
        """Collect declared references and compare values."""
        self.keys: tuple[JoinKey, ...] = tuple(sorted(_keys(catalog), key=_order))
        # For each table, the other end of each key and the key, best first.
        self._steps: dict[str, list[tuple[str, JoinKey]]] = defaultdict(list)
        for key in self.keys:
            self._steps[key.table].append((key.to_table, key))
            self._steps[key.to_table].append((key.table, key))

    def between(self, tables: Collection[str]) -> tuple[JoinKey, ...]:
        """Return the keys between any two of `tables`, best first."""
        return tuple(key for key in self.keys if key.table in tables and key.to_table in tables)

    def path(self, sources: Collection[str], target: str) -> tuple[JoinKey, ...] | None:
        """Return the shortest walk over keys from any of `sources` to `target`, of equally short ones the surest."""
        reached: dict[str, tuple[JoinKey, ...]] = dict.fromkeys(sorted(sources), ())
        queue = deque(sorted(sources))
        while queue:
            here = queue.popleft()
            if here == target:
                return reached[here]
            if len(reached[here]) == _LONGEST_PATH:
                continue
            for other, key in self._steps[here]:
                if other not in reached:
                    reached[other] = (*reached[here], key)
                    queue.append(other)
        return None


def _order(key: JoinKey) -> tuple[float, str, str, str, str]:
    return (-key.score, key.table, key.column, key.to_table, key.to_column)


def _keys(catalog: Catalog) -> Iterator[JoinKey]:
    measured = {
        (table.name, column.column): column for table in catalog.source_tables for column in _measure(catalog, table)
    }
    declared: set[tuple[str, str]] = set()
    for table in catalog.source_tables:
        for reference in table.foreign_keys:
            one = _spelt(measured, table.name, reference.column)
            other = _spelt(measured, reference.to_table, reference.to_column)
            if one is not None and other is not None:
                declared.add((one.table.name, one.column))
                included = _inclusion(catalog, one, other)
                yield _key(one, other, 1.0 if included is None else included, 1.0, "the source declares it", True)
    candidates = sorted(
        (-score, one.table.name, one.column, other.table.name, other.column)
        for one in measured.values()
        if (one.table.name, one.column) not in declared
        for other in measured.values()
        if (score := _promise(one, other)) > 0
    )
    for negative, *ends in candidates[:MOST_COMPARED]:
        one, other = measured[ends[0], ends[1]], measured[ends[2], ends[3]]
        included = _inclusion(catalog, one, other)
        if included is not None and included >= INCLUSION:
            score = min(0.97, -negative * included)
            reason = f"{included:.0%} of its {one.distinct} values are among {other.distinct}"
            if one.distinct < _LEAST_SHARE * other.distinct and not _agree(one, other):
                score *= 0.5
            yield _key(one, other, included, score, reason, False)


def _key(one: _Measured, other: _Measured, included: float, score: float, reason: str, declared: bool) -> JoinKey:
    return JoinKey(
        table=one.table.name,
        column=one.column,
        to_table=other.table.name,
        to_column=other.column,
        inclusion=round(included, 4),
        to_one=other.unique,
        declared=declared,
        score=round(score, 4),
        reason=reason,
    )


def _spelt(measured: Mapping[tuple[str, str], _Measured], table: str, column: str) -> _Measured | None:
    wanted = (table.casefold(), column.casefold())
    return next((m for (t, c), m in measured.items() if (t.casefold(), c.casefold()) == wanted), None)


def _measure(catalog: Catalog, table: Table) -> Iterator[_Measured]:
    columns = [c for c in table.columns if _NUMBER.match(c.sql_type) or _TEXT.match(c.sql_type)]
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        part = columns[start : start + _COLUMNS_AT_ONCE]
        counts = []
        for column in part:
            name = quote_identifier(column.name)
            number = _NUMBER.match(column.sql_type) is not None
            ends = f"min({name})::DOUBLE, max({name})::DOUBLE" if number else "NULL, NULL"
            counts.append(f"count(DISTINCT {name}), count({name}), min({name})::VARCHAR, max({name})::VARCHAR, {ends}")
        try:
            row = catalog.preview(f"SELECT {', '.join(counts)} FROM {quote_identifier(table.name)}", 1).rows[0]
        except SqlError:
            # Two columns of one name cannot be told apart by SQL, and so not be joined by either.
            continue
        for place, column in enumerate(part):
            distinct, present, least, most, low, high = row[place * 6 : place * 6 + 6]
            kind = "number" if _NUMBER.match(column.sql_type) else "text"
            yield _Measured(table, column.name, kind, distinct, present, least or "", most or "", low, high)


def _promise(one: _Measured, other: _Measured) -> float:
    """Return how likely `one` refers to `other` by what is known before values are compared; 0 for not at all."""
    same_table = one.table.name == other.table.name
    if same_table or one.kind != other.kind or not one.distinct or not other.distinct:
        return 0.0
    if one.distinct > other.distinct / INCLUSION or not _overlap(one, other):
        return 0.0
    agree = _agree(one, other)
    if not other.unique:
        # Many to many: only columns of one name, and texts that tell apart more than a few rows.
        return 0.55 * agree if agree >= 1.0 and one.kind == "text" and one.distinct > 2 else 0.0  # noqa: PLR2004
    if one.kind == "number" and not agree:
        # Small whole numbers lie within each other everywhere.
        return 0.3 if one.key_like and other.key_like else 0.0
    if not agree:
        return 0.6 if other.distinct > 2 and not one.unique else 0.45  # noqa: PLR2004
    # Of two tables with one key each, neither refers to the other by a bare `id`.
    bare = one.unique and one.key_like and units(one.column) == units(other.column) and len(units(one.column)) == 1
    return 0.4 if bare else min(0.95, 0.6 + 0.3 * agree + 0.05 * other.key_like)


def _overlap(one: _Measured, other: _Measured) -> bool:
    if one.low is not None and one.high is not None and other.low is not None and other.high is not None:
        return one.low <= other.high and other.low <= one.high
    return one.least <= other.most and other.least <= one.most


def _agree(one: _Measured, other: _Measured) -> float:
    """Return how well the names agree: 1 for the same name, less where one names the other's table, 0 for not."""
    name, to_name, to_table = compact(one.column), compact(other.column), compact(other.table.source_name)
    if name == to_name:
        # A bare `id` or `name` in two tables says nothing about a reference.
        return 1.0 if len(units(name)) > 1 or name not in {"id", "name", "名称", "编号", "key", "code"} else 0.0
    if name in (to_table + to_name, to_table):
        return 1.0
    own, target, table = set(units(one.column)), set(units(other.column)), set(units(other.table.source_name))
    telling = own - _KEY_UNITS
    if telling and telling <= table | target:
        return 0.8
    core = re.sub(r"(?:id|编号|代码|编码)$", "", name)
    if core and core != name and (to_table.endswith(core) or core.endswith(to_table)):
        return 0.8
    return 0.5 if telling & ((target | table) - _KEY_UNITS) else 0.0


def _inclusion(catalog: Catalog, one: _Measured, other: _Measured) -> float | None:
    """Return the share of the different values of `one` that occur in `other`; `None` where they do not compare."""
    inner, outer = quote_identifier(one.column), quote_identifier(other.column)
    query = (
        "SELECT count(*), count(*) FILTER "
        f"(WHERE v IN (SELECT {outer} FROM {quote_identifier(other.table.name)})) FROM "
        f"(SELECT DISTINCT {inner} AS v FROM {quote_identifier(one.table.name)} WHERE {inner} IS NOT NULL)"
    )
    try:
        total, inside = catalog.preview(query, 1).rows[0]
    except SqlError:
        return None
    return inside / total if total else None


def columns_of(keys: Sequence[JoinKey]) -> Iterator[tuple[str, str]]:
    """Yield both columns of each key."""
    for key in keys:
        yield key.table, key.column
        yield key.to_table, key.to_column
