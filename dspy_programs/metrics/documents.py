"""The documents' metric: F1 over the cells of the tables that were taken from a document.

An example carries `cells`, a prediction `cells`: a mapping from table name to rows, each a mapping from column to
value, or CSV text. Which rows belong together is found by what they hold; names of tables and columns are compared
without case, white space and punctuation.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from debriefer.errors import ScoringError
from debriefer.scoring.cells import canonical_cell
from dspy_programs.metrics.metric import Graded, Metric

Row = Mapping[str, str]
_NAMED = 3
# A column of another name stands for one of the gold's where it has more than this share of its cells.
_LEAST_SHARED = 0.5


@dataclass(frozen=True, slots=True)
class CellF1:
    """How many cells are right.

    Attributes:
        right: Cells of the gold that the prediction has in their row and column.
        predicted: Cells predicted, empty ones not counted.
        gold: Cells of the gold, empty ones not counted.
        missing: `table.column` by the number of cells that were not found, the most first.
        wrong: The same of predicted cells that are not the gold's.
    """

    right: int
    predicted: int
    gold: int
    missing: Mapping[str, int]
    wrong: Mapping[str, int]

    @property
    def precision(self) -> float:
        """Share of the predicted cells that are right; 1 where none was predicted and none is wanted."""
        return self.right / self.predicted if self.predicted else float(not self.gold)

    @property
    def recall(self) -> float:
        """Share of the gold's cells that are there; 1 where the gold has none."""
        return self.right / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def cell_f1(predicted: Mapping[str, Any], gold: Mapping[str, Any]) -> CellF1:
    """Compare the cells of two sets of tables.

    Tables are paired by name, those that are left by the cells that they share, and so are their columns, where more
    than half of the gold's cells are there: what a document calls them is not what is asked for. Rows are paired one by
    one, the pair with the most equal cells first. An empty cell (`canonical_cell` decides) counts neither for nor
    against.

    Args:
        predicted: Table name to rows.
        gold: The same.

    Raises:
        ScoringError: A table is neither rows nor CSV text.

    >>> found = cell_f1({"T": [{"a": 1, "b": "x"}]}, {"t": [{"A": "1.0", "B": "y"}]})
    >>> found.f1, dict(found.missing)
    (0.5, {'t.b': 1})
    """
    theirs = _tables(gold)
    ours = _called_alike(_tables(predicted), theirs)
    right, missing, wrong = 0, Counter[str](), Counter[str]()
    for table in sorted({*ours, *theirs}):
        guessed, wanted = ours.get(table, []), theirs.get(table, [])
        pairs = _paired(guessed, wanted)
        for i, j in pairs:
            right += sum(guessed[i].get(column) == cell for column, cell in wanted[j].items())
            missing.update(f"{table}.{name}" for name, cell in wanted[j].items() if guessed[i].get(name) != cell)
            wrong.update(f"{table}.{name}" for name, cell in guessed[i].items() if wanted[j].get(name) != cell)
        used = {i for i, _ in pairs}, {j for _, j in pairs}
        for rows, done, counter in ((guessed, used[0], wrong), (wanted, used[1], missing)):
            counter.update(f"{table}.{name}" for i, row in enumerate(rows) if i not in done for name in row)
    number = [sum(len(row) for rows in tables.values() for row in rows) for tables in (ours, theirs)]
    return CellF1(right, number[0], number[1], _sorted(missing), _sorted(wrong))


def _tables(tables: Mapping[str, Any]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for name, rows in tables.items():
        found.setdefault(_plain(str(name)), []).extend(_rows(str(name), rows))
    return found


def _called_alike(ours: Mapping[str, list[Row]], theirs: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """Return our tables, and their columns, under the names of those that they stand for."""

    def held(tables: Mapping[str, list[Row]]) -> dict[str, Counter[str]]:
        return {name: Counter(cell for row in rows for cell in row.values()) for name, rows in tables.items()}

    names = _paired_names(held(ours), held(theirs), least=0.0)
    found = {names.get(name, name): rows for name, rows in ours.items()}
    return {name: _with_columns_of(rows, theirs[name]) if name in theirs else rows for name, rows in found.items()}


def _with_columns_of(ours: list[Row], theirs: list[Row]) -> list[Row]:
    def held(rows: list[Row]) -> dict[str, Counter[str]]:
        columns: dict[str, Counter[str]] = {}
        for row in rows:
            for name, cell in row.items():
                columns.setdefault(name, Counter())[cell] += 1
        return columns

    names = _paired_names(held(ours), held(theirs), least=_LEAST_SHARED)
    return [{names.get(name, name): cell for name, cell in row.items()} for row in ours]


def _paired_names(
    ours: Mapping[str, Counter[str]], theirs: Mapping[str, Counter[str]], *, least: float
) -> dict[str, str]:
    """Return what ours are called there, where no name is the same: the pair that shares most cells first.

    Args:
        ours: Cells by name.
        theirs: The same.
        least: Share of their cells that a pair must have in common, and be above.
    """
    left = [name for name in ours if name not in theirs]
    free = [name for name in theirs if name not in ours]
    shared = [((ours[one] & theirs[other]).total(), one, other) for one in left for other in free]
    names: dict[str, str] = {}
    for number, one, other in sorted(shared, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if number > least * theirs[other].total() and one not in names and other not in names.values():
            names[one] = other
    return names


def _rows(name: str, rows: Any) -> list[Row]:  # noqa: ANN401 -- rows, or CSV text
    if isinstance(rows, str):
        rows = list(csv.DictReader(io.StringIO(rows), restval=""))
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        message = f"the table `{name}` is neither rows of columns nor CSV text"
        raise ScoringError(message)
    return [{_plain(str(column)): text for column, cell in row.items() if (text := _cell(cell))} for row in rows if row]


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return unicodedata.normalize("NFKC", canonical_cell(unicodedata.normalize("NFKC", text)))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())


def _paired(guessed: Sequence[Row], wanted: Sequence[Row]) -> list[tuple[int, int]]:
    """Return pairs of rows, each row once: the pair with the most equal cells first, of equals the earlier."""
    holders: dict[tuple[str, str], list[int]] = {}
    for j, row in enumerate(wanted):
        for item in row.items():
            holders.setdefault(item, []).append(j)
    shared: Counter[tuple[int, int]] = Counter(
        (i, j) for i, row in enumerate(guessed) for item in row.items() for j in holders.get(item, ())
    )
    pairs: list[tuple[int, int]] = []
    ours, theirs = set[int](), set[int]()
    for (i, j), _ in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        if i not in ours and j not in theirs:
            pairs.append((i, j))
            ours.add(i)
            theirs.add(j)
    return pairs


def _sorted(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def _grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
    gold, predicted = example.get("cells"), prediction.get("cells")
    if not isinstance(gold, Mapping):
        message = "the example has no `cells`"
        raise ScoringError(message, hint="give each example its right tables as `cells`: table to rows")
    if predicted is None:
        return Graded(0.0, "There are no tables.", {"f1": 0.0, "precision": 0.0, "recall": 0.0})
    if not isinstance(predicted, Mapping):
        message = f"the predicted `cells` are a `{type(predicted).__name__}`, no mapping from table to rows"
        raise ScoringError(message)
    found = cell_f1(predicted, gold)
    parts = {"f1": found.f1, "precision": found.precision, "recall": found.recall}
    feedback = f"{found.right} of {found.gold} cells are right, {found.predicted} were given."
    for counter, words in ((found.missing, "Missing or wrong"), (found.wrong, "Given and not right")):
        if counter:
            listed = [f"`{name}` ({number})" for name, number in list(counter.items())[:_NAMED]]
            feedback += f" {words}: {', '.join(listed)}{', …' if len(counter) > _NAMED else ''}."
    return Graded(found.f1, feedback, parts)


document_score = Metric("document_score", _grade)
