"""Mentions of tables and columns: which names of the catalog a run of words may stand for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from debriefer.offline.columns import UNIT_WORDS, Entity, Field, Schema
from debriefer.offline.lexicon_english import SYNONYMS
from debriefer.offline.values import Hit
from debriefer.offline.words import root

# A single word of a longer name that many names share tells nothing.
_VAGUE = frozenset(
    "id name number date code type year time value description status by of in the and to for no is has total".split()
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
        kind: `schema`, `value`, `number`, `cue`, `stop` or `unread`.
        cue: Name of the cue.
        carried: What the cue carries.
        candidates: Tables and columns, best first.
        hits: Cells.
        number: Value of a number.
        quoted: Whether the words stood in quotation marks.
        use: What the reading did with it; `None` while it is free.
        choice: The column, table or cell that was chosen.
        score: How well the choice fits.
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
    quoted: bool = False
    use: str | None = None
    choice: str = ""
    score: float = 1.0
    alternatives: dict[str, str] = field(default_factory=dict)

    def is_cue(self, *names: str) -> bool:
        """Return whether the mention is one of these cues."""
        return self.kind == "cue" and self.cue in names

    @property
    def tables(self) -> list[Candidate]:
        """Tables it may stand for."""
        return [c for c in self.candidates if c.column is None]

    @property
    def columns(self) -> list[Candidate]:
        """Columns it may stand for."""
        return [c for c in self.candidates if c.column is not None]


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
        if all(len(word) >= 4 for word in stems):
            for place, score in self._roots.get(tuple(map(root, stems)), {}).items():
                found.setdefault(place, score)
        candidates = [Candidate(score, *place) for place, score in found.items() if score >= 0.4]
        return tuple(sorted(candidates, key=lambda c: (-c.score, c.table, c.column or "")))

    def _variants(self, stems: tuple[str, ...]) -> list[tuple[str, ...]]:
        result = []
        for position, word in enumerate(stems):
            for group in SYNONYMS:
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
            if size == 1 and (part[0] in _VAGUE or len(part[0]) < 3):
                continue
            score = 0.55 + 0.3 * size / len(words) + (0.1 if start + size == len(words) else 0.0)
            terms.setdefault(part, min(score, 0.9))
    return terms


def _column_terms(entity: Entity, column: Field, schema: Schema) -> dict[tuple[str, ...], float]:
    words = column.words
    if not words:
        return {}
    terms: dict[tuple[str, ...], float] = {words: 1.0}

    def add(term: tuple[str, ...], score: float) -> None:
        if term and term not in terms:
            terms[term] = score

    for size in range(len(entity.words), 0, -1):
        if words[:size] == entity.words[:size] and len(words) > size:
            add(words[size:], 0.95)
    without = tuple(w for w in words if w not in UNIT_WORDS)
    if without != words:
        add(without, 0.95)
    others = {e.words for e in schema.entities.values()}
    if words[-1] in ("by", "of", "in", "at") and len(words) > 1:
        add(words[:-1], 0.92)
    for term in list(terms):
        if term[:1] == ("number",) and len(term) > 1 and not column.key:
            add(("number", "of", *term[1:]), terms[term])
        if term[-1:] == ("count",) and len(term) > 1 and not column.key:
            add(("number", "of", *term[:-1]), 0.9)
        if len(term) == 2 and (term[:1] in others or (term[1] == "number" and column.key)):
            continue
        if len(term) == 2 and term[1] in ("name", "date", "year", "id", "number", "code", "type"):
            add((term[1], "of", term[0]), 0.9)
        if "of" in term:
            at = term.index("of")
            add((*term[at + 1 :], *term[:at]), 0.9)
    if column.key and not column.unique:
        # The rest of `singer_id` names the other table, not this column.
        if tuple(w for w in words if w not in ("id", "code", "number")) in others:
            return terms
    for size in range(1, len(words)):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            if size == 1 and (part[0] in _VAGUE or len(part[0]) < 3 or part[0] in UNIT_WORDS):
                continue
            if part[-1] in ("of", "by", "the") and size > 1:
                continue
            add(part, 0.5 + 0.35 * size / len(words))
    return terms
