"""What each block says of each record: the pieces that are sent to a model, and the places that quotes have in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.entries import Key
from debriefer.documents.loading import record_id
from debriefer.documents.relation import Record, Segmented
from debriefer.documents.sentences import Sentence

# What stands around a place within a number.
_INSIDE = re.compile(r"(?<=\d)\d|(?<=\d[.,])\d|(?<=\d)[.,]\d")
_QUOTES = " \t\r\n\"'“”‘’「」`"


@dataclass(frozen=True, slots=True)
class Passage:
    """What one block says of one record.

    Attributes:
        block: Number of the block.
        key: Key of the record.
        places: Where it stands, in the order of the text.
        sentences: Its sentences, with their tokens.
        text: The places' text.
    """

    block: int
    key: Key
    places: tuple[Record, ...]
    sentences: tuple[Sentence, ...]
    text: str

    @property
    def record(self) -> str:
        """The id under which it is sent."""
        return record_id(self.key)

    @property
    def cue(self) -> bool:
        """Whether something is taken back, or may be."""
        return any(sentence.cue for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Quote:
    """A place of a value in a passage.

    Attributes:
        sentence: Number of the sentence.
        tokens: The first token there and the one behind the last.
        line: The document's line.
        span: First and behind the last letter in that line.
        raw: The text.
    """

    sentence: int
    tokens: tuple[int, int]
    line: int
    span: tuple[int, int]
    raw: str

    def overlaps(self, other: Quote) -> bool:
        """Return whether two quotes have a letter in common."""
        return self.line == other.line and self.span[0] < other.span[1] and other.span[0] < self.span[1]


def passages(lines: Sequence[str], parts: Segmented, rows: Sequence[Sentence]) -> dict[tuple[int, Key], Passage]:
    """Return what each block says of each record, in the order of the text."""
    places: dict[tuple[int, Key], list[Record]] = {}
    for block in parts.blocks:
        for record in block.records:
            places.setdefault((block.number, record.key), []).append(record)
    spoken: dict[tuple[int, Key], list[Sentence]] = {}
    for row in rows:
        spoken.setdefault((row.block, row.record.key), []).append(row)
    return {
        place: Passage(
            block=place[0],
            key=place[1],
            places=tuple(found),
            sentences=tuple(spoken.get(place, ())),
            text="\n".join(lines[record.line][slice(*record.extent)].strip() for record in found),
        )
        for place, found in places.items()
    }


def by_block(found: Mapping[tuple[int, Key], Passage]) -> dict[int, list[Passage]]:
    """Return the passages of each block, in the order of the text."""
    blocks: dict[int, list[Passage]] = {}
    for passage in found.values():
        blocks.setdefault(passage.block, []).append(passage)
    return blocks


def token_quote(passage: Passage, sentence: int, tokens: tuple[int, int], lines: Sequence[str]) -> Quote:
    """Return some tokens of a sentence as a quote; what stands before an amount is no part of it."""
    row = passage.sentences[sentence].tokens
    first, last = row[tokens[0]], row[tokens[1] - 1]
    line = passage.sentences[sentence].record.line
    span = (first.value_start if first.is_value else first.start, last.end)
    return Quote(sentence, tokens, line, span, lines[line][slice(*span)])


def located(passage: Passage, text: str, lines: Sequence[str]) -> list[Quote]:
    """Return the places at which a passage has a text, outside the record's key.

    A text that begins or ends within an amount, a date or a code is widened to all of it; one that begins or ends
    within a word or a number has no place.
    """
    text = text.strip(_QUOTES)
    if not text:
        return []
    found: list[Quote] = []
    for number, sentence in enumerate(passage.sentences):
        line = lines[sentence.record.line]
        start, end = sentence.span
        for at in _occurrences(line, text, start, end):
            tokens = None if _cuts_number(line, at, at + len(text)) else _covered(sentence, at, at + len(text))
            if tokens is not None:
                quote = token_quote(passage, number, tokens, lines)
                if quote not in found:
                    found.append(quote)
    return found


def _occurrences(line: str, text: str, start: int, end: int) -> Iterator[int]:
    at = line.find(text, start, end)
    while at >= 0:
        yield at
        at = line.find(text, at + 1, end)


def _cuts_number(line: str, start: int, end: int) -> bool:
    """Return whether a stretch begins or ends within a number: `9` of `19`, `3` of `3.5`."""
    return any(_INSIDE.match(line, place) is not None for place in (start, end))


def _covered(sentence: Sentence, start: int, end: int) -> tuple[int, int] | None:
    """Return the tokens that a stretch of the line covers; `None` where it cuts a word or has a part of the key."""
    row = sentence.tokens
    inside = [place for place, token in enumerate(row) if token.start < end and start < token.end]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    for place in (first, last):
        token = row[place]
        whole = start <= token.value_start and token.end <= end
        if not whole and not token.is_value:
            return None
    if any(0 < sentence.codes[place] <= len(sentence.record.spans) for place in range(first, last + 1)):
        return None
    return first, last + 1
