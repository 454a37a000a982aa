"""An English question as a row of mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from debriefer.linking.words import split_name, stem
from debriefer.offline.dates import moments
from debriefer.offline.knowledge import Entry
from debriefer.offline.lexicon_english import CUES, LONGEST_CUE, NUMBER_WORDS, SOFT_STOP_WORDS, STOP_WORDS
from debriefer.offline.linking import Mention, Terms
from debriefer.offline.values import ValueIndex

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


def link(question: str, terms: Terms, values: ValueIndex, entries: Sequence[Entry] = ()) -> list[Mention]:
    """Return what each run of words may stand for, from left to right, without overlaps.

    At each word the longest reading wins; among equals a name of the catalog before a cue before a cell.
    """
    tokens = tokenize(question)
    dated = moments(question)
    mentions: list[Mention] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "quoted":
            mentions.append(_quoted(token, values))
            position += 1
            continue
        defined = _defined(question, tokens, position, entries)
        if defined is not None:
            mentions.append(defined[0])
            position += defined[1]
            continue
        moment = dated.get(token.start)
        if moment is not None:
            text = question[moment.start : moment.end]
            hits = values.find(text)
            mentions.append(Mention(moment.start, moment.end, text, "number", moment=moment.text, hits=hits))
            while position < len(tokens) and tokens[position].start < moment.end:
                position += 1
            continue
        mention, size = _longest(question, tokens, position, terms, values)
        mentions.append(mention)
        position += size
    return mentions


def _defined(question: str, tokens: list[Token], position: int, entries: Sequence[Entry]) -> tuple[Mention, int] | None:
    """Return the longest term of the glossary that begins at a token, and how many tokens it takes."""
    best: tuple[Mention, int] | None = None
    for entry in entries:
        size = 0
        words: list[str] = []
        while len(words) < len(entry.stems) and position + size < len(tokens):
            words += [stem(word) for word in re.findall(r"[^\W_]+", tokens[position + size].lower)]
            size += 1
        if tuple(words) == entry.stems and (best is None or size > best[1]):
            start, end = tokens[position].start, tokens[position + size - 1].end
            best = (entry.mention(start, end, question[start:end]), size)
    return best


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
        proper = _proper(run, position, tokens)
        text = question[run[0].start : run[-1].end]
        mention = _name(run, text, values) if proper else None
        mention = mention or (
            _schema(run, text, terms, values, proper=proper)
            or _cue(run, text)
            or _cell(run, text, values, proper=proper)
        )
        if mention is not None:
            return mention, size
    if first.kind == "mark":
        cue = "comma" if first.text == "," else "stop-sentence"
        return Mention(first.start, first.end, first.text, "cue", cue=cue), 1
    return Mention(first.start, first.end, first.text, "unread"), 1


def _name(run: list[Token], text: str, values: ValueIndex) -> Mention | None:
    """Return a word that steers other questions but is written here as a cell is (`How many songs has Max?`)."""
    if len(run) > 1 or (run[0].lower,) not in CUES:
        return None
    hits = values.find(text)
    exact = bool(hits) and hits[0].score >= 1
    return Mention(run[0].start, run[0].end, text, "value", hits=hits) if exact else None


def _schema(run: list[Token], text: str, terms: Terms, values: ValueIndex, *, proper: bool) -> Mention | None:
    """Return a run of words as a name of the catalog."""
    if len(run) > terms.longest or any(t.kind != "word" for t in run):
        return None
    stems = tuple(w for t in run for w in (split_name(t.text) or (stem(t.lower),)))
    candidates = terms.find(stems)
    if not candidates:
        return None
    best = candidates[0].score
    if len(run) == 1:
        word = run[0].lower
        if word in STOP_WORDS and (stems[0] not in SOFT_STOP_WORDS or best < _SAME):
            return None
        if (word,) in CUES and best < _CELL:
            return None
    hits = values.find(text) if proper or best < _WHOLE else ()
    kind = "value" if hits and hits[0].score >= _CELL and best < _WHOLE else "schema"
    return Mention(run[0].start, run[-1].end, text, kind, candidates=candidates, hits=hits)


def _cue(run: list[Token], text: str) -> Mention | None:
    """Return a run of words as a phrase that steers the question."""
    found = CUES.get(tuple(t.lower for t in run), ()) if len(run) <= LONGEST_CUE else ()
    if not found:
        return None
    cue, carried = found[0]
    return Mention(run[0].start, run[-1].end, text, "cue", cue=cue, carried=carried, alternatives=dict(found))


def _cell(run: list[Token], text: str, values: ValueIndex, *, proper: bool) -> Mention | None:
    """Return a run of words as a number, a filling word or the text of a cell."""
    first, single = run[0], len(run) == 1
    place = (first.start, run[-1].end, text)
    if single and first.kind == "number":
        return Mention(*place, "number", number=float(first.text.replace(",", "")), hits=values.find(text))
    if first.kind == "mark" or run[-1].kind == "mark":
        return None
    if single and first.lower in NUMBER_WORDS:
        return Mention(*place, "number", number=float(NUMBER_WORDS[first.lower]))
    if single and first.lower in STOP_WORDS and not (first.text.isupper() and len(first.text) > 1):
        return Mention(*place, "stop")
    framed = not single and not proper and (first.lower in STOP_WORDS or run[-1].lower in STOP_WORDS)
    hits = () if framed else values.find(text)
    plain = single and not proper
    if not hits or (plain and not first.text.isalpha() and hits[0].score < _SAME):
        return None
    return Mention(*place, "value", hits=hits, score=0.8 if plain and first.text.isalpha() else 1.0)


def _proper(run: list[Token], position: int, tokens: list[Token]) -> bool:
    """Return whether the words are written as a name: a capital that does not only begin the sentence."""
    starts = position == 0 or tokens[position - 1].text in (".", "?", "!")
    return any(t.text[:1].isupper() or t.text[:1].isdigit() for t in (run[1:] if starts else run))
