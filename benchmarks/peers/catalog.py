"""Building and reopening a catalog, beside DuckDB's own `CREATE TABLE AS read_csv`, on the same files.

`catalog_over_duckdb_ctas`: time of one `CREATE TABLE … AS SELECT * FROM read_csv(…)` a file, over the time of
`Catalog.from_files`. The peer runs twice over: with DuckDB's defaults, which take types from a sample and turn a
late `000021` into 21, and with `sample_size = -1`, which looks at the whole file as the catalog does.
`build_over_reopen`: time to build over time to open what was built.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

from benchmarks.peers import main
from debriefer.catalog import Catalog

FILES = 200
MEGABYTES = 100
QUICK_FILES, QUICK_MEGABYTES = 20, 3
_ROUNDS = 5


def write_files(folder: Path, files: int = FILES, megabytes: float = MEGABYTES) -> int:
    """Write `files` CSV files of mixed columns, `megabytes` MiB in all, and return the number of bytes."""
    chance = random.Random(20261130)  # noqa: S311 -- reproducible data, no secret
    words = ["north", "south", "深圳", "Zürich", "retail sale", "whole sale", "A, quoted", "basis"]
    target = int(megabytes * 1024 * 1024 / files)
    total = 0
    for number in range(files):
        lines = ["id,code,day,amount,ratio,place,remark"]
        size, row = 0, 0
        while size < target:
            row += 1
            remark = chance.choice(words)
            quoted = f'"{remark}"' if "," in remark else remark
            line = (
                f"{row},{chance.randrange(10**6):06d},2026-{chance.randrange(1, 13):02d}-{chance.randrange(1, 29):02d},"
                f"{chance.randrange(10**7) / 100},{chance.random():.6f},{chance.choice(words[:6])},{quoted}"
            )
            lines.append(line)
            size += len(line.encode()) + 1
        path = folder / f"table_{number:03d}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        total += path.stat().st_size
    return total


def _ctas(files: list[Path], target: Path, options: str) -> None:
    with duckdb.connect(str(target)) as connection:
        for path in files:
            connection.execute(f"CREATE TABLE {path.stem} AS SELECT * FROM read_csv('{path}'{options})")


def _rows(target: Path) -> int:
    """Return the rows of all tables of a DuckDB file."""
    with duckdb.connect(str(target), read_only=True) as connection:
        tables = connection.execute("SHOW TABLES").fetchall()
        counts = [connection.execute(f'SELECT count(*) FROM "{name}"').fetchone() for (name,) in tables]
    return sum(count[0] for count in counts if count)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(*, quick: bool = False, rounds: int = _ROUNDS) -> dict[str, Any]:
    """Time all three in turn, `rounds` times, and return medians of the ratios and of the seconds."""
    files, megabytes = (QUICK_FILES, QUICK_MEGABYTES) if quick else (FILES, MEGABYTES)
    with tempfile.TemporaryDirectory(prefix="debriefer-bench-") as name:
        folder = Path(name)
        data = folder / "data"
        data.mkdir()
        size = write_files(data, files, megabytes)
        paths = sorted(data.iterdir())
        times: dict[str, list[float]] = {"catalog": [], "ctas": [], "ctas_whole_file": [], "reopen": []}
        for turn in range(rounds):
            built = folder / f"catalog-{turn}.duckdb"
            times["catalog"].append(_seconds(lambda built=built: Catalog.from_files(data, built).close()))  # type: ignore[misc]
            times["reopen"].append(_seconds(lambda built=built: Catalog.open(built).close()))  # type: ignore[misc]
            for peer, options in (("ctas", ""), ("ctas_whole_file", ", sample_size = -1")):
                target = folder / f"{peer}-{turn}.duckdb"
                times[peer].append(_seconds(lambda t=target, o=options: _ctas(paths, t, o)))  # type: ignore[misc]
                peer_rows = _rows(target)
                target.unlink()
            if turn + 1 < rounds:
                built.unlink()
        with Catalog.open(built) as catalog:
            rows = sum(table.row_count for table in catalog.tables.values())

    def ratios(peer: str, ours: str) -> list[float]:
        return [a / b for a, b in zip(times[peer], times[ours], strict=True)]

    runs = {
        "catalog_over_duckdb_ctas": ratios("ctas", "catalog"),
        "catalog_over_duckdb_ctas_whole_file": ratios("ctas_whole_file", "catalog"),
        "build_over_reopen": ratios("catalog", "reopen"),
    }
    return {
        **{figure: round(median(values), 2) for figure, values in runs.items()},
        "catalog_rows_same.duckdb": float(rows == peer_rows),
        "catalog_mib_per_second": round(size / 2**20 / median(times["catalog"]), 1),
        "catalog_seconds": round(median(times["catalog"]), 3),
        "ctas_seconds": round(median(times["ctas"]), 3),
        "reopen_milliseconds": round(median(times["reopen"]) * 1000, 2),
        "catalog_rows": rows,
        "spread": {figure: (min(values), max(values)) for figure, values in runs.items()},
    }


if __name__ == "__main__":
    main("catalog", measure)
