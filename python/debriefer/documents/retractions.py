"""Applies the sentences that no template explains: those that take something back, and those that say more."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from debriefer.documents.columns import Draft, same_word
from debriefer.documents.corrections import in_sentence, names
from debriefer.documents.entries import NOTHING_TELLS, Entry, Key
from debriefer.documents.notes import FieldNote
from debriefer.documents.sentences import VALUE, Sentence
from debriefer.documents.slots import kind_of
from debriefer.documents.templates import Fit
from debriefer.documents.tokens import is_han

Labels = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A sentence that takes something back, and which no template explains."""

    row: Sentence
    line: str

    @property
    def text(self) -> str:
        """The sentence."""
        start, end = self.row.span
        return self.line[start:end]

    @property
    def values(self) -> list[str]:
        """Its amounts, dates and codes, without those of the record's key."""
        return [token.text for token, code in zip(self.row.tokens, self.row.codes, strict=True) if code == VALUE]


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
) -> list[int]:
    """Apply what sentences take back, in the order of the text, so that the last one holds.

    A correction is about the column that it names, else about the only one of its value's kind that the line has told.
    Where nothing tells which or what, every cell that it may be about is flagged.

    Returns:
        Lines with other sentences that hold values.
    """
    columns = _Columns(found, entries, [_labels(*pair) for pair in zip(found, known, strict=True)])
    places = {(id(slot.template), slot.place): number for number, draft in enumerate(found) for slot in draft.slots}
    told_before: dict[tuple[int, Key], list[int]] = defaultdict(list)
    residual: list[int] = []
    for fit, row in zip(fits, rows, strict=True):
        spot = (row.record.line, row.record.key)
        if fit is not None:
            own = ((id(fit.template), place) for place in range(len(fit.slots)))
            told_before[spot] += [places[slot] for slot in own if slot in places]
        elif row.cue:
            _apply(_Taken(row, lines[row.record.line]), columns, told_before[spot])
        else:
            _said_again(row, lines[row.record.line], columns)
            if VALUE in row.codes:
                residual.append(row.record.line)
    return residual


def _labels(draft: Draft, note: FieldNote | None) -> Labels:
    extra: Labels = []
    if note is not None:
        extra = [tuple(sorted(note.words))] if note.words and not is_han(note.name) else [(note.name,)]
    return [*draft.labels, *extra]


def _apply(taken: _Taken, columns: _Columns, before: Sequence[int]) -> None:
    """Replace the value that a sentence takes back, or flag every cell that it may be about."""
    key = taken.row.record.key
    spoken = [number for number, own in enumerate(columns.entries) if key in own]
    near = list(before) or [number for number in spoken if columns.found[number].block == taken.row.block]
    target = _target(taken, spoken, near, columns)
    if target is not None:
        entry = columns.entries[target][key]
        inner = in_sentence(taken.text, columns.labels[target], columns.found[target].kind, entry.raw, taken.values)
        if inner is not None:
            start = taken.row.span[0]
            span = (start + inner.start, start + inner.end)
            raw = taken.text[inner.start : inner.end]
            columns.entries[target][key] = Entry(raw, taken.row.record.line, span, "corrected")
            return
        doubtful = [target]
    else:
        doubtful = _possible(taken, near, columns) or near
    for number in doubtful:
        if key in columns.entries[number]:
            columns.entries[number][key].flag(NOTHING_TELLS)


def _target(taken: _Taken, spoken: Sequence[int], near: Sequence[int], columns: _Columns) -> int | None:
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
    hinted = [number for number in near if _hinted(taken.text, columns.labels[number])]
    if len(hinted) == 1:
        return hinted[0]
    telling = (
        _possible(taken, near, columns)
        if taken.values
        else [number for number in near if _tells(taken.text, columns.found[number])]
    )
    return telling[0] if len(telling) == 1 else None


def _hinted(text: str, labels: Iterable[Sequence[str]]) -> bool:
    """Return whether a sentence has a word of a label, but for its ending: "the deal count" of "deals"."""
    words = re.findall(r"[^\W\d_]{4,}", text.casefold())
    return any(same_word(word, other) for label in labels for word in label if not is_han(word) for other in words)


def _possible(taken: _Taken, near: Sequence[int], columns: _Columns) -> list[int]:
    """Return the columns whose kind is that of the sentence's last value, or that hold text where it has none."""
    kinds = [(number, columns.found[number].kind) for number in near]
    if not taken.values:
        return [number for number, kind in kinds if kind.name == "text"]
    said = kind_of(taken.values[-1:])
    return [number for number, kind in kinds if kind.is_like(said)]


def _tells(text: str, draft: Draft) -> bool:
    return draft.kind.name == "text" and any(len(known) > 1 and known in text for known in draft.kind.texts)


def _said_again(row: Sentence, line: str, columns: _Columns) -> None:
    """Flag a cell whose column a further sentence names with another value."""
    key = row.record.key
    text = line[slice(*row.span)]
    for draft, own in zip(columns.found, columns.entries, strict=True):
        entry = own.get(key)
        if entry is None or not entry.trusted or not any(names(text, label) for label in draft.labels):
            continue
        said = (token.text for token, code in zip(row.tokens, row.codes, strict=True) if code == VALUE)
        if any(other != entry.raw and kind_of([other]).is_like(draft.kind) for other in said):
            entry.flag("a further sentence says another value")
