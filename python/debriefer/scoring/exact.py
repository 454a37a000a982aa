"""Task Accuracy, the metric of the final benchmark: a prediction is right as a whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring.config import ExactConfig, infer_config
from debriefer.scoring.signature import NO_PREDICTION
from debriefer.scoring.table import Limits, Source, Table, as_table
from debriefer.scoring.typed_cells import CellError, normal_cell

MEBIBYTE = 1 << 20
# The final benchmark's evaluator, version 1.0.0.
LIMITS = Limits(size=20 * MEBIBYTE, rows=100_000, columns=64, cell=2 * MEBIBYTE, symbolic_links=False)
# Cells looked at before the search for a column order gives up: some ten seconds, and out of reach of any table whose
# columns differ. Only many columns with the same cells in other row orders come near it.
_SEARCH_LIMIT = 100_000_000

Column = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class ExactScore:
    """Whether a prediction equals the gold.

    Attributes:
        passed: Whether it does.
        inferred: Whether the configuration was guessed from the gold.
        mapping: For each gold column the predicted column that equals it, where passed.
        reason: Why it failed, or `None`.
    """

    passed: bool
    inferred: bool
    mapping: tuple[int, ...] | None = None
    reason: str | None = None

    @property
    def score(self) -> float:
        """1 for passed, 0 for failed."""
        return float(self.passed)


def exact_score(prediction: Source | None, gold: Source, config: ExactConfig | None = None) -> ExactScore:
    r"""Tell whether a prediction equals the gold as a whole.

    The prediction passes where one order of its columns makes the table equal to the gold: the same rows, as a multiset
    or, for an order-sensitive task, as a sequence. Each cell is first brought to its normal form under the type of
    the gold column; a predicted column with a cell that has none cannot stand for that gold column. Names of columns
    do not count; extra columns fail, and so does a name in one column where the gold has two.

    Args:
        prediction: A table, a frame, a path, or CSV text; `None` where there is none.
        gold: The same for the right answer.
        config: The task's frozen configuration (`load_config`); without, it is guessed from the gold (`infer_config`).

    Returns:
        Passed or failed. A prediction that is missing, malformed or too large fails with the reason.

    Raises:
        ScoringError: The gold cannot be read or does not fit the configuration.

    Source: the final benchmark's evaluator, version 1.0.0.

    >>> exact_score("a,b\nx,1\ny,2\n", "n,s\n2,y\n1.0,x\n").passed
    True
    """
    truth = as_table(gold, LIMITS)
    if config is None:
        config = infer_config(truth)
    gold_columns = _gold_columns(truth, config)
    if prediction is None:
        return ExactScore(passed=False, inferred=config.inferred, reason=NO_PREDICTION)
    try:
        mapping = _compare(as_table(prediction, LIMITS), gold_columns, truth.height, config)
    except MissingFileError:
        reason = NO_PREDICTION
    except ScoringError as error:
        reason = error.message
    except _MismatchError as error:
        reason = str(error)
    else:
        return ExactScore(passed=True, inferred=config.inferred, mapping=mapping)
    return ExactScore(passed=False, inferred=config.inferred, reason=reason)


class _MismatchError(Exception):
    """The prediction is not the gold; the message is the reason."""


def _compare(guess: Table, gold: Sequence[Column], height: int, config: ExactConfig) -> tuple[int, ...]:
    """Return the predicted column of each gold column.

    Raises:
        _MismatchError: No order of the columns makes the tables equal.
    """
    for found, expected, what in ((guess.width, len(gold), "columns"), (guess.height, height, "rows")):
        if found != expected:
            message = f"{found} {what} predicted, the gold has {expected}"
            raise _MismatchError(message)
    candidates: list[Mapping[int, Column]] = []
    for index, by_column in enumerate(_readings(guess, config)):
        which = f"gold column {index + 1} ({config.columns[index].type})"
        if not by_column:
            message = f"no predicted column can be read as {which}"
            raise _MismatchError(message)
        equal = {column: cells for column, cells in by_column.items() if _same(cells, gold[index], config)}
        if not equal:
            message = f"no predicted column equals {which}"
            raise _MismatchError(message)
        candidates.append(equal)
    mapping = _Search(gold, candidates, ordered=config.order_sensitive).run()
    if mapping is None:
        message = "every column is there, but no order of them gives the gold's rows"
        raise _MismatchError(message)
    return mapping


def _gold_columns(truth: Table, config: ExactConfig) -> list[Column]:
    if truth.width != len(config.columns):
        message = f"the gold has {truth.width} columns, its configuration {len(config.columns)}"
        raise ScoringError(message)
    try:
        return [_read(cells, normal_cell(spec)) for cells, spec in zip(truth.columns, config.columns, strict=True)]
    except CellError as error:
        message = f"the gold does not fit its configuration: {error}"
        raise ScoringError(message) from error


def _readings(guess: Table, config: ExactConfig) -> list[dict[int, Column]]:
    """Return for each gold column the predicted columns that can be read under its type, in their normal form."""
    by_spec: dict[Hashable, dict[int, Column]] = {}
    for spec in config.columns:
        if spec not in by_spec:
            by_spec[spec] = readable = {}
            for index, cells in enumerate(guess.columns):
                try:
                    readable[index] = _read(cells, normal_cell(spec))
                except CellError:
                    continue
    return [by_spec[spec] for spec in config.columns]


def _read(cells: Sequence[str], normal: Callable[[str], str | None]) -> Column:
    forms = {cell: normal(cell) for cell in set(cells)}
    return list(map(forms.__getitem__, cells))


def _same(one: Column, other: Column, config: ExactConfig) -> bool:
    return one == other if config.order_sensitive else Counter(one) == Counter(other)


class _Search:
    """Finds an order of predicted columns that gives the gold's rows.

    Columns are added one at a time. Rows that agree so far share a number, in the gold and in the prediction alike, and
    a column is kept only while both sides have the same multiset of numbers, so most wrong orders end at once.
    """

    def __init__(self, gold: Sequence[Column], candidates: Sequence[Mapping[int, Column]], *, ordered: bool) -> None:
        self._gold = gold
        self._candidates = candidates
        self._ordered = ordered
        self._left = _SEARCH_LIMIT

    def run(self) -> tuple[int, ...] | None:
        """Return the predicted column of each gold column, or `None`.

        Raises:
            _MismatchError: The limit is reached.
        """
        height = len(self._gold[0])
        chosen = self._extend({}, [0] * height, [0] * height)
        return None if chosen is None else tuple(chosen[index] for index in range(len(self._gold)))

    def _extend(self, chosen: dict[int, int], gold: list[int], guess: list[int]) -> dict[int, int] | None:
        if len(chosen) == len(self._gold):
            return chosen
        used = set(chosen.values())
        index, free = min(
            (
                (index, [column for column in by_column if column not in used])
                for index, by_column in enumerate(self._candidates)
                if index not in chosen
            ),
            key=lambda choice: len(choice[1]),
        )
        tried: list[Column] = []
        for column in free:
            cells = self._candidates[index][column]
            if cells in tried:
                continue
            tried.append(cells)
            refined = self._refine(gold, self._gold[index], guess, cells)
            if refined is not None:
                found = self._extend({**chosen, index: column}, *refined)
                if found is not None:
                    return found
        return None

    def _refine(
        self, gold: list[int], gold_cells: Column, guess: list[int], guess_cells: Column
    ) -> tuple[list[int], list[int]] | None:
        self._left -= len(gold) + 1
        if self._left < 0:
            message = "too many orders of columns are possible to find the right one"
            raise _MismatchError(message)
        if self._ordered:
            return gold, guess
        numbers: dict[tuple[int, str | None], int] = {}
        finer_gold = [numbers.setdefault(key, len(numbers)) for key in zip(gold, gold_cells, strict=True)]
        finer_guess = [numbers.setdefault(key, len(numbers)) for key in zip(guess, guess_cells, strict=True)]
        return (finer_gold, finer_guess) if Counter(finer_gold) == Counter(finer_guess) else None
