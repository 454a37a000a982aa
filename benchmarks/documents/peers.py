"""The tables that camelot and pdfplumber find in a PDF, as cells of a grid with their spans."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.documents.adjacency import Cell

Reader = Callable[[Path], list[list[Cell]]]
# What a peer is read with: the settings that its own documentation offers for tables with and without rules.
CAMELOT_FLAVOURS = ("lattice", "stream", "network", "hybrid", "auto")
PDFPLUMBER_STRATEGIES = ("lines", "text")
# Points within which two edges are one.
_SAME_EDGE = 1.0


def peers() -> tuple[dict[str, Reader], list[str]]:
    """Return the readers at hand by name, and the names of the packages that are not installed."""
    found: dict[str, Reader] = {}
    absent: list[str] = []
    if importlib.util.find_spec("camelot") is None:
        absent.append("camelot")
    else:
        found |= {f"camelot_{flavour}": _camelot(flavour) for flavour in CAMELOT_FLAVOURS}
    if importlib.util.find_spec("pdfplumber") is None:
        absent.append("pdfplumber")
    else:
        found |= {f"pdfplumber_{strategy}": _pdfplumber(strategy) for strategy in PDFPLUMBER_STRATEGIES}
    return found, absent


def _camelot(flavour: str) -> Reader:
    def read(path: Path) -> list[list[Cell]]:
        camelot: Any = importlib.import_module("camelot")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = camelot.read_pdf(str(path), pages="all", flavor=flavour, suppress_stdout=True)
            return [_merged(table.cells) for table in tables]

    return read


def _merged(grid: Sequence[Sequence[Any]]) -> list[Cell]:
    """Return camelot's cells, those without an edge between them as one."""
    owner = {(row, column): (row, column) for row, line in enumerate(grid) for column in range(len(line))}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        while owner[place] != place:
            place = owner[place]
        return place

    def join(one: tuple[int, int], other: tuple[int, int]) -> None:
        first, second = sorted((root(one), root(other)))
        owner[second] = first

    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if column + 1 < len(line) and not cell.right and not line[column + 1].left:
                join((row, column), (row, column + 1))
            if row + 1 < len(grid) and not cell.bottom and not grid[row + 1][column].top:
                join((row, column), (row + 1, column))
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for place in sorted(owner):
        groups.setdefault(root(place), []).append(place)
    return [
        Cell(
            text="\n".join(text for row, column in places if (text := grid[row][column].text.strip())),
            row=places[0][0],
            column=min(column for _, column in places),
            last_row=max(row for row, _ in places),
            last_column=max(column for _, column in places),
        )
        for places in groups.values()
    ]


def _pdfplumber(strategy: str) -> Reader:
    def read(path: Path) -> list[list[Cell]]:
        pdfplumber: Any = importlib.import_module("pdfplumber")
        settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
        tables: list[list[Cell]] = []
        with pdfplumber.open(path) as document:
            for page in document.pages:
                for table in page.find_tables(settings):
                    texts = [text for line in table.extract() for text in line]
                    boxes = [box for line in table.rows for box in line.cells]
                    tables.append(_placed(boxes, texts))
                page.close()
        return tables

    return read


def _placed(boxes: Sequence[Any], texts: Sequence[str | None]) -> list[Cell]:
    """Return pdfplumber's cells with the rows and columns that their boxes cover."""
    real = [(box, text or "") for box, text in zip(boxes, texts, strict=True) if box is not None]
    across = _edges([edge for box, _ in real for edge in (box[0], box[2])])
    down = _edges([edge for box, _ in real for edge in (box[1], box[3])])
    return [
        Cell(
            text=text,
            row=_index(down, box[1]),
            column=_index(across, box[0]),
            last_row=max(_index(down, box[1]), _index(down, box[3]) - 1),
            last_column=max(_index(across, box[0]), _index(across, box[2]) - 1),
        )
        for box, text in real
    ]


def _edges(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return ordered[:1] + [late for early, late in pairwise(ordered) if late - early > _SAME_EDGE]


def _index(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda number: abs(edges[number] - value))
