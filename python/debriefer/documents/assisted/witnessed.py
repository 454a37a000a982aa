"""What two readings of a document agree on, where the model's alone is not relied on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from debriefer.documents.assisted.blocks import BlockRead
from debriefer.documents.assisted.passages import Quote
from debriefer.documents.entries import Key
from debriefer.documents.extraction import Extraction
from debriefer.documents.relation import Cell, Relation
from debriefer.documents.validation import flagged

_LEAST_SHARED = 3
NOT_BOTH = "what was read without the model and with it differ"


def witnessed(plain: Extraction, read: Mapping[int, BlockRead]) -> Extraction:
    """Return an extraction that was made without a model with only the cells that the model read at the same place.

    A column stands for the model's with which it shares the most places; where they do not share one, its cell is
    flagged.
    """
    said: dict[tuple[Key, int, tuple[int, int]], str] = {}
    for block in read.values():
        for key, reading in block.readings.items():
            said |= _places(key, reading.quotes)
        for key, values in block.explained.items():
            said |= _places(key, values)
    relations = tuple(_agreed(one, said) if one.origin == "prose" else one for one in plain.relations)
    return replace(plain, relations=relations)


def _places(key: Key, quotes: Mapping[str, Quote]) -> dict[tuple[Key, int, tuple[int, int]], str]:
    return {(key, quote.line, quote.span): name for name, quote in quotes.items()}


def _agreed(relation: Relation, said: Mapping[tuple[Key, int, tuple[int, int]], str]) -> Relation:
    names = {place: said.get((cell.record, cell.line, cell.span)) for place, cell in relation.cells.items()}
    meant: dict[str, str] = {}
    for column in relation.columns:
        counts = Counter(name for (_, own), name in names.items() if own == column.name and name is not None)
        if counts and counts.most_common(1)[0][1] >= _LEAST_SHARED:
            meant[column.name] = counts.most_common(1)[0][0]
    cells: dict[tuple[Key, str], Cell] = {}
    for place, cell in relation.cells.items():
        alike = cell.value is None or (names[place] is not None and names[place] == meant.get(place[1]))
        cells[place] = cell if alike else flagged(cell, NOT_BOTH)
    return replace(relation, cells=cells)
