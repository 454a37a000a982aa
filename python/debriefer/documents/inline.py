"""Values that hold two: what a paragraph takes back within a value, in whatever words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.columns import Draft
from debriefer.documents.entries import NOTHING_TELLS, Entry, Key, corrected_within
from debriefer.documents.slots import Kind, Value, kind_of
from debriefer.documents.tokens import is_han, tokens

_CLOSING = " )）]】.。,，;；"
_OPENS = re.compile(r"\s*[(（\[【,，;；—–]")
# What is in brackets behind these held before.
_BEFORE = re.compile(
    r"(?:\b(?:formerly|previously|earlier|before|was|once|not|than|of|from|versus|vs)(?:\s(?:as|at|put|given|stated))*"
    r"|(?:原先|原|曾|初|旧|误|先前|此前|之前|早前|前)(?:曾)?(?:为|作|报|记|录|称|写|计|定|是|列|用名)?)"
    r"[\s:：]*$",
    re.IGNORECASE,
)
_ARROW = re.compile(r"[→⇒>»]")
# Between these both hold: a list or a range.
_LISTS = re.compile(r"\W*(?:and|or|to|until|through|by|和|与|及|或|至|到|兼)\W*")
# Marks within so few of a column's texts are not theirs.
_ODD_SHARE = 0.1
_MOST_TWINS = 0.25


@dataclass(frozen=True, slots=True)
class _Twin:
    """A value in which two stand.

    Attributes:
        words: What stands between them, in lower case.
        second: Where the second stands.
    """

    words: str
    second: tuple[int, int]


def entries_of(found: Sequence[Draft]) -> list[dict[Key, Entry]]:
    """Return the cells of columns before sentences take anything back.

    A value that holds two of its column's kind is a correction where its words are known for one, or where other
    columns have the same words between two of theirs: then the second holds. Else it is flagged.
    """
    twins = [{key: _twin(value.raw, draft) for key, value in draft.values.items()} for draft in found]
    columns: dict[str, set[tuple[str, str, int]]] = defaultdict(set)
    for number, (draft, own) in enumerate(zip(found, twins, strict=True)):
        for twin in own.values():
            if twin is not None:
                columns[twin.words].add((draft.kind.name, draft.kind.unit, number))
    known = {words for words, those in columns.items() if len(those) > 1 and _BEFORE.search(words) is None}
    for own in twins:
        if sum(twin is not None for twin in own.values()) > _MOST_TWINS * len(own):
            # So many are how the column's values are written.
            own.clear()
    return [_entries(draft, own, known) for draft, own in zip(found, twins, strict=True)]


def _entries(draft: Draft, twins: Mapping[Key, _Twin | None], known: Collection[str]) -> dict[Key, Entry]:
    marked = _with_marks(draft)
    entries: dict[Key, Entry] = {}
    for key, value in draft.values.items():
        twin = twins.get(key) or _by_words(value.raw, known)
        entry = corrected_within(value, draft.kind) if value.cue else None
        if (entry is None or not entry.trusted) and twin is not None:
            entry = _held(value, twin, draft.kind, known)
        if entry is None and key in marked:
            entry = _doubtful(value, "it says more than the others of its column")
        if entry is None:
            entry = Entry(value.raw, value.line, value.span)
            if not value.certain:
                entry.flag("the sentence can be taken apart in two ways")
        entries[key] = entry
    return entries


def _held(value: Value, twin: _Twin, kind: Kind, known: Collection[str]) -> Entry:
    if twin.words in known:
        return _second(value, twin, kind)
    if twin.words.lstrip().startswith(("(", "（")) and _BEFORE.search(twin.words) is not None:
        # In brackets stands what was said before.
        raw = value.raw[: value.raw.casefold().index(twin.words)].rstrip()
        return Entry(raw, value.line, (value.span[0], value.span[0] + len(raw)), "corrected")
    return _doubtful(value, NOTHING_TELLS)


def _second(value: Value, twin: _Twin, kind: Kind) -> Entry:
    first, end = twin.second
    raw = value.raw[first:end]
    if kind.name != "text" and not kind_of([raw]).is_like(kind):
        return _doubtful(value, NOTHING_TELLS)
    return Entry(raw, value.line, (value.span[0] + first, value.span[0] + end), "corrected")


def _doubtful(value: Value, reason: str) -> Entry:
    return Entry(value.raw, value.line, value.span, "flagged", reason)


def _twin(raw: str, draft: Draft) -> _Twin | None:
    """Return the two values of a column's kind that stand in a text, the one at its head and the other at its end."""
    end = len(raw.rstrip(_CLOSING))
    if draft.kind.name == "text":
        places = _texts(raw[:end], draft.kind.texts)
    else:
        held = [token for token in tokens(raw) if token.is_value and kind_of([token.text]).is_like(draft.kind)]
        places = [(token.value_start, token.end) for token in held]
    if len(places) != 2 or places[0][0] != 0 or places[1][1] != end:  # noqa: PLR2004 -- the wrong one and the right one
        return None
    words = raw[places[0][1] : places[1][0]].casefold()
    says = any(map(str.isalpha, words)) or _ARROW.search(words) is not None
    return _Twin(words, places[1]) if says and _LISTS.fullmatch(words) is None else None


def _texts(raw: str, known: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the longest known text stands at the head of another, and where at its end."""
    others = [text for text in known if len(text) > 1 and len(text) < len(raw)]
    heads = [text for text in others if raw.startswith(text) and _whole(raw, len(text))]
    if not heads:
        return []
    head = max(heads, key=len)
    tails = [text for text in others if raw.endswith(text) and len(text) + len(head) < len(raw)]
    tails = [text for text in tails if _whole(raw, len(raw) - len(text))]
    return [(0, len(head)), (len(raw) - len(max(tails, key=len)), len(raw))] if tails else []


def _whole(raw: str, at: int) -> bool:
    """Return whether a text may be cut at a place: not within a word."""
    left, right = raw[at - 1], raw[at]
    return not (left.isalnum() and right.isalnum()) or is_han(left) or is_han(right)


def _by_words(raw: str, known: Collection[str]) -> _Twin | None:
    """Return the two values between which words stand that take something back in other columns."""
    end = len(raw.rstrip(_CLOSING))
    for words in sorted(known, key=lambda words: (-len(words), words)):
        at = raw.casefold().find(words)
        if at > 0 and at + len(words) < end:
            return _Twin(words, (at + len(words), end))
    return None


def _with_marks(draft: Draft) -> set[Key]:
    """Return the keys of texts that go on behind a mark, or a known text, where few of the column's do."""
    if draft.kind.name != "text":
        return set()
    odd = {key for key, value in draft.values.items() if _goes_on(value.raw, draft.kind.texts)}
    return odd if len(odd) <= _ODD_SHARE * len(draft.values) else set()


def _goes_on(raw: str, known: Iterable[str]) -> bool:
    marked = re.search(r"[(（\[【;；]", raw[1:]) is not None
    return marked or any(
        len(text) > 1 and raw.startswith(text) and _OPENS.match(raw, len(text)) for text in known if text != raw
    )
