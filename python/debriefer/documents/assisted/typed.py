"""Entries of all blocks as typed columns and cells; where blocks tell one column differently neither is relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from debriefer.documents.assisted.settling import Settled
from debriefer.documents.entries import Entry, Key
from debriefer.documents.normalising import is_nothing, normalise_column
from debriefer.documents.prose import Told
from debriefer.documents.reader_port import PlannedColumn
from debriefer.documents.relation import Column, Segmented
from debriefer.documents.typed_columns import Wanted, typed_column


def told_of(parts: Segmented, columns: Sequence[PlannedColumn], settled: Settled, lines: Sequence[str]) -> Told:
    """Return what was read as the prose reader returns its own: columns in the schema's order, and their cells."""
    told = Told(parts)
    by_name: dict[str, list[PlannedColumn]] = {}
    for column in columns:
        by_name.setdefault(column.name, []).append(column)
    order = {key: number for number, key in enumerate(parts.universe)}
    for name, plans in by_name.items():
        entries = _joined([plan.block for plan in plans], name, settled, plans[0].target_unit)
        wanted = Wanted(
            name=name,
            meaning=plans[0].meaning or " ".join(plans[0].called[:1]),
            unit=plans[0].target_unit or None,
            blocks=tuple(plan.block for plan in plans),
            verbatim=plans[0].dtype == "TEXT",
        )
        done, cells = typed_column(
            wanted, dict(sorted(entries.items(), key=lambda item: order.get(item[0], len(order))))
        )
        done = _with_stated_unit(done, plans[0], parts, lines)
        if done.dtype == "TEXT" and plans[0].dtype != "TEXT" and any(cell.value is not None for cell in cells.values()):
            told.flags.append(f"`{name}` was taken for {plans[0].dtype}, but not all of its values are: it stays text")
        told.columns.append(done)
        told.cells.update(cells)
    return told


def _joined(blocks: Sequence[int], name: str, settled: Settled, unit: str) -> dict[Key, Entry]:
    entries: dict[Key, Entry] = {}
    own: Mapping[int, dict[Key, Entry]] = {number: {} for number in blocks}
    for (block, key, column), entry in settled.entries.items():
        if column == name and block in own:
            own[block][key] = entry
    for number in blocks:
        for key, entry in own[number].items():
            known = entries.get(key)
            if known is None or not _has_value(known):
                entries[key] = entry
            elif _has_value(entry) and entry.status != "corrected" and not _same(known.raw, entry.raw, unit):
                known.flag("two blocks tell it differently")
                entries[key] = known
            elif _has_value(entry) and entry.status == "corrected":
                entries[key] = entry
    return entries


def _has_value(entry: Entry) -> bool:
    return entry.trusted and not is_nothing(entry.raw)


def _same(one: str, other: str, unit: str) -> bool:
    done = normalise_column([one, other], unit or None)
    return done.values[0] == done.values[1]


def _with_stated_unit(column: Column, plan: PlannedColumn, parts: Segmented, lines: Sequence[str]) -> Column:
    """Return a column of bare numbers with the unit that the document states for all, where it stands in a line."""
    unit = plan.doc_unit.strip()
    bare = column.dtype in ("INTEGER", "REAL") and not column.doc_unit and not column.target_unit
    if not unit or not bare or not any(unit.casefold() in lines[number].casefold() for number in parts.transitions):
        return column
    return replace(column, doc_unit=unit, target_unit=unit)
