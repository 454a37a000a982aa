"""A Chinese question as a row of mentions: the best cover of its characters by names, cells and cues."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

from debriefer.linking.synonyms import CHINESE
from debriefer.linking.words import compact
from debriefer.offline.columns import Entity, Field, Schema
from debriefer.offline.dates import moments
from debriefer.offline.joins import Edge, JoinGraph
from debriefer.offline.knowledge import Entry
from debriefer.offline.lexicon_chinese import (
    CUES,
    DIGITS,
    MEASURES,
    MULTIPLIERS,
    PREFIXES,
    STOP_WORDS,
    SUFFIXES,
    VAGUE,
)
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.values import ValueIndex, bare

_LONGEST = 40
# What is left of a name without its ending says something from two characters on.
_CORE = 2
# A name that fits as well as this is the whole name.
_WHOLE = 0.9
# Only names that fit as well as this may be said by a synonym.
_SYNONYM = 0.8
# Share, as a score of `ValueIndex.extended`, of a cell that its beginning or end must make up.
_MOST_OF_CELL = 0.62
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?|[零〇一二三四五六七八九十百千两]+")
_UNIT = re.compile(r"[万亿千百]")
_QUOTED = re.compile(r"[\"“‘「『《]([^\"”’」』》]{1,60})[\"”’」』》]")
_MARK = frozenset("，。？！；：,.?!;: \t\n()（）")
_LATIN = re.compile(r"[A-Za-z]+")


class ChineseTerms:
    """Names of a catalog, whole and in part, as runs of characters."""

    def __init__(self, schema: Schema, graph: JoinGraph) -> None:
        self._terms: dict[str, dict[tuple[str, str | None], float]] = defaultdict(dict)
        for entity in schema.entities.values():
            self._table(entity)
            for column in entity.fields.values():
                self._column(entity, column)
        for edge in graph.edges:
            self._role(edge, compact(schema.entities[edge.to_table].table.source_name))
        for group in CHINESE:
            for word in sorted(group):
                for other in sorted(group - {word}):
                    for place, score in list(self._terms.get(other, {}).items()):
                        if score >= _SYNONYM:
                            self._add(word, score - 0.12, *place)

    def find(self, text: str) -> tuple[Candidate, ...]:
        """Return what the characters may stand for, best first."""
        found = self._terms.get(text, {})
        candidates = [Candidate(score, *place) for place, score in found.items()]
        return tuple(sorted(candidates, key=lambda c: (-c.score, c.table, c.column or "")))

    def _add(self, term: str, score: float, table: str, column: str | None) -> None:
        if term:
            known = self._terms[term]
            known[table, column] = max(score, known.get((table, column), 0.0))

    def _table(self, entity: Entity) -> None:
        name = compact(entity.table.source_name)
        self._add(name, 1.0, entity.name, None)
        self._parts(name, entity.name, None)

    def _column(self, entity: Entity, column: Field) -> None:
        name = compact(column.name)
        self._add(name, 1.0, entity.name, column.name)
        table = compact(entity.table.source_name)
        if name.startswith(table) and len(name) - len(table) >= _CORE:
            self._add(name[len(table) :], 0.9, entity.name, column.name)
        if column.key:
            return
        core = name
        for prefix in PREFIXES:
            if core.startswith(prefix) and len(core) - len(prefix) >= _CORE:
                self._add(core[len(prefix) :], 0.9, entity.name, column.name)
                break
        for suffix in SUFFIXES:
            if core.endswith(suffix) and len(core) - len(suffix) >= _CORE:
                self._add(core[: -len(suffix)], 0.82, entity.name, column.name)
                break
        self._parts(name, entity.name, column.name)

    def _role(self, edge: Edge, target: str) -> None:
        """`作者id` makes `作者` a way to ask for the one that it refers to, `品牌id` a name of the table of brands."""
        table, column = edge.table, edge.column
        name = compact(column)
        for ending in ("id", "编号", "代码"):
            if name.endswith(ending) and len(name) - len(ending) >= _CORE:
                core = name[: -len(ending)]
                if core in target:
                    self._add(core, 0.88, edge.to_table, None)
                    continue
                self._add(core, 0.88, table, column)
                for prefix in PREFIXES:
                    if core.startswith(prefix) and len(core) - len(prefix) >= _CORE:
                        self._add(core[len(prefix) :], 0.75, table, column)

    def _parts(self, name: str, table: str, column: str | None) -> None:
        for size in range(2, len(name)):
            for start in range(len(name) - size + 1):
                part = name[start : start + size]
                if part in VAGUE or part in STOP_WORDS or part in CUES or part[0] in "的和与" or part[-1] in "的和与":
                    continue
                edge = start == 0 or start + size == len(name)
                self._add(part, 0.42 + 0.38 * size / len(name) + (0.05 if edge else 0.0), table, column)


def link(question: str, terms: ChineseTerms, values: ValueIndex, entries: Sequence[Entry] = ()) -> list[Mention]:
    """Return the best cover of the question's characters, from left to right."""
    text = unicodedata.normalize("NFKC", question)
    if len(text) != len(question):
        text = question
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    spans = _spans(text, folded, terms, values)
    for entry in entries:
        term = entry.term.casefold()
        for match in re.finditer(re.escape(term), folded):
            known = entry.mention(match.start(), match.end(), text[match.start() : match.end()])
            spans[match.end()].append((len(term) * 2.0, known))
    best: list[tuple[float, int]] = [(0.0, 0)]
    chosen: list[Mention | None] = [None]
    for end in range(1, len(text) + 1):
        top, start = best[end - 1][0], end - 1
        mention: Mention | None = None
        for weight, candidate in spans.get(end, ()):
            total = best[candidate.start][0] + weight
            if total > top + 1e-9:
                top, start, mention = total, candidate.start, candidate
        best.append((top, start))
        chosen.append(mention)
    mentions: list[Mention] = []
    end = len(text)
    while end > 0:
        covering = chosen[end]
        if covering is None:
            mark = text[end - 1] in _MARK
            kind, cue = ("cue", "clause") if mark and not text[end - 1].isspace() else ("unread", "")
            if text[end - 1] not in ' \t\n《》"“”()（）':
                mentions.append(Mention(end - 1, end, text[end - 1], kind, cue=cue))
            end -= 1
        else:
            mentions.append(covering)
            end = covering.start
    mentions.reverse()
    return mentions


def _spans(text: str, folded: str, terms: ChineseTerms, values: ValueIndex) -> dict[int, list[tuple[float, Mention]]]:
    spans: dict[int, list[tuple[float, Mention]]] = defaultdict(list)
    for weight, mention in (*_quoted(text, values), *_numbers(text, values), *_moments(text, values)):
        spans[mention.end].append((weight, mention))
    for start in range(len(text)):
        if text[start] in _MARK:
            continue
        for end in range(start + 1, min(start + _LONGEST, len(text)) + 1):
            if text[end - 1] in "，。？！；":
                break
            if not _cuts_latin(text, start, end):
                spans[end].extend(_readings((start, end, text[start:end]), folded[start:end], terms, values))
    return spans


def _readings(
    place: tuple[int, int, str], piece: str, terms: ChineseTerms, values: ValueIndex
) -> Iterator[tuple[float, Mention]]:
    """Yield what a run of characters may be, and how much its cover is worth."""
    size = len(piece)
    candidates = terms.find(piece.replace(" ", ""))
    if candidates:
        score = candidates[0].score
        bonus = 0.3 if score >= _WHOLE else 0.0
        yield size * (0.9 + 0.3 * score) + bonus, Mention(*place, "schema", candidates=candidates)
    if size > 1 or piece not in STOP_WORDS:
        yield from _value(place, values, candidates)
    if piece in CUES:
        cue, carried = CUES[piece][0]
        yield size * 1.1 + 0.2, Mention(*place, "cue", cue=cue, carried=carried, alternatives=dict(CUES[piece]))
    if piece in STOP_WORDS:
        yield size * 0.95, Mention(*place, "stop")


def _quoted(text: str, values: ValueIndex) -> Iterator[tuple[float, Mention]]:
    for match in _QUOTED.finditer(text):
        inner = match.group(1)
        hits = values.find(inner) or values.extended(inner)
        weight = (len(inner) + 2) * (2.0 if hits else 1.2)
        yield weight, Mention(match.start(), match.end(), inner, "value", hits=hits, quoted=True)


def _numbers(text: str, values: ValueIndex) -> Iterator[tuple[float, Mention]]:
    for match in _NUMBER.finditer(text):
        number, end = _number(text, match)
        if number is not None and (raw_digits(match.group()) or _counts(text, match.start(), end)):
            raw = text[match.start() : end]
            mention = Mention(match.start(), end, raw, "number", number=number, hits=values.find(raw))
            yield len(raw) * 1.05 + 0.1, mention


def _moments(text: str, values: ValueIndex) -> Iterator[tuple[float, Mention]]:
    for moment in moments(text, chinese=True).values():
        raw = text[moment.start : moment.end]
        # More than its numbers and the words between them, less than a cell.
        yield (
            len(raw) * 1.25 + 0.3,
            Mention(moment.start, moment.end, raw, "number", moment=moment.text, hits=values.find(raw)),
        )


def _value(
    place: tuple[int, int, str], values: ValueIndex, candidates: tuple[Candidate, ...]
) -> Iterator[tuple[float, Mention]]:
    text, size = place[2], len(place[2])
    if bare(text) != text.casefold():
        return
    hits = values.find(text)
    if hits:
        score, bonus = (1.0, 0.4) if size > 1 else (0.8, 0.0)
        yield size * 1.3 + bonus, Mention(*place, "value", candidates=candidates, hits=hits, score=score)
    elif size >= _CORE and text not in STOP_WORDS and text not in CUES and not candidates:
        hits = values.extended(text)
        if hits and hits[0].score >= _MOST_OF_CELL:
            yield size * (0.55 + 0.6 * hits[0].score), Mention(*place, "value", hits=hits, score=hits[0].score)


def _cuts_latin(text: str, start: int, end: int) -> bool:
    """Return whether the span would cut a Latin word or a number in two."""
    for at in (start, end):
        if 0 < at < len(text):
            left, right = text[at - 1], text[at]
            if (left.isascii() and right.isascii() and left.isalpha() and right.isalpha()) or (
                left.isdigit() and right.isdigit()
            ):
                return True
    return False


def raw_digits(text: str) -> bool:
    """Return whether a number is written in Arabic digits."""
    return text[-1].isdigit() and text[-1].isascii()


def _counts(text: str, start: int, end: int) -> bool:
    """Return whether a Chinese numeral is a number and no part of a phrase (`一下`, `第一` is one)."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before and before in "第前于过到足超":
        return True
    return text[start:end] != "一" and bool(after) and after in MEASURES + "年岁天月元万亿"


def _number(text: str, match: re.Match[str]) -> tuple[float | None, int]:
    raw, end = match.group(), match.end()
    if raw[0].isdigit() or raw[0] == "-":
        number = float(raw.replace(",", ""))
    else:
        parsed = _spoken(raw)
        if parsed is None:
            return None, end
        number = float(parsed)
    while end < len(text) and _UNIT.match(text[end]):
        number *= MULTIPLIERS[text[end]]
        end += 1
    return number, end


def _spoken(raw: str) -> int | None:
    """Return the value of a Chinese numeral below ten thousand.

    >>> _spoken("二十五"), _spoken("两百")
    (25, 200)
    """
    total, digit = 0, 0
    for char in raw:
        if char in ("十", "百", "千"):
            total += (digit or 1) * MULTIPLIERS[char]
            digit = 0
        elif digit:
            return None
        else:
            digit = DIGITS[char]
    return total + digit
