"""Simpler readings for a question that must be answered although its own reading cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from debriefer.offline.columns import Schema
from debriefer.offline.linking import Mention
from debriefer.offline.model import Output, Query, Ref
from debriefer.offline.resolve import Context


def simpler(query: Query, mentions: Sequence[Mention], context: Context) -> Iterator[tuple[Query, str]]:
    """Yield readings that ask for less and less, and what each leaves out; the last ones fail on no table.

    Single conditions go first, then everything that chooses rows, then outputs; at last the names of the table that
    the question speaks of most, and the number of its rows.
    """
    if query.outputs:
        yield from _without_one(query)
        if len(query.where) > 1:
            yield replace(query, where=[]), "every comparison"
        bare = Query(query.entity, query.outputs, group=query.group, distinct=query.distinct, per_row=query.per_row)
        yield bare, "everything that chooses rows"
        for output in query.outputs:
            table = output.ref.table if output.ref is not None else output.table
            yield Query(table, [output]), "all but one column"
    table = _spoken_of(mentions, context)
    if table is None:
        return
    counted = any(mention.is_cue("count", "how-much") for mention in mentions)
    rows = Query(table, [Output(None, "count", table=table)])
    names = Query(table, [Output(ref) for ref in context.names(table)])
    own = Query(table, [Output(Ref(table, name)) for name in list(context.entity(table).fields)[:1]])
    for plain in (rows, names, own) if counted else (names, own, rows):
        if plain.outputs:
            yield plain, f"everything but the table `{table}`"


def _without_one(query: Query) -> Iterator[tuple[Query, str]]:
    """Yield the query without one of its comparisons, relations or orders, the last one said first."""
    for position in reversed(range(len(query.where))):
        condition = query.where[position][0]
        rest = [*query.where[:position], *query.where[position + 1 :]]
        yield replace(query, where=rest), f"the comparison with `{condition.ref.table}.{condition.ref.column}`"
    for part, what in (
        ("rankings", "the order"),
        ("having", "the comparison of groups"),
        ("absences", "what must be lacking"),
        ("presences", "what must be there"),
        ("related", "a related table"),
    ):
        if getattr(query, part):
            less = replace(query)
            setattr(less, part, [])
            yield less, what


def _spoken_of(mentions: Sequence[Mention], context: Context) -> str | None:
    """Return the table that accounts for most of the question; of equals the one with most rows, then by name."""
    schema: Schema = context.schema
    support = context.support(mentions)
    for mention in mentions:
        for candidate in mention.tables:
            support[candidate.table] = support.get(candidate.table, 0.0) + candidate.score
    return min(
        schema.entities,
        key=lambda table: (-support.get(table, 0.0), -schema.entities[table].table.row_count, table),
        default=None,
    )
