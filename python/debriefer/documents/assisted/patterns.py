"""Patterns of sentences that a model has read some of: fixed words, and slots that are columns.

A pattern counts once several records bear it out and next to none speak against it. It then reads the other records
without a model, and tells whether the model read its own ones alike.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from debriefer.documents.assisted.passages import Passage, Quote, token_quote
from debriefer.documents.normalising import is_nothing
from debriefer.documents.sentences import VALUE, Sentence
from debriefer.documents.slots import kind_of
from debriefer.documents.tokens import is_han

# So many records must bear a pattern out, and for each that speaks against it so many more.
SUPPORT = 3
_FOR_EACH_AGAINST = 20
# A slot takes so many tokens more than the longest that was read in it.
_LONGER = 2

Element = int | str
Elements = tuple[Element, ...]
Spans = dict[str, tuple[int, int]]


@dataclass(slots=True)
class Reading:
    """What a model said of a passage, each value with its place.

    Attributes:
        passage: The passage.
        quotes: The place of each column's value; of several possible ones the one that was chosen.
        options: All places that a column's value may have.
        lost: Columns whose quote is nowhere in the passage, with what was quoted.
        missing: Columns of which the text says that there is no value.
    """

    passage: Passage
    quotes: dict[str, Quote] = field(default_factory=dict)
    options: dict[str, list[Quote]] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def spans(self, sentence: int) -> Spans:
        """Return the tokens of each column that a sentence tells."""
        return {name: quote.tokens for name, quote in self.quotes.items() if quote.sentence == sentence}


@dataclass(slots=True)
class Pattern:
    """A kind of sentence in one block.

    Attributes:
        elements: Codes as in `Sentence.codes`, and names of columns for slots.
        longest: Tokens of the longest text that was read in each slot.
        values: Slots that always held one amount, date or code.
        agreed: Records that bear it out.
        opposed: Records that speak against it.
    """

    elements: Elements
    longest: dict[str, int] = field(default_factory=dict)
    values: set[str] = field(default_factory=set)
    agreed: int = 0
    opposed: int = 0
    _expressions: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    _known: dict[str, Spans | None] = field(default_factory=dict, repr=False)

    @property
    def valid(self) -> bool:
        """Whether it may be relied on."""
        return self.agreed >= max(SUPPORT, _FOR_EACH_AGAINST * self.opposed)

    @property
    def columns(self) -> list[str]:
        """Its columns in the order of the text."""
        return [element for element in self.elements if isinstance(element, str)]

    @property
    def words(self) -> int:
        """How many of its elements are fixed words or parts of the key."""
        return sum(isinstance(element, int) and element != VALUE for element in self.elements)

    def spans(self, text: str) -> Spans | None:
        """Return the tokens in each slot of a sentence; `None` where it does not fit, or not in one way."""
        if text not in self._known:
            self._known[text] = self._spans(text)
        return self._known[text]

    def _spans(self, text: str) -> Spans | None:
        if self._expressions is None:
            self._expressions = (self._expression("?"), self._expression(""))
        lazy, greedy = (expression.fullmatch(text) for expression in self._expressions)
        if lazy is None or greedy is None:
            return None
        spans = {name: lazy.span(number) for number, name in enumerate(self.columns, start=1)}
        return spans if all(greedy.span(number) == span for number, span in enumerate(spans.values(), 1)) else None

    def _expression(self, mode: str) -> re.Pattern[str]:
        parts: list[str] = []
        for element in self.elements:
            if isinstance(element, int):
                parts.append(_letter(element))
            elif element in self.values:
                parts.append(f"({_letter(VALUE)})")
            else:
                parts.append(f"(.{{1,{self.longest[element] + _LONGER}}}{mode})")
        return re.compile("".join(parts), re.DOTALL)


@dataclass(frozen=True, slots=True)
class Assigned:
    """What patterns say of a sentence.

    Attributes:
        pattern: The pattern that it follows.
        spans: The tokens of each column.
    """

    pattern: Pattern
    spans: Spans


@dataclass(slots=True)
class Patterns:
    """The patterns of one block, and what the values that they stand on look like.

    Attributes:
        all: Every pattern, the one with the most fixed words first.
        shapes: For each column the shapes of its texts, and the kind of its values.
        texts: For each column its texts in sentences that a valid pattern bears out.
    """

    all: list[Pattern] = field(default_factory=list)
    shapes: dict[str, set[tuple[bool, ...]]] = field(default_factory=dict)
    kinds: dict[str, tuple[str, str]] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)

    def assigned(self, sentence: Sentence) -> Assigned | None:
        """Return what the valid patterns say of a sentence; `None` where none fits, or two that differ fit equally."""
        text = _text(sentence)
        best: Assigned | None = None
        for pattern in self.all:
            if not pattern.valid:
                continue
            if best is not None and pattern.words < best.pattern.words:
                break
            spans = pattern.spans(text)
            if spans is None:
                continue
            if best is not None and best.spans != spans:
                return None
            best = best or Assigned(pattern, spans)
        return best

    def explained(self, passage: Passage, lines: Sequence[str]) -> dict[str, Quote] | None:
        """Return the values of a passage that a model need not read; `None` where it must.

        Every sentence follows a valid pattern, nothing is taken back, no column is told twice, and each value looks
        like those that were read.
        """
        if passage.cue or not passage.sentences:
            return None
        found: dict[str, Quote] = {}
        for number, sentence in enumerate(passage.sentences):
            assigned = self.assigned(sentence)
            if assigned is None or assigned.spans.keys() & found.keys():
                return None
            for name, tokens in assigned.spans.items():
                quote = token_quote(passage, number, tokens, lines)
                if not self._looks_right(name, quote.raw):
                    return None
                found[name] = quote
        return found

    def _looks_right(self, name: str, raw: str) -> bool:
        if is_nothing(raw):
            return True
        kind, unit = self.kinds.get(name, ("text", ""))
        if kind in ("number", "date"):
            own = kind_of([raw])
            return (own.name, own.unit) == (kind, unit)
        return shape_of(raw) in self.shapes.get(name, set())


def shape_of(raw: str) -> tuple[bool, ...]:
    """Return what a text looks like: whether it begins with a capital, has Chinese letters, digits, several words."""
    return raw[:1].isupper(), is_han(raw), any(letter.isdigit() for letter in raw), " " in raw.strip()


def learn(readings: Iterable[Reading], lines: Sequence[str], examples: Sequence[Reading] = ()) -> Patterns:
    """Return the patterns that readings of one block show, with who bears them out and who speaks against them.

    Args:
        readings: What a model read.
        lines: The document's lines.
        examples: Values that were given as examples of columns before; they count most where they speak against.
    """
    rows = [
        (reading, number, sentence)
        for reading in readings
        for number, sentence in enumerate(reading.passage.sentences)
        if not sentence.cue
    ]
    found: dict[Elements, Pattern] = {}
    for reading, number, sentence in rows:
        spans = reading.spans(number)
        if reading.lost or not _apart(spans):
            continue  # a slot that was not found would become words
        elements = _elements(sentence, spans)
        pattern = found.setdefault(elements, Pattern(elements, values=set(spans)))
        for name, (first, behind) in spans.items():
            pattern.longest[name] = max(pattern.longest.get(name, 0), behind - first)
            if behind - first > 1 or sentence.codes[first] != VALUE:
                pattern.values.discard(name)
    patterns = Patterns(_elected(sorted(found.values(), key=lambda pattern: -pattern.words), rows))
    for example in examples:
        for number, sentence in enumerate(example.passage.sentences):
            _compare(patterns.all, example, number, sentence)
    _describe(patterns, rows, lines)
    return patterns


def _compare(patterns: Sequence[Pattern], example: Reading, number: int, sentence: Sentence) -> None:
    """Let a column's example speak against patterns that have the column elsewhere, or another one in its place."""
    said = example.spans(number)
    text = _text(sentence) if said and not sentence.cue else ""
    for pattern in patterns if text else ():
        spans = pattern.spans(text)
        if spans is not None and any(
            spans.get(name, span) != span or any(name != other and span == taken for other, taken in spans.items())
            for name, span in said.items()
        ):
            pattern.opposed += 1


def _elected(patterns: list[Pattern], rows: Sequence[tuple[Reading, int, Sentence]]) -> list[Pattern]:
    """Return patterns with their votes; those that most records speak against go, so that they hide no others."""
    while True:
        for pattern in patterns:
            pattern.agreed = pattern.opposed = 0
        for reading, number, sentence in rows:
            _vote(patterns, reading, number, sentence)
        kept = [pattern for pattern in patterns if pattern.opposed <= pattern.agreed]
        if len(kept) == len(patterns):
            return kept
        patterns = kept


def _vote(patterns: Sequence[Pattern], reading: Reading, number: int, sentence: Sentence) -> None:
    text, said = _text(sentence), reading.spans(number)
    words: int | None = None
    for pattern in patterns:
        if words is not None and pattern.words < words:
            return
        spans = pattern.spans(text)
        if spans is None:
            continue
        words = pattern.words
        open_ = {name for name in spans if name not in said and _told_later(reading, name, number)}
        expected = {name: span for name, span in spans.items() if name in said or not _nothing(sentence, span)}
        told = {name: span for name, span in said.items() if name in spans or not _nothing(sentence, span)}
        if expected == told:
            pattern.agreed += 1
        elif {name: span for name, span in expected.items() if name not in open_} != told:
            pattern.opposed += 1


def _told_later(reading: Reading, name: str, number: int) -> bool:
    """Return whether a column's value was read in a later sentence: this one's was taken back."""
    quote = reading.quotes.get(name)
    return quote is not None and quote.sentence > number


def _nothing(sentence: Sentence, span: tuple[int, int]) -> bool:
    return all(sentence.tokens[place].kind == "nothing" for place in range(*span))


def _apart(spans: Mapping[str, tuple[int, int]]) -> bool:
    order = sorted(spans.values())
    return all(one[1] <= other[0] for one, other in pairwise(order))


def _elements(sentence: Sentence, spans: Mapping[str, tuple[int, int]]) -> Elements:
    starts = {first: (name, behind) for name, (first, behind) in spans.items()}
    elements: list[Element] = []
    at = 0
    while at < len(sentence.codes):
        if at in starts:
            name, at = starts[at]
            elements.append(name)
        else:
            elements.append(sentence.codes[at])
            at += 1
    return tuple(elements)


def _describe(patterns: Patterns, rows: Iterable[tuple[Reading, int, Sentence]], lines: Sequence[str]) -> None:
    """Note what the values look like that valid patterns and readings agree on."""
    raws: dict[str, list[str]] = defaultdict(list)
    for reading, number, sentence in rows:
        assigned = patterns.assigned(sentence)
        said = reading.spans(number)
        for name, tokens in (assigned.spans if assigned is not None else {}).items():
            if said.get(name) == tokens:
                raw = token_quote(reading.passage, number, tokens, lines).raw
                if not is_nothing(raw):
                    raws[name].append(raw)
    for name, texts in raws.items():
        kind = kind_of(texts)
        patterns.kinds[name] = (kind.name, kind.unit)
        patterns.shapes[name] = {shape_of(raw) for raw in texts}
        patterns.texts[name] = set(Counter(texts))


def _text(sentence: Sentence) -> str:
    return "".join(map(_letter, sentence.codes))


def _letter(code: int) -> str:
    # Private letters, so that no code has a meaning in an expression.
    return chr(0xF0000 + code)
