"""What every benchmark shares: the machine, fair timing, a table for people, one JSON line for programs."""

from __future__ import annotations

import gc
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO

# What a measured figure depends on: the engines of this package and the peers it is compared with.
PACKAGES = (
    "debriefer",
    "adbc-driver-sqlite",
    "dspy",
    "duckdb",
    "imagehash",
    "numpy",
    "opencv-python-headless",
    "pandas",
    "polars",
    "pyarrow",
    "pyjanitor",
    "rapidfuzz",
    "scenedetect",
    "sqlglot",
    "sqlparse",
)
GIBIBYTE = 1 << 30


@dataclass(frozen=True, slots=True)
class Paired:
    """Two functions timed in turns.

    Attributes:
        ours: Median of one call of ours, in seconds.
        peer: Median of one call of the peer, in seconds.
        ratio: Median over rounds of peer ÷ ours, each round's two times taken side by side. Above 1: ours is faster.
        spread: Smallest and largest of the rounds' ratios.
        ours_spread: Smallest and largest of the rounds' times of ours, in seconds.
    """

    ours: float
    peer: float
    ratio: float
    spread: tuple[float, float]
    ours_spread: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Timed:
    """One function timed: the median of the rounds, the smallest and the largest, in seconds of one call."""

    seconds: float
    low: float
    high: float

    @property
    def spread(self) -> tuple[float, float]:
        """Smallest and largest round."""
        return self.low, self.high


def timed(work: Callable[[], object], rounds: int = 5, *, least: float = 0.002) -> Timed:
    """Time a function as the median of rounds, each of so many calls that it takes `least` seconds.

    Args:
        work: What is timed; it is called once beforehand, so that imports and caches are not.
        rounds: Timings of which the median counts.
        least: Seconds of one timing, for work of a few microseconds.

    Raises:
        ValueError: `rounds` is below 1.
    """
    if rounds < 1:
        message = f"rounds must be at least 1, not {rounds}"
        raise ValueError(message)
    once = _seconds(work, 1)
    number = 1 if once >= least else min(10_000, int(least / max(once, 1e-7)) + 1)
    times = [_seconds(work, number) for _ in range(rounds)]
    return Timed(statistics.median(times), min(times), max(times))


def paired(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int = 7, *, number: int = 1, warm_up: bool = True
) -> Paired:
    """Time two functions in turns, A B B A A B …, so that a machine that slows down slows both.

    Args:
        ours: What this package does.
        peer: The same work done by the peer.
        rounds: Rounds; each times both once. The median of the rounds' ratios is what counts.
        number: Calls within one timing, for work of a few microseconds.
        warm_up: Call both once beforehand, so that imports and caches are paid by neither.

    Raises:
        ValueError: `rounds` or `number` is below 1.
    """
    if rounds < 1 or number < 1:
        message = f"rounds and number must be at least 1, not {rounds} and {number}"
        raise ValueError(message)
    if warm_up:
        ours()
        peer()
    times: list[tuple[float, float]] = []
    for turn in range(rounds):
        if turn % 2 == 0:
            first = _seconds(ours, number)
            times.append((first, _seconds(peer, number)))
        else:
            first = _seconds(peer, number)
            times.append((_seconds(ours, number), first))
    own_times = [own for own, _ in times]
    ratios = [other / own for own, other in times]
    return Paired(
        ours=statistics.median(own_times),
        peer=statistics.median(other for _, other in times),
        ratio=statistics.median(ratios),
        spread=(min(ratios), max(ratios)),
        ours_spread=(min(own_times), max(own_times)),
    )


def _seconds(function: Callable[[], object], number: int) -> float:
    """Return the mean time of one of `number` calls, in seconds, without a collection in between."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(number):
            function()
        return (time.perf_counter() - start) / number
    finally:
        if enabled:
            gc.enable()


@cache
def machine() -> dict[str, Any]:
    """Return what a figure was measured on: `cpu`, `cores`, `memory_gib`, `os`, `python`, `rust`, `packages`.

    `cores` is what this process may use. `rust` is `None` without a tool chain; a package that is not installed
    is left out of `packages`.
    """
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": _memory_gib(),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "rust": _rust(),
        "packages": dict(_versions(PACKAGES)),
    }


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"


def _memory_gib() -> float | None:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
    return round(size / GIBIBYTE, 1)


def _rust() -> str | None:
    compiler = shutil.which("rustc")
    if compiler is None:
        return None
    answer = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False, timeout=30)
    return answer.stdout.strip() or None


def _versions(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def emit(
    suite: str,
    n: int,
    metrics: Mapping[str, Any],
    as_json: bool,
    *,
    spread: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Print a suite's result: a table of `metrics` on standard error, and with `as_json` one JSON object on stdout.

    The JSON object is one line, `{"suite", "n", "metrics", "spread", "machine", "date"}`, and must be the last thing
    that is printed. `date` is the time of the measurement, UTC; `benchmarks.compare` reads all of it.
    Without `as_json` the table goes to standard output instead.

    Args:
        suite: Name of the suite, as its module is called.
        n: How many cases were measured.
        metrics: Name to figure, or name to a mapping of names to figures (one a data set).
        as_json: What the command's `--json` says.
        spread: Smallest and largest round of figures that have several, by the figure's name (`name.part` where it
            stands in a mapping).
    """
    where = sys.stderr if as_json else sys.stdout
    title = f"{suite} (n = {n})"
    if spread:
        ranges = {name: f"{low:.4g} to {high:.4g}" for name, (low, high) in spread.items()}
        rows = [(name, _figure(value), ranges.get(name, "")) for name, value in flat(metrics)]
        print_table(("metric", "value", "rounds"), rows, title=title, file=where)
    else:
        print_table(
            ("metric", "value"), [(name, _figure(value)) for name, value in flat(metrics)], title=title, file=where
        )
    if as_json:
        sys.stderr.flush()
        report = {
            "suite": suite,
            "n": n,
            "metrics": metrics,
            "spread": dict(spread or {}),
            "machine": machine(),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        print(json.dumps(report, ensure_ascii=False, allow_nan=False), flush=True)


def flat(metrics: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Yield the figures of a result, those within mappings under names with dots."""
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _figure(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None, file: TextIO | None = None
) -> None:
    """Print rows under a header in aligned columns; wide characters (Chinese) count as two.

    Args:
        header: Column titles.
        rows: Cells, as many a row as there are titles; floats keep four significant digits.
        title: A line above the table.
        file: Where to print; standard output unless told.
    """
    lines = [list(header), *([_figure(cell) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    out = sys.stdout if file is None else file
    if title is not None:
        print(title, file=out)
    for line in lines:
        cells = (cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip(), file=out)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
