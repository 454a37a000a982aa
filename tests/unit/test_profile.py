from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from debriefer.catalog import Catalog, Column, ColumnProfile
from debriefer.catalog.numbers import NUMBER_MACROS
from debriefer.catalog.profile import profile_columns

# As every catalog holds them; building one takes longer than any reading.
CONNECTION = duckdb.connect()
for _macro in NUMBER_MACROS:
    CONNECTION.execute(_macro)


@pytest.fixture
def profile_of(task_with: Callable[..., Path], tmp_path: Path) -> Callable[[list[str]], ColumnProfile]:
    def profile(cells: list[str]) -> ColumnProfile:
        rows = "".join(f'{number},"{cell}"\n' for number, cell in enumerate(cells))
        folder = task_with(csv={"t.csv": f"row,value\n{rows}"})
        with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
            return catalog.profile("t")[1]

    return profile


@pytest.mark.parametrize(
    ("cells", "form", "is_number"),
    [
        (["1,234", "56", "7,890.5"], "thousands separators", True),
        (["101", "x"], None, False),
        (["12.5%", "3%", "-1,200.5%"], "percentage", True),
        (["￥1,200", "3.2亿", "5万元", "$7"], "scale or currency", True),
        (["2024/1/5", "2024/12/31"], "date", False),
        (["2026年1月5日"], "date", False),
        (["000021", "300707"], "codes with leading zeros", False),
        (["(5)", "12", "(1,234.5)"], "losses in brackets", True),
        (["1,5", "2", "1.234,75"], "decimal comma", True),
        (["0,125", "0,5"], "decimal comma", True),
        (["0,125", "1,250"], "decimal comma", True),
        (["12,5%", "1,250%"], "decimal comma with scale, currency or percent sign", True),
        (["1.234,5 €", "0,125 €"], "decimal comma with scale, currency or percent sign", True),
        (["9007199254740993", "12345678901234567890123456789012345678"], None, False),
        (["Oslo", "12%"], None, False),
        (["1.2.3", "4.5"], None, False),
    ],
)
def test_form_of_text(
    profile_of: Callable[[list[str]], ColumnProfile], cells: list[str], form: str | None, is_number: bool
) -> None:
    profile = profile_of(cells)
    assert profile.text_form == form
    assert (profile.number_expression is not None) == is_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("12.5%", 12.5),
        ("￥3.2亿", 3.2e8),
        ("5万元", 50_000.0),
        ("-7", -7.0),
        ("1.5万亿", 1.5e12),
        ("3百万", 3e6),
        ("(5)", -5.0),
        ("($1,200.50)", -1200.5),
        ("(−3%)", -3.0),
        ("1,5", 1.5),
        ("1.234,56", 1234.56),
        ("0,125", 0.125),
        ("-0,500 €", -0.5),
        ("10,125", 10_125.0),
        ("0,125,000", None),
        ("12,34,567", 1_234_567.0),
        ("US$7", 7.0),
        ("1 234", 1234.0),
        ("+1.5e3", 1500.0),
        ("(5", None),
        ("1,2,3", None),
        ("Oslo", None),
        ("2024/1/5", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_to_number_reads_what_the_profile_offers(text: str, value: float | None) -> None:
    assert CONNECTION.execute("SELECT to_number(?)", [text]).fetchall() == [(value,)]


def test_counts_nulls_and_frequent_values(profile_of: Callable[[list[str]], ColumnProfile]) -> None:
    profile = profile_of(["b", "a", "b", "N/A", "a", "-"])
    assert (profile.rows, profile.distinct, profile.null_tokens) == (6, 4, 2)
    assert profile.top == (("a", 2), ("b", 2), ("-", 1), ("N/A", 1))
    assert "top a ×2, b ×2, - ×1;" in profile.line()
    assert (profile.minimum, profile.maximum) == ("-", "b")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("to_number('1,234', ',')", 1.234),
        ("to_number('1.234,5', ',')", 1234.5),
        ("to_number('1,234', '.')", 1234.0),
        ("to_number('1.234.5', ',')", None),
        ("to_integer('9007199254740993')::VARCHAR", "9007199254740993"),
        ("to_integer('(12,345,678,901,234,567,891)')::VARCHAR", "-12345678901234567891"),
        ("to_integer('1.5')", None),
        ("to_integer('0,125')", None),
        ("to_number('12,345%', ',')", 12.345),
    ],
)
def test_readings_that_one_macro_cannot_know(expression: str, value: object) -> None:
    assert CONNECTION.execute(f"SELECT {expression}").fetchall() == [(value,)]


def test_the_expression_of_a_profile_reads_its_column(task_with: Callable[..., Path], tmp_path: Path) -> None:
    columns = {
        "price": ["1,5", "2", "1.234,125"],
        "share": ["0,125", "1,250", "0,5"],
        "loss": ["(5)", "12", "(1.5)"],
        "account": ["+9007199254740993", "0900719925474099", "1"],
    }
    rows = "".join(";".join(f'"{cell}"' for cell in row) + "\n" for row in zip(*columns.values(), strict=True))
    with Catalog.build(task_with(csv={"t.csv": ";".join(columns) + "\n" + rows}), tmp_path / "c.duckdb") as catalog:
        price, share, loss, account = catalog.profile("t")
        assert catalog.sql(f"SELECT {price.number_expression} FROM t").to_series().to_list() == [1.5, 2.0, 1234.125]
        assert catalog.sql(f"SELECT {share.number_expression} FROM t").to_series().to_list() == [0.125, 1.25, 0.5]
        assert catalog.sql(f"SELECT {loss.number_expression} FROM t").to_series().to_list() == [-5.0, 12.0, -1.5]
        # A code with a leading zero makes codes of all.
        assert account.number_expression is None


def test_long_integers_beside_signs_are_read_with_all_digits(
    profile_of: Callable[[list[str]], ColumnProfile],
) -> None:
    profile = profile_of(["+9007199254740993", "-1"])
    assert (profile.text_form, profile.number_expression) == ("integers of more than 15 digits", 'to_integer("value")')


def test_a_table_is_profiled_in_few_statements() -> None:
    statements: list[str] = []

    class Counting:
        def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
            self._cursor = cursor

        def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
            statements.append(statement)
            return self._cursor.execute(statement)

    names = [f"c{place}" for place in range(40)]
    with duckdb.connect() as connection:
        items = ", ".join(f"'x' AS {name}" for name in names)
        connection.execute(f"CREATE TABLE t AS SELECT {items} FROM range(3)")
        profiles = profile_columns(Counting(connection), "t", [Column(name, "VARCHAR") for name in names])
    assert len(statements) == 2
    assert [(profile.name, profile.top) for profile in profiles] == [(name, (("x", 3),)) for name in names]
