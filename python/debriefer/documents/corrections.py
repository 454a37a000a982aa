"""What a text takes back: the value that holds in the end, or that nothing can be trusted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from debriefer.documents.cues import behind_cue, has_cue
from debriefer.documents.normalising import normalise_column
from debriefer.documents.slots import Kind, kind_of
from debriefer.documents.tokens import is_han, tokens

# The wrong value follows these, the right one stands before.
_NOT = re.compile(
    r"[,，(（\s]*(?:\bnot\b|\brather than\b|\binstead of\b|而非|而不是|并非)\s*(?P<wrong>.+?)[)）\s]*$", re.IGNORECASE
)
_NOT_BUT = re.compile(r"(?:\bnot\b|不是|并非)\s*.+?[,，\s]*(?:\bbut\b|而是)\s*(?P<right>.+)$", re.IGNORECASE)
_COPULA = r"(?:is|was|are|were|reads?|should (?:be|read|have been|have read)|ought to (?:be|read)|must be|to)"
_HAN_COPULA = r"(?:应当为|应当是|应为|应是|实为|实际为|实际是|更正为|修正为|订正为|纠正为|改为|调整为|当为|是|为|：|:)"
_END = r"\s*(?:[,;:(.—]|$)"
_HAN_END = r"(?=[，。；：（(,;:]|$)"
_MOST_TEXT = 60
# Amounts and dates among so many of a column's texts are texts there.
_MIXED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where the value that holds stands in a text."""

    start: int
    end: int


def within(text: str, kind: Kind) -> Resolved | None:
    """Return where the right value stands in what fills a slot and takes something back; `None` where nothing tells.

    >>> text = "180 cm (corrected to 185 cm)"
    >>> found = within(text, kind_of(["170 cm", "165 cm"]))
    >>> text[found.start : found.end]
    '185 cm'
    """
    place: tuple[int, int] | None
    if (match := _NOT_BUT.search(text)) is not None:
        place = match.span("right")
    elif (match := _NOT.search(text)) is not None:
        place = (0, match.start())
    else:
        place = behind_cue(text, kind.texts)
    found = None if place is None else _trimmed(text, *place)
    return found if found is not None and fits(text[found.start : found.end], kind) else None


def fits(text: str, kind: Kind) -> bool:
    """Return whether a text is of a slot's kind and takes nothing back itself."""
    if not text or len(text) > _MOST_TEXT or has_cue(text):
        return False
    if kind.name != "text":
        return kind_of([text]).is_like(kind)
    # An amount or a date is no text among texts.
    return text in kind.texts or kind_of([text]).name == "text" or _mixed(kind)


def _mixed(kind: Kind) -> bool:
    others = sum(share for text, share in kind.texts.items() if kind_of([text]).name != "text")
    return others > _MIXED_SHARE


def in_sentence(
    text: str, labels: Sequence[Sequence[str]], kind: Kind, before: str, values: Sequence[str]
) -> Resolved | None:
    """Return where a sentence that takes something back says the right value of a column; `None` where nothing tells.

    Args:
        text: The sentence.
        labels: What the column is called.
        kind: What its values are.
        before: The value that was told first.
        values: The sentence's amounts, dates and codes, without those of the record's key.
    """
    if kind.name == "text":
        return _text_in(text, labels, kind, before)
    found = [token for token in tokens(text) if token.is_value and token.text in values and fits(token.text, kind)]
    others = [token for token in found if not _same(token.text, before)]
    if len(others) != 1 or len(found) > 2:  # noqa: PLR2004 -- the wrong one and the right one
        return None
    return Resolved(others[0].value_start, others[0].end)


def _same(one: str, other: str) -> bool:
    done = normalise_column([one, other])
    return done.values[0] == done.values[1]


def _text_in(text: str, labels: Sequence[Sequence[str]], kind: Kind, before: str) -> Resolved | None:
    known = [one for one in kind.texts if one != before and len(one) > 1 and one in text]
    longest = [one for one in known if not any(one != other and one in other for other in known)]
    if len(longest) == 1:
        start = text.rindex(longest[0])
        return Resolved(start, start + len(longest[0]))
    if longest:
        return None
    for expression in _expressions(labels):
        match = expression.search(text)
        if match is not None:
            found = _trimmed(text, *match.span("value"))
            if found is not None and fits(text[found.start : found.end], kind):
                return found
    return None


def _expressions(labels: Sequence[Sequence[str]]) -> list[re.Pattern[str]]:
    found: list[re.Pattern[str]] = []
    for label in labels:
        if any(map(is_han, label)):
            name = re.escape("".join(label))
            found.append(re.compile(rf"{name}\s*{_HAN_COPULA}\s*(?P<value>[^，。；：（(,;]+){_HAN_END}"))
        else:
            name = r"\W+".join(map(re.escape, label))
            found.append(re.compile(rf"\b{name}\b[^,;:.]*?\b{_COPULA}\s+(?P<value>[^,;:()]+?){_END}", re.IGNORECASE))
    found.append(re.compile(rf"\b(?:it|this|that)\s+{_COPULA}\s+(?P<value>[^,;:()]+?){_END}", re.IGNORECASE))
    found.append(re.compile(rf"{_HAN_COPULA}\s*(?P<value>[^，。；：（(,;]+){_HAN_END}"))
    return found


def _trimmed(text: str, start: int, end: int) -> Resolved | None:
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip(" ,，:：;；.。、(（\"“'"))
    right = len(inner.rstrip(" ,，:：;；.。、)）\"”'"))
    return Resolved(start + left, start + right) if left < right else None


def names(sentence: str, label: Sequence[str]) -> bool:
    """Return whether a sentence says a label."""
    if not label:
        return False
    if any(map(is_han, label)):
        text = "".join(label)
        return len(text) > 1 and text in sentence
    words = set(re.findall(r"[^\W\d_]+", sentence.casefold()))
    return all(word in words for word in label)
