"""Which columns refer to which: declared keys, and found ones that the values confirm."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier
from debriefer.errors import SqlError
from debriefer.linking.words import compact
from debriefer.offline.columns import Entity, Field, Schema

# Share of the different values of the referring column that must occur in the other.
INCLUSION = 0.9
LONGEST_PATH = 4


@dataclass(frozen=True, slots=True)
class Edge:
    """`table.column` holds values of `to_table.to_column`, which are unique there where `to_one` says so."""

    table: str
    column: str
    to_table: str
    to_column: str
    declared: bool
    to_one: bool

    @property
    def cost(self) -> float:
        """Length of the step in a path; a declared key is preferred."""
        return 1.0 if self.declared else 1.05


@dataclass(frozen=True, slots=True)
class Step:
    """An edge as it is walked: `forward` from the referring table to the one referred to."""

    edge: Edge
    forward: bool

    @property
    def source(self) -> str:
        """Table where the step starts."""
        return self.edge.table if self.forward else self.edge.to_table

    @property
    def target(self) -> str:
        """Table where the step ends."""
        return self.edge.to_table if self.forward else self.edge.table

    @property
    def multiplies(self) -> bool:
        """Whether one row at the start may meet several at the end."""
        return not (self.forward and self.edge.to_one)


class JoinGraph:
    """The references between the tables of a catalog."""

    def __init__(self, catalog: Catalog, schema: Schema) -> None:
        """Collect declared keys and look for others in the data."""
        self.edges: list[Edge] = []
        declared: set[tuple[str, str]] = set()
        for entity in schema.entities.values():
            for key in entity.table.foreign_keys:
                target = schema.entities.get(key.to_table)
                column = _spelled(entity, key.column)
                to_column = _spelled(target, key.to_column) if target else None
                if target is None or column is None or to_column is None:
                    continue
                declared.add((entity.name, column))
                unique = target.fields[to_column].unique
                self.edges.append(Edge(entity.name, column, target.name, to_column, True, unique))
        for entity in schema.entities.values():
            for field in entity.fields.values():
                if (entity.name, field.name) not in declared:
                    self.edges.extend(_found(catalog, schema, entity, field))

    def roles(self, table: str, to_table: str) -> list[Edge]:
        """Return the edges by which `table` refers to `to_table`."""
        return [e for e in self.edges if e.table == table and e.to_table == to_table]

    def path(self, sources: list[str], target: str) -> list[Step] | None:
        """Return the shortest walk from any of `sources` to `target`, or `None` where none is short enough."""
        best: dict[str, float] = dict.fromkeys(sources, 0.0)
        walks: dict[str, list[Step]] = {source: [] for source in sources}
        queue = deque(sources)
        while queue:
            here = queue.popleft()
            for step in self._steps(here):
                cost = best[here] + step.edge.cost
                if step.target not in best or cost < best[step.target] - 1e-9:
                    if len(walks[here]) >= LONGEST_PATH:
                        continue
                    best[step.target] = cost
                    walks[step.target] = [*walks[here], step]
                    queue.append(step.target)
        return walks.get(target)

    def _steps(self, table: str) -> list[Step]:
        steps = [Step(edge, True) for edge in self.edges if edge.table == table]
        return steps + [Step(edge, False) for edge in self.edges if edge.to_table == table]


def _spelled(entity: Entity, column: str) -> str | None:
    folded = column.casefold()
    return next((name for name in entity.fields if name.casefold() == folded), None)


def _found(catalog: Catalog, schema: Schema, entity: Entity, field: Field) -> list[Edge]:
    """Look for the column that `field` refers to: agreeing names first, then values alone for telling keys."""
    scored = []
    for other in schema.entities.values():
        for target in other.fields.values():
            if not target.unique or (other.name == entity.name and target.name == field.name):
                continue
            if target.numeric != field.numeric or target.distinct == 0 or field.distinct == 0:
                continue
            if (
                field.unique
                and field.key
                and entity.key_fields[:1] == (field,)
                and not _same_name(field, target, other)
            ):
                continue
            score = _agreement(field, target, other)
            if score > 0:
                scored.append((score, other.name, target.name, target))
    scored.sort(key=lambda item: (-item[0], item[1], item[2]))
    for _, to_table, to_column, _target in scored:
        if _inclusion(catalog, entity.name, field.name, to_table, to_column) >= INCLUSION:
            return [Edge(entity.name, field.name, to_table, to_column, False, True)]
    return []


def _same_name(field: Field, target: Field, other: Entity) -> bool:
    return field.words in (target.words, (*other.words, *target.words))


def _agreement(field: Field, target: Field, other: Entity) -> float:
    """Return how well the names agree; 0 where a reference is out of the question."""
    if field.key and target.key:
        return _key_agreement(field, target, other)
    if field.words and not field.numeric and field.name.casefold() == target.name.casefold():
        return 1.5
    return 1.2 if field.words == other.words and (target.key or target.unique) else 0.0


def _key_agreement(field: Field, target: Field, other: Entity) -> float:
    name, to_name, to_table = compact(field.name), compact(target.name), compact(other.table.source_name)
    if _same_name(field, target, other) or name == to_table + to_name:
        # A bare `id` in two tables says nothing about a reference.
        return 0.0 if name == "id" else 3.0
    core, telling = name.removesuffix("id"), set(field.words) - {"id"}
    if core and (to_table.endswith(core) or core.endswith(to_table)):
        return 2.5
    if telling and telling <= {*other.words, *target.words}:
        return 2.0
    # Surrogate numbers of one table are contained in those of any larger one.
    return 0.0 if field.numeric else 1.0


def _inclusion(catalog: Catalog, table: str, column: str, to_table: str, to_column: str) -> float:
    inner = quote_identifier(column)
    query = (
        f"SELECT count(*), count(*) FILTER (WHERE v IN (SELECT {quote_identifier(to_column)} "
        f"FROM {quote_identifier(to_table)})) FROM "
        f"(SELECT DISTINCT {inner} AS v FROM {quote_identifier(table)} WHERE {inner} IS NOT NULL)"
    )
    try:
        total, inside = catalog.preview(query, 1).rows[0]
    except SqlError:
        # A text column beside dates or numbers: what cannot be compared cannot be joined either.
        return 0.0
    return inside / total if total else 0.0
