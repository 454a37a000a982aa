from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.linking import ASSERTED, Links, join_keys, link

MUSEUM = """
CREATE TABLE museum (museum_id INTEGER PRIMARY KEY, museum_name TEXT, opened_year INTEGER, free_entry TEXT);
CREATE TABLE visitor (visitor_id INTEGER PRIMARY KEY, name TEXT, nationality TEXT, age INTEGER);
CREATE TABLE visit (museum_id INTEGER, visitor_id INTEGER, tickets_bought INTEGER, total_spent REAL);
INSERT INTO museum VALUES (11, 'Plaza Museum', 2000, 'yes'), (12, 'Capital Plaza', 2012, 'no'), (13, 'Jefferson', 1999, 'no');
INSERT INTO visitor VALUES (101, 'Ann Lee', 'France', 31), (102, 'Bob Ray', 'Japan', 55), (103, 'Cy Fox', 'France', 40);
INSERT INTO visit VALUES (11, 101, 4, 20.5), (12, 101, 1, 9), (13, 103, 2, 14.25), (11, 102, 1, 5), (12, 102, 2, 18);
"""
SHOPS = {
    "品牌.csv": "品牌id,名称,所属公司\n1,海尔,海尔集团\n2,美的,美的集团\n3,小天鹅,美的集团\n",
    "门店.csv": "门店id,品牌id,城市,门店数量\n1,1,上海,12\n2,2,北京,7\n3,1,北京,9\n4,3,广州,4\n",
}


@pytest.fixture
def museum(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(db={"museum.sqlite": MUSEUM}), tmp_path / "c" / "catalog.duckdb")


@pytest.fixture
def shops(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(csv=SHOPS), tmp_path / "c" / "catalog.duckdb")


def asserted(links: Links) -> tuple[set[str], set[str], set[str]]:
    return (
        {t.table for t in links.tables if t.score >= ASSERTED},
        {f"{c.table}.{c.column}" for c in links.columns if c.score >= ASSERTED},
        {f"{v.table}.{v.column}={v.value}" for v in links.values if v.score >= ASSERTED},
    )


def test_words_lead_to_tables_columns_and_cells(museum: Catalog) -> None:
    tables, columns, values = asserted(link("What is the age of the visitor called Ann Lee?", museum))
    assert tables == {"visitor"}
    assert {"visitor.age", "visitor.name"} <= columns
    assert values == {"visitor.name=Ann Lee"}


def test_each_link_says_why(museum: Catalog) -> None:
    links = link("What is the age of the visitor called Ann Lee?", museum)
    assert links.tables[0].reason.startswith("100% of its name is in the question")
    assert next(c.reason for c in links.columns if c.column == "name") != ""
    assert links.values[0].reason == "a cell is spelt like this"


def test_tables_between_are_joined_by_their_keys(museum: Catalog) -> None:
    links = link("List the names of museums that visitors from France went to", museum)
    assert {"museum", "visitor", "visit"} <= {t.table for t in links.tables if t.score >= ASSERTED}
    keys = {(k.table, k.column, k.to_table, k.to_column) for k in links.joins if k.score >= ASSERTED}
    assert {("visit", "museum_id", "museum", "museum_id"), ("visit", "visitor_id", "visitor", "visitor_id")} <= keys


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many French visitors are there?", "visitor.nationality=France"),
        ("Which museums have free entry?", "museum.free_entry=yes"),
        ("visitors of the Plaza Musuem", "museum.museum_name=Plaza Museum"),
    ],
)
def test_cells_in_other_words_are_found(museum: Catalog, question: str, value: str) -> None:
    assert value in asserted(link(question, museum))[2]


def test_chinese_names_are_found_without_blanks(shops: Catalog) -> None:
    links = link("海尔集团的品牌在哪些城市有门店？", shops)
    tables, columns, values = asserted(links)
    assert tables == {"品牌", "门店"}
    assert "门店.城市" in columns
    assert "品牌.所属公司=海尔集团" in values
    assert [(k.table, k.column, k.to_table, k.to_column) for k in links.joins][:1] == [
        ("门店", "品牌id", "品牌", "品牌id")
    ]


def test_synonyms_of_the_language_are_found(shops: Catalog) -> None:
    links = link("哪些牌子属于美的企业？", shops)
    assert links.tables[0].table == "品牌"


def test_knowledge_defines_terms_by_columns_and_cells(museum: Catalog) -> None:
    knowledge = "Big spenders refers to visit.total_spent > 15. Modern museum means opened_year = 2012"
    links = link("How many big spenders went to a modern museum?", museum, knowledge=knowledge)
    _, columns, values = asserted(links)
    assert "visit.total_spent" in columns
    assert "museum.opened_year=2012" in values
    assert next(v for v in links.values if v.value == "2012").kind == "defined"


def test_comments_speak_for_columns(museum: Catalog) -> None:
    plain = link("Which visits brought the highest revenue?", museum)
    knowledge = "## visit\n\n| column | meaning |\n|---|---|\n| total_spent | revenue of the visit in dollars |\n"
    told = link("Which visits brought the highest revenue?", museum, knowledge=knowledge)

    def score(links: Links) -> float:
        return next(c.score for c in links.columns if c.column == "total_spent")

    assert score(told) > score(plain)
    assert "the knowledge describes it like this" in next(c.reason for c in told.columns if c.column == "total_spent")


def test_everything_is_ranked_and_nothing_is_lost(museum: Catalog) -> None:
    links = link("museum", museum)
    assert {t.table for t in links.tables} == set(museum.tables)
    assert len(links.columns) == sum(len(t.columns) for t in museum.tables.values())
    assert [c.score for c in links.columns] == sorted((c.score for c in links.columns), reverse=True)


def test_links_are_the_same_each_time_and_json(museum: Catalog) -> None:
    question = "List the names of museums that visitors from France went to"
    first = json.dumps(link(question, museum).to_dict())
    with Catalog.open(museum.path) as again:
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
        ("门店", "品牌", True, False)
    ]
