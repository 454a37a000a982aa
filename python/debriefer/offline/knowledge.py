"""Definitions in `knowledge.md`: which words of a question mean which column, cell or comparison."""

from __future__ import annotations

import re
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
_ALONE = re.compile(rf"^{_NAME}$")


@dataclass(frozen=True, slots=True)
class Entry:
    """A term and what it stands for: columns, cells, one comparison or one extreme."""

    term: str
    stems: tuple[str, ...]
    candidates: tuple[Candidate, ...] = ()
    hits: tuple[Hit, ...] = ()
    fact: Condition | Ranking | None = None

    def mention(self, start: int, end: int, text: str) -> Mention:
        """Return a mention of the term in a question."""
        if self.fact is not None:
            return Mention(start, end, text, "fact", fact=self.fact)
        kind = "schema" if self.candidates else "value"
        return Mention(start, end, text, kind, candidates=self.candidates, hits=self.hits)


def glossary(text: str | None, schema: Schema) -> tuple[Entry, ...]:
    """Return the definitions of `knowledge.md` that name a column of the catalog, in the text's order.

    Read are sentences of the form `TERM refers to COLUMN`, `… COLUMN = 'cell'`, `… COLUMN > 5`,
    `… COLUMN BETWEEN 1 AND 5` and `… MAX(COLUMN)`, separated by line breaks or semicolons; anything else is left.
    """
    entries = []
    for sentence in re.split(r"[;\n；]|\.(?=\s|$)|。", text or ""):
        match = _DEFINITION.match(sentence) or _DEFINITION_ZH.match(sentence)
        if match is None:
            continue
        term = match["term"].strip()
        stems = tuple(stem(word) for word in re.findall(r"[^\W_]+", term.lower()))
        entry = _entry(term, stems, match["rest"].strip(), schema)
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
