"""Looking at a prediction: its shape, its counts, its first rows. Needs neither DuckDB nor Polars."""

from __future__ import annotations

import csv
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from debriefer.errors import WorkbenchError

PREDICTION_FILE = "prediction.csv"
WRITING_HINT = "leave the writing to the last lines of `solver.py`"
# Rows counted at once; a column at a time is several times faster than a cell at a time.
_BLOCK_ROWS = 4_096


@dataclass(frozen=True, slots=True)
class Check:
    """What a prediction looks like.

    Attributes:
        columns: The header.
        rows: Number of rows below the header.
        non_null: For each column, the number of cells that are not empty.
        sample: The first rows; an empty cell is `None`.
    """

    columns: tuple[str, ...]
    rows: int
    non_null: tuple[int, ...]
    sample: tuple[tuple[str | None, ...], ...]


def check_prediction(path: str | Path, rows: int = 5) -> Check:
    """Read a prediction back and return its shape, its counts and its first rows.

    The file is streamed, so that its size does not matter. What a short row lacks counts as empty.

    Args:
        path: The file.
        rows: Number of rows of the sample.

    Raises:
        WorkbenchError: The file is no CSV in UTF-8 with a header, or a row is longer than the header.
    """
    path = Path(path)
    sample: list[tuple[str | None, ...]] = []
    total = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = _lines(stream)
            columns = next(lines, None)
            if columns is None:
                raise _no_table(path, "it is empty")
            counts = [0] * len(columns)
            while block := list(itertools.islice(lines, _BLOCK_ROWS)):
                longest = max(map(len, block))
                if longest > len(columns):
                    raise _no_table(path, f"a row has {longest} cells, the header has {len(columns)}")
                if len(sample) < rows:
                    sample += [_padded(line, len(columns)) for line in block[: rows - len(sample)]]
                total += len(block)
                for number, cells in enumerate(itertools.zip_longest(*block, fillvalue="")):
                    counts[number] += len(cells) - cells.count("")
    except (csv.Error, UnicodeDecodeError) as error:
        raise _no_table(path, str(error).splitlines()[0]) from error
    return Check(columns=tuple(columns), rows=total, non_null=tuple(counts), sample=tuple(sample))


def _lines(stream: Iterable[str]) -> Iterator[list[str]]:
    """Yield the rows of a CSV file; a blank line is a row without a value."""
    # Nested values may be longer than the module's own bound.
    csv.field_size_limit(sys.maxsize)
    for line in csv.reader(stream, strict=True):
        yield line or [""]


def _padded(line: Sequence[str], width: int) -> tuple[str | None, ...]:
    return tuple(cell or None for cell in (*line, *[""] * (width - len(line))))


def _no_table(path: Path, reason: str) -> WorkbenchError:
    return WorkbenchError(f"`{path.name}` is no table: {reason}", hint=WRITING_HINT)
