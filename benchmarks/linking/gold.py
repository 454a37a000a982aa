"""Which tables, columns, cells and join keys a gold statement uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.errors import SqlError

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Gold:
    """What a statement names, under the catalog's names.

    Attributes:
        tables: Canonical names.
        columns: Table and column.
        literals: Table, column and stored cell of each constant that the statement compares a column with for
            equality, where the column holds it; constants that are no cell of it (`> 200`, `LIKE '%x%'`) are none.
        joins: Pairs of columns of two tables that are compared with each other, each pair sorted.
    """

    tables: frozenset[str]
    columns: frozenset[Place]
    literals: frozenset[tuple[str, str, str]]
    joins: frozenset[tuple[Place, Place]]


def gold_of(statement: str, catalog: Catalog) -> Gold | None:
    """Return what a statement in SQLite's dialect names, or `None` where it cannot be read or names no table."""
    try:
        tree = sqlglot.parse_one(statement, read="sqlite")
        names = _Names(catalog)
        scopes = list(traverse_scope(tree))
    except (SqlglotError, RecursionError):
        return None
    tables = {
        names.tables[source.name.casefold()]
        for scope in scopes
        for source in scope.sources.values()
        if isinstance(source, exp.Table) and source.name.casefold() in names.tables
    }
    places: dict[int, Place] = {}
    for scope in scopes:
        for column in scope.columns:
            place = names.resolve(column, scope)
            if place is not None:
                places[id(column)] = place
    literals = {
        cell for column, value in _compared(tree, places) for cell in _cells(catalog, places[id(column)], value)
    }
    ends = [(places.get(id(equal.left)), places.get(id(equal.right))) for equal in tree.find_all(exp.EQ)]
    joins = {(min(a, b), max(a, b)) for a, b in ends if a is not None and b is not None and a[0] != b[0]}
    if not tables:
        return None
    return Gold(
        frozenset(tables),
        frozenset(places.values()),
        frozenset(literals),
        frozenset(joins),
    )


class _Names:
    """Names of the catalog without regard to case."""

    def __init__(self, catalog: Catalog) -> None:
        self.tables: dict[str, str] = {}
        self.columns: dict[str, dict[str, str]] = {}
        for table in catalog.source_tables:
            for name in (*table.aliases, table.source_name, table.name):
                self.tables[name.casefold()] = table.name
            self.columns[table.name] = {column.name.casefold().strip(): column.name for column in table.columns}

    def resolve(self, column: exp.Column, scope: Scope | None) -> Place | None:
        """Return the column of the catalog; `None` for what a subquery names, or for a string in double quotes."""
        name = column.name.casefold().strip()
        while scope is not None:
            for alias, source in scope.sources.items():
                if column.table and column.table.casefold() != alias.casefold():
                    continue
                if isinstance(source, exp.Table):
                    table = self.tables.get(source.name.casefold())
                    if table is not None and name in self.columns[table]:
                        return table, self.columns[table][name]
                elif column.table:
                    return None
            scope = scope.parent
        return None


def _compared(tree: exp.Expr, places: Mapping[int, Place]) -> Iterator[tuple[exp.Column, str]]:
    """Yield each column that is compared with a constant for equality, and the constant.

    `LIKE '%x%'` is such a comparison where a cell is `x` as a whole.
    """
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.Like, exp.ILike):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            column, value = _column(one, places), _constant(other, places)
            if column is not None and value is not None:
                yield column, value.strip("%") if isinstance(node, exp.Like | exp.ILike) else value
    for among in tree.find_all(exp.In):
        column = _column(among.this, places)
        for other in among.expressions:
            value = _constant(other, places)
            if column is not None and value is not None:
                yield column, value


def _bare(node: exp.Expr | None) -> exp.Expr | None:
    """Return what a function that changes the form alone is applied to."""
    while isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Paren | exp.Cast):
        node = node.this
    return node


def _column(node: exp.Expr | None, places: Mapping[int, Place]) -> exp.Column | None:
    node = _bare(node)
    return node if isinstance(node, exp.Column) and id(node) in places else None


def _constant(node: exp.Expr | None, places: Mapping[int, Place]) -> str | None:
    node = _bare(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.this}"
    if isinstance(node, exp.Literal):
        return str(node.this)
    # `name = "x"` is a string where no column is called so.
    quoted = isinstance(node, exp.Column) and id(node) not in places and not node.table
    if quoted and node is not None and isinstance(node.this, exp.Identifier) and node.this.quoted:
        return str(node.name)
    return None


def _cells(catalog: Catalog, place: Place, value: str) -> Iterator[tuple[str, str, str]]:
    """Yield the stored cells that a constant stands for: the same text but for case and blanks, or the same number."""
    table, column = place
    name = quote_identifier(column)
    text = f"trim({name}::VARCHAR)"
    test = f"lower({text}) = lower(trim({quote_literal(value)}))"
    number = f"TRY_CAST({quote_literal(value)} AS DOUBLE)"
    query = (
        f"SELECT DISTINCT {name}::VARCHAR AS v FROM {quote_identifier(table)} "
        f"WHERE {test} OR TRY_CAST({text} AS DOUBLE) = {number} ORDER BY v"
    )
    try:
        found = [cell for (cell,) in catalog.preview(query, 20).rows]
    except SqlError:
        return
    same = [cell for cell in found if cell.strip() == value.strip()]
    yield from ((table, column, cell) for cell in (same or found)[:1])
