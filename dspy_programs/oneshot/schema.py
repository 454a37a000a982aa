"""A catalog's tables in as few tokens as a small model needs to write SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from debriefer.catalog import Catalog, Table
from debriefer.catalog.identifiers import quote_identifier
from debriefer.errors import SqlError
from debriefer.models import count_tokens, neutralise
from dspy_programs.solver.tables import quote_if_needed, words

_EXAMPLE_ROWS = 50
_EXAMPLES = 2
_EXAMPLE_CHARACTERS = 24


def describe_schema(
    catalog: Catalog,
    *,
    question: str = "",
    budget: int | None = None,
    examples: bool = True,
    only: Collection[str] = (),
    count: Callable[[str], int] = count_tokens,
) -> str:
    """Describe tables, a line each with its columns and types, then how they refer to each other.

    The same text for all questions on a catalog, unless it does not fit: then sample values go first, then the columns
    of tables that share least with the question, then these tables, and a last line says so.

    Args:
        catalog: The catalog.
        question: Text whose words decide what stays.
        budget: Largest size, in the units of `count`; `None` for no limit.
        examples: Whether sample values of text columns are shown.
        only: Canonical names of the tables to describe; all where it is empty.
        count: Size of a text.
    """
    tables = [table for name, table in catalog.tables.items() if not only or name in only]
    if not tables:
        return "(there is no table)"
    references = _references(tables)
    full = {table.name: _line(catalog, table, examples=examples) for table in tables}
    text = "\n".join([*full.values(), *references])
    if budget is None or count(text) <= budget:
        return text
    shown = {table.name: _line(catalog, table, examples=False) for table in tables}
    wanted = words(question)
    order = sorted(shown, key=lambda name: (len(wanted & words(shown[name])), -len(shown[name]), name))
    left_out: list[str] = []
    for name in order[:-1]:
        if count("\n".join([*shown.values(), *references])) <= budget:
            break
        del shown[name]
        left_out.append(name)
        references = _references([catalog.tables[kept] for kept in shown])
    note = [f"(left out for lack of room: {len(left_out)} tables)"] if left_out else []
    text = "\n".join([*shown.values(), *references, *note])
    if count(text) > budget:
        text = text[: max(1, int(len(text) * budget / count(text)))] + " …"
    return text


def _line(catalog: Catalog, table: Table, *, examples: bool) -> str:
    samples = _samples(catalog, table) if examples else {}
    columns = []
    for column in table.columns:
        found = samples.get(column.name)
        shown = f" ({found})" if found else ""
        columns.append(f"{quote_if_needed(column.name)} {column.sql_type}{shown}")
    rows = f" -- {table.row_count} rows" if examples else ""
    return neutralise(f"{quote_if_needed(table.name)}: {', '.join(columns)}{rows}")


def _samples(catalog: Catalog, table: Table) -> dict[str, str]:
    """Return the first distinct values of each text column, short ones only."""
    texts = [column for column in table.columns if column.sql_type == "VARCHAR"]
    if not texts:
        return {}
    names = ", ".join(quote_identifier(column.name) for column in texts)
    try:
        rows = catalog.preview(f"SELECT {names} FROM {quote_identifier(table.name)} LIMIT {_EXAMPLE_ROWS}").rows
    except SqlError:
        # Two columns of one name cannot be told apart by SQL.
        return {}
    found: dict[str, str] = {}
    for place, column in enumerate(texts):
        values = dict.fromkeys(str(row[place]) for row in rows if row[place] is not None)
        short = [value for value in values if value and len(value) <= _EXAMPLE_CHARACTERS and value.isprintable()]
        quoted = ["'" + value.replace("'", "''") + "'" for value in short[:_EXAMPLES]]
        if quoted:
            found[column.name] = ", ".join(quoted)
    return found


def related_tables(catalog: Catalog, named: Collection[str]) -> frozenset[str]:
    """Return tables with those by which they are joined: all on a shortest way from one of them to another.

    Args:
        catalog: The catalog.
        named: Canonical names; what is no table is passed over.

    Returns:
        Names of tables; empty where no table is named.
    """
    neighbours: dict[str, set[str]] = {name: set() for name in catalog.tables}
    for join in _joins(list(catalog.tables.values())):
        neighbours[join.table].add(join.other)
        neighbours[join.other].add(join.table)
    wanted = sorted(name for name in set(named) if name in neighbours)
    found = set(wanted)
    for place, start in enumerate(wanted):
        for end in wanted[place + 1 :]:
            found.update(_way(neighbours, start, end))
    return frozenset(found)


def _way(neighbours: Mapping[str, set[str]], start: str, end: str) -> Sequence[str]:
    """Return the tables on a shortest way, the first by name of equals; nothing where there is none."""
    ways = {start: [start]}
    queue = [start]
    for name in queue:
        if name == end:
            return ways[name]
        for other in sorted(neighbours[name]):
            if other not in ways:
                ways[other] = [*ways[name], other]
                queue.append(other)
    return ()


@dataclass(frozen=True, slots=True)
class _Join:
    table: str
    column: str
    other: str
    other_column: str

    def text(self) -> str:
        return f"{_column(self.table, self.column)} = {_column(self.other, self.other_column)}"


def _references(tables: Sequence[Table]) -> list[str]:
    """Return how tables are joined, as one line of conditions; none where there is no way."""
    found = dict.fromkeys(join.text() for join in _joins(tables))
    return [neutralise("joins: " + "; ".join(list(found)[:_MOST_REFERENCES]))] if found else []


def _joins(tables: Sequence[Table]) -> list[_Join]:
    """Return the keys by which tables are joined: declared ones, and between others columns of one name."""
    names = {table.name for table in tables}
    found = [
        _Join(table.name, key.column, key.to_table, key.to_column)
        for table in tables
        for key in table.foreign_keys
        if key.to_table in names and key.to_table != table.name
    ]
    declared = {frozenset((join.table, join.other)) for join in found}
    for place, table in enumerate(tables):
        for other in tables[place + 1 :]:
            if frozenset((table.name, other.name)) in declared:
                continue
            theirs = {column.name.casefold(): column.name for column in other.columns}
            for column in table.columns:
                same = theirs.get(column.name.casefold())
                if same is not None and column.name.casefold() not in _COMMON:
                    found.append(_Join(table.name, column.name, other.name, same))
    return found


# Columns that tables of unrelated things share.
_COMMON = frozenset({"id", "name", "名称", "date", "日期", "year", "年份", "type", "类型", "description"})
_MOST_REFERENCES = 30


def _column(table: str, column: str) -> str:
    return f"{quote_if_needed(table)}.{quote_if_needed(column)}"
