"""The column-signature score, the metric of the competition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring.cells import are_words, canonical_cells
from debriefer.scoring.names import match_names
from debriefer.scoring.table import Source, Table, as_table

# The weight of an extra column is not published; 0.1 is what the winner and most participants take for official
# (competition rules 6.3; the winner's README). A report prints the other two beside it.
EXTRA_PENALTY = 0.1
EXTRA_PENALTIES = (0.1, 0.2, 0.5)
NO_PREDICTION = "there is no prediction"


@dataclass(frozen=True, slots=True)
class SignatureScore:
    """How well the columns of a prediction cover the columns of the gold.

    Attributes:
        matched: Gold columns that the prediction has, by content.
        gold_columns: _Columns of the gold; 0 only where the gold was not looked at.
        predicted_columns: _Columns of the prediction, a name counted in the gold's form (one column or two).
        extra_penalty: The weight λ of extra columns in `score`.
        reason: Why the score is below 1, or `None`.
    """

    matched: int
    gold_columns: int
    predicted_columns: int
    extra_penalty: float = EXTRA_PENALTY
    reason: str | None = field(default=None, kw_only=True)

    @property
    def recall(self) -> float:
        """Share of the gold's columns that matched, 0 to 1."""
        return self.matched / self.gold_columns if self.gold_columns else 0.0

    @property
    def extra(self) -> int:
        """Predicted columns that matched nothing."""
        return self.predicted_columns - self.matched

    @property
    def score(self) -> float:
        """The score at this object's own penalty, 0 to 1."""
        return self.at(self.extra_penalty)

    def at(self, extra_penalty: float) -> float:
        """Return max(0, recall − λ · extra ÷ predicted) for another penalty λ.

        >>> SignatureScore(matched=1, gold_columns=1, predicted_columns=2).at(0.5)
        0.75
        """
        if not self.predicted_columns:
            return 0.0
        return max(0.0, self.recall - extra_penalty * self.extra / self.predicted_columns)


def signature_score(prediction: Source | None, gold: Source, *, extra_penalty: float = EXTRA_PENALTY) -> SignatureScore:
    r"""Score a prediction by the content of its columns.

    A column's signature is the multiset of its canonical cells (`canonical_cell`), NULLs included. Names of columns,
    their order and the order of rows do not count, the number of rows does, and columns match one by one: whether
    they belong together in rows is not looked at. A name may stand in one column or in two (first and last), whatever
    the gold does: the prediction is scored as if it had the gold's form.

    Args:
        prediction: A table, a frame, a path, or CSV text; `None` where there is none.
        gold: The same for the right answer.
        extra_penalty: λ, the weight of columns that match nothing; not published, 0.1 by common belief.

    Returns:
        The score. A prediction that is missing or unreadable scores 0 with the reason.

    Raises:
        ScoringError: The gold cannot be read, or `extra_penalty` is negative or no number.

    Source: competition rules 6.2 to 6.5.

    >>> signature_score("n\n9.0\n4\n", "x\n4\n9\n").score
    1.0
    """
    check_penalty(extra_penalty)
    truth = _Columns(as_table(gold))
    try:
        if prediction is None:
            return SignatureScore(0, truth.width, 0, extra_penalty, reason=NO_PREDICTION)
        guess = _Columns(as_table(prediction))
    except MissingFileError:
        return SignatureScore(0, truth.width, 0, extra_penalty, reason=NO_PREDICTION)
    except ScoringError as error:
        return SignatureScore(0, truth.width, 0, extra_penalty, reason=error.message)

    missing, extra = _unmatched(truth, guess)
    shift = 0
    if missing and extra and truth.height == guess.height:
        found = match_names(truth.names, missing, truth.width, guess.names, extra)
        missing, shift = found.missing, found.shift
    matched = truth.width - len(missing)
    predicted = guess.width + shift
    return SignatureScore(
        matched, truth.width, predicted, extra_penalty, reason=_reason(truth, guess, missing, predicted - matched)
    )


def check_penalty(extra_penalty: float) -> None:
    """Refuse a penalty λ below 0 or without a value.

    Raises:
        ScoringError: It is.
    """
    if not 0 <= extra_penalty < math.inf:
        message = f"the penalty for extra columns cannot be {extra_penalty}"
        raise ScoringError(message, hint="give a number of 0 or more, such as 0.1")


class _Multiset:
    """How often each cell occurs.

    Cells stand in the order of their hashes, so that equal multisets are equal position by position and unequal ones
    are told apart by comparing numbers.
    """

    def __init__(self, counts: pl.DataFrame) -> None:
        self._counts = counts.with_columns(hash=pl.col("cell").hash(seed=0)).sort("hash")

    @classmethod
    def of(cls, column: pl.Series) -> _Multiset:
        """Count the cells of a column as they are written."""
        return cls(column.rename("cell").value_counts(name="count"))

    @property
    def cells(self) -> pl.Series:
        """The different cells."""
        return self._counts["cell"]

    def canonical(self) -> _Multiset:
        """Return the multiset of the canonical cells: the column's signature."""
        counts = pl.select(cell=canonical_cells(self.cells), count=self._counts["count"])
        if counts["cell"].n_unique() < counts.height:
            counts = counts.group_by("cell").agg(pl.col("count").sum())
        return _Multiset(counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Multiset) or not self._counts["hash"].equals(other._counts["hash"]):
            return False
        if self._counts.equals(other._counts):
            return True
        # Two cells of one hash may have changed places.
        return self._counts.sort("cell").equals(other._counts.sort("cell"))

    __hash__ = None  # type: ignore[assignment]  # compared only


class _Columns:
    """A table's columns in the forms that the score compares."""

    def __init__(self, table: Table) -> None:
        self.width = table.width
        self.height = table.height
        self.header = table.header
        self._frame = table.frame
        self._signatures: dict[int, _Multiset] = {}

    @cached_property
    def raw(self) -> list[_Multiset]:
        """The multiset of each column's cells as they are written."""
        return [_Multiset.of(column) for column in self._frame]

    def signature(self, column: int) -> _Multiset:
        """Return a column's signature."""
        if column not in self._signatures:
            self._signatures[column] = self.raw[column].canonical()
        return self._signatures[column]

    def names(self, column: int) -> list[str] | None:
        """Return a column's canonical cells in order of rows, or `None` where one of them is no part of a name."""
        if not are_words(self.signature(column).cells):
            return None
        return canonical_cells(self._frame[str(column)]).to_list()


def _unmatched(truth: _Columns, guess: _Columns) -> tuple[list[int], list[int]]:
    """Pair off columns with the same signature, each once, and return those of both sides that stay alone.

    Equality is transitive, so this gives as many pairs as the sum over signatures of the smaller count; and columns
    that are equal as written can be paired first, without looking at what they mean.
    """
    missing, extra = list(range(truth.width)), list(range(guess.width))
    if truth.height != guess.height:
        return missing, extra
    missing, extra = _pair_off(missing, truth.raw.__getitem__, extra, guess.raw.__getitem__)
    return _pair_off(missing, truth.signature, extra, guess.signature)


def _pair_off(
    ours: list[int], our: Callable[[int], _Multiset], theirs: list[int], their: Callable[[int], _Multiset]
) -> tuple[list[int], list[int]]:
    alone, left = [], list(theirs)
    for column in ours:
        partner = next((other for other in left if our(column) == their(other)), None)
        if partner is None:
            alone.append(column)
        else:
            left.remove(partner)
    return alone, left


def _reason(truth: _Columns, guess: _Columns, missing: Sequence[int], extra: int) -> str | None:
    """Say what keeps the score below 1, without giving the gold's cells away."""
    parts: list[str] = []
    if missing:
        names = ", ".join(f"`{truth.header[column]}`" for column in missing)
        parts.append(f"{len(missing)} of {truth.width} gold columns not matched: {names}")
    if truth.height != guess.height:
        parts.append(f"{guess.height} row{'' if guess.height == 1 else 's'} predicted, the gold has {truth.height}")
    if extra:
        parts.append(f"{extra} extra column{'s' if extra > 1 else ''}")
    return "; ".join(parts) or None
