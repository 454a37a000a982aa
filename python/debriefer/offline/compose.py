"""A reading written as one statement of DuckDB's SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.offline.columns import Field, Schema
from debriefer.offline.dates import compared
from debriefer.offline.headers import headers
from debriefer.offline.joins import JoinGraph, Step
from debriefer.offline.model import Absence, Condition, Having, Output, Query, Ranking, Ref, Scalar

# Comparisons of which a text and a number know nothing.
_ORDERING = ("<", "<=", ">", ">=", "between")


class UnwritableError(Exception):
    """A reading has no statement; the message is the reason."""


class UnjoinableError(UnwritableError):
    """Two tables of a reading have no path between them."""


@dataclass(slots=True)
class _Tree:
    """Tables joined so far: alias by (table, role), the FROM clause, and who multiplies whom."""

    prefix: str
    aliases: dict[tuple[str, str | None], str] = field(default_factory=dict)
    clauses: list[str] = field(default_factory=list)
    multiplied: set[str] = field(default_factory=set)
    many: set[str] = field(default_factory=set)

    def add(self, table: str, role: str | None) -> str:
        alias = f"{self.prefix}{len(self.clauses) + 1}"
        self.aliases[table, role] = alias
        if role is not None:
            self.aliases.setdefault((table, None), alias)
        return alias

    def text(self) -> str:
        return "\n".join(self.clauses)


class Composer:
    """Writes queries over one catalog."""

    def __init__(self, schema: Schema, graph: JoinGraph) -> None:
        self._schema = schema
        self._graph = graph

    def write(self, query: Query) -> str:
        """Return the statement.

        Raises:
            UnjoinableError: The tables that the reading needs are not connected.
            UnwritableError: A column is compared with what it cannot hold.
        """
        query = self._lean(_fixed(query))
        tree = self._tree(query)
        entity = self._entity(query)
        aggregates = [o for o in query.outputs if o.aggregate is not None]
        plain = [o for o in query.outputs if o.aggregate is None]
        grouping = list(query.group)
        ranked_by_aggregate = any(r.what.aggregate is not None for r in query.rankings)
        if (aggregates or query.having or ranked_by_aggregate) and (plain or query.group):
            grouping += [o.ref for o in plain if o.ref is not None and o.ref not in grouping]
        group_texts = [self._column(tree, ref) for ref in grouping]
        if grouping and query.per_row and any(ref.table == entity for ref in grouping):
            key = self._schema.entities[entity].key_fields
            alias = tree.aliases.get((entity, None))
            if key and alias:
                key_texts = [f"{alias}.{quote_identifier(f.name)}" for f in key]
                group_texts = [*(k for k in key_texts if k not in group_texts), *group_texts]
        names = headers(query.outputs)
        items = [
            self._output(tree, o, entity) + (f" AS {name}" if name is not None else "")
            for o, name in zip(query.outputs, names, strict=True)
        ]
        repeated = not grouping and not aggregates and self._repeats(tree, query)
        ordered = [r for r in query.rankings if r.limit is None]
        distinct = (query.distinct and not aggregates) or repeated
        if distinct and ordered and any(r.what not in query.outputs for r in ordered):
            distinct = False
        lines = [f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(items)}", tree.text()]
        conditions = self._conditions(tree, query, entity)
        if conditions:
            lines.append("WHERE " + "\n  AND ".join(conditions))
        if group_texts:
            lines.append("GROUP BY " + ", ".join(group_texts))
        if query.having:
            lines.append("HAVING " + " AND ".join(self._having(tree, h, entity) for h in query.having))
        lines.extend(self._rankings(tree, query.rankings, entity))
        return "\n".join(line for line in lines if line)

    def _lean(self, query: Query) -> Query:
        """Take a referring column for the key that it refers to where nothing else of that table is asked."""
        entity = self._entity(query)
        used: dict[str, set[str]] = {}
        for ref in _refs(query):
            used.setdefault(ref.table, set()).add(ref.column)
        counted = {
            o.table for o in (*query.outputs, *(r.what for r in query.rankings), *(h.what for h in query.having))
        }
        changes: dict[tuple[str, str], Ref] = {}
        for table, columns in used.items():
            edges = self._graph.roles(entity, table)
            if table == entity or len(edges) != 1 or table in counted or table in query.related:
                continue
            if columns == {edges[0].to_column} and not any(a.table == table for a in query.absences):
                changes[table, edges[0].to_column] = Ref(entity, edges[0].column)
        return _replaced(query, entity, changes) if changes else query

    def _entity(self, query: Query) -> str:
        if query.entity is not None:
            return query.entity
        for output in query.outputs:
            if output.ref is not None:
                return output.ref.table
            if output.table is not None:
                return output.table
        message = "the reading names no table"
        raise UnjoinableError(message)

    def _tree(self, query: Query) -> _Tree:
        tree = _Tree("t")
        entity = self._entity(query)
        tree.clauses.append("")
        tree.clauses[0] = f"FROM {quote_identifier(entity)} AS t1"
        tree.aliases[entity, None] = "t1"
        for ref in _refs(query):
            self._attach(tree, ref.table, ref.role)
        for output in [*query.outputs, *(h.what for h in query.having), *(r.what for r in query.rankings)]:
            if output.ref is None and output.table is not None:
                self._attach(tree, output.table, None)
        for table in query.related:
            self._attach(tree, table, None)
        return tree

    def _attach(self, tree: _Tree, table: str, role: str | None) -> None:
        if (table, role) in tree.aliases:
            return
        included = list(dict.fromkeys(name for name, _ in tree.aliases))
        if role is not None:
            edge = next((e for e in self._graph.edges if e.to_table == table and e.column == role), None)
            if edge is None:
                role = None
            else:
                self._attach(tree, edge.table, None)
                self._join(tree, Step(edge, True), tree.aliases[edge.table, None], role)
                return
        path = self._graph.path(included, table)
        if path is None:
            message = f"`{included[0]}` and `{table}` have no key in common"
            raise UnjoinableError(message)
        for step in path:
            if (step.target, None) not in tree.aliases:
                self._join(tree, step, tree.aliases[step.source, None], None)

    def _join(self, tree: _Tree, step: Step, source: str, role: str | None) -> None:
        alias = tree.add(step.target, role)
        edge = step.edge
        left, right = (edge.column, edge.to_column) if step.forward else (edge.to_column, edge.column)
        on = self._equal(step, f"{alias}.{quote_identifier(right)}", f"{source}.{quote_identifier(left)}")
        tree.clauses.append(f"JOIN {quote_identifier(step.target)} AS {alias} ON {on}")
        if step.multiplies:
            tree.multiplied.update(a for a in tree.aliases.values() if a != alias and a not in tree.many)
            tree.many.add(alias)
        elif source in tree.many:
            tree.many.add(alias)

    def _equal(self, step: Step, right: str, left: str) -> str:
        one = self._schema.field(step.edge.table, step.edge.column)
        other = self._schema.field(step.edge.to_table, step.edge.to_column)
        if one.numeric == other.numeric:
            return f"{right} = {left}"
        # A reference stored as text to a key stored as a number, or the other way round.
        return f"TRY_CAST({right} AS DOUBLE) = TRY_CAST({left} AS DOUBLE)"

    def _repeats(self, tree: _Tree, query: Query) -> bool:
        """Return whether the joins give a row of the outputs more than once."""
        aliases = {self._alias(tree, o.ref) for o in query.outputs if o.ref is not None}
        return bool(tree.multiplied) and bool(aliases) and not aliases & tree.many

    def _alias(self, tree: _Tree, ref: Ref) -> str:
        alias = tree.aliases.get((ref.table, ref.role)) or tree.aliases.get((ref.table, None))
        if alias is None:
            message = f"`{ref.table}` is not joined"
            raise UnjoinableError(message)
        return alias

    def _column(self, tree: _Tree, ref: Ref) -> str:
        return f"{self._alias(tree, ref)}.{quote_identifier(ref.column)}"

    def _number(self, tree: _Tree, ref: Ref) -> str:
        """Return the column as something that sorts and adds up as a number where it is one."""
        text, found = self._column(tree, ref), self._schema.field(ref.table, ref.column)
        return _cast(text) if found.kind == "number" and not found.numeric else text

    def _output(self, tree: _Tree, output: Output, entity: str) -> str:
        if output.aggregate is None:
            return self._column(tree, output.ref) if output.ref is not None else "*"
        if output.ref is None:
            table = output.table or entity
            alias = tree.aliases.get((table, None))
            key = self._schema.entities[table].key_fields
            if alias in tree.multiplied and len(key) == 1 and alias not in tree.many:
                return f"count(DISTINCT {alias}.{quote_identifier(key[0].name)})"
            return "count(*)"
        if output.aggregate == "count":
            return f"count({'DISTINCT ' if output.distinct else ''}{self._column(tree, output.ref)})"
        return f"{output.aggregate}({self._number(tree, output.ref)})"

    def _expression(self, tree: _Tree, output: Output, entity: str) -> str:
        if output.aggregate is None and output.ref is not None:
            return self._number(tree, output.ref)
        return self._output(tree, output, entity)

    def _having(self, tree: _Tree, having: Having, entity: str) -> str:
        return f"{self._expression(tree, having.what, entity)} {having.operator} {_literal(having.number)}"

    def _rankings(self, tree: _Tree, rankings: list[Ranking], entity: str) -> list[str]:
        lines = []
        cut = [r for r in rankings if r.limit is not None]
        if cut:
            order = ", ".join(self._order(tree, r, entity) for r in cut)
            lines.append(f"QUALIFY rank() OVER (ORDER BY {order}) <= {cut[0].limit}")
            if cut[0].limit != 1:
                lines.append(f"ORDER BY {order}")
        elif rankings:
            lines.append("ORDER BY " + ", ".join(self._order(tree, r, entity) for r in rankings))
        return lines

    def _order(self, tree: _Tree, ranking: Ranking, entity: str) -> str:
        direction = "DESC" if ranking.descending else "ASC"
        return f"{self._expression(tree, ranking.what, entity)} {direction} NULLS LAST"

    def _conditions(self, tree: _Tree, query: Query, entity: str) -> list[str]:
        parts = [self._any(tree, alternatives) for alternatives in query.where]
        parts += [f"NOT {self._exists(tree, entity, a, n)}" for n, a in enumerate(query.absences)]
        offset = len(query.absences)
        for number, conditions in enumerate(query.presences):
            presence = Absence(conditions[0].ref.table, conditions)
            parts.append(self._exists(tree, entity, presence, offset + number))
        return parts

    def _any(self, tree: _Tree, alternatives: tuple[Condition, ...]) -> str:
        texts = [self.condition(self._alias(tree, c.ref), c) for c in alternatives]
        return texts[0] if len(texts) == 1 else "(" + " OR ".join(texts) + ")"

    def _exists(self, outer: _Tree, entity: str, absence: Absence, number: int) -> str:
        path = self._graph.path([entity], absence.table)
        if not path:
            message = f"`{entity}` and `{absence.table}` have no key in common"
            raise UnjoinableError(message)
        tree = _Tree(f"{'abcdefgh'[number % 8]}")
        if absence.by is not None:
            return self._among(outer, tree, absence)
        first = path[0]
        alias = tree.add(first.target, None)
        tree.clauses.append(f"FROM {quote_identifier(first.target)} AS {alias}")
        for step in path[1:]:
            self._join(tree, step, tree.aliases[step.source, None], None)
        for condition in absence.where:
            self._attach(tree, condition.ref.table, None)
        edge = first.edge
        left, right = (edge.column, edge.to_column) if first.forward else (edge.to_column, edge.column)
        outer_alias = outer.aliases[entity, None]
        # Every edge by which the two tables meet counts: a flight leaves from or arrives at an airport.
        edges = self._graph.roles(first.target, entity) if not first.forward else [edge]
        if len(path) == 1 and len(edges) > 1:
            ons = [
                f"{alias}.{quote_identifier(e.column)} = {outer_alias}.{quote_identifier(e.to_column)}" for e in edges
            ]
            correlated = "(" + " OR ".join(ons) + ")"
        else:
            correlated = self._equal(
                first, f"{alias}.{quote_identifier(right)}", f"{outer_alias}.{quote_identifier(left)}"
            )
        wheres = [correlated, *(self.condition(self._alias(tree, c.ref), c) for c in absence.where)]
        return f"EXISTS (SELECT 1 {' '.join(tree.clauses)} WHERE {' AND '.join(wheres)})"

    def _among(self, outer: _Tree, tree: _Tree, absence: Absence) -> str:
        by = absence.by
        assert by is not None  # noqa: S101
        alias = tree.add(by.table, None)
        tree.clauses.append(f"FROM {quote_identifier(by.table)} AS {alias}")
        self._attach(tree, absence.table, None)
        for condition in absence.where:
            self._attach(tree, condition.ref.table, None)
        column = f"{alias}.{quote_identifier(by.column)}"
        wheres = [f"{column} IS NOT NULL", *(self.condition(self._alias(tree, c.ref), c) for c in absence.where)]
        return f"({self._column(outer, by)} IN (SELECT {column} {' '.join(tree.clauses)} WHERE {' AND '.join(wheres)}))"

    def condition(self, alias: str, condition: Condition) -> str:
        """Return a condition as SQL, its constants in the form of the column.

        Raises:
            UnwritableError: A number that is no year is compared with dates, or orders texts.
        """
        found = self._schema.field(condition.ref.table, condition.ref.column)
        column = f"{alias}.{quote_identifier(condition.ref.column)}"
        operator, values = condition.operator, condition.values
        if condition.aggregate is not None:
            numeric = column if found.kind != "number" or found.numeric else _cast(column)
            inner = numeric.replace(f"{alias}.", "")
            whole = f"SELECT {condition.aggregate}({inner}) FROM {quote_identifier(found.table)}"
            return f"{numeric} {operator} ({whole})"
        if operator in ("contains", "starts", "ends"):
            pattern = str(values[0]).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            pattern = {"contains": f"%{pattern}%", "starts": f"{pattern}%", "ends": f"%{pattern}"}[operator]
            return f"{column}::VARCHAR ILIKE {quote_literal(pattern)} ESCAPE '\\'"
        column, values = _comparable(column, found, operator, values)
        texts = [_literal(v) for v in values]
        if operator == "between":
            return f"{column} BETWEEN {texts[0]} AND {texts[1]}"
        if operator in ("=", "!=", "in", "not in") and len(texts) > 1:
            word = "NOT IN" if operator in ("!=", "not in") else "IN"
            return f"{column} {word} ({', '.join(texts)})"
        operator = {"in": "=", "not in": "!="}.get(operator, operator)  # type: ignore[assignment]
        return f"{column} {operator} {texts[0]}"


def _refs(query: Query) -> list[Ref]:
    refs = [o.ref for o in query.outputs if o.ref is not None]
    refs += query.group
    refs += [c.ref for alternatives in query.where for c in alternatives]
    refs += [h.what.ref for h in query.having if h.what.ref is not None]
    refs += [r.what.ref for r in query.rankings if r.what.ref is not None]
    return list(dict.fromkeys(refs))


def _replaced(query: Query, entity: str, changes: dict[tuple[str, str], Ref]) -> Query:
    def ref(old: Ref) -> Ref:
        return changes.get((old.table, old.column), old)

    def output(old: Output) -> Output:
        return old if old.ref is None else replace(old, ref=ref(old.ref))

    return replace(
        query,
        entity=entity,
        outputs=[output(o) for o in query.outputs],
        where=[tuple(replace(c, ref=ref(c.ref)) for c in alternatives) for alternatives in query.where],
        group=[ref(g) for g in query.group],
        having=[replace(h, what=output(h.what)) for h in query.having],
        rankings=[replace(r, what=output(r.what)) for r in query.rankings],
    )


def _fixed(query: Query) -> Query:
    """Turn `the number of rows of the largest` into a comparison: a single figure leaves nothing to rank."""
    if not query.outputs or any(o.aggregate is None for o in query.outputs) or query.group:
        return query
    extremes = [r for r in query.rankings if r.limit == 1 and r.what.ref is not None and r.what.aggregate is None]
    where = [
        (Condition(r.what.ref, "=", (), "max" if r.descending else "min"),) for r in extremes if r.what.ref is not None
    ]
    return replace(query, where=[*query.where, *where], rankings=[r for r in query.rankings if r not in extremes])


def _cast(column: str) -> str:
    """Return a column of texts such as `1,204` or `12%` as numbers."""
    return f"TRY_CAST(regexp_replace({column}, '[,%\\s]', '', 'g') AS DOUBLE)"


def _comparable(column: str, found: Field, operator: str, values: tuple[Scalar, ...]) -> tuple[str, tuple[Scalar, ...]]:
    """Return the column and the constants in a form in which the two can be compared."""
    if found.kind == "number":
        return (column if found.numeric else _cast(column)), tuple(_as_number(v) for v in values)
    bare = next((v for v in values if not isinstance(v, str)), None)
    years = [_year(v) for v in values]
    if found.kind == "date":
        dated = compared(column, found.stored_as, values)
        if dated is not None:
            return dated, values
        if values and None not in years:
            return _year_of(column, found), tuple(year for year in years if year is not None)
        if bare is not None:
            message = f"`{found.table}.{found.name}` holds dates, and {_literal(bare)} is no year"
            raise UnwritableError(message)
    elif found.dated and bare is not None and None not in years:
        # `05/01/2024` is in no order, but it has a year.
        written = f"TRY_CAST(regexp_extract({column}::VARCHAR, '(?:^|[^0-9])([0-9]{{4}})(?:[^0-9]|$)', 1) AS INTEGER)"
        return written, tuple(year for year in years if year is not None)
    elif operator in _ORDERING and bare is not None:
        message = f"`{found.table}.{found.name}` holds texts, which no number is above or below"
        raise UnwritableError(message)
    return column, tuple(v if isinstance(v, str) else _literal(v) for v in values)


def _year(value: Scalar) -> int | None:
    """Return the year that four digits are, whether written (`2023年`) or counted (2023.0)."""
    text = value.removesuffix("年") if isinstance(value, str) else _literal(value)
    return int(text) if re.fullmatch(r"[0-9]{4}", text) else None


def _year_of(column: str, found: Field) -> str:
    if found.stored_as.upper().startswith(("DATE", "TIMESTAMP")):
        return f"year({column})"
    return f"TRY_CAST(left({column}, 4) AS INTEGER)"


def _as_number(value: Scalar) -> Scalar:
    if isinstance(value, str):
        try:
            return float(value.replace(",", ""))
        except ValueError:
            return value
    return value


def _literal(value: Scalar) -> str:
    if isinstance(value, str):
        return quote_literal(value)
    return str(int(value)) if float(value).is_integer() else repr(value)
