"""Mentions of tables and columns: which names of the catalog a run of words may stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from debriefer.linking.synonyms import ENGLISH
from debriefer.linking.words import root
from debriefer.offline.columns import UNIT_WORDS, Entity, Field, Schema
from debriefer.offline.model import Condition, Operator, Ranking
from debriefer.offline.values import Hit

# A single word of a longer name that many names share tells nothing.
# Shorter words have no root that tells them apart; shorter parts of names are abbreviations.
_ROOT_WORD = 4
_SHORT = 3
_PAIR = 2
_PREPOSITIONS = ("by", "of", "in", "at")
# Words that a name may end on and a phrase begin with: `birth date`, `date of birth`.
_GENERAL = ("name", "date", "year", "id", "number", "code", "type")
# A fit below this is chance.
_LEAST = 0.4
_VAGUE = frozenset(
    [
        "id",
        "name",
        "number",
        "date",
        "code",
        "type",
        "year",
        "time",
        "value",
        "description",
        "status",
        "by",
        "of",
        "in",
        "the",
        "and",
        "to",
        "for",
        "no",
        "is",
        "has",
        "total",
    ]
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table, or a column of it, and how well the words fit its name."""

    score: float
    table: str
    column: str | None = None


@dataclass(slots=True)
class Mention:
    """A run of the question's words and what it may stand for.

    Attributes:
        start: Offset of its first character in the question.
        end: Offset after its last character.
        text: The words.
        kind: `schema`, `value`, `number`, `cue`, `fact`, `stop` or `unread`.
        cue: Name of the cue.
        carried: What the cue carries.
        candidates: Tables and columns, best first.
        hits: Cells.
        number: Value of a number; `None` for a date or month.
        moment: A date or month, as `dates` writes it.
        quoted: Whether the words stood in quotation marks.
        use: What the reading did with it; `None` while it is free.
        choice: The column, table or cell that was chosen.
        score: How well the choice fits.
        alternatives: Every cue that the words may be, and what it carries.
        fact: What the task's knowledge says that the words mean.
    """

    start: int
    end: int
    text: str
    kind: str
    cue: str = ""
    carried: str = ""
    candidates: tuple[Candidate, ...] = ()
    hits: tuple[Hit, ...] = ()
    number: float | None = None
    moment: str | None = None
    quoted: bool = False
    use: str | None = None
    choice: str = ""
    score: float = 1.0
    alternatives: dict[str, str] = field(default_factory=dict)
    fact: Condition | Ranking | None = None

    def is_cue(self, *names: str) -> bool:
        """Return whether the mention is one of these cues."""
        return self.kind == "cue" and self.cue in names

    @property
    def operator(self) -> Operator:
        """The comparison that a cue carries."""
        return self.carried.split(maxsplit=1)[0]  # type: ignore[return-value]

    @property
    def tables(self) -> list[Candidate]:
        """Tables it may stand for."""
        return [c for c in self.candidates if c.column is None]

    @property
    def columns(self) -> list[Candidate]:
        """Columns it may stand for."""
        return [c for c in self.candidates if c.column is not None]


NOTHING = Mention(0, 0, "", "end", use="end")


class Terms:
    """Names of a catalog by the stems of their words."""

    def __init__(self, schema: Schema) -> None:
        self._exact: dict[tuple[str, ...], dict[tuple[str, str | None], float]] = defaultdict(dict)
        self._roots: dict[tuple[str, ...], dict[tuple[str, str | None], float]] = defaultdict(dict)
        self.words: set[str] = set()
        for entity in schema.entities.values():
            for term, score in _table_terms(entity).items():
                self._add(term, score, entity.name, None)
            for column in entity.fields.values():
                for term, score in _column_terms(entity, column, schema).items():
                    self._add(term, score, entity.name, column.name)
            for column in entity.name_fields:
                self._add(("name",), 0.85, entity.name, column.name)
        self.longest = max((len(term) for term in self._exact), default=1)

    def _add(self, term: tuple[str, ...], score: float, table: str, column: str | None) -> None:
        known = self._exact[term]
        known[table, column] = max(score, known.get((table, column), 0.0))
        self.words.update(term)
        rooted = tuple(map(root, term))
        weak = self._roots[rooted]
        weak[table, column] = max(score - 0.12, weak.get((table, column), 0.0))

    def find(self, stems: tuple[str, ...]) -> tuple[Candidate, ...]:
        """Return what the stems may stand for, best first."""
        found = dict(self._exact.get(stems, {}))
        if not found:
            for variant in self._variants(stems):
                for place, score in self._exact.get(variant, {}).items():
                    found[place] = max(found.get(place, 0.0), score - 0.1)
        if all(len(word) >= _ROOT_WORD for word in stems):
            for place, score in self._roots.get(tuple(map(root, stems)), {}).items():
                found.setdefault(place, score)
        candidates = [Candidate(score, *place) for place, score in found.items() if score >= _LEAST]
        return tuple(sorted(candidates, key=lambda c: (-c.score, c.table, c.column or "")))

    def _variants(self, stems: tuple[str, ...]) -> list[tuple[str, ...]]:
        result = []
        for position, word in enumerate(stems):
            for group in ENGLISH:
                if word in group:
                    result += [
                        (*stems[:position], other, *stems[position + 1 :])
                        for other in sorted(group - {word})
                        if other in self.words
                    ]
        return result


def _table_terms(entity: Entity) -> dict[tuple[str, ...], float]:
    words = entity.words
    terms = {words: 1.0} if words else {}
    for size in range(1, len(words)):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            if size == 1 and (part[0] in _VAGUE or len(part[0]) < _SHORT):
                continue
            score = 0.55 + 0.3 * size / len(words) + (0.1 if start + size == len(words) else 0.0)
            terms.setdefault(part, min(score, 0.9))
    return terms


def _column_terms(entity: Entity, column: Field, schema: Schema) -> dict[tuple[str, ...], float]:
    if not column.words:
        return {}
    tables = {e.words for e in schema.entities.values()}
    terms: dict[tuple[str, ...], float] = {}
    spellings = list(_spellings(entity, column))
    for term, score in (
        *spellings,
        *(turned for spelling in spellings for turned in _turned(*spelling, column, tables)),
    ):
        terms.setdefault(term, score)
    # The rest of `singer_id` names the other table, not this column.
    rest = tuple(w for w in column.words if w not in ("id", "code", "number"))
    if not (column.key and not column.unique and rest in tables):
        for term, score in _parts(column.words):
            terms.setdefault(term, score)
    return terms


def _spellings(entity: Entity, column: Field) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the whole name, and the name without its table, its unit or a closing preposition."""
    words = column.words
    yield words, 1.0
    for size in range(len(entity.words), 0, -1):
        if words[:size] == entity.words[:size] and len(words) > size:
            yield words[size:], 0.95
    without = tuple(w for w in words if w not in UNIT_WORDS)
    if without and without != words:
        yield without, 0.95
    if words[-1] in _PREPOSITIONS and len(words) > 1:
        yield words[:-1], 0.92


def _turned(
    term: tuple[str, ...], score: float, column: Field, tables: set[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield a name as a phrase with `of`: `number of rooms`, `date of birth`."""
    if term[0] == "number" and len(term) > 1 and not column.key:
        yield ("number", "of", *term[1:]), score
    if term[-1] == "count" and len(term) > 1 and not column.key:
        yield ("number", "of", *term[:-1]), 0.9
    names_table = term[:1] in tables or (term[-1] == "number" and column.key)
    if len(term) == _PAIR and term[1] in _GENERAL and not names_table:
        yield (term[1], "of", term[0]), 0.9
    if "of" in term[1:-1]:
        at = term.index("of")
        yield (*term[at + 1 :], *term[:at]), 0.9


def _parts(words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the runs of a name's words that still say which column is meant."""
    for size in range(1, len(words)):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            alone = part[0] in _VAGUE or len(part[0]) < _SHORT or part[0] in UNIT_WORDS
            if (size == 1 and alone) or (size > 1 and part[-1] in (*_PREPOSITIONS, "the")):
                continue
            yield part, 0.5 + 0.35 * size / len(words)
