from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.catalog import Catalog

gold_of = pytest.importorskip("benchmarks.linking.gold", reason="sqlglot is not installed").gold_of

SCRIPT = """
CREATE TABLE Painter (Painter_No INTEGER PRIMARY KEY, Name TEXT, Region TEXT);
CREATE TABLE picture (motif TEXT, painter_no INTEGER, price REAL);
INSERT INTO Painter VALUES (1, 'Ann', 'Tarn'), (2, 'Bob', 'Esk');
INSERT INTO picture VALUES ('Sea', 1, 5), ('Sky', 2, 7.5);
"""


@pytest.fixture
def catalog(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(db={"music.sqlite": SCRIPT}), tmp_path / "c" / "catalog.duckdb")


def test_a_join_names_tables_columns_cells_and_keys(catalog: Catalog) -> None:
    statement = (
        'SELECT t1.name FROM painter AS t1 JOIN picture t2 ON t1.painter_no = t2.PAINTER_NO WHERE t1.region = "tarn" '
        "AND t2.price > 5"
    )
    gold = gold_of(statement, catalog)
    assert gold.tables == {"painter", "picture"}
    assert gold.columns == {
        ("painter", "Name"),
        ("painter", "Painter_No"),
        ("picture", "painter_no"),
        ("painter", "Region"),
        ("picture", "price"),
    }
    assert gold.literals == {("painter", "Region", "Tarn")}
    assert gold.joins == {(("painter", "Painter_No"), ("picture", "painter_no"))}


@pytest.mark.parametrize(
    ("condition", "cells"),
    [
        ("price = 7.50", {("picture", "price", "7.5")}),
        ("motif IN ('Sea', 'Nothing')", {("picture", "motif", "Sea")}),
        ("LOWER(motif) LIKE LOWER('%sea%')", {("picture", "motif", "Sea")}),
        ("motif LIKE '%S%'", set()),
        ("price > 7.5", set()),
        ("motif != 'Sky'", {("picture", "motif", "Sky")}),
    ],
)
def test_constants_are_cells_where_the_column_holds_them(
    catalog: Catalog, condition: str, cells: set[tuple[str, str, str]]
) -> None:
    assert gold_of(f"SELECT count(*) FROM picture WHERE {condition}", catalog).literals == cells


def test_what_a_subquery_names_counts_once_and_under_its_table(catalog: Catalog) -> None:
    gold = gold_of("SELECT n FROM (SELECT count(*) AS n, region FROM painter GROUP BY region) AS x", catalog)
    assert (gold.tables, gold.columns) == ({"painter"}, {("painter", "Region")})


def test_what_is_no_statement_has_no_gold(catalog: Catalog) -> None:
    assert gold_of("SELECT FROM WHERE (", catalog) is None
    assert gold_of("SELECT 1", catalog) is None
