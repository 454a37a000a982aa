"""What all values of a column end with: it stands in the words of every form, and is part of the value all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from debriefer.documents.columns import Draft
from debriefer.documents.sentences import FIRST_WORD, Vocabulary
from debriefer.documents.slots import Slot, kind_of
from debriefer.documents.templates import GAP
from debriefer.documents.tokens import is_han

# Behind these a value is a noun, and goes on to the next mark.
_COPULAS = frozenset("为是系即属：:(（")
# What follows a value behind these is what is done: `由X担任`.
_PREPOSITIONS = frozenset("由被经向从对把将受归与和跟同给")
_MOST_ENDING, _MOST_LONE = 4, 3
# Letters that no name ends with.
_NO_ENDINGS = frozenset("的了着过是为在于由任等之至到有所并及与和")


def with_endings(draft: Draft, lines: Sequence[str], vocabulary: Vocabulary) -> Draft:
    """Return a column of Chinese texts whose values have what all of its forms have next to them.

    `规格为分析纯` and `标示规格为化学纯` have one ending only in a column of such values, so that it stands in the
    template; where every form has it, it is theirs. Where there is only one form, a value goes on to the next mark if a
    verb like `为` stands before it.
    """
    ending = _ending(draft, vocabulary)
    if not ending or not any(map(is_han, draft.kind.texts)):
        return draft
    values = dict(draft.values)
    for key, value in values.items():
        line = lines[value.line]
        start, end = value.span
        if line.startswith(ending, end):
            values[key] = replace(value, span=(start, end + len(ending)), raw=line[start : end + len(ending)])
    kind = kind_of([value.raw for value in values.values() if not value.cue])
    return replace(draft, values=values, kind=kind)


def _ending(draft: Draft, vocabulary: Vocabulary) -> str:
    if draft.kind.name != "text":
        return ""
    sides = [_sides(slot, vocabulary) for slot in draft.slots]
    if any(before in _PREPOSITIONS for before, _, _ in sides):
        return ""
    ending = _common_head([behind for _, behind, _ in sides])
    if not 0 < len(ending) <= _MOST_ENDING or not is_han(ending) or set(ending) & _NO_ENDINGS:
        return ""
    if len(sides) > 1 and any(behind != ending for _, behind, _ in sides):
        return ending
    to_mark = all(behind == ending and at_mark for _, behind, at_mark in sides)
    noun = any(before in _COPULAS for before, _, _ in sides) or any(ending in label for label in _labels(draft))
    # A single letter does nothing: what is done has two, as in `X负责`.
    return ending if to_mark and (len(ending) == 1 or (noun and len(ending) <= _MOST_LONE)) else ""


def _labels(draft: Draft) -> list[str]:
    return ["".join(slot.before) for slot in draft.slots]


def _common_head(texts: Sequence[str]) -> str:
    return "".join(letters[0] for letters in takewhile(lambda row: len(set(row)) == 1, zip(*texts, strict=False)))


def _sides(slot: Slot, vocabulary: Vocabulary) -> tuple[str, str, bool]:
    """Return the letter before a slot, the Chinese letters behind it, and whether a mark or the end follows those."""
    pattern = slot.template.pattern
    at = slot.template.slots()[slot.place]
    if pattern[at] != GAP:
        return "", "", False
    before = vocabulary.text(pattern[at - 1]) if at and pattern[at - 1] >= FIRST_WORD else ""
    behind = ""
    place = at + 1
    while place < len(pattern) and pattern[place] >= FIRST_WORD and is_han(vocabulary.text(pattern[place])):
        behind += vocabulary.text(pattern[place])
        place += 1
    at_mark = place == len(pattern) or (pattern[place] >= FIRST_WORD and not vocabulary.text(pattern[place]).isalnum())
    return before, behind, at_mark
