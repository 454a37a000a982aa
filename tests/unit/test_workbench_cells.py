"""Values as text."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer.workbench.cells import cell_text, positional, shortened


def _nested(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(values, max_size=4) | st.dictionaries(st.text(), values, max_size=4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("", ""),
        ("000021", "000021"),
        (True, "true"),
        (10**30, "1" + "0" * 30),
        (4.0, "4.0"),
        (1e20, "100000000000000000000.0"),
        (-2.5e-8, "-0.000000025"),
        (float("nan"), "NaN"),
        (float("-inf"), "-inf"),
        (decimal.Decimal("1.50"), "1.50"),
        (decimal.Decimal("1E+3"), "1000"),
        (dt.date(2024, 3, 1), "2024-03-01"),
        (dt.datetime(2024, 3, 1), "2024-03-01 00:00:00"),  # noqa: DTZ001 -- without a zone
        (dt.datetime(2024, 3, 1, 12, 0, 0, 500_000), "2024-03-01 12:00:00.500"),  # noqa: DTZ001
        (dt.datetime(2024, 3, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=8))), "2024-02-29 17:00:00+00:00"),
        (dt.time(1, 2, 3, 4), "01:02:03.000004"),
        (b"\x00\xff", "00ff"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([1, None, "é", [2.0]], '[1,null,"é",[2.0]]'),
        ({"a": dt.date(2024, 1, 1), "b": float("nan")}, '{"a":"2024-01-01","b":"NaN"}'),
    ],
)
def test_each_kind_of_value_has_one_text(value: object, text: str | None) -> None:
    assert cell_text(value) == text


@pytest.mark.parametrize(
    "interval",
    ["0 seconds", "1 day", "-1 day", "3 days 02:00:00.5", "-90 minutes", "-36 hours", "00:00:00.000001"],
)
def test_interval_is_written_as_duckdb_writes_it(interval: str) -> None:
    # A difference of moments counts whole days on its own, as Python does; the text of other intervals is DuckDB's.
    between = f"(TIMESTAMP '2024-01-01' + INTERVAL '{interval}') - TIMESTAMP '2024-01-01'"
    row = duckdb.connect().execute(f"SELECT {between}, ({between})::VARCHAR").fetchone()
    assert row is not None
    assert cell_text(row[0]) == row[1]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_has_no_exponent_and_reads_back_as_itself(value: float) -> None:
    text = cell_text(value)
    assert text is not None
    assert "e" not in text
    assert float(text) == value
    assert Fraction(decimal.Decimal(text)) == Fraction(decimal.Decimal(repr(value)))


@settings(max_examples=50)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), _nested, max_leaves=10))
def test_nested_value_is_json(value: object) -> None:
    if isinstance(value, list | dict):
        assert json.loads(cell_text(value) or "") == value


def test_positional_leaves_plain_numbers_alone() -> None:
    assert [positional(text) for text in ("0.1", "-0.0", "12")] == ["0.1", "-0.0", "12"]


@given(st.text(), st.integers(1, 50))
def test_shortened_is_one_short_line(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short) <= most
    assert "\n" not in short
    assert "\r" not in short
