"""Adjacency relations between the cells of tables: the measure of the ICDAR 2013 table competition.

Source: M. Göbel, T. Hassan, E. Oro, G. Orsi, "ICDAR 2013 Table Competition", and their "A methodology for evaluating
algorithms for table understanding in PDF documents" (DocEng 2012).
"""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

Relation = tuple[str, str, str]
RIGHT, BELOW = "right", "below"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a grid.

    Attributes:
        text: What stands in it.
        row: First row that it covers, from 0.
        column: First column.
        last_row: Last row, included.
        last_column: Last column, included.
    """

    text: str
    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What one document's relations came to.

    Attributes:
        correct: Relations that are in both.
        gold: Relations that there are.
        found: Relations that were found.
    """

    correct: int
    gold: int
    found: int

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 1 where nothing was found and nothing is there."""
        return self.correct / self.found if self.found else float(self.gold == 0)

    @property
    def recall(self) -> float:
        """Share of what is there that was found."""
        return self.correct / self.gold if self.gold else 1.0


def normalised(text: str) -> str:
    r"""Return a cell's text as the competition compares it.

    White space goes, letters are upper case, whatever is neither letter nor digit is an underscore.

    >>> normalised("Total –\n12.5 %")
    'TOTAL_12_5_'
    """
    plain = unicodedata.normalize("NFKC", text)
    return "".join(letter if letter.isalnum() else "_" for letter in plain.upper() if not letter.isspace())


def relations(cells: Iterable[Cell]) -> Counter[Relation]:
    """Return each cell's relations to its nearest neighbour with text, to the right and below, as a multiset.

    Blank cells are passed over. A cell that covers several rows has a neighbour a row, each counted once.
    """
    grid: dict[tuple[int, int], int] = {}
    known = [(cell, normalised(cell.text)) for cell in cells]
    known = [(cell, text) for cell, text in known if text]
    for number, (cell, _) in enumerate(known):
        for row in range(cell.row, cell.last_row + 1):
            for column in range(cell.column, cell.last_column + 1):
                grid[row, column] = number
    rows = 1 + max((cell.last_row for cell, _ in known), default=-1)
    columns = 1 + max((cell.last_column for cell, _ in known), default=-1)
    found: set[tuple[int, int, str]] = set()
    for number, (cell, _) in enumerate(known):
        for row in range(cell.row, cell.last_row + 1):
            places = ((row, column) for column in range(cell.last_column + 1, columns))
            other = next((grid[place] for place in places if place in grid), None)
            if other is not None and other != number:
                found.add((number, other, RIGHT))
        for column in range(cell.column, cell.last_column + 1):
            places = ((row, column) for row in range(cell.last_row + 1, rows))
            other = next((grid[place] for place in places if place in grid), None)
            if other is not None and other != number:
                found.add((number, other, BELOW))
    return Counter((known[one][1], known[other][1], direction) for one, other, direction in found)


def counts(gold: Iterable[Iterable[Cell]], found: Iterable[Iterable[Cell]]) -> Counts:
    """Compare all tables of a document with all that were found in it.

    The relations of a document are pooled, so that no table has to be matched to another: a table that is missed
    costs recall, one that is none costs precision, and one that was cut in two costs the relations over the cut.
    """
    right = sum((relations(cells) for cells in gold), Counter[Relation]())
    given = sum((relations(cells) for cells in found), Counter[Relation]())
    return Counts((right & given).total(), right.total(), given.total())


def gold_tables(path: Path) -> list[list[Cell]]:
    """Return the regions of a `-str.xml` file of the competition, each as its cells."""
    root = ET.parse(path).getroot()  # noqa: S314 -- the user's own gold
    return [[_gold_cell(cell) for cell in region.iter("cell")] for region in root.iter("region")]


def _gold_cell(cell: ET.Element) -> Cell:
    row, column = int(cell.attrib["start-row"]), int(cell.attrib["start-col"])
    return Cell(
        text="".join((content.text or "") for content in cell.iter("content")),
        row=row,
        column=column,
        last_row=int(cell.attrib.get("end-row", row)),
        last_column=int(cell.attrib.get("end-col", column)),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over documents.

    Attributes:
        f1: Harmonic mean of `precision` and `recall`.
        precision: Mean over documents, as the competition ranks.
        recall: Mean over documents.
        pooled_f1: F1 over the relations of all documents together.
    """

    f1: float
    precision: float
    recall: float
    pooled_f1: float


def summary(documents: Sequence[Counts]) -> Summary:
    """Return the competition's figures over documents (at least one)."""
    precision = sum(one.precision for one in documents) / len(documents)
    recall = sum(one.recall for one in documents) / len(documents)
    pool = Counts(*(sum(getattr(one, name) for one in documents) for name in ("correct", "gold", "found")))
    return Summary(_harmonic(precision, recall), precision, recall, _harmonic(pool.precision, pool.recall))


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0
