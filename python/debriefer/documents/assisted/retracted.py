"""Sentences in which something is taken back: which value a correction gives, and which ones it may take."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.documents.assisted.passages import Quote
from debriefer.documents.assisted.patterns import Elements, Pattern, Spans
from debriefer.documents.cues import CUE
from debriefer.documents.sentences import FIRST_WORD, VALUE, Sentence

# Words and marks, or Chinese letters, between a cue and a text that it introduces.
_NEAR = 16
# The wrong value follows these: `85, not 58`.
_NOT_FORMS = ("not ", "rather than", "instead of", "而非", "而不是", "并非")


def cues(sentence: Sentence, line: str) -> list[int]:
    """Return the tokens at which cues begin, in order."""
    starts = [token.start for token in sentence.tokens]
    return [
        max((place for place, start in enumerate(starts) if start <= match.start()), default=0)
        for match in CUE.finditer(line, *sentence.span)
    ]


def follows_cue(sentence: Sentence, quote: Quote, line: str) -> bool:
    """Return whether a value is the one that a cue of its sentence gives: the first behind it, or before a `not …`."""
    first = quote.tokens[0]
    for place in cues(sentence, line):
        between = sentence.codes[place:first]
        if first > place and VALUE not in between:
            return sentence.codes[first] == VALUE or sum(code >= FIRST_WORD for code in between) <= _NEAR
    return before_not(quote, line)


def before_not(quote: Quote, line: str) -> bool:
    """Return whether a wrong value follows: `85, not 58`, `85 rather than 58`, `85而非58`."""
    return line[quote.span[1] :].lstrip(" ,，(（").casefold().startswith(_NOT_FORMS)


def is_taken_back(sentence: Sentence, quote: Quote, behind: int, line: str) -> bool:
    """Return whether a value in a slot, which ends before the token `behind`, is not the one that holds.

    Behind it stands a cue or, in a sentence without any, more than marks.
    """
    if before_not(quote, line):
        return False
    if sentence.cue:
        return any(quote.tokens[1] <= place < behind for place in cues(sentence, line))
    return any(any(map(str.isalnum, token.text)) for token in sentence.tokens[quote.tokens[1] : behind])


def loose_spans(pattern: Pattern, sentence: Sentence) -> Spans | None:
    """Return a pattern's slots in a sentence that may say more in them than a value.

    `None` where the sentence does not fit, or where its slots end elsewhere if they are looked for from the right.
    """
    from_left = _from_left(pattern.elements, sentence.codes)
    from_right = _from_left(pattern.elements[::-1], sentence.codes[::-1])
    if from_left is None or from_right is None:
        return None
    size = len(sentence.codes)
    mirrored = {name: (size - behind, size - first) for name, (first, behind) in from_right.items()}
    return from_left if from_left == mirrored else None


def _from_left(elements: Elements, codes: Sequence[int]) -> Spans | None:
    pieces = _pieces(elements)
    if len(pieces) == 1 or tuple(codes[: len(pieces[0][1])]) != pieces[0][1]:
        return None
    spans: Spans = {}
    at = len(pieces[0][1])
    for number, (name, fixed) in enumerate(pieces[1:], start=2):
        found = _find(codes, fixed, at + 1, at_end=number == len(pieces))
        if found is None:
            return None
        spans[name] = (at, found)
        at = found + len(fixed)
    return spans


def _pieces(elements: Elements) -> list[tuple[str, tuple[int, ...]]]:
    """Return a pattern as stretches of fixed codes, each with the column before it; the first one has none."""
    pieces: list[tuple[str, list[int]]] = [("", [])]
    for element in elements:
        if isinstance(element, str):
            pieces.append((element, []))
        else:
            pieces[-1][1].append(element)
    return [(name, tuple(fixed)) for name, fixed in pieces]


def _find(codes: Sequence[int], fixed: tuple[int, ...], start: int, *, at_end: bool) -> int | None:
    if at_end:
        place = len(codes) - len(fixed)
        return place if place >= start and tuple(codes[place:]) == fixed else None
    places = range(start, len(codes) - len(fixed) + 1) if fixed else ()
    return next((at for at in places if tuple(codes[at : at + len(fixed)]) == fixed), None)
