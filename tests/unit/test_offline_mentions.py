"""Questions cut into mentions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.offline import mentions_chinese, mentions_english
from debriefer.offline.columns import Schema
from debriefer.offline.joins import JoinGraph
from debriefer.offline.linking import Mention, Terms
from debriefer.offline.mentions_english import tokenize
from debriefer.offline.values import ValueIndex

SCRIPT = """
CREATE TABLE tv_show (show_id INTEGER PRIMARY KEY, title TEXT, directed_by TEXT, air_date TEXT, net_worth_usd REAL);
INSERT INTO tv_show VALUES (1, 'Blue Hour', 'Max Orr', '2001-02-03', 2.5), (2, 'Salt', 'Ann Poe', '2003-01-01', 9);
CREATE TABLE 饮料 (饮料名 TEXT, 所属公司 TEXT, 生产日期 TEXT);
INSERT INTO 饮料 VALUES ('橙汁', '清泉集团', '2020'), ('苏打水', '远山公司', '2021');
"""
Link = Callable[[str], list[Mention]]


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Link, Link]]:
    """The English and the Chinese way to cut a question."""
    folder: Path = tmp_path_factory.mktemp("mentions")
    (folder / "context").mkdir()
    (folder / "task.json").write_text('{"question": "?"}', encoding="utf-8")
    connection = sqlite3.connect(folder / "context" / "data.db")
    connection.executescript(SCRIPT)
    connection.close()
    with Catalog.build(folder, folder / "catalog.duckdb") as catalog:
        schema, values = Schema(catalog), ValueIndex(catalog)
        english, chinese = Terms(schema), mentions_chinese.ChineseTerms(schema, JoinGraph(catalog, schema))
        yield (
            lambda question: mentions_english.link(question, english, values),
            lambda question: mentions_chinese.link(question, chinese, values),
        )


def test_a_quoted_text_is_one_token_and_an_apostrophe_is_no_quote() -> None:
    assert [t.text for t in tokenize("Is 'Blue Hour' Max's show?")] == ["Is", "Blue Hour", "Max", "'s", "show", "?"]


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("TV shows", ("tv_show", None)),
        ("directors", ("tv_show", "directed_by")),
        ("net worth", ("tv_show", "net_worth_usd")),
        ("film titles", ("tv_show", "title")),
        ("date of air", ("tv_show", "air_date")),
    ],
)
def test_words_find_the_name_that_they_stand_for(
    links: tuple[Link, Link], words: str, target: tuple[str, str | None]
) -> None:
    found = [(c.table, c.column) for m in links[0](f"Show {words}") for c in m.candidates[:1]]
    assert target in found


def test_a_word_that_steers_is_a_name_where_a_cell_is_spelled_so(links: tuple[Link, Link]) -> None:
    kinds = {m.text: m.kind for m in links[0]("How many shows did Max Orr direct at most?")}
    assert kinds["Max Orr"] == "value"


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("橙汁是哪家公司的？", {"橙汁": "value", "哪家": "cue", "公司": "schema"}),
        ("饮料有哪些？", {"饮料": "schema", "哪些": "cue"}),
        ("清泉的饮料", {"清泉": "value", "饮料": "schema"}),
    ],
)
def test_characters_are_covered_by_the_longest_readings(
    links: tuple[Link, Link], question: str, kinds: dict[str, str]
) -> None:
    found = {m.text: m.kind for m in links[1](question)}
    assert {text: found.get(text) for text in kinds} == kinds


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60) | st.text("饮料橙汁的有哪些多少公司前3一 ，？'\"Max tv show", max_size=40))
def test_mentions_stand_in_the_question_in_order_without_overlap(links: tuple[Link, Link], question: str) -> None:
    for link in links:
        end = 0
        for mention in link(question):
            assert end <= mention.start < mention.end <= len(question)
            end = mention.end
