"""Definitions in `knowledge.md`: which words of a question mean which column, cell or comparison."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from debriefer.linking.words import compact, stem
from debriefer.offline.columns import Schema
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Condition, Operator, Output, Ranking, Ref
from debriefer.offline.values import Hit, bare

_DEFINITION = re.compile(
    r"^\s*(?:[-*•]\s*)?[\"'`“]?(?P<term>[^\"'`“”;:=]{2,60}?)[\"'`”]?\s+"
    r"(?:refers?\s+to|means?|is\s+defined\s+as|stands\s+for|corresponds\s+to)\s+(?P<rest>.+?)\s*$",
    re.IGNORECASE,
)
_DEFINITION_ZH = re.compile(
    r"^\s*(?:[-*•]\s*)?[“\"`「]?(?P<term>[^”\"`」；;:：=]{1,30}?)[”\"`」]?\s*(?:是指|指的是|指|即|表示|定义为)\s*(?P<rest>.+?)\s*$"
)
_NAME = r"[`\"\[]?(?:(?P<table>\w+)[`\"\]]?\.[`\"\[]?)?(?P<column>[\w ]+?)[`\"\]]?"
_COMPARISON = re.compile(
    rf"^{_NAME}\s*(?P<operator>>=|<=|<>|!=|=|>|<|(?i:like))\s*(?P<value>'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)"
)
_BETWEEN = re.compile(rf"^{_NAME}\s+(?i:between)\s+(?P<low>-?\d+(?:\.\d+)?)\s+(?i:and)\s+(?P<high>-?\d+(?:\.\d+)?)")
_EXTREME = re.compile(rf"^(?P<function>(?i:max|min))\s*\(\s*{_NAME}\s*\)")
_FORMULA = re.compile(r"[=<>≥≤(]|\b(?:null|divide|between|like)\b", re.IGNORECASE)
_CONTINUED = re.compile(r"[=<>]\s*(?:'[^']*'|\"[^\"]*\"|-?\d+(?:\.\d+)?)\s*(?:and|or|&)\b(?!.*\.)", re.IGNORECASE)
_ALONE = re.compile(rf"^{_NAME}$")


# A term of more words than this is taken for said where one of them is missing.
_LONG_TERM = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A term and what it stands for: columns, cells, one comparison or one extreme."""

    term: str
    stems: tuple[str, ...]
    candidates: tuple[Candidate, ...] = ()
    hits: tuple[Hit, ...] = ()
    fact: Condition | Ranking | None = None

    @property
    def refs(self) -> set[tuple[str, str]]:
        """The columns that the term stands for, by table and name."""
        places = [(c.table, c.column) for c in self.candidates if c.column is not None]
        places += [(hit.table, hit.column) for hit in self.hits]
        if isinstance(self.fact, Condition):
            places.append((self.fact.ref.table, self.fact.ref.column))
        elif self.fact is not None and self.fact.what.ref is not None:
            places.append((self.fact.what.ref.table, self.fact.what.ref.column))
        return set(places)

    def mention(self, start: int, end: int, text: str) -> Mention:
        """Return a mention of the term in a question."""
        if self.fact is not None:
            return Mention(start, end, text, "fact", fact=self.fact)
        kind = "schema" if self.candidates else "value"
        return Mention(start, end, text, kind, candidates=self.candidates, hits=self.hits)


def unapplied(text: str | None, question: str, schema: Schema, used: Collection[Ref]) -> tuple[str, ...]:
    """Return the terms of the question that `knowledge.md` defines and the reading does not heed.

    Those are terms defined by a formula that `glossary` cannot read, one that goes on after what was read among them
    (`height > 60 AND height < 80`), and terms that stand for columns of which the reading uses none. A reading that
    passes over a definition which the question needs is wrong.

    Args:
        text: `knowledge.md`.
        question: The task's question.
        schema: The tables.
        used: The columns of the reading.
    """
    said = {stem(word) for word in re.findall(r"[^\W_]+", question.lower())}
    terms = []
    for term, stems, rest in _definitions(text):
        missing = len(set(stems) - said)
        # Long terms are seldom said word for word.
        spoken = bool(stems) and (
            missing <= (len(set(stems)) > _LONG_TERM) or (not term.isascii() and term in question)
        )
        if not spoken:
            continue
        entry = _entry(term, stems, rest, schema)
        if entry is None or _CONTINUED.search(rest):
            if _FORMULA.search(rest):
                terms.append(term)
        elif not entry.refs & {(ref.table, ref.column) for ref in used}:
            terms.append(term)
    return tuple(terms)


def _definitions(text: str | None) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield each term, its stems and what is said of it."""
    for sentence in re.split(r"[;\n；]|\.(?=\s|$)|。", text or ""):
        match = _DEFINITION.match(sentence) or _DEFINITION_ZH.match(sentence)
        if match is not None:
            term = match["term"].strip()
            yield term, tuple(stem(word) for word in re.findall(r"[^\W_]+", term.lower())), match["rest"].strip()


def glossary(text: str | None, schema: Schema) -> tuple[Entry, ...]:
    """Return the definitions of `knowledge.md` that name a column of the catalog, in the text's order.

    Read are sentences of the form `TERM refers to COLUMN`, `… COLUMN = 'cell'`, `… COLUMN > 5`,
    `… COLUMN BETWEEN 1 AND 5` and `… MAX(COLUMN)`, separated by line breaks or semicolons; anything else is left.
    """
    entries = []
    for term, stems, rest in _definitions(text):
        entry = _entry(term, stems, rest, schema)
        if entry is not None and stems:
            entries.append(entry)
    return tuple(entries)


def _entry(term: str, stems: tuple[str, ...], rest: str, schema: Schema) -> Entry | None:
    if (match := _BETWEEN.match(rest)) is not None:
        refs = _refs(match, schema)
        values = (float(match["low"]), float(match["high"]))
        return Entry(term, stems, fact=Condition(refs[0], "between", values)) if refs else None
    if (match := _COMPARISON.match(rest)) is not None:
        return _comparison(term, stems, match, schema)
    if (match := _EXTREME.match(rest)) is not None:
        refs = _refs(match, schema)
        descending = match["function"].lower() == "max"
        return Entry(term, stems, fact=Ranking(Output(refs[0]), descending, 1)) if refs else None
    if (match := _ALONE.match(rest)) is not None:
        refs = _refs(match, schema)
        return Entry(term, stems, candidates=tuple(Candidate(1.0, r.table, r.column) for r in refs)) if refs else None
    return None


def _comparison(term: str, stems: tuple[str, ...], match: re.Match[str], schema: Schema) -> Entry | None:
    refs = _refs(match, schema)
    if not refs:
        return None
    raw, operator = match["value"], match["operator"].lower()
    quoted = raw[0] in "'\""
    value = raw[1:-1] if quoted else float(raw)
    if operator == "=" and isinstance(value, str):
        return Entry(term, stems, hits=tuple(Hit(r.table, r.column, (value,), 1.0) for r in refs))
    if operator == "like":
        return Entry(term, stems, fact=Condition(refs[0], "contains", (bare(str(value).strip("%")),)))
    plain: Operator = "!=" if operator == "<>" else operator  # type: ignore[assignment]
    return Entry(term, stems, fact=Condition(refs[0], plain, (value,)))


def _refs(match: re.Match[str], schema: Schema) -> list[Ref]:
    table, column = match["table"], compact(match["column"])
    return [
        Ref(field.table, field.name)
        for field in schema.fields()
        if compact(field.name) == column and (table is None or compact(field.table) == compact(table))
    ]
