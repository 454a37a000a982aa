"""An English question as a row of mentions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from debriefer.offline.lexicon_english import CUES, LONGEST_CUE, NUMBER_WORDS, SOFT_STOP_WORDS, STOP_WORDS
from debriefer.offline.linking import Mention, Terms
from debriefer.offline.values import ValueIndex
from debriefer.offline.words import split_name, stem

_TOKEN = re.compile(
    r"\"(?P<double>[^\"]{1,120})\"|“(?P<curly>[^”]{1,120})”|`(?P<back>[^`]{1,120})`"
    r"|(?<![\w'])'(?P<single>[^'\n]{0,80}(?:'\w[^'\n]{0,60})*)'(?!\w)"
    r"|(?P<number>(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w-]))"
    r"|(?P<word>[^\W_]+(?:[-_./&][^\W_]+)*(?:'(?!s\b)[a-z]+)?|'s\b)"
    r"|(?P<mark>[.?;,!:](?=\s|$))"
)
_LONGEST_VALUE = 8
# A filling word is a column only where it is the whole name.
_SAME = 0.95
# The words of a cell are preferred to a part of a column's name.
_WHOLE = 0.8
_CELL = 0.9


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a mark or a quoted text of the question."""

    start: int
    end: int
    text: str
    kind: str

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


def tokenize(question: str) -> list[Token]:
    """Return the tokens of an English question; a quoted text is one token, without its quotes."""
    tokens = []
    question = question.replace("’", "'").replace("‘", "'")
    for match in _TOKEN.finditer(question):
        kind = match.lastgroup or "word"
        text = match.group(kind)
        if kind in ("double", "curly", "back", "single"):
            tokens.append(Token(match.start(), match.end(), text.strip(), "quoted"))
        else:
            tokens.append(Token(match.start(), match.end(), text, kind))
    return tokens


def link(question: str, terms: Terms, values: ValueIndex) -> list[Mention]:
    """Return what each run of words may stand for, from left to right, without overlaps.

    At each word the longest reading wins; among equals a name of the catalog before a cue before a cell.
    """
    tokens = tokenize(question)
    mentions: list[Mention] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "quoted":
            mentions.append(_quoted(token, values))
            position += 1
            continue
        mention, size = _longest(question, tokens, position, terms, values)
        mentions.append(mention)
        position += size
    return mentions


def _quoted(token: Token, values: ValueIndex) -> Mention:
    hits = values.find(token.text)
    return Mention(token.start, token.end, token.text, "value", hits=hits, quoted=True)


def _longest(
    question: str, tokens: list[Token], position: int, terms: Terms, values: ValueIndex
) -> tuple[Mention, int]:
    first = tokens[position]
    for size in range(min(_LONGEST_VALUE, len(tokens) - position), 0, -1):
        run = tokens[position : position + size]
        if any(t.kind == "quoted" for t in run[1:]):
            continue
        text = question[run[0].start : run[-1].end]
        place = (run[0].start, run[-1].end, text)
        lowers = tuple(t.lower for t in run)
        cues = CUES.get(lowers, ()) if size <= LONGEST_CUE else ()
        stopped = size == 1 and first.lower in STOP_WORDS
        if all(t.kind == "word" for t in run) and size <= terms.longest:
            stems = tuple(w for t in run for w in (split_name(t.text) or (stem(t.lower),)))
            candidates = terms.find(stems)
            if size == 1 and cues and (not candidates or candidates[0].score < 0.9):
                candidates = ()
            if stopped and not (stems[0] in SOFT_STOP_WORDS and candidates and candidates[0].score >= _SAME):
                candidates = ()
            if candidates:
                hits = values.find(text) if _proper(run, position, tokens) or candidates[0].score < _WHOLE else ()
                if hits and hits[0].score >= _CELL and candidates[0].score < _WHOLE:
                    return Mention(*place, "value", candidates=candidates, hits=hits, score=0.9), size
                return Mention(*place, "schema", candidates=candidates, hits=hits), size
        if cues:
            cue, carried = cues[0]
            return Mention(*place, "cue", cue=cue, carried=carried, alternatives=dict(cues)), size
        if size == 1 and first.kind == "number":
            number = float(first.text.replace(",", ""))
            return Mention(*place, "number", number=number, hits=values.find(first.text)), 1
        if run[0].kind == "mark" or run[-1].kind == "mark":
            continue
        if size == 1 and first.lower in NUMBER_WORDS:
            return Mention(*place, "number", number=float(NUMBER_WORDS[first.lower])), 1
        proper = _proper(run, position, tokens)
        if size == 1 and first.lower in STOP_WORDS and not (first.text.isupper() and len(first.text) > 1):
            return Mention(*place, "stop"), 1
        if proper or size > 1 or not first.text.isalpha():
            if size > 1 and (lowers[0] in STOP_WORDS or lowers[-1] in STOP_WORDS) and not proper:
                continue
            hits = values.find(text)
            if hits and (proper or size > 1 or hits[0].score >= 0.95):
                return Mention(*place, "value", hits=hits), size
        elif hits := values.find(text):
            return Mention(*place, "value", hits=hits, score=0.8), 1
    if first.kind == "mark":
        cue = "comma" if first.text == "," else "stop-sentence"
        return Mention(first.start, first.end, first.text, "cue", cue=cue), 1
    return Mention(first.start, first.end, first.text, "unread"), 1


def _proper(run: list[Token], position: int, tokens: list[Token]) -> bool:
    """Return whether the words are written as a name: a capital that does not only begin the sentence."""
    starts = position == 0 or tokens[position - 1].text in (".", "?", "!")
    return any(t.text[:1].isupper() or t.text[:1].isdigit() for t in (run[1:] if starts else run))
