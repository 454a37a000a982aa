"""SQLite into DuckDB: this reader against ADBC, both ending in a DuckDB file.

The database is the one of the issue: ten tables of 100,000 rows, 48 MB, made from a fixed seed. ADBC fails on a column
whose type changes after its first batch, so the mixed column is in our copy only; our time includes it.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import adbc_driver_sqlite.dbapi
import duckdb

from benchmarks.peers import main
from benchmarks.report import paired
from debriefer import _core

TABLES = 10
ROWS = 100_000
QUICK_ROWS = 5_000
ROUNDS = 5
READERS = 2


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Return `sqlite_over_adbc`, our seconds over ADBC's (below 1: ours is faster), and the medians of both."""
    with tempfile.TemporaryDirectory(prefix="debriefer-bench-") as folder:
        plain, mixed, target = Path(folder, "plain.sqlite"), Path(folder, "mixed.sqlite"), Path(folder, "out.duckdb")
        rows = QUICK_ROWS if quick else ROWS
        _database(plain, rows, mixed_column=False)
        _database(mixed, rows, mixed_column=True)
        times = paired(lambda: _with_core(mixed, target), lambda: _with_adbc(plain, target), ROUNDS)
        return {
            "sqlite_over_adbc": 1 / times.ratio,
            "sqlite_seconds": times.ours,
            "adbc_sqlite_seconds": times.peer,
            "sqlite_megabytes": mixed.stat().st_size / 1e6,
            "spread": {"sqlite_over_adbc": (1 / times.spread[1], 1 / times.spread[0])},
        }


def _rows(seed: int, count: int, *, mixed_column: bool) -> Iterator[tuple[object, ...]]:
    rng = random.Random(seed)  # noqa: S311
    for row in range(count):
        values = (row, rng.randrange(1000), round(rng.uniform(0, 1e4), 2), f"name_{rng.randrange(10**6)}", "2024-05-17")
        yield (*values, row if row % 500 else "n/a?") if mixed_column else (*values, row)


def _database(path: Path, rows: int, *, mixed_column: bool) -> None:
    with sqlite3.connect(path) as connection:
        for table in range(TABLES):
            connection.execute(f"CREATE TABLE t{table} (id INTEGER, g INTEGER, x REAL, name TEXT, day DATE, mix)")
            connection.executemany(
                f"INSERT INTO t{table} VALUES (?, ?, ?, ?, ?, ?)", _rows(table, rows, mixed_column=mixed_column)
            )
    connection.close()


def _with_core(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    database = _core.open_sqlite(source)
    with duckdb.connect(str(target)) as connection, ThreadPoolExecutor(READERS) as readers:
        for table in readers.map(database.read, [name for name, _ in database.tables]):
            connection.register("incoming", table)
            connection.execute(f'CREATE TABLE "{table.name}" AS FROM incoming')


def _with_adbc(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    with (
        duckdb.connect(str(target)) as connection,
        adbc_driver_sqlite.dbapi.connect(str(source)) as database,
        database.cursor() as cursor,
    ):
        for table in range(TABLES):
            cursor.execute(f"SELECT * FROM t{table}")
            connection.register("incoming", cursor.fetch_arrow_table())
            connection.execute(f"CREATE TABLE t{table} AS FROM incoming")


if __name__ == "__main__":
    main("sqlite", measure)
