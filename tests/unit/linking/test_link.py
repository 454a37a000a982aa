from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.linking import ASSERTED, Links, join_keys, link

GARDENS = """
CREATE TABLE garden (garden_id INTEGER PRIMARY KEY, garden_name TEXT, opened_year INTEGER, free_entry TEXT);
CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, name TEXT, nationality TEXT, age INTEGER);
CREATE TABLE stroll (garden_id INTEGER, guest_id INTEGER, hours_stayed INTEGER, total_spent REAL);
INSERT INTO garden VALUES (61, 'Rose Terrace', 2000, 'yes'), (62, 'Moss Valley', 2012, 'no'), (63, 'Old Orchard', 1999, 'no');
INSERT INTO guest VALUES (901, 'Ida Voss', 'France', 31), (902, 'Tom Pell', 'Japan', 55), (903, 'Uma Kerr', 'France', 40);
INSERT INTO stroll VALUES (61, 901, 4, 20.5), (62, 901, 1, 9), (63, 903, 2, 14.25), (61, 902, 1, 5), (62, 902, 2, 18);
"""
SHOPS = {
    "出版社.csv": "出版社id,名称,所属公司\n1,青松,青松集团\n2,白鹭,白鹭集团\n3,蓝海,白鹭集团\n",
    "分部.csv": "分部id,出版社id,城市,分部数量\n1,1,上海,12\n2,2,北京,7\n3,1,北京,9\n4,3,广州,4\n",
}


@pytest.fixture
def garden(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(db={"gardens.sqlite": GARDENS}), tmp_path / "c" / "catalog.duckdb")


@pytest.fixture
def shops(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(csv=SHOPS), tmp_path / "c" / "catalog.duckdb")


def asserted(links: Links) -> tuple[set[str], set[str], set[str]]:
    return (
        {t.table for t in links.tables if t.score >= ASSERTED},
        {f"{c.table}.{c.column}" for c in links.columns if c.score >= ASSERTED},
        {f"{v.table}.{v.column}={v.value}" for v in links.values if v.score >= ASSERTED},
    )


def test_words_lead_to_tables_columns_and_cells(garden: Catalog) -> None:
    tables, columns, values = asserted(link("What is the age of the guest called Ida Voss?", garden))
    assert tables == {"guest"}
    assert {"guest.age", "guest.name"} <= columns
    assert values == {"guest.name=Ida Voss"}


def test_each_link_says_why(garden: Catalog) -> None:
    links = link("What is the age of the guest called Ida Voss?", garden)
    assert links.tables[0].reason.startswith("100% of its name is in the question")
    assert next(c.reason for c in links.columns if c.column == "name") != ""
    assert links.values[0].reason == "a cell is spelt like this"


def test_tables_between_are_joined_by_their_keys(garden: Catalog) -> None:
    links = link("List the names of gardens that guests from France went to", garden)
    assert {"garden", "guest", "stroll"} <= {t.table for t in links.tables if t.score >= ASSERTED}
    keys = {(k.table, k.column, k.to_table, k.to_column) for k in links.joins if k.score >= ASSERTED}
    assert {("stroll", "garden_id", "garden", "garden_id"), ("stroll", "guest_id", "guest", "guest_id")} <= keys


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many French guests are there?", "guest.nationality=France"),
        ("Which gardens have free entry?", "garden.free_entry=yes"),
        ("guests of the Rose Terace", "garden.garden_name=Rose Terrace"),
    ],
)
def test_cells_in_other_words_are_found(garden: Catalog, question: str, value: str) -> None:
    assert value in asserted(link(question, garden))[2]


def test_chinese_names_are_found_without_blanks(shops: Catalog) -> None:
    links = link("青松集团的出版社在哪些城市有分部？", shops)
    tables, columns, values = asserted(links)
    assert tables == {"出版社", "分部"}
    assert "分部.城市" in columns
    assert "出版社.所属公司=青松集团" in values
    assert [(k.table, k.column, k.to_table, k.to_column) for k in links.joins][:1] == [
        ("分部", "出版社id", "出版社", "出版社id")
    ]


def test_synonyms_of_the_language_are_found(shops: Catalog) -> None:
    def score(question: str) -> float:
        return next(c.score for c in link(question, shops).columns if c.column == "所属公司")

    assert score("蓝海所属的企业是哪家？") > score("蓝海所属的东西是哪家？")


def test_knowledge_defines_terms_by_columns_and_cells(garden: Catalog) -> None:
    knowledge = "Big spenders refers to stroll.total_spent > 15. Modern garden means opened_year = 2012"
    links = link("How many big spenders went to a modern garden?", garden, knowledge=knowledge)
    _, columns, values = asserted(links)
    assert "stroll.total_spent" in columns
    assert "garden.opened_year=2012" in values
    assert next(v for v in links.values if v.value == "2012").kind == "defined"


def test_comments_speak_for_columns(garden: Catalog) -> None:
    plain = link("Which strolls brought the highest revenue?", garden)
    knowledge = "## stroll\n\n| column | meaning |\n|---|---|\n| total_spent | revenue of the stroll in dollars |\n"
    told = link("Which strolls brought the highest revenue?", garden, knowledge=knowledge)

    def score(links: Links) -> float:
        return next(c.score for c in links.columns if c.column == "total_spent")

    assert score(told) > score(plain)
    assert "the knowledge describes it like this" in next(c.reason for c in told.columns if c.column == "total_spent")


def test_everything_is_ranked_and_nothing_is_lost(garden: Catalog) -> None:
    links = link("garden", garden)
    assert {t.table for t in links.tables} == set(garden.tables)
    assert len(links.columns) == sum(len(t.columns) for t in garden.tables.values())
    assert [c.score for c in links.columns] == sorted((c.score for c in links.columns), reverse=True)


def test_links_are_the_same_each_time_and_json(garden: Catalog) -> None:
    question = "List the names of gardens that guests from France went to"
    first = json.dumps(link(question, garden).to_dict())
    with Catalog.open(garden.path) as again:
        assert json.dumps(link(question, again).to_dict()) == first


def test_a_catalog_without_tables_has_no_links(task_with: Callable[..., Path], tmp_path: Path) -> None:
    with Catalog.build(task_with(doc={"a.txt": "text"}), tmp_path / "c" / "catalog.duckdb") as catalog:
        assert link("anything", catalog) == Links((), (), (), ())


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("fixed")
    for name, text in SHOPS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Catalog.from_files(folder, folder / "out" / "catalog.duckdb")


@given(question=st.text(max_size=60), knowledge=st.text(max_size=60))
def test_scores_are_chances_and_spans_lie_in_the_question(fixed: Catalog, question: str, knowledge: str) -> None:
    links = link(question, fixed, knowledge=knowledge)
    assert all(0 <= item.score <= 1 for item in (*links.tables, *links.columns, *links.values, *links.joins))
    assert all(0 <= value.start <= value.end <= len(question) for value in links.values)


def test_keys_of_a_catalog_can_be_listed(shops: Catalog) -> None:
    assert [(k.table, k.to_table, k.to_one, k.declared) for k in join_keys(shops)][:1] == [
        ("分部", "出版社", True, False)
    ]
