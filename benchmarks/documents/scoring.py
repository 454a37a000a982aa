"""Compares what was loaded from generated documents with their gold."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from benchmarks.documents.generator import Told

Key = tuple[str, ...]
_METRES = {"mm": Decimal("0.001"), "cm": Decimal("0.01"), "m": Decimal(1), "km": Decimal(1000)}


@dataclass(frozen=True, slots=True)
class Score:
    """What one document came to.

    Attributes:
        records: Records of the gold.
        found: Those that were loaded.
        extra: Records that were loaded and are none.
        cells: Cells of the gold, missing ones among them.
        right: Those that are loaded as the gold has them, NULL for what is missing.
        wrong: Those that hold another value than the gold.
        empty: Those that are NULL though the gold has a value.
    """

    records: int
    found: int
    extra: int
    cells: int
    right: int
    wrong: int
    empty: int


def loaded(path: Path) -> tuple[list[str], list[tuple[object, ...]]]:
    """Return the columns and rows of the first table of a SQLite file; nothing of a file that is not there."""
    if not path.is_file():
        return [], []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        name = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchone()[0]
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        return [column[0] for column in cursor.description], cursor.fetchall()


def score(
    told: Told, columns: Sequence[str], rows: Sequence[Sequence[object]], units: Mapping[str, str] | None = None
) -> Score:
    """Compare a loaded table with the gold, cell by cell.

    A document that writes centimetres and metres by turns does not say which the table shall have: a column counts in
    the unit that it declares.

    A loaded column stands for the field whose name it has; the others for the field with which they share the most
    values, each field once. Values are equal as numbers or as texts.

    Args:
        told: The document with its gold.
        columns: Names of the loaded columns.
        rows: The loaded rows, their key first.
        units: Declared unit of each loaded column that has one.
    """
    declared = units or {}
    by_key = {tuple(str(row[0]).split("|")): row for row in rows}
    found = [key for key in told.keys if key in by_key]
    places = _assigned(told, columns, by_key, declared)
    right = wrong = empty = 0
    for key in told.keys:
        row = by_key.get(key)
        for field in told.wording.fields:
            gold = told.gold[key, field.name]
            place = places.get(field.name)
            value = None if row is None or place is None else row[place]
            unit = declared.get(columns[place], "") if place is not None else ""
            if row is not None and same(in_unit(value, unit, field.unit), gold):
                right += 1
            elif value is None:
                empty += 1
            else:
                wrong += 1
    cells = len(told.keys) * len(told.wording.fields)
    return Score(len(told.keys), len(found), len(by_key) - len(found), cells, right, wrong, empty)


def _assigned(
    told: Told, columns: Sequence[str], by_key: Mapping[Key, Sequence[object]], declared: Mapping[str, str]
) -> dict[str, int]:
    key_parts = len(told.keys[0]) if len(told.keys[0]) > 1 else 0
    free = list(range(1 + key_parts, len(columns)))
    names = {columns[place].casefold(): place for place in free}
    assigned: dict[str, int] = {}
    for field in told.wording.fields:
        place = names.get(field.name.casefold())
        if place is not None:
            assigned[field.name] = place
    counts: list[tuple[int, str, int]] = []
    for field in told.wording.fields:
        for place in free:
            if field.name not in assigned and place not in assigned.values():
                unit = declared.get(columns[place], "")
                shared = sum(
                    row[place] is not None
                    and same(in_unit(row[place], unit, field.unit), told.gold.get((key, field.name)))
                    for key, row in by_key.items()
                )
                counts.append((-shared, field.name, place))
    for shared, name, place in sorted(counts):
        if shared and name not in assigned and place not in assigned.values():
            assigned[name] = place
    return assigned


def in_unit(value: object, unit: str, wanted: str) -> object:
    """Return a length in another metric unit, and anything else as it is.

    >>> str(in_unit(1.05, "m", "cm"))
    '105'
    """
    if isinstance(value, int | float) and unit != wanted and {unit, wanted} <= _METRES.keys():
        return (Decimal(str(value)) * _METRES[unit] / _METRES[wanted]).normalize()
    return value


def same(value: object, gold: str | None) -> bool:
    """Return whether a loaded value is the gold's.

    >>> same(12.50, "12.5"), same("007", "7"), same(None, None)
    (True, False, True)
    """
    if value is None or gold is None:
        return value is None and gold is None
    if isinstance(value, str):
        return value == gold
    try:
        return Decimal(str(value)) == Decimal(gold)
    except InvalidOperation:
        return False
