"""The column-signature score, the metric of the competition."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring.cells import canonical_cell
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
    memo = _Canonical()
    truth = _Columns(as_table(gold), memo)
    try:
        if prediction is None:
            return SignatureScore(0, truth.width, 0, extra_penalty, reason=NO_PREDICTION)
        guess = _Columns(as_table(prediction), memo)
    except MissingFileError:
        return SignatureScore(0, truth.width, 0, extra_penalty, reason=NO_PREDICTION)
    except ScoringError as error:
        return SignatureScore(0, truth.width, 0, extra_penalty, reason=error.message)

    missing, extra = _unmatched(truth.raw, guess.raw)
    shift = 0
    if missing and extra and truth.height == guess.height:
        missing, extra = _unmatched(truth.signatures(missing), guess.signatures(extra))
        names = match_names(truth.canonical, missing, truth.width, guess.canonical, extra)
        missing, shift = names.missing, names.shift
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


class _Canonical(dict[str, str]):
    """Raw cell to canonical cell, each computed once."""

    def __missing__(self, cell: str) -> str:
        canonical = self[cell] = canonical_cell(cell)
        return canonical


class _Columns:
    """A table's columns as multisets: as written, and canonical where it is asked for."""

    def __init__(self, table: Table, memo: _Canonical) -> None:
        self.width = table.width
        self.height = table.height
        self.raw = {index: Counter(column) for index, column in enumerate(table.columns)}
        self._table = table
        self._memo = memo

    def canonical(self, column: int) -> list[str]:
        """Return a column's canonical cells in order of rows."""
        return list(map(self._memo.__getitem__, self._table.columns[column]))

    def signatures(self, columns: Sequence[int]) -> dict[int, Counter[str]]:
        """Return the multiset of canonical cells of each column."""
        return {column: self._signature(column) for column in columns}

    def name(self, column: int) -> str:
        """Return how a reason calls a column."""
        return f"`{self._table.header[column]}`"

    def _signature(self, column: int) -> Counter[str]:
        signature: Counter[str] = Counter()
        for cell, count in self.raw[column].items():
            signature[self._memo[cell]] += count
        return signature


def _unmatched(truth: Mapping[int, Counter[str]], guess: Mapping[int, Counter[str]]) -> tuple[list[int], list[int]]:
    """Pair off equal multisets, each column once, and return the columns of both sides that stay without a partner.

    Equality is transitive, so pairing first by raw cells and then by canonical ones gives the same number of pairs as
    the sum of minima over signatures.
    """
    extra = list(guess)
    missing: list[int] = []
    for column, cells in truth.items():
        partner = next((other for other in extra if guess[other] == cells), None)
        if partner is None:
            missing.append(column)
        else:
            extra.remove(partner)
    return missing, extra


def _reason(truth: _Columns, guess: _Columns, missing: Sequence[int], extra: int) -> str | None:
    """Say what keeps the score below 1, without giving the gold's cells away."""
    parts: list[str] = []
    if missing:
        names = ", ".join(truth.name(column) for column in missing)
        parts.append(f"{len(missing)} of {truth.width} gold columns not matched: {names}")
    if truth.height != guess.height:
        parts.append(f"{guess.height} row{'' if guess.height == 1 else 's'} predicted, the gold has {truth.height}")
    if extra:
        parts.append(f"{extra} extra column{'s' if extra > 1 else ''}")
    return "; ".join(parts) or None
