"""Applies the sentences that no template explains: those that take something back, and those that say more."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.asides import Aside, asides, correcting
from debriefer.documents.columns import Draft, same_word
from debriefer.documents.corrections import Resolved, fits, in_sentence, names
from debriefer.documents.entries import NOTHING_TELLS, Entry, Key
from debriefer.documents.notes import FieldNote
from debriefer.documents.sentences import Sentence, Vocabulary
from debriefer.documents.slots import Kind, kind_of
from debriefer.documents.templates import Fit
from debriefer.documents.tokens import is_han

# A document ends so many of its sentences with a mark.
_STOPPED = 0.8
_ENDS = frozenset('。！？；!?;.)）”"')
Labels = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns with their entries and what they are called."""

    found: Sequence[Draft]
    entries: Sequence[dict[Key, Entry]]
    labels: Sequence[Labels]


def apply_sentences(
    lines: Sequence[str],
    rows: Sequence[Sentence],
    fits: Sequence[Fit | None],
    found: Sequence[Draft],
    entries: Sequence[dict[Key, Entry]],
    known: Sequence[FieldNote | None],
    vocabulary: Vocabulary,
) -> list[int]:
    """Apply what sentences take back, in the order of the text, so that the last one holds.

    A correction is about the column that it names, else about the only one of its value's kind that the line has told.
    Where nothing tells which or what, every cell that it may be about is flagged.

    Returns:
        Lines with other sentences that hold values.
    """
    columns = _Columns(found, entries, [_labels(*pair) for pair in zip(found, known, strict=True)])
    places = {(id(slot.template), slot.place): number for number, draft in enumerate(found) for slot in draft.slots}
    tells = [_columns_of(fit, places) for fit in fits]
    others = asides(lines, rows, [bool(numbers) for numbers in tells], vocabulary)
    told_before: dict[tuple[int, Key], list[int]] = defaultdict(list)
    for numbers, row in zip(tells, rows, strict=True):
        told_before[row.record.line, row.record.key] += numbers
    near = {number: told_before[one.row.record.line, one.row.record.key] for number, one in others.items()}
    by_aside = {id(one): near[number] for number, one in others.items()}
    forms = correcting(
        others.values(),
        lambda one: _named(one, by_aside[id(one)], columns),
        lambda one: any(_tells(one.text, found[number]) for number in by_aside[id(one)]),
    )
    stopped = sum(row.tokens[-1].text in _ENDS for row in rows) > _STOPPED * len(rows)
    residual: list[int] = []
    for number, one in others.items():
        if one.row.cue or one.form in forms:
            _apply(one, columns, near[number])
            continue
        if one.row.tokens[-1].text not in _ENDS and stopped:
            _doubt_cut(one, columns, near[number])
        _doubt(one, columns, near[number])
        if one.values and one.form is None:
            residual.append(one.row.record.line)
    return residual


def _columns_of(fit: Fit | None, places: Mapping[tuple[int, int], int]) -> list[int]:
    """Return the columns that a sentence tells."""
    if fit is None:
        return []
    own = ((id(fit.template), place) for place in range(len(fit.slots)))
    return [places[slot] for slot in own if slot in places]


def _named(one: Aside, near: Iterable[int], columns: _Columns) -> set[int]:
    """Return the columns, of those that the line tells, whose labels an aside says."""
    return {number for number in near if any(names(one.text, label) for label in columns.labels[number])}


def _labels(draft: Draft, note: FieldNote | None) -> Labels:
    extra: Labels = []
    if note is not None:
        extra = [tuple(sorted(note.words))] if note.words and not is_han(note.name) else [(note.name,)]
    return [*draft.labels, *extra]


def _apply(taken: Aside, columns: _Columns, before: Sequence[int]) -> None:
    """Replace the value that a sentence takes back, or flag every cell that it may be about."""
    key = taken.row.record.key
    spoken = [number for number, own in enumerate(columns.entries) if key in own]
    near = list(before) or [number for number in spoken if columns.found[number].block == taken.row.block]
    target = _target(taken, spoken, near, columns)
    if target is not None:
        entry = columns.entries[target][key]
        kind = columns.found[target].kind
        if kind.name == "text" and target not in before and not _tells(taken.text, columns.found[target]):
            columns.entries[target][key].flag(NOTHING_TELLS)
            return
        inner = in_sentence(taken.text, columns.labels[target], kind, entry.raw, taken.values)
        inner = inner or _filled(taken, columns.labels[target], kind, entry.raw)
        if inner is not None:
            start = taken.row.span[0]
            span = (start + inner.start, start + inner.end)
            raw = taken.text[inner.start : inner.end]
            columns.entries[target][key] = Entry(raw, taken.row.record.line, span, "corrected")
            return
        # The value is none of the column's that is named: it may be any other's of its kind.
        others = _possible(taken, near, columns) if taken.values else []
        doubtful = [target, *(number for number in others if number != target)]
    else:
        doubtful = _possible(taken, near, columns) or near
    for number in doubtful:
        if key in columns.entries[number]:
            columns.entries[number][key].flag(NOTHING_TELLS)


def _target(taken: Aside, spoken: Sequence[int], near: Sequence[int], columns: _Columns) -> int | None:
    """Return the column that a correction is about.

    That is the one that it names; else the only one of its value's kind among those that the line has told; else the
    only one that has its text elsewhere.
    """
    said: list[tuple[int, int]] = []
    # What a sentence behind others names is among what they tell.
    for number in near or spoken:
        lengths = [len(" ".join(label)) for label in columns.labels[number] if names(taken.text, label)]
        if lengths:
            said.append((max(lengths), number))
    if said:
        holders = [number for number in near or spoken if _tells(taken.text, columns.found[number])]
        if len(holders) == 1 and not taken.values and all(number != holders[0] for _, number in said):
            # It names one column and says what only another has.
            return holders[0] if not any(columns.found[number].kind.name != "text" for _, number in said) else None
        longest = max(length for length, _ in said)
        best = [number for length, number in said if length == longest]
        own = [number for number in best if columns.found[number].block == taken.row.block] or best
        return own[0] if len(own) == 1 else None
    texts = [number for number in near if _tells(taken.text, columns.found[number])]
    if len(texts) == 1 and not taken.values:
        return texts[0]
    possible = _possible(taken, near, columns)
    hinted = [number for number in possible if _hinted(taken.text, columns.labels[number])]
    if any(not columns.labels[number] for number in possible if number not in hinted):
        hinted = []  # what a column without any words is called nobody knows
    telling = hinted or (possible if taken.values else texts)
    return telling[0] if len(telling) == 1 else None


def _filled(taken: Aside, labels: Labels, kind: Kind, before: str) -> Resolved | None:
    """Return the text in the slot of a form that holds neither the column's label nor the value that was told."""
    texts = [taken.text[slice(*span)] for span in taken.fillers]
    rest = [
        span
        for span, text in zip(taken.fillers, texts, strict=True)
        if not any(names(text, label) for label in labels) and before not in text
    ]
    if kind.name != "text" or len(texts) < 2 or len(rest) != 1:  # noqa: PLR2004 -- a label and a value
        return None
    return Resolved(*rest[0]) if fits(taken.text[slice(*rest[0])], kind) else None


def _hinted(text: str, labels: Iterable[Sequence[str]]) -> bool:
    """Return whether a sentence has a word of a label, but for its ending: "the deal count" of "deals"."""
    words = re.findall(r"[^\W\d_]{4,}", text.casefold())
    return any(same_word(word, other) for label in labels for word in label if not is_han(word) for other in words)


def _possible(taken: Aside, near: Sequence[int], columns: _Columns) -> list[int]:
    """Return the columns whose kind is that of the sentence's last value, or that hold text where it has none."""
    kinds = [(number, columns.found[number].kind) for number in near]
    if not taken.values:
        return [number for number, kind in kinds if kind.name == "text"]
    said = kind_of(taken.values[-1:])
    return [number for number, kind in kinds if kind.is_like(said)]


def _tells(text: str, draft: Draft) -> bool:
    return draft.kind.name == "text" and any(len(known) > 1 and known in text for known in draft.kind.texts)


def _doubt_cut(one: Aside, columns: _Columns, near: Sequence[int]) -> None:
    """Flag the cells that a sentence may be about whose end is lost, as at the end of a page."""
    named = _named(one, near, columns)
    for number in named or near:
        entry = columns.entries[number].get(one.row.record.key)
        if entry is not None and entry.trusted:
            entry.flag("a further sentence has no end")


def _doubt(one: Aside, columns: _Columns, near: Iterable[int]) -> None:
    """Flag the cells that something which takes nothing back for certain may be about.

    That is where it names a column and says another value of its kind, and where it says another text of a column; of
    what is worded only once, also where it says a value of a column's kind.
    """
    key = one.row.record.key
    for number in near:
        draft, entry = columns.found[number], columns.entries[number].get(key)
        if entry is None or not entry.trusted:
            continue
        named = any(names(one.text, label) for label in draft.labels)
        others = [value for value in one.values if value != entry.raw and kind_of([value]).is_like(draft.kind)]
        telling = [value for value in others if draft.kind.unit or draft.kind.name == "date" or one.form is None]
        texts = [text for text in draft.kind.texts if text != entry.raw and len(text) > 1 and text in one.text]
        if (draft.kind.name == "text" and texts) or (draft.kind.name != "text" and (telling or (named and others))):
            entry.flag("a further sentence says another value")
