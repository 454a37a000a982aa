"""Cells that a question speaks of in other words than the cell's: stems, adjectives, initials, kinds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from debriefer.catalog import ValueHit, ValueIndex
from debriefer.linking.categories import Category
from debriefer.linking.question import Question, units
from debriefer.linking.synonyms import ABBREVIATED, CHINESE, DEMONYMS, ENGLISH, IRREGULAR

Place = tuple[str, str]
Span = tuple[int, int]

_STEM, _DEMONYM, _INITIALS, _SYNONYM, _KIND, _CHARACTERS, _FLAG, _ABBREVIATED = (
    0.75,
    0.75,
    0.55,
    0.45,
    0.6,
    0.35,
    0.9,
    0.6,
)

_LEAST_INITIALS, _MOST_INITIALS = 3, 5
_LEAST_COVER = 0.6
_LEAST_LETTERS = 5
_HAN = re.compile(r"[\u3400-\u9fff]+")


def variants(
    question: Question,
    index: ValueIndex,
    kinds: Sequence[Category],
    named: Mapping[Place, float],
    taken: Collection[Span],
) -> list[ValueHit]:
    """Return cells that the question speaks of in other words, as near hits.

    Args:
        question: The question.
        index: The catalog's cells.
        kinds: Its columns of few different texts.
        named: How surely the question names each column.
        taken: Spans that a cell is spelt like.
    """
    found = [
        *_other_words(question, index, taken),
        *_abbreviated(question, index),
        *_initials(question, index, taken),
    ]
    for kind in kinds:
        found += _kinds(question, kind)
        if kind.affirmative is not None and named.get((kind.table, kind.column), 0.0) >= _LEAST_COVER:
            found.append(_flag(question, kind, named[kind.table, kind.column]))
    return found


def _near(hit: ValueHit, span: Span, score: float) -> ValueHit:
    return ValueHit(span[0], span[1], hit.table, hit.column, hit.value, hit.count, "near", score)


def _other_words(question: Question, index: ValueIndex, taken: Collection[Span]) -> Iterator[ValueHit]:
    for word in question.words:
        span = (word.start, word.end)
        if span in taken or word.stem.isdigit():
            continue
        spelt = question.text[word.start : word.end].casefold()
        others = [(base, _STEM) for base, forms in IRREGULAR if spelt in forms]
        others += [(word.stem, _STEM)] if word.stem != spelt else []
        others += [(country, _DEMONYM) for people, country in DEMONYMS if people == spelt]
        others += [(people, _DEMONYM) for people, country in DEMONYMS if country == spelt]
        others += [
            (other, _SYNONYM) for group in ENGLISH if word.stem in group for other in sorted(group - {word.stem})
        ]
        for other, score in others:
            for hit in index.spelt(other):
                yield _near(hit, span, score)
    for group in CHINESE:
        for word_zh in sorted(group):
            at = question.text.find(word_zh)
            if at >= 0 and (at, at + len(word_zh)) not in taken:
                for other in sorted(group - {word_zh}):
                    for hit in index.spelt(other):
                        yield _near(hit, (at, at + len(word_zh)), _SYNONYM)


def _abbreviated(question: Question, index: ValueIndex) -> Iterator[ValueHit]:
    """Yield cells that abbreviate a word as tables do: `CA` for `California`."""
    text = " " + " ".join(word.stem for word in question.words) + " "
    for long, short in ABBREVIATED:
        at = text.find(f" {long} ")
        if at < 0:
            continue
        first = text[:at].count(" ")
        last = first + long.count(" ")
        span = (question.words[first].start, question.words[last].end)
        for hit in index.spelt(short):
            if hit.value.strip().casefold() == short:
                yield _near(hit, span, _ABBREVIATED)


def _initials(question: Question, index: ValueIndex, taken: Collection[Span]) -> Iterator[ValueHit]:
    """Yield cells such as `MRI` for `magnetic resonance imaging`."""
    words = question.words
    for size in range(_LEAST_INITIALS, _MOST_INITIALS + 1):
        for start in range(len(words) - size + 1):
            span = (words[start].start, words[start + size - 1].end)
            initials = "".join(word.stem[0] for word in words[start : start + size]).upper()
            if not initials.isalpha() or any(s <= span[0] and span[1] <= e for s, e in taken):
                continue
            for hit in index.spelt(initials):
                if hit.value.strip() == initials:
                    yield _near(hit, span, _INITIALS)


def _kinds(question: Question, kind: Category) -> Iterator[ValueHit]:
    """Yield cells of a column of kinds whose words the question says in another form."""
    holders = kind.holders() if question.han else {}
    for cell, count in kind.cells:
        hit = ValueHit(0, 0, kind.table, kind.column, cell, count, "near", 0.0)
        if question.words and (found := _by_words(question, cell)) is not None:
            span, cover = found
            yield _near(hit, span, _KIND * cover)
        elif question.han and (found := _by_characters(question, cell, holders)) is not None:
            span, cover = found
            yield _near(hit, span, _CHARACTERS + 0.3 * cover)


def _by_words(question: Question, cell: str) -> tuple[Span, float] | None:
    """Return where the words of a cell stand in other forms, and how much of it they cover."""
    parts = [unit for unit in units(cell) if not _HAN.match(unit)]
    size = sum(map(len, parts))
    if not parts or size < _LEAST_LETTERS:
        return None
    covered, places = 0.0, []
    for part in parts:
        match = question.match(part)
        sure, at = match.sure, list(match.places)
        if not at:
            at = question.akin(part)
            sure = 0.8 if at else 0.0
        covered += sure * len(part)
        places += at[:1]
    if not places or covered / size < _LEAST_COVER:
        return None
    words = [question.words[place] for place in places]
    return (min(w.start for w in words), max(w.end for w in words)), covered / size


def _by_characters(question: Question, cell: str, holders: Mapping[str, int]) -> tuple[Span, float] | None:
    """Return where characters that tell a cell apart from the column's others stand, and how much of it they are."""
    text = "".join(_HAN.findall(cell))
    if len(text) < 2 or len(text) != len(cell.strip()):  # noqa: PLR2004 -- one character tells nothing
        return None
    telling = [c for c in text if holders.get(c, 0) == 1 and c in question.text]
    if not telling or len(telling) * 2 < len(text):
        return None
    at = question.text.index(telling[0])
    return (at, at + 1), len(telling) / len(text)


def _flag(question: Question, kind: Category, named: float) -> ValueHit:
    """Return the cell that says yes in a column of yes and no which the question names."""
    places = sorted({p for unit in units(kind.column) for p in question.match(unit).places})
    words = [question.words[place] for place in places]
    start, end = min((w.start for w in words), default=0), max((w.end for w in words), default=len(question.text))
    cell = kind.affirmative or ""
    count = dict(kind.cells)[cell]
    return ValueHit(start, end, kind.table, kind.column, cell, count, "near", _FLAG * named)
