from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.catalog import Catalog
from debriefer.catalog.looks import unit_of


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("营业收入（万元）", "万元"),
        ("Capacity (MWe)", "MWe"),
        ("在任基金数 (只)", "只"),
        ("weight_kg", "kg"),
        ("net_worth_millions", "millions"),
        ("growth [%]", "%"),
        ("name", None),
        ("(a) b", None),
        ("decision", None),
        ("", None),
    ],
)
def test_the_unit_stands_at_the_end_of_the_name(name: str, unit: str | None) -> None:
    assert unit_of(name) == unit


@pytest.mark.parametrize(
    ("name", "cells", "looks"),
    [
        ("order_id", ["1", "2", "2"], "id"),
        ("playerID", ["a1", "b2", "c3"], "id"),
        ("valid", ["1", "0", "1"], None),
        ("公司编号", ["7", "8", "9"], "id"),
        ("stock", ["000021", "300707", "000021"], "code"),
        ("port", ["QTA", "SKE", "QTA"], "code"),
        ("zip", ["10001", "94110", "10001"], "code"),
        ("opened", ["2024-03-05", "2024-12-31", ""], "date"),
        ("opened", ["2024年3月5日", "2024年12月31日", "x年"], None),
        ("founded year", ["1999", "2012", "1999"], "date"),
        ("price", ["12.5", "7", "8.25"], "amount"),
        ("收入(万元)", ["12", "7", "8"], "amount"),
        ("children", ["12", "7", "8"], None),
        ("share", ["12.5%", "7%", "8%"], "ratio"),
        ("p", ["0.25", "0.5", "1"], "ratio"),
        ("growth rate", ["12.5", "-7", "8"], "ratio"),
        ("exchange rate", ["12.5", "7000", "8"], "amount"),
        ("paid", ["￥1,200", "3.2亿", "5万元"], "amount"),
        ("city", ["Oslo", "Bergen", "Oslo"], None),
        ("empty", ["", "", ""], None),
    ],
)
def test_columns_look_like_what_they_hold(
    task_with: Callable[..., Path], tmp_path: Path, name: str, cells: list[str], looks: str | None
) -> None:
    rows = "".join(f'{number},"{cell}"\n' for number, cell in enumerate(cells))
    with Catalog.build(task_with(csv={"t.csv": f'row,"{name}"\n{rows}'}), tmp_path / "c.duckdb") as catalog:
        profile = catalog.profile("t")[1]
    assert profile.looks_like == looks


def test_the_line_says_so(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(csv={"t.csv": "weight_kg\n1.5\n2.5\n1.5\n"})
    with Catalog.build(task, tmp_path / "c.duckdb") as catalog:
        line = catalog.profile("t")[0].line()
    assert line == "weight_kg DOUBLE; 2 distinct; 0 null; 1.5 … 2.5; top 1.5 ×2, 2.5 ×1; looks like an amount; unit kg"
