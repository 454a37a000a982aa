"""Which of several columns, tables or cells a mention stands for, given what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from debriefer.linking.words import split_name, stem
from debriefer.offline.columns import Entity, Field, Schema
from debriefer.offline.joins import JoinGraph
from debriefer.offline.lexicon_english import ARRIVAL_WORDS, DEPARTURE_WORDS
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Condition, Query, Ranking, Ref
from debriefer.offline.values import Hit, ValueIndex

# Two choices that lie closer than this are told apart by luck.
CLOSE = 0.06


@dataclass(slots=True)
class Doubts:
    """What lowers the confidence in a reading, and why."""

    total: float = 0.0
    reasons: list[tuple[float, str]] = field(default_factory=list)

    def add(self, weight: float, reason: str) -> None:
        """Note a doubt."""
        if weight > 0:
            self.total += weight
            self.reasons.append((weight, reason))

    @property
    def confidence(self) -> float:
        """1 without a doubt, 0 with too many."""
        return max(0.0, round(1.0 - self.total, 4))

    @property
    def worst(self) -> str:
        """The weightiest reason."""
        return max(self.reasons, key=lambda item: item[0], default=(0.0, ""))[1]


class Context:
    """A catalog as readers see it, and the choices that depend on it."""

    def __init__(self, schema: Schema, graph: JoinGraph, values: ValueIndex) -> None:
        self.schema = schema
        self.graph = graph
        self.values = values
        self._referring = {(e.table, e.column): e for e in graph.edges}

    def entity(self, table: str) -> Entity:
        """Return a table's entity."""
        return self.schema.entities[table]

    def field(self, ref: Ref) -> Field:
        """Return the field of a reference."""
        return self.schema.field(ref.table, ref.column)

    def refers(self, table: str, column: str) -> bool:
        """Return whether the column refers to another table."""
        return (table, column) in self._referring

    def target(self, table: str, column: str) -> str | None:
        """Return the other table that the column refers to."""
        edge = self._referring.get((table, column))
        return edge.to_table if edge is not None and edge.to_table != table else None

    def names(self, table: str) -> list[Ref]:
        """Return the columns that name a row of `table`: its own, or those of the table that it refers to."""
        own = self.entity(table).name_fields
        if own and self.entity(table).named:
            return [Ref(table, f.name) for f in own]
        for edge in self.graph.edges:
            if edge.table == table and edge.to_table != table and self.entity(edge.to_table).name_fields:
                return [Ref(edge.to_table, f.name) for f in self.entity(edge.to_table).name_fields]
        if own:
            return [Ref(table, f.name) for f in own]
        first = next(iter(self.entity(table).fields.values()), None)
        return [Ref(table, first.name)] if first else []

    @staticmethod
    def directed(column: str, direction: str) -> bool:
        """Return whether the column's name says that something `departs` or `arrives` there."""
        words = ARRIVAL_WORDS if direction == "arrives" else DEPARTURE_WORDS
        return bool(words & set(split_name(column)))

    def role(self, table: str | None, other: str, direction: str | None) -> str | None:
        """Return the column by which `table` refers to `other` in a direction; `None` where there is no choice."""
        edges = self.graph.roles(table, other) if table is not None and direction is not None else []
        if len(edges) < 2:  # noqa: PLR2004
            return None
        return next((e.column for e in edges if self.directed(e.column, direction or "")), None)

    def told_role(self, table: str | None, other: str, nearby: Sequence[Mention]) -> str | None:
        """Return the column by which `table` refers to `other` that the words near a value tell.

        `green eyes` is met by `eye_colour_id`, not by `skin_colour_id`: the words by which the references differ are
        looked for, the nearest mention first.

        Args:
            table: The referring table.
            other: The table that holds the value.
            nearby: Mentions around the value, nearest first; the one that tells is marked as used.
        """
        edges = self.graph.roles(table, other) if table is not None else []
        if len(edges) < 2:  # noqa: PLR2004
            return None
        named = {edge.column: {stem(word) for word in split_name(edge.column)} for edge in edges}
        shared = set.intersection(*named.values())
        for mention in nearby:
            words = {stem(word) for word in split_name(mention.text)}
            told = [column for column, own in named.items() if words & (own - shared)]
            if len(told) == 1:
                if mention.use in (None, "unread"):
                    mention.use = "condition"
                return told[0]
        return None

    @staticmethod
    def take_facts(query: Query, mentions: Sequence[Mention]) -> None:
        """Add what the task's knowledge says of the words of a question."""
        for mention in mentions:
            if isinstance(mention.fact, Condition):
                query.where.append((mention.fact,))
                mention.use = "condition"
            elif isinstance(mention.fact, Ranking):
                query.rankings.append(mention.fact)
                mention.use = "rank"

    def echoes(self, query: Query, doubts: Doubts) -> None:
        """Note an answer that only gives back what the question said."""
        compared = {c.ref for w in query.where for c in w if c.operator == "=" and len(w) == 1 and len(c.values) == 1}
        if query.outputs and all(o.aggregate is None and o.ref in compared for o in query.outputs):
            doubts.add(0.4, "the answer would only repeat the question")

    def support(self, mentions: Sequence[Mention]) -> dict[str, float]:
        """Return how much of the question each table's columns and cells account for."""
        scores: dict[str, float] = {}
        for mention in mentions:
            best: dict[str, float] = {}
            for c in mention.columns:
                best[c.table] = max(best.get(c.table, 0.0), c.score)
            for hit in mention.hits:
                best[hit.table] = max(best.get(hit.table, 0.0), hit.score * 0.9)
            for table, score in best.items():
                scores[table] = scores.get(table, 0.0) + score
        return scores

    def distance(self, tables: Sequence[str], table: str) -> int:
        """Return the number of joins from the nearest of `tables`, 9 where there is no path."""
        if not tables or table in tables:
            return 0
        path = self.graph.path(list(dict.fromkeys(tables)), table)
        return len(path) if path is not None else 9

    def multiplies(self, table: str, other: str) -> bool:
        """Return whether a row of `table` may meet several rows of `other`."""
        path = self.graph.path([table], other) or []
        return any(step.multiplies for step in path)

    def choose_column(
        self,
        mention: Mention,
        doubts: Doubts,
        *,
        near: Sequence[str] = (),
        known: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> Ref | None:
        """Return the column that a mention stands for.

        Args:
            mention: Its candidates.
            doubts: Where a weak or close choice is noted.
            near: Tables that stand next to the mention, nearest first.
            known: Tables that the question speaks of.
            kinds: Kinds of column that are asked for; empty for any.
        """
        scored: list[tuple[float, str, str]] = []
        for candidate in mention.columns:
            assert candidate.column is not None  # noqa: S101
            if kinds and self.schema.field(candidate.table, candidate.column).kind not in kinds:
                continue
            scored.append((self._column_score(candidate, near, known), candidate.table, candidate.column))
        if not scored:
            return None
        scored.sort(key=lambda item: (-item[0], item[1], item[2]))
        best, table, column = scored[0]
        base = max(c.score for c in mention.columns if (c.table, c.column) == (table, column))
        doubts.add((1.0 - base) * 0.4, f"`{mention.text}` fits `{table}.{column}` only in part")
        others = [s for s in scored[1:] if best - s[0] < CLOSE and not self._same(table, column, s[1], s[2])]
        if others:
            doubts.add(0.15, f"`{mention.text}` may be `{table}.{column}` or `{others[0][1]}.{others[0][2]}`")
        mention.choice, mention.score = f"{table}.{column}", base
        return Ref(table, column)

    def _column_score(self, candidate: Candidate, near: Sequence[str], known: Sequence[str]) -> float:
        score = candidate.score
        if near and candidate.table == near[0]:
            score += 0.3
        elif candidate.table in near:
            score += 0.2
        if known and candidate.table == known[0]:
            score += 0.12
        elif candidate.table in known:
            score += 0.08
        else:
            score -= 0.04 * min(self.distance(known, candidate.table), 5)
        if candidate.column is not None and self.refers(candidate.table, candidate.column):
            score -= 0.1
        return score

    def _same(self, table: str, column: str, other: str, other_column: str) -> bool:
        """Return whether one of the columns refers to the other, so that they hold the same values."""
        for edge in self.graph.edges:
            pair = {(edge.table, edge.column), (edge.to_table, edge.to_column)}
            if pair == {(table, column), (other, other_column)}:
                return True
        one, two = self._referring.get((table, column)), self._referring.get((other, other_column))
        return one is not None and two is not None and (one.to_table, one.to_column) == (two.to_table, two.to_column)

    def _hit_score(
        self, hit: Hit, beside: Sequence[Candidate], near: Sequence[str], known: Sequence[str], direction: str | None
    ) -> float:
        named = max((c.score for c in beside if (c.table, c.column) == (hit.table, hit.column)), default=0.0)
        score = hit.score + 0.5 * named + (0.2 if hit.table in near else 0.0)
        if hit.table in known:
            score += 0.1 if hit.table == known[0] else 0.06
        else:
            score -= 0.05 * min(self.distance(known, hit.table), 5)
        if hit.column in [f.name for f in self.entity(hit.table).name_fields]:
            score += 0.07
        if self.refers(hit.table, hit.column):
            score -= 0.03
        return score + (0.15 if direction is not None and self.directed(hit.column, direction) else 0.0)

    def choose_hit(
        self,
        mention: Mention,
        doubts: Doubts,
        *,
        beside: Sequence[Candidate] = (),
        near: Sequence[str] = (),
        known: Sequence[str] = (),
        direction: str | None = None,
    ) -> Hit | None:
        """Return the cell that a mention stands for.

        Args:
            mention: Its hits.
            doubts: Where a close choice is noted.
            beside: What the words next to it may stand for.
            near: Tables that stand next to it, nearest first.
            known: Tables that the question speaks of, the entity first.
            direction: `departs` or `arrives` where the words before say so.
        """
        scored = [(self._hit_score(hit, beside, near, known, direction), hit) for hit in mention.hits]
        if not scored:
            return None
        scored.sort(key=lambda item: (-item[0], item[1].table, item[1].column))
        best, hit = scored[0]
        others = [
            s
            for s in scored[1:]
            if best - s[0] < CLOSE and not self._same(hit.table, hit.column, s[1].table, s[1].column)
        ]
        if others:
            other = others[0][1]
            doubts.add(
                0.15, f"`{mention.text}` stands in `{hit.table}.{hit.column}` and in `{other.table}.{other.column}`"
            )
        doubts.add((1.0 - hit.score) * 0.4, f"`{mention.text}` is not quite `{hit.raw[0]}`")
        mention.choice, mention.score = f"{hit.table}.{hit.column} = {hit.raw[0]}", hit.score
        return hit
