"""The sentences in which a document speaks of its records, with their tokens as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debriefer.documents.cues import has_cue
from debriefer.documents.relation import Record, Segmented
from debriefer.documents.tokens import Token, is_han, tokens

_ENDS = frozenset("。！？；!?;")
# Words whose point ends no sentence.
_SHORTENED = frozenset(
    {
        *(
            "mr",
            "mrs",
            "ms",
            "dr",
            "prof",
            "st",
            "no",
            "nr",
            "inc",
            "ltd",
            "co",
            "corp",
            "jr",
            "sr",
            "vs",
            "etc",
            "e.g",
        ),
        *("i.e", "approx", "dept", "fig", "vol", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct"),
        *("nov", "dec", "u.s", "u.k"),
    }
)
_CLOSING = "”\"'’)）]】」』"
# Marks that differ in width only.
_SAME_MARK = str.maketrans("，：（）！？；“”‘’【】", ",:()!?;\"\"''[]")
VALUE, FIRST_WORD = 0, 16


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a record.

    Attributes:
        block: Number of its block.
        record: The record.
        tokens: Its tokens; those of the key are among them.
        codes: A number for each token: 0 for values, 1 and up for parts of the key, from 16 on for words and marks.
        cue: Whether it takes something back, or may.
    """

    block: int
    record: Record
    tokens: tuple[Token, ...]
    codes: tuple[int, ...]
    cue: bool

    @property
    def span(self) -> tuple[int, int]:
        """First and behind the last letter in its line."""
        return self.tokens[0].start, self.tokens[-1].end


class Vocabulary:
    """Numbers for words and marks, in the order in which they are first met."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []

    def code(self, token: Token) -> int:
        """Return the number of a token."""
        if token.is_value:
            return VALUE
        text = token.text.casefold().translate(_SAME_MARK)
        if text not in self._codes:
            self._codes[text] = FIRST_WORD + len(self._texts)
            self._texts.append(text)
        return self._codes[text]

    def text(self, code: int) -> str:
        """Return the word or mark of a number from 16 on."""
        return self._texts[code - FIRST_WORD]


def sentences(lines: Sequence[str], parts: Segmented, vocabulary: Vocabulary) -> list[Sentence]:
    """Return the sentences of all records in the order of the text."""
    found: list[Sentence] = []
    # A line may tell of hundreds of records; it is taken apart once.
    rows: dict[int, list[list[Token]]] = {}
    for block in parts.blocks:
        for record in block.records:
            line = lines[record.line]
            if record.line not in rows:
                rows[record.line] = list(split(line, tokens(line)))
            for row in rows[record.line]:
                if not record.extent[0] <= row[0].start < record.extent[1]:
                    continue
                codes = tuple(_code(token, record, vocabulary) for token in row)
                text = line[row[0].start : row[-1].end]
                found.append(Sentence(block.number, record, tuple(row), codes, has_cue(text)))
    return found


def _code(token: Token, record: Record, vocabulary: Vocabulary) -> int:
    for part, (start, end) in enumerate(record.spans):
        if token.value_start < end and start < token.end:
            return 1 + min(part, FIRST_WORD - 2)
    return vocabulary.code(token)


def split(line: str, row: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence of a line; closing quotes and brackets stay with the sentence before."""
    sentence: list[Token] = []
    ended = False
    for place, token in enumerate(row):
        if ended and not (token.kind == "mark" and (token.text in _CLOSING or token.text in _ENDS)):
            yield sentence
            sentence, ended = [], False
        sentence.append(token)
        if token.kind == "mark":
            ended = ended or token.text in _ENDS or (token.text == "." and _is_stop(line, row, place))
    if sentence:
        yield sentence


def _is_stop(line: str, row: Sequence[Token], place: int) -> bool:
    token = row[place]
    if place + 1 == len(row):
        return True
    following = row[place + 1]
    if following.text in _CLOSING:
        return True
    if following.start == token.end and not is_han(following.text):
        return False
    before = row[place - 1].text.casefold() if place else ""
    if before in _SHORTENED or (len(before) == 1 and before.isalpha() and not is_han(before)):
        return False
    letter = line[following.start]
    return letter.isupper() or letter.isdigit() or is_han(letter) or letter in "\"'“‘(（$¥€£"
