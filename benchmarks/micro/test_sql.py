"""Micro benchmarks of the SQL door: `pytest benchmarks/micro --benchmark-only`."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.inputs import SHORT, TABLES, long_statement
from debriefer import _core
from debriefer.catalog.door import SqlDoor, normalize_sql, tokenize_sql

LONG = long_statement()
RIGHT = "SELECT o.amount, c.name FROM orders AS o JOIN customers AS c ON o.customer_id = c.id WHERE c.city = 'Paris'"


@pytest.mark.parametrize("sql", [SHORT, LONG, RIGHT], ids=["short", "long", "right"])
def test_normalize_sql(benchmark: BenchmarkFixture, sql: str) -> None:
    benchmark(normalize_sql, sql, TABLES)


def test_rewrites(benchmark: BenchmarkFixture) -> None:
    result = normalize_sql(LONG, TABLES)
    benchmark(lambda: result.rewrites)


def test_prepare(benchmark: BenchmarkFixture) -> None:
    benchmark(SqlDoor(TABLES).prepare, SHORT)


def test_tokenize_sql(benchmark: BenchmarkFixture) -> None:
    benchmark(tokenize_sql, LONG)


def test_compile_names(benchmark: BenchmarkFixture) -> None:
    tables = {f"table {i}": [f"column {j} of {i}" for j in range(20)] for i in range(100)}
    benchmark(_core.SqlSchema, tables)
