"""Checks on what was read of prose: each value on its line, rates of gaps, one value from several blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from debriefer.documents.prose import Told
from debriefer.documents.relation import TRUSTED, Cell, Column

# A column with so many gaps among the records of its block is one whose sentences were not all understood.
_GAPS = 0.2


def checked(told: Told, lines: Sequence[str]) -> Told:
    """Return what was read with what does not hold flagged: such cells are NULL, and sentences say why.

    Each value must stand in its line where its place says, each key must be one of the document, and columns of one
    meaning that several blocks tell must agree.
    """
    known = set(told.parts.universe)
    for place, cell in list(told.cells.items()):
        if cell.status in TRUSTED and (cell.record not in known or not quoted(cell, lines)):
            told.cells[place] = flagged(cell, "the value does not stand in its line")
    _agree(told)
    sizes = {block.number: len({record.key for record in block.records}) for block in told.parts.blocks}
    for column in told.columns:
        cells = [cell for (_, name), cell in told.cells.items() if name == column.name]
        spoken = sum(sizes[number] for number in column.blocks) or 1
        gaps = 1 - sum(cell.status != "flagged" for cell in cells) / spoken
        if gaps > _GAPS:
            told.flags.append(f"`{column.name}` has no value for {gaps:.0%} of the records of its block")
    doubtful = sum(cell.status == "flagged" for cell in told.cells.values())
    if doubtful:
        told.flags.append(f"{doubtful} cells were flagged and are NULL")
    return told


def quoted(cell: Cell, lines: Sequence[str]) -> bool:
    """Return whether a cell's text stands in its line where its place says."""
    start, end = cell.span
    return 0 <= cell.line < len(lines) and bool(cell.raw) and lines[cell.line][start:end] == cell.raw


def flagged(cell: Cell, reason: str) -> Cell:
    """Return a cell as one that is not to be trusted."""
    return replace(cell, value=None, status="flagged", reason=reason)


def _agree(told: Told) -> None:
    """Compare columns that say one thing in two blocks; where they differ neither is trusted."""
    by_meaning: dict[tuple[str, str, str], list[Column]] = {}
    for column in told.columns:
        if column.meaning:
            by_meaning.setdefault((column.meaning, column.dtype, column.target_unit), []).append(column)
    for columns in by_meaning.values():
        for one, other in combinations(columns, 2):
            if not set(one.blocks) & set(other.blocks):
                _compare(told, one.name, other.name)


def _compare(told: Told, one: str, other: str) -> None:
    pairs = [(place, (place[0], other)) for place in told.cells if place[1] == one and (place[0], other) in told.cells]
    both = [(a, b) for a, b in pairs if told.cells[a].value is not None and told.cells[b].value is not None]
    same = sum(told.cells[a].value == told.cells[b].value for a, b in both)
    # Mostly alike: one column told twice. Else two columns with one name.
    if not both or same * 2 < len(both):
        return
    for a, b in both:
        if told.cells[a].value != told.cells[b].value:
            for place in (a, b):
                told.cells[place] = flagged(told.cells[place], f"`{one}` and `{other}` differ")
