"""Dates and months in questions, and the columns that are compared with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.offline import Abstention, read_question
from debriefer.offline.dates import compared, moments
from debriefer.task import Task

CONNECTION = duckdb.connect()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which orders were placed on 2024-03-05?", ["2024-03-05"]),
        ("orders of 2024/3/5.", ["2024-03-05"]),
        ("on March 5, 2024 or the 6th of Apr 2023", ["2024-03-05", "2023-04-06"]),
        ("on 5 March 2024 and Sept. 7th", ["2024-03-05", "--09-07"]),
        ("between March 2024 and May of 2024", ["2024-03", "2024-05"]),
        ("Who joined in March?", ["--03"]),
        ("In May, who may march in may?", ["--05"]),
        ("month 2024-03", ["2024-03"]),
        ("the season 2011-12", []),
        ("on 2023-02-29 or 30 February", []),
        ("code 12024-03-05, 2024-03-05-7, version 1.2024-03", []),
        ("Mayor 5 and 12 marches of 2024", []),
        ("3/5/2024", []),
    ],
)
def test_english_moments(question: str, expected: list[str]) -> None:
    assert [moment.text for moment in moments(question).values()] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("2024年3月5日的订单", ["2024-03-05"]),
        ("2024年3月有多少订单", ["2024-03"]),
        ("3月5日之后和3月6号", ["--03-05", "--03-06"]),
        ("3月份", ["--03"]),
        ("2024-03-05到2024-3-9", ["2024-03-05", "2024-03-09"]),
        ("2024年13月5日、2月30日", []),
        ("3个月内、2024年", []),
    ],
)
def test_chinese_moments(question: str, expected: list[str]) -> None:
    assert [moment.text for moment in moments(question, chinese=True).values()] == expected


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_every_date_is_read_as_it_is_written(day: date) -> None:
    for written in (day.isoformat(), f"{day.day} {day:%B} {day.year:04}", f"{day:%b} {day.day}, {day.year:04}"):
        [found] = moments(f"what happened on {written}?").values()
        assert found.text == day.isoformat()
    [found] = moments(f"{day.year}年{day.month}月{day.day}日发生了什么", chinese=True).values()
    assert found.text == day.isoformat()


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("DATE '2024-03-05'", ("2024-03-05", "2024-03", "--03-05", "--03")),
        ("TIMESTAMP '2024-03-05 23:59:00'", ("2024-03-05", "2024-03", "--03-05", "--03")),
        ("'2024-03-05'", ("2024-03-05", "2024-03")),
        ("'2024/3/5 10:00'", ("2024-03-05", "--03-05")),
        ("'2024年3月5日'", ("2024-03-05", "2024-03", "--03")),
        ("'2024年3月'", ("2024-03", "--03")),
    ],
)
def test_a_column_is_written_as_the_moment_is(cell: str, values: tuple[str, ...]) -> None:
    [(stored_as,)] = CONNECTION.execute(f"SELECT typeof({cell})").fetchall()
    for value in values:
        assert CONNECTION.execute(f"SELECT {compared(cell, stored_as, (value,))}").fetchall() == [(value,)]


def test_what_is_no_moment_is_not_compared_as_one() -> None:
    assert compared("x", "DATE", ("2024",)) is None
    assert compared("x", "DATE", (2024.0,)) is None
    assert compared("x", "DATE", ()) is None
    assert compared("x", "DATE", ("2024-03-05", "2024-03")) is None


ORDERS = """order_id,customer,order_date,amount
1,Ada,2024-03-05,10
2,Bob,2024-03-06,20
3,Cid,2024-04-05,30
4,Dan,2023-03-05,40
5,Eve,2023-12-31,50
"""
SALES = """编号,客户,下单日期,金额
1,张三,2024-03-05,10
2,李四,2024-03-06,20
3,王五,2024-04-05,30
4,赵六,2023-03-05,40
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("files")
    (folder / "orders.csv").write_text(ORDERS, encoding="utf-8")
    (folder / "订单.csv").write_text(SALES, encoding="utf-8")
    with Catalog.from_files(folder, tmp_path_factory.mktemp("catalog") / "c.duckdb") as built:
        yield built


@pytest.fixture
def answer(catalog: Catalog, tmp_path: Path) -> Callable[[str], list[tuple[object, ...]] | str]:
    def ask(question: str) -> list[tuple[object, ...]] | str:
        read = read_question(Task(tmp_path, "t", question), catalog)
        return read.reason if isinstance(read, Abstention) else catalog.sql(read.sql).rows()

    return ask


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many orders were placed on 2024-03-05?", [(1,)]),
        ("How many orders are there in March 2024?", [(2,)]),
        ("How many orders have an order date after March 5, 2024?", [(2,)]),
        ("How many orders have an order date between 2024-03-05 and 2024-03-31?", [(2,)]),
        ("What is the average amount of orders since March 2024?", [(20,)]),
        ("Show the customer of the orders with order date 5 April 2024.", [("Cid",)]),
        ("How many orders are there in March?", [(3,)]),
        ("2024年3月5日有多少个订单？", [(1,)]),
        ("2024年3月有多少个订单？", [(2,)]),
        ("下单日期在2024年3月5日之后的订单有多少个？", [(2,)]),
        ("下单日期是3月5日的订单有多少个？", [(2,)]),
    ],
)
def test_questions_about_dates(answer: Callable[[str], object], question: str, expected: object) -> None:
    assert answer(question) == expected
