from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.catalog import Catalog

gold_of = pytest.importorskip("benchmarks.linking.gold", reason="sqlglot is not installed").gold_of

SCRIPT = """
CREATE TABLE Singer (Singer_ID INTEGER PRIMARY KEY, Name TEXT, Country TEXT);
CREATE TABLE song (title TEXT, singer_id INTEGER, sales REAL);
INSERT INTO Singer VALUES (1, 'Ann', 'France'), (2, 'Bob', 'Japan');
INSERT INTO song VALUES ('Hey', 1, 5), ('Ho', 2, 7.5);
"""


@pytest.fixture
def catalog(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(db={"music.sqlite": SCRIPT}), tmp_path / "c" / "catalog.duckdb")


def test_a_join_names_tables_columns_cells_and_keys(catalog: Catalog) -> None:
    statement = (
        'SELECT t1.name FROM singer AS t1 JOIN song t2 ON t1.singer_id = t2.SINGER_ID WHERE t1.country = "france" '
        "AND t2.sales > 5"
    )
    gold = gold_of(statement, catalog)
    assert gold.tables == {"singer", "song"}
    assert gold.columns == {
        ("singer", "Name"),
        ("singer", "Singer_ID"),
        ("song", "singer_id"),
        ("singer", "Country"),
        ("song", "sales"),
    }
    assert gold.literals == {("singer", "Country", "France")}
    assert gold.joins == {(("singer", "Singer_ID"), ("song", "singer_id"))}


@pytest.mark.parametrize(
    ("condition", "cells"),
    [
        ("sales = 7.50", {("song", "sales", "7.5")}),
        ("title IN ('Hey', 'Nothing')", {("song", "title", "Hey")}),
        ("LOWER(title) LIKE LOWER('%hey%')", {("song", "title", "Hey")}),
        ("title LIKE '%H%'", set()),
        ("sales > 7.5", set()),
        ("title != 'Ho'", {("song", "title", "Ho")}),
    ],
)
def test_constants_are_cells_where_the_column_holds_them(
    catalog: Catalog, condition: str, cells: set[tuple[str, str, str]]
) -> None:
    assert gold_of(f"SELECT count(*) FROM song WHERE {condition}", catalog).literals == cells


def test_what_a_subquery_names_counts_once_and_under_its_table(catalog: Catalog) -> None:
    gold = gold_of("SELECT n FROM (SELECT count(*) AS n, country FROM singer GROUP BY country) AS x", catalog)
    assert (gold.tables, gold.columns) == ({"singer"}, {("singer", "Country")})


def test_what_is_no_statement_has_no_gold(catalog: Catalog) -> None:
    assert gold_of("SELECT FROM WHERE (", catalog) is None
    assert gold_of("SELECT 1", catalog) is None
