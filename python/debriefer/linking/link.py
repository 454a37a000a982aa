"""The one entry: what a question is linked to."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from debriefer.catalog import Catalog, ValueIndex
from debriefer.linking.categories import categories
from debriefer.linking.joins import Joins, columns_of
from debriefer.linking.model import ASSERTED, ColumnLink, JoinKey, Links, TableLink, ValueLink
from debriefer.linking.notes import Definition, Notes, read_notes
from debriefer.linking.question import Question, units
from debriefer.linking.schema import LinkedColumn, Name, Vocabulary
from debriefer.linking.values import defined, weigh
from debriefer.linking.variants import variants

Place = tuple[str, str]

# What each kind of evidence is worth at most: they add up as independent chances do.
_NAME, _COMMENT, _VALUE, _DEFINED, _JOINED, _BRIDGE, _KEY, _NAMING, _TABLE = (
    0.92,
    0.5,
    0.85,
    0.9,
    0.55,
    0.5,
    0.12,
    0.2,
    0.05,
)
_TABLE_NAME, _TABLE_COLUMN, _TABLE_VALUE, _TABLE_COMMENT = 0.9, 0.55, 0.7, 0.35
# A name of which less is found is not named.
_LEAST_COVERAGE = 0.2
_TERM_COVERAGE = 0.6
# Cells of one span that are weighed.
_CELLS = 64
# Different texts of a column of kinds, any of which the question may mean, and what each is worth.
_FEW, _CANDIDATE = 8, 0.2
# A cell that scores less speaks for no table.
_LEAST_VALUE = 0.3
# A table that scores less is not joined; and so many keys are enough.
_JOINABLE, _MOST_JOINS = 0.1, 20


class _Evidence:
    """Chances that add up, each with what speaks for it."""

    def __init__(self) -> None:
        self.parts: list[tuple[float, str]] = []

    def add(self, chance: float, reason: str) -> None:
        if chance > 0:
            self.parts.append((min(chance, 0.99), reason))

    @property
    def score(self) -> float:
        left = 1.0
        for chance, _ in self.parts:
            left *= 1 - chance
        return 1 - left

    @property
    def reason(self) -> str:
        return "; ".join(reason for _, reason in sorted(self.parts, key=lambda part: (-part[0], part[1]))[:3])


class _Known:
    """What is derived from a catalog once and used for every question on it."""

    def __init__(self, catalog: Catalog) -> None:
        self.vocabulary = Vocabulary(catalog)
        self.joins = Joins(catalog)
        self.kinds = tuple(categories(catalog))
        self.notes: dict[str | None, Notes] = {}

    def read(self, knowledge: str | None) -> Notes:
        if knowledge not in self.notes:
            self.notes = {knowledge: read_notes(knowledge, self.vocabulary.schema, self.vocabulary.titles)}
        return self.notes[knowledge]


_KNOWN: weakref.WeakKeyDictionary[Catalog, _Known] = weakref.WeakKeyDictionary()


def link(question: str, catalog: Catalog, index: ValueIndex | None = None, knowledge: str | None = None) -> Links:
    """Return the tables, columns, cells and join keys that a question is about, each scored and with its reason.

    Args:
        question: The question, in English or Chinese.
        catalog: The task's tables.
        index: Their cells; the catalog's own where none is given.
        knowledge: Text of `knowledge.md`, or `None`.

    Returns:
        The links; the same for the same question, catalog and knowledge.

    Raises:
        CatalogError: The index cannot be built or is damaged.
        SqlError: Values could not be compared to find join keys.
    """
    known = _KNOWN.get(catalog)
    if known is None:
        known = _KNOWN[catalog] = _Known(catalog)
    return _Linker(
        known, Question.read(question, known.vocabulary.units), index or catalog.values, known.read(knowledge)
    ).links()


def join_keys(catalog: Catalog) -> tuple[JoinKey, ...]:
    """Return every join key of a catalog, best first."""
    known = _KNOWN.get(catalog)
    if known is None:
        known = _KNOWN[catalog] = _Known(catalog)
    return known.joins.keys


class _Linker:
    def __init__(self, known: _Known, question: Question, index: ValueIndex, notes: Notes) -> None:
        self.vocabulary, self.joins, self.kinds = known.vocabulary, known.joins, known.kinds
        self.question, self.index, self.notes = question, index, notes
        asked = {word.stem for word in question.words}
        for run in question.han.split():
            asked.update(run[at : at + 2] for at in range(len(run) - 1))
        # What the question says, and how rare it is.
        self.asked = {unit: self.vocabulary.rarity(unit) for unit in sorted(asked)}
        self.tables: dict[str, _Evidence] = {name: _Evidence() for name in self.vocabulary.table_names}
        self.columns: dict[Place, _Evidence] = {(c.table, c.column): _Evidence() for c in self.vocabulary.columns}

    def links(self) -> Links:
        """Gather the evidence, that of names first, since it weighs the rest."""
        named = {(c.table, c.column): self.coverage(c.name) for c in self.vocabulary.columns}
        table_named = {name: self.coverage(found) for name, found in self.vocabulary.table_names.items()}
        used = self.used_definitions()
        values = self.values(named, table_named, used)
        self.weigh_tables(named, table_named, values, used)
        table_scores = {name: evidence.score for name, evidence in self.tables.items()}
        self.weigh_columns(named, table_scores, values, used)
        joins = self.weigh_joins()
        return self.ranked([*values, *self.candidates(values)], joins)

    def coverage(self, name: Name) -> float:
        """Return how much of a name the question holds, from 0 to 1."""
        if self.question.holds(name.text):
            return 1.0
        covered = 0.0
        for unit, weight in name.weights:
            covered += weight * self.question.match(unit).sure
        return covered if covered >= _LEAST_COVERAGE else 0.0

    def used_definitions(self) -> list[tuple[Definition, int, int]]:
        """Return the definitions whose term the question uses, and its span."""
        found = []
        lowered = self.question.text.casefold()
        for definition in self.notes.definitions:
            at = lowered.find(definition.term.casefold())
            if at >= 0:
                found.append((definition, at, at + len(definition.term)))
                continue
            parts = units(definition.term)
            weights = {unit: self.vocabulary.rarity(unit) for unit in parts}
            total = sum(weights.values())
            sure = sum(weight * self.question.match(unit).sure for unit, weight in weights.items())
            if total and sure / total >= _TERM_COVERAGE:
                places = [p for unit in parts for p in self.question.match(unit).places]
                spans = [self.question.words[p] for p in places]
                start = min((w.start for w in spans), default=0)
                found.append((definition, start, max((w.end for w in spans), default=len(lowered))))
        return found

    def values(
        self,
        named: Mapping[Place, float],
        tables: Mapping[str, float],
        used: Sequence[tuple[Definition, int, int]],
    ) -> list[ValueLink]:
        """Return cells, one link for each, best first."""
        hits = list(self.index.find(self.question.text, _CELLS))
        taken = {(hit.start, hit.end) for hit in hits if hit.kind in ("exact", "normalised")}
        hits += variants(self.question, self.index, self.kinds, named, taken)
        found = weigh(hits, self.question.text, named, tables, self.vocabulary.spellings)
        found += defined(used, self.index, self.question.text)
        found.sort(key=lambda v: (-v.score, v.start, v.end, v.table, v.column, v.value, v.kind))
        best: dict[tuple[str, str, str], ValueLink] = {}
        for value in found:
            best.setdefault((value.table, value.column, value.value), value)
        return list(best.values())

    def candidates(self, values: Sequence[ValueLink]) -> Iterator[ValueLink]:
        """Yield the cells of columns of a few kinds that the question is about: it may mean any of them."""
        known = {(value.table, value.column, value.value) for value in values}
        scores = {place: evidence.score for place, evidence in self.columns.items()}
        for kind in sorted(self.kinds, key=lambda k: (-scores[k.table, k.column], k.table, k.column)):
            score = scores[kind.table, kind.column]
            if score < ASSERTED or len(kind.cells) > _FEW:
                continue
            reason = f"one of the {len(kind.cells)} texts of a column that the question is about"
            for cell, count in kind.cells:
                if (kind.table, kind.column, cell) not in known:
                    yield ValueLink(
                        table=kind.table,
                        column=kind.column,
                        value=cell,
                        count=count,
                        start=0,
                        end=len(self.question.text),
                        kind="candidate",
                        score=round(_CANDIDATE * score, 4),
                        reason=reason,
                    )

    def weigh_tables(
        self,
        named: Mapping[Place, float],
        table_named: Mapping[str, float],
        values: Sequence[ValueLink],
        used: Sequence[tuple[Definition, int, int]],
    ) -> None:
        """Weigh what speaks for tables."""
        sure = [value for value in values if value.score >= _LEAST_VALUE]
        for name, covered in table_named.items():
            self.tables[name].add(_TABLE_NAME * covered**2, f"{covered:.0%} of its name is in the question")
        own: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for (table, column), covered in named.items():
            own[table].append((covered, column))
        rivals = self.vocabulary.rivals
        for table, found in own.items():
            for covered, column in sorted(found, reverse=True)[:3]:
                share = covered**2 / len(rivals[table, column]) ** 0.7
                self.tables[table].add(_TABLE_COLUMN * share, f"the question names `{column}`")
        for table, best in _best(sure, lambda v: v.table):
            self.tables[table].add(_TABLE_VALUE * best.score, f"holds `{best.value}`")
        for table, comment in self.notes.table_comments.items():
            self.tables[table].add(_TABLE_COMMENT * self.overlap(comment), "the knowledge speaks of it like this")
        for definition, _, _ in used:
            for table, column in definition.columns:
                self.tables[table].add(
                    0.6 / len({t for t, _ in definition.columns}),
                    f"the knowledge defines `{definition.term}` by `{column}`",
                )

    def weigh_columns(
        self,
        named: Mapping[Place, float],
        tables: Mapping[str, float],
        values: Sequence[ValueLink],
        used: Sequence[tuple[Definition, int, int]],
    ) -> None:
        """Weigh what speaks for columns."""
        rivals = self.vocabulary.rivals
        for column in self.vocabulary.columns:
            place = (column.table, column.column)
            evidence = self.columns[place]
            own = tables[column.table]
            most = max(tables[table] for table, _ in rivals[place])
            fair = own / most if most else 1.0
            factor = (0.55 + 0.45 * own) * (0.25 + 0.75 * fair**2)
            covered = named[place]
            evidence.add(_NAME * covered**2 * factor, f"{covered:.0%} of its name is in the question")
            self.column_priors(column, evidence, own)
            comment = self.notes.comments.get(place)
            if comment:
                evidence.add(_COMMENT * self.overlap(comment) * factor, "the knowledge describes it like this")
        for place, best in _best(values, lambda v: (v.table, v.column)):
            self.columns[place].add(_VALUE * best.score, f"holds `{best.value}`")
        for definition, _, _ in used:
            for place in definition.columns:
                same = sum(place[1] == column for _, column in definition.columns)
                fair = 1.0 if same == 1 else tables[place[0]]
                self.columns[place].add(_DEFINED * fair, f"the knowledge defines `{definition.term}` by it")

    def column_priors(self, column: LinkedColumn, evidence: _Evidence, own: float) -> None:
        """What a column is worth for what it is: keys and names of rows are asked for without being named."""
        evidence.add(_TABLE * own, "")
        if column.identifier:
            evidence.add(_KEY * own, "identifies rows of a table that the question is about")
        if column.naming:
            evidence.add(_NAMING * own, "names rows of a table that the question is about")

    def weigh_joins(self) -> tuple[JoinKey, ...]:
        """Connect the tables that the question is about; those in between are about it, too."""
        order = sorted(self.tables, key=lambda name: (-self.tables[name].score, name))
        wanted = [name for name in order if self.tables[name].score >= ASSERTED]
        used: dict[JoinKey, None] = {}
        connected: list[str] = []
        for table in wanted:
            if table in connected:
                continue
            for key in self.joins.path(connected, table) or () if connected else ():
                used[key] = None
                for end in (key.table, key.to_table):
                    if end not in connected and end not in wanted:
                        self.tables[end].add(_BRIDGE, "joins tables that the question is about")
                    if end not in connected:
                        connected.append(end)
            if table not in connected:
                connected.append(table)
        for key in used:
            for place in columns_of([key]):
                self.columns[place].add(_JOINED * key.score, "joins tables that the question is about")
        scores = {name: evidence.score for name, evidence in self.tables.items()}
        near = {name for name in order if scores[name] >= _JOINABLE}
        others = [key for key in self.joins.between(near) if key not in used]
        # Those of tables that are about as sure first; a stable sort keeps the surest keys first among these.
        others.sort(key=lambda key: -round(scores[key.table] * scores[key.to_table], 1))
        return (*used, *others)[: max(len(used), _MOST_JOINS)]

    def overlap(self, text: str) -> float:
        """Return how much of the question a description holds, from 0 to 1, weighed by how rare words are."""
        described = set(units(text))
        total = sum(self.asked.values())
        return sum(weight for unit, weight in self.asked.items() if unit in described) / total if total else 0.0

    def ranked(self, values: Sequence[ValueLink], joins: tuple[JoinKey, ...]) -> Links:
        """Return the links in order."""
        tables = [TableLink(name, round(e.score, 4), e.reason) for name, e in self.tables.items()]
        columns = [
            ColumnLink(table, column, round(e.score, 4), e.reason) for (table, column), e in self.columns.items()
        ]
        place = {c: n for n, c in enumerate(self.columns)}
        return Links(
            tables=tuple(sorted(tables, key=lambda t: (-t.score, t.table))),
            columns=tuple(sorted(columns, key=lambda c: (-c.score, place[c.table, c.column]))),
            values=tuple(values),
            joins=joins,
        )


_Key = TypeVar("_Key")


def _best(values: Sequence[ValueLink], key: Callable[[ValueLink], _Key]) -> Iterable[tuple[_Key, ValueLink]]:
    """Return the first, and so best, link for each key."""
    best: dict[_Key, ValueLink] = {}
    for value in values:
        best.setdefault(key(value), value)
    return best.items()
