"""The column-signature score beside the same score over pandas, on files of 10^6 rows.

`scoring_over_pandas` is the time of pandas ÷ ours. The peer reads text, rounds each cell as a decimal and compares
sorted columns, as the competition's rules are usually put into pandas. `scoring_over_pandas_floats` is against a peer
that reads floats and rounds them in bulk: faster, and wrong for halves and for codes such as `000021`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.peers import main, with_ratios
from benchmarks.report import paired
from debriefer.scoring import signature_score

ROWS = 1_000_000
QUICK_ROWS = 20_000
ROUNDS = 5
NULL_WORDS = {"", "null", "none", "nan", "nat", "<na>"}
CENT = Decimal("0.01")


def measure(*, quick: bool = False) -> dict[str, Any]:
    rows = QUICK_ROWS if quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        gold, prediction = write_files(Path(folder), rows)
        columns = signature_score(prediction, gold).matched
        for peer in (by_pandas, by_pandas_floats):
            if peer(prediction, gold) != columns:
                message = f"{peer.__name__} does not match the {columns} columns that we match"
                raise AssertionError(message)

        def ours() -> object:
            return signature_score(prediction, gold)

        # All three have just run once.
        exact = paired(ours, lambda: by_pandas(prediction, gold), ROUNDS, warm_up=False)
        floats = paired(ours, lambda: by_pandas_floats(prediction, gold), ROUNDS, warm_up=False)
    runs = {"scoring_over_pandas": exact, "scoring_over_pandas_floats": floats}
    return with_ratios(runs, scoring_seconds=exact.ours, scoring_rows=rows)


def write_files(folder: Path, count: int = ROWS) -> tuple[Path, Path]:
    """Write a gold and a prediction that equals it in other orders and other forms of numbers."""
    dice = random.Random(20260101)  # noqa: S311  a fixed seed, no secret
    rows = [
        (
            f"{dice.randrange(10**6):06d}",
            f"客户{dice.randrange(5_000)}",
            f"{dice.randrange(10**9) / 10**4:.4f}",
            f"2024-{dice.randrange(1, 13):02d}-{dice.randrange(1, 29):02d}",
            str(dice.randrange(1_000)),
        )
        for _ in range(count)
    ]
    gold, prediction = folder / "gold.csv", folder / "prediction.csv"
    gold.write_text(lines(("code", "name", "amount", "day", "n"), rows), encoding="utf-8")
    dice.shuffle(rows)
    moved = [(f"{n}.0", day, f"{amount}00", name, code) for code, name, amount, day, n in rows]
    prediction.write_text(lines(("n", "day", "amount", "name", "code"), moved), encoding="utf-8")
    return gold, prediction


def lines(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(",".join(row) + "\n" for row in (header, *rows))


def by_pandas(prediction: Path, gold: Path) -> int:
    """Return how many gold columns match, by decimals."""
    truth, guess = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in (gold, prediction))
    signatures = [tuple(sorted(guess[column].map(canonical))) for column in guess]
    return sum(tuple(sorted(truth[column].map(canonical))) in signatures for column in truth)


def canonical(cell: str) -> str:
    text = cell.strip()
    if text.lower() in NULL_WORDS:
        return ""
    try:
        return str(Decimal(text).quantize(CENT, ROUND_HALF_UP))
    except InvalidOperation:
        return text


def by_pandas_floats(prediction: Path, gold: Path) -> int:
    """Return how many gold columns match, by floats."""
    truth, guess = (pd.read_csv(path) for path in (gold, prediction))
    signatures = [bulk(guess[column]) for column in guess]
    return sum(any(bulk(truth[column]).equals(other) for other in signatures) for column in truth)


def bulk(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column):
        column = column.astype(float).round(2)
    return column.sort_values(ignore_index=True).rename(None)


if __name__ == "__main__":
    main("scoring", measure)
