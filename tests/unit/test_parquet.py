"""Parquet: the footer as DuckDB reads it, and decimals that DuckDB alone would round."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer.catalog.parquet import read_parquet
from debriefer.catalog.parquet_footer import is_too_wide, read_schema

CONNECTION = duckdb.connect()
KINDS = (
    "1::INTEGER",
    "'a'",
    "1.5::DECIMAL(38,3)",
    "1.5::DECIMAL(9,2)",
    "[1, 2]",
    "{'a': 1, 'b': [{'c': DATE '2024-01-05'}]}",
    "MAP {'k': TIMESTAMP '2024-01-05 10:00:00'}",
    "'x'::BLOB",
    "gen_random_uuid()",
    "TIME '10:00:00'",
    "'{}'::JSON",
)


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
def test_the_schema_is_what_duckdb_reads(tmp_path: Path, kinds: list[str]) -> None:
    path = tmp_path / "p.parquet"
    items = ", ".join(f'{kind} AS "col {place}é"' for place, kind in enumerate(kinds))
    CONNECTION.execute(f"COPY (SELECT {items}) TO '{path}'")
    elements = read_schema(path)
    expected = CONNECTION.execute(
        f"SELECT name, CASE WHEN type IN ('FIXED_LEN_BYTE_ARRAY', 'BYTE_ARRAY') THEN coalesce(precision, 0) ELSE 0 END "
        f"FROM parquet_schema('{path}')"
    ).fetchall()
    assert [(element.name, element.precision) for element in elements] == expected[1:]
    assert [element.name for element in elements if element.depth == 1] == [f"col {p}é" for p in range(len(kinds))]


@given(st.binary(max_size=80))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
def test_a_footer_of_garbage_is_a_value_error(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "g.parquet"
    path.write_bytes(b"PAR1" + garbage + len(garbage).to_bytes(4, "little") + b"PAR1")
    try:
        read_schema(path)
    except ValueError:
        return
    # What is read is at least finite.


@pytest.fixture
def wide(tmp_path: Path) -> Callable[..., Path]:
    pyarrow = pytest.importorskip("pyarrow", reason="only pyarrow writes decimals of more than 38 digits")
    parquet = pytest.importorskip("pyarrow.parquet")

    def write(values: list[str | None], precision: int, scale: int) -> Path:
        with decimal.localcontext(prec=100):
            cells = [None if value is None else decimal.Decimal(value) for value in values]
            table = pyarrow.table(
                {"id": list(range(len(values))), "amount": pyarrow.array(cells, pyarrow.decimal256(precision, scale))}
            )
        parquet.write_table(table, tmp_path / "wide.parquet")
        return tmp_path / "wide.parquet"

    return write


@pytest.mark.parametrize(
    ("values", "scale", "kind"),
    [
        (["12345678901234567890123456789012345678901.25", None, "-0.01", "0.00"], 2, "VARCHAR"),
        (["1234567890.25", None, "-0.50"], 2, "DECIMAL(38,2)"),
        (["12345678901234567890123456789012345678", "-1", None], 0, "HUGEINT"),
        (["170141183460469231731687303715884105727"], 0, "VARCHAR"),
    ],
)
def test_wide_decimals_keep_every_digit(
    wide: Callable[..., Path], values: list[str | None], scale: int, kind: str
) -> None:
    path = wide(values, 60, scale)
    assert any(is_too_wide(element) for element in read_schema(path))
    found = read_parquet(path)
    assert [code for code, *_ in found.notes] == ["wide-numbers"]
    assert (found.columns[1], found.rows) == (("amount", kind), len(values))
    CONNECTION.register("wide", found.stream)
    rows = CONNECTION.execute(f"SELECT id, amount::{kind}::VARCHAR FROM wide").fetchall()
    CONNECTION.unregister("wide")
    assert rows == list(enumerate(values))
