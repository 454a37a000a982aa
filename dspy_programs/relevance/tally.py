"""From verdicts to folded tables: the published vote, and one call that what the data says may overrule."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from debriefer.linking import ASSERTED, Links
from dspy_programs.relevance.model import Relevance, Round, TableRelevance

# Bridges are looked for between kept tables over at most so many joins.
_MOST_STEPS = 3


def voted(tables: Sequence[str], rounds: Sequence[Round]) -> Relevance:
    """Return the published vote: of the rounds that speak of a table at least half must keep it.

    A table that no round speaks of is kept, and where no round succeeded all are.

    Args:
        tables: Canonical names.
        rounds: What was said.
    """
    counted = [one for one in rounds if one.ok]
    if not counted:
        return _all(tables, rounds, "no round succeeded: every table is described")
    return Relevance(tuple(_vote(table, counted) for table in sorted(tables)), tuple(rounds))


def with_evidence(tables: Sequence[str], rounds: Sequence[Round], links: Links | None) -> Relevance:
    """Return the vote with what the data says: it keeps tables that were voted out, and folds none by itself.

    Kept beside the vote's are tables that hold a cell which the question names or that are linked as meant,
    and bridges: tables on the shortest way of join keys between two kept ones that no direct key joins.

    Args:
        tables: Canonical names.
        rounds: What was said; one is enough.
        links: What the question was linked to; `None` where that failed, and then the vote stands alone.
    """
    vote = voted(tables, rounds)
    if links is None or vote.note:
        return vote
    found = {one.table: one for one in vote.tables}
    for table, reason in _evidence(links):
        if table in found and not found[table].relevant:
            found[table] = _kept(found[table], reason)
    kept = {name for name, one in found.items() if one.relevant}
    for bridge, ends in bridges(kept, links, found):
        found[bridge] = _kept(found[bridge], f"joins `{ends[0]}` and `{ends[1]}`")
    return Relevance(tuple(found[name] for name in sorted(found)), vote.rounds)


def _vote(table: str, rounds: Sequence[Round]) -> TableRelevance:
    spoken = [one.verdicts[table] for one in rounds if table in one.verdicts]
    yes = sum(verdict.relevant for verdict in spoken)
    relevant = 2 * yes >= len(spoken)
    if not spoken:
        return TableRelevance(table, relevant=True, yes=0, votes=0, reason="no round spoke of it")
    reason = next((verdict.reason for verdict in spoken if verdict.relevant == relevant), "")
    return TableRelevance(table, relevant, yes, len(spoken), reason)


def _all(tables: Sequence[str], rounds: Sequence[Round], note: str) -> Relevance:
    kept = (TableRelevance(table, relevant=True, yes=0, votes=0, reason=note) for table in sorted(tables))
    return Relevance(tuple(kept), tuple(rounds), note)


def _kept(table: TableRelevance, reason: str) -> TableRelevance:
    return TableRelevance(table.table, relevant=True, yes=table.yes, votes=table.votes, reason=reason)


def _evidence(links: Links) -> Iterable[tuple[str, str]]:
    for value in links.values:
        if value.score >= ASSERTED and value.kind != "candidate":
            yield value.table, f"`{value.column}` holds {value.value!r}"
    for table in links.tables:
        if table.score >= ASSERTED:
            yield table.table, table.reason


def bridges(kept: Collection[str], links: Links, known: Collection[str]) -> list[tuple[str, tuple[str, str]]]:
    """Return tables that join two kept ones which share no key, with the two.

    Args:
        kept: Names of kept tables.
        links: The joins.
        known: Names of all tables.
    """
    near: dict[str, set[str]] = {}
    for key in links.joins:
        if key.score >= ASSERTED and key.table in known and key.to_table in known:
            near.setdefault(key.table, set()).add(key.to_table)
            near.setdefault(key.to_table, set()).add(key.table)
    found: dict[str, tuple[str, str]] = {}
    ordered = sorted(kept)
    for place, one in enumerate(ordered):
        before = _ways(one, near)
        for other in ordered[place + 1 :]:
            way = _way(other, before)
            if way is None or any(table in kept for table in way):
                continue
            for table in way:
                found.setdefault(table, (one, other))
    return sorted(found.items())


def _ways(start: str, near: Mapping[str, Collection[str]]) -> dict[str, tuple[str | None, int]]:
    """Return for each table in reach the one before it on a shortest way, and how many joins that has."""
    before: dict[str, tuple[str | None, int]] = {start: (None, 0)}
    queue = deque([start])
    while queue:
        table = queue.popleft()
        steps = before[table][1]
        if steps == _MOST_STEPS:
            continue
        for following in sorted(near.get(table, ())):
            if following not in before:
                before[following] = (table, steps + 1)
                queue.append(following)
    return before


def _way(end: str, before: Mapping[str, tuple[str | None, int]]) -> list[str] | None:
    """Return the tables between a start and `end`, or `None` where `end` is not in reach."""
    if end not in before:
        return None
    way: list[str] = []
    table = before[end][0]
    while table is not None and before[table][0] is not None:
        way.append(table)
        table = before[table][0]
    return way
