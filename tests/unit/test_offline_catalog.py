"""What the offline baseline knows of a catalog: cells, references, names of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from debriefer.catalog import Catalog
from debriefer.offline.columns import Schema
from debriefer.offline.joins import JoinGraph
from debriefer.offline.values import ValueIndex, bare

POETS = """
CREATE TABLE 诗人 (诗人id TEXT, 姓名 TEXT, 朝代 TEXT);
INSERT INTO 诗人 VALUES ('p1', '王小明', '甲朝'), ('p2', '李大海', '乙朝');
CREATE TABLE 诗词 (诗词id TEXT, 诗词名 TEXT, 作者id TEXT);
INSERT INTO 诗词 VALUES ('w1', '山行', 'p1'), ('w2', '江雪', 'p1'), ('w3', '晚秋', 'p2');
"""
SHOP = """
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, shop_name TEXT, city TEXT, open INTEGER);
INSERT INTO shop VALUES (1, 'North Lights', 'Bergen', 1), (2, 'Fjord Books', 'Oslo', 2);
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, shop_id INTEGER, guests TEXT, paid TEXT);
INSERT INTO visit VALUES (1, 1, '1,204', 'yes'), (2, 1, '12', 'no'), (3, 2, '7', 'yes');
"""


@pytest.fixture
def catalog_of(task_with: Callable[..., Path]) -> Iterator[Callable[[str], Catalog]]:
    opened = []

    def build(script: str) -> Catalog:
        catalog = Catalog.build(task_with(db={"data.db": script}))
        opened.append(catalog)
        return catalog

    yield build
    for catalog in opened:
        catalog.close()


def test_a_cell_is_found_whatever_its_case_and_closing_marks(catalog_of: Callable[[str], Catalog]) -> None:
    index = ValueIndex(catalog_of(SHOP))
    assert [(h.table, h.column, h.raw) for h in index.find("fjord books!")] == [("shop", "shop_name", ("Fjord Books",))]


def test_the_same_spelling_scores_higher_than_another_case(catalog_of: Callable[[str], Catalog]) -> None:
    index = ValueIndex(catalog_of(SHOP))
    assert index.find("Bergen")[0].score > index.find("bergen")[0].score


def test_part_of_a_cell_is_found_from_either_end(catalog_of: Callable[[str], Catalog]) -> None:
    index = ValueIndex(catalog_of(SHOP))
    assert index.extended("North")[0].raw == ("North Lights",)
    assert index.extended("Books")[0].raw == ("Fjord Books",)
    assert index.extended("jord") == ()


def test_text_that_no_cell_holds_is_not_found(catalog_of: Callable[[str], Catalog]) -> None:
    assert ValueIndex(catalog_of(SHOP)).find("Trondheim") == ()


def test_bare_keeps_a_text_of_punctuation_only() -> None:
    assert bare("?!") == "?!"


def test_a_key_of_the_same_name_is_a_reference(catalog_of: Callable[[str], Catalog]) -> None:
    catalog = catalog_of(SHOP)
    edges = {(e.table, e.column, e.to_table, e.to_column) for e in JoinGraph(catalog, Schema(catalog)).edges}
    assert ("visit", "shop_id", "shop", "shop_id") in edges


def test_numbers_that_happen_to_be_contained_are_no_reference(catalog_of: Callable[[str], Catalog]) -> None:
    catalog = catalog_of(SHOP)
    assert not any(e.column in ("open", "visit_id") for e in JoinGraph(catalog, Schema(catalog)).edges)


def test_values_alone_tell_a_reference_of_telling_keys(catalog_of: Callable[[str], Catalog]) -> None:
    catalog = catalog_of(POETS)
    edges = {(e.table, e.column, e.to_table, e.to_column) for e in JoinGraph(catalog, Schema(catalog)).edges}
    assert edges == {("诗词", "作者id", "诗人", "诗人id")}


def test_a_reference_to_missing_rows_is_none(catalog_of: Callable[[str], Catalog]) -> None:
    catalog = catalog_of(POETS + "INSERT INTO 诗词 VALUES ('w4', '无题', 'p9'), ('w5', '无名', 'p8');")
    assert JoinGraph(catalog, Schema(catalog)).edges == []


def test_a_path_that_may_multiply_rows_says_so(catalog_of: Callable[[str], Catalog]) -> None:
    catalog = catalog_of(SHOP)
    graph = JoinGraph(catalog, Schema(catalog))
    assert [step.multiplies for step in graph.path(["shop"], "visit") or []] == [True]
    assert [step.multiplies for step in graph.path(["visit"], "shop") or []] == [False]


def test_rows_are_named_by_their_name(catalog_of: Callable[[str], Catalog]) -> None:
    schema = Schema(catalog_of(SHOP))
    assert [f.name for f in schema.entities["shop"].name_fields] == ["shop_name"]


def test_texts_that_are_numbers_are_compared_as_numbers(catalog_of: Callable[[str], Catalog]) -> None:
    schema = Schema(catalog_of(SHOP))
    assert schema.field("visit", "guests").kind == "number"
    assert schema.field("visit", "paid").flag == ("yes", "no")


def test_codes_with_leading_zeros_are_no_numbers(catalog_of: Callable[[str], Catalog]) -> None:
    schema = Schema(catalog_of("CREATE TABLE part (serial TEXT); INSERT INTO part VALUES ('000021'), ('300707');"))
    assert schema.field("part", "serial").kind == "text"
