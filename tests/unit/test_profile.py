from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.catalog import Catalog, ColumnProfile


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
        ("Oslo", None),
        ("2024/1/5", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_to_number_reads_what_the_profile_offers(
    task_with: Callable[..., Path], tmp_path: Path, text: str, value: float | None
) -> None:
    with Catalog.build(task_with(csv={"t.csv": "x\n1\n"}), tmp_path / "c.duckdb") as catalog:
        assert catalog.sql(f"SELECT to_number('{text}')").item() == value


def test_counts_nulls_and_frequent_values(profile_of: Callable[[list[str]], ColumnProfile]) -> None:
    profile = profile_of(["b", "a", "b", "N/A", "a", "-"])
    assert (profile.rows, profile.distinct, profile.null_tokens) == (6, 4, 2)
    assert profile.top == (("a", 2), ("b", 2), ("-", 1))
    assert (profile.minimum, profile.maximum) == ("-", "b")
