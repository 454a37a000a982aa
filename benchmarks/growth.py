"""How the cost of each kernel grows with its input: medians over sizes, and the slope between them.

    python -m benchmarks.growth [--most 1e7] [--only names,sql] [--patience 60] [--json] [--svg FILE]

Sizes are powers of ten from 10² on, up to `--most` and to what makes sense for a kernel (`MOST` says so beside each); a
kernel ends earlier where its next size would take longer than `--patience` seconds in all. On a log-log plot a cost of
`size^k` is a line of slope k: 1 is linear, below 1 a fixed cost still weighs, above 1 it grows faster than its input.

- `NAME.slope`: least squares over all sizes. `NAME.last_slope`: between the two largest, where fixed costs are gone.
- `NAME.nanoseconds_each`: median at the largest size over that size.
- `NAME.seconds.SIZE`: median of five rounds.

Kernels: `signature_pixels` (one sample of a still picture, over its pixels), `signature_samples` (a whole video of
small pictures, a new slide every 50, over its samples), `names` (canonical names), `delimited_cells` (a CSV file to
typed columns), `sql_bytes` (the SQL door), `scoring_rows` (the signature score of two files of five columns),
`index_build` (the value index of so many distinct cells) and `index_find` (one question to it).
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.growth_plot import draw
from benchmarks.inputs import TABLES, long_statement, stems
from benchmarks.report import Timed, emit, print_table, timed
from debriefer import _core
from debriefer.catalog.door import normalize_sql
from debriefer.scoring import signature_score

ROUNDS = 5
LEAST = 100
# A video of five hours at five samples a second has 90,000; a task's files name fewer than a million columns; a
# statement of a mebibyte is beyond what a model writes; a prediction of a million rows is beyond what a task asks.
MOST = {
    "signature_pixels": 10_000_000,
    "signature_samples": 100_000,
    "names": 1_000_000,
    "delimited_cells": 10_000_000,
    "sql_bytes": 1_000_000,
    "scoring_rows": 1_000_000,
    "index_build": 10_000_000,
    "index_find": 10_000_000,
}
_SMALL = (160, 96)
_STILL = 50
# As often as `debriefer.media.gather` unites states.
_COMPACT = 24
_COLUMNS = 5

# A kernel prepared for one size: what is timed, and the size that it really has.
Prepared = tuple[Callable[[], object], int]


@dataclass(slots=True)
class Growth:
    """What was measured of one kernel, by rising size: the power of ten asked for, the true size, the time."""

    asked: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    times: list[Timed] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        """Medians."""
        return [one.seconds for one in self.times]


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float | None:
    """Return the least-squares slope of log seconds over log size; `None` for fewer than two sizes.

    >>> slope([10, 100, 1000], [2.0, 200.0, 20000.0])
    2.0
    """
    if len(sizes) < 2:
        return None
    across = [math.log10(size) for size in sizes]
    up = [math.log10(one) for one in seconds]
    mean_across, mean_up = math.fsum(across) / len(across), math.fsum(up) / len(up)
    spread = math.fsum((x - mean_across) ** 2 for x in across)
    return round(math.fsum((x - mean_across) * (y - mean_up) for x, y in zip(across, up, strict=True)) / spread, 9)


def _picture(width: int, height: int, seed: int) -> NDArray[np.uint8]:
    """Return luma of a slide of blocks with some grain within a step of the quantiser, as one run of bytes."""
    dice = np.random.default_rng(seed)
    blocks = dice.integers(16, 236, (height // 16 + 1, width // 16 + 1), np.uint8)
    return np.ascontiguousarray(blocks.repeat(16, 0).repeat(16, 1)[:height, :width]).reshape(-1)


@contextmanager
def signature_pixels(size: int, _: Path) -> Iterator[Prepared]:
    """Take one more sample of a still picture of about `size` pixels."""
    width = max(16, round(math.sqrt(size * 16 / 9)))
    height = max(9, round(size / width))
    plane, stabilizer, clock = _picture(width, height, 1), _core.Stabilizer(), itertools.count()
    yield lambda: stabilizer.push(plane, width, height, width, next(clock) * 0.1), width * height


@contextmanager
def signature_samples(size: int, _: Path) -> Iterator[Prepared]:
    """Take `size` samples, a new slide every fifty, and unite what they show as `slides` does."""
    width, height = _SMALL
    pages = [_picture(width, height, seed) for seed in range(max(1, size // _STILL))]

    def work() -> object:
        stabilizer, opened = _core.Stabilizer(), 0
        for at in range(size):
            told = stabilizer.push(pages[at // _STILL % len(pages)], width, height, width, at * 0.2)
            opened += told[0] is not None
            if told[0] is not None and opened % _COMPACT == 0:
                stabilizer.compact()
        return stabilizer.finish(size * 0.2)

    yield work, size


@contextmanager
def names(size: int, _: Path) -> Iterator[Prepared]:
    """Make `size` canonical names in one call."""
    some = stems()
    given = [f"{some[at % len(some)]} {at}" for at in range(size)]
    yield lambda: _core.canonical_names(given), size


@contextmanager
def delimited_cells(size: int, folder: Path) -> Iterator[Prepared]:
    """Read a file of `size` cells in five columns of the usual types."""
    path = folder / "cells.csv"
    _copy(
        f"""SELECT i AS id, lpad((hash(i) % 1000000)::VARCHAR, 6, '0') AS code,
        (hash(i * 3) % 10000000) / 100.0 AS amount,
        DATE '2020-01-01' + (hash(i * 7) % 2000)::INT AS day, 'place ' || (hash(i * 11) % 5000)::VARCHAR AS place
        FROM range({size // _COLUMNS}) t(i)""",
        path,
    )
    yield lambda: _core.read_delimited(path), size // _COLUMNS * _COLUMNS


@contextmanager
def sql_bytes(size: int, _: Path) -> Iterator[Prepared]:
    """Send a statement of about `size` bytes, names and call included, through the SQL door."""
    short = 'SELECT o.`amount`, c.name FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.city = "Paris"'
    statement = short if size < 1_000 else long_statement(size)
    yield lambda: normalize_sql(statement, TABLES), len(statement.encode())


@contextmanager
def scoring_rows(size: int, folder: Path) -> Iterator[Prepared]:
    """Score a prediction of `size` rows that equals its gold in another order and other forms of numbers."""
    gold, prediction = folder / "gold.csv", folder / "prediction.csv"
    columns = """lpad((hash(i) % 1000000)::VARCHAR, 6, '0') AS code, '客户' || (hash(i * 3) % 5000)::VARCHAR AS name,
        {amount} AS amount, DATE '2024-01-01' + (hash(i * 7) % 360)::INT AS day, (hash(i * 11) % 1000) AS n"""
    amount = "((hash(i * 5) % 1000000000) / 10000.0)::DECIMAL(18, 4)"
    rows = f"FROM range({size}) t(i)"
    _copy(f"SELECT {columns.format(amount=amount)} {rows}", gold)
    _copy(f"SELECT {columns.format(amount=amount + '::VARCHAR || 00')} {rows} ORDER BY hash(i * 13)", prediction)
    if signature_score(prediction, gold).score != 1.0:
        message = f"a prediction of {size} rows that equals its gold does not score 1"
        raise AssertionError(message)
    yield lambda: signature_score(prediction, gold), size


@contextmanager
def index_build(size: int, folder: Path) -> Iterator[Prepared]:
    """Build the value index of `size` distinct cells of one column."""
    cells = cells_of(size)
    yield lambda: build_index(cells, folder / "built.values"), size


@contextmanager
def index_find(size: int, folder: Path) -> Iterator[Prepared]:
    """Ask an index of `size` cells one question that names a cell with a letter missing."""
    path = folder / "asked.values"
    build_index(cells_of(size), path)
    index = _core.ValueIndex.open(path)
    text = str(cells_of(size)["text"][size // 2])
    question = f"How many orders did {text[:-3]}{text[-2:]} place in Porto last year?"
    yield lambda: index.find(question, 20), size


def cells_of(size: int) -> pl.DataFrame:
    """Return `size` distinct texts and how often a column holds each."""
    relation: Any = duckdb.sql(
        f"""SELECT 'Customer ' || upper(chr(97 + (i % 26)::INT)) || lower(hex(hash(i) % 1000003)) || ' '
        || lower(hex(i)) AS text, 1 + i % 7 AS count FROM range({size}) t(i)"""
    )
    # A frame gives its rows as a stream as often as it is asked, without pyarrow.
    return pl.DataFrame(relation)


def build_index(cells: object, path: Path) -> None:
    """Write an index of one column of cells."""
    builder = _core.ValueIndexBuilder(path)
    builder.column("customers", "name")
    builder.add(cells, numeric=False)
    builder.finish("growth")


def _copy(statement: str, path: Path) -> None:
    duckdb.sql(f"COPY ({statement}) TO '{path}' (HEADER, DELIMITER ',')")


KERNELS: Mapping[str, Callable[[int, Path], Any]] = {
    kernel.__name__: kernel
    for kernel in (
        signature_pixels,
        signature_samples,
        names,
        delimited_cells,
        sql_bytes,
        scoring_rows,
        index_build,
        index_find,
    )
}


def grow(kernel: str, most: float, patience: float = math.inf, rounds: int = ROUNDS) -> Growth:
    """Time a kernel at each power of ten.

    Args:
        kernel: A name of `KERNELS`.
        most: Largest size, unless the kernel's own bound is smaller.
        patience: Seconds that the timings of one size may take, judged by ten times the size before.
        rounds: Timings a size, of which the median counts.
    """
    found = Growth()
    size = LEAST
    while size <= min(most, MOST[kernel]):
        # Besides its rounds each size has a call to warm up and one to count by.
        if found.times and found.times[-1].seconds * 10 * (rounds + 2) > patience:
            print(f"{kernel}: {size:,} would take longer than {patience:g} s, left out", file=sys.stderr)
            break
        with (
            tempfile.TemporaryDirectory(prefix="debriefer-growth-") as folder,
            KERNELS[kernel](size, Path(folder)) as (
                work,
                true_size,
            ),
        ):
            found.times.append(timed(work, rounds))
            found.sizes.append(true_size)
            found.asked.append(size)
        size *= 10
    return found


def figures(grown: Mapping[str, Growth]) -> tuple[dict[str, Any], dict[str, tuple[float, float]]]:
    """Return the figures of each kernel by name, and the bounds of those that are times."""
    metrics: dict[str, Any] = {}
    spread: dict[str, tuple[float, float]] = {}
    for name, growth in grown.items():
        if not growth.sizes:
            continue
        seconds = dict(zip(map(str, growth.asked), growth.seconds, strict=True))
        metrics[name] = {
            "slope": slope(growth.sizes, growth.seconds),
            "last_slope": slope(growth.sizes[-2:], growth.seconds[-2:]),
            "nanoseconds_each": growth.seconds[-1] / growth.sizes[-1] * 1e9,
            "seconds": seconds,
        }
        spread |= {f"{name}.seconds.{n}": t.spread for n, t in zip(growth.asked, growth.times, strict=True)}
    return metrics, spread


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--most", type=float, default=1e7, help="largest size")
    parser.add_argument("--only", default=",".join(KERNELS), help="kernels to measure, separated by commas")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds that one size of a kernel may take")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="timings a size")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--svg", type=Path, help="draw the growth into this file")
    options = parser.parse_args(arguments)
    selected = [name for name in options.only.split(",") if name]
    unknown = sorted(set(selected) - set(KERNELS))
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)} (there are: {', '.join(KERNELS)})")
    grown: dict[str, Growth] = {}
    for name in selected:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        grown[name] = grow(name, options.most, options.patience, options.rounds)
    metrics, spread = figures(grown)
    rows = [
        (
            name,
            growth.sizes[0],
            growth.sizes[-1],
            one["slope"] or "-",
            one["last_slope"] or "-",
            one["nanoseconds_each"],
        )
        for name, growth in grown.items()
        if (one := metrics.get(name)) is not None
    ]
    header = ("kernel", "from", "to", "slope", "slope at the end", "ns each")
    print_table(header, rows, title="growth", file=sys.stderr if options.json else sys.stdout)
    if options.svg is not None:
        lines = {name: list(zip(growth.sizes, growth.seconds, strict=True)) for name, growth in grown.items()}
        options.svg.write_text(draw(lines), encoding="utf-8")
    emit("growth", len(metrics), metrics, options.json, spread=spread)


if __name__ == "__main__":
    main()
