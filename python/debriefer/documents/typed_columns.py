"""Entries of a column as typed cells: what says that there is none, what is of another kind, one form for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.entries import Entry, Key
from debriefer.documents.normalising import Normalised, enumeration, is_nothing, normalise_column
from debriefer.documents.relation import Cell, Column
from debriefer.documents.slots import kind_of, worded_nothing

# Values of another kind than so many others are flagged; with more of them the column stays text.
_OUTLIER_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a column before its values are seen.

    Attributes:
        name: Its name.
        meaning: What it says.
        unit: Unit that its values shall have; `None` to leave it.
        blocks: Numbers of the blocks that tell it.
        verbatim: Whether the values stay as they are written.
    """

    name: str
    meaning: str
    unit: str | None
    blocks: tuple[int, ...]
    verbatim: bool = False


def typed_column(wanted: Wanted, entries: Mapping[Key, Entry]) -> tuple[Column, dict[tuple[Key, str], Cell]]:
    """Return a column and its cells; entries that say that there is nothing, or that do not fit, are marked so."""
    name = wanted.name
    for entry in entries.values():
        if entry.trusted and is_nothing(entry.raw):
            entry.status, entry.reason = "missing", "the text says that there is none"
    if not wanted.verbatim:
        _flag_outliers(entries)
    loaded = {key: entry for key, entry in entries.items() if entry.trusted}
    raws = [entry.raw for entry in loaded.values()]
    done = Normalised(["verbatim"], "TEXT", "", [], raws) if wanted.verbatim else normalise_column(raws, wanted.unit)
    values = dict(zip(loaded, done.values, strict=True))
    cells = {
        (key, name): Cell(key, name, entry.raw, values.get(key), entry.line, entry.span, entry.status, entry.reason)
        for key, entry in entries.items()
    }
    column = Column(
        name=name,
        dtype=done.sql_type,
        doc_unit=" / ".join(written for written in done.written if written),
        target_unit=done.unit,
        enum=enumeration(done),
        literal_format=_literal(done.values) if done.verbatim else "",
        meaning=wanted.meaning,
        operations=tuple(done.operations),
        blocks=wanted.blocks,
    )
    return column, cells


def _flag_outliers(entries: Mapping[Key, Entry]) -> None:
    kept = [entry for entry in entries.values() if entry.trusted]
    kind = kind_of([entry.raw for entry in kept])
    if kind.name not in ("number", "date"):
        return
    nothing = worded_nothing([entry.raw for entry in kept], kind)
    odd = [entry for entry in kept if entry.raw not in nothing and not kind_of([entry.raw]).is_like(kind)]
    for entry in kept:
        if entry.raw in nothing:
            entry.status, entry.reason = "missing", f"words where others have a {kind.name}"
    if len(odd) <= _OUTLIER_SHARE * len(kept):
        for entry in odd:
            entry.flag(f"it is no {kind.name} in {kind.unit}, as others are" if kind.unit else f"it is no {kind.name}")


def _literal(values: Sequence[str]) -> str:
    if not values or not all(value.isdecimal() for value in values):
        return ""
    lengths = {len(value) for value in values}
    return f"{lengths.pop()} digits, leading zeros kept" if len(lengths) == 1 else "digits, leading zeros kept"
