"""Readings written as SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.offline.columns import Schema
from debriefer.offline.compose import Composer, UnjoinableError
from debriefer.offline.joins import JoinGraph
from debriefer.offline.model import Absence, Condition, Having, Output, Query, Ranking, Ref

SCRIPT = """
CREATE TABLE pilot (pilot_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, home TEXT);
INSERT INTO pilot VALUES (1, 'Ada', 40, 'Oslo'), (2, 'Bo', 31, 'Oslo'), (3, 'Cy', 40, 'Rome'), (4, 'Di', 25, 'Bern');
CREATE TABLE airport (code TEXT PRIMARY KEY, city TEXT);
INSERT INTO airport VALUES ('OSL', 'Oslo'), ('FCO', 'Rome'), ('BRN', 'Bern');
CREATE TABLE trip (trip_id INTEGER PRIMARY KEY, pilot_id INTEGER REFERENCES pilot(pilot_id),
  origin TEXT REFERENCES airport(code), destination TEXT REFERENCES airport(code), seats TEXT);
INSERT INTO trip VALUES (1, 1, 'OSL', 'FCO', '9'), (2, 1, 'FCO', 'OSL', '120'), (3, 2, 'OSL', 'BRN', '30'),
  (4, 3, 'OSL', 'FCO', '30');
CREATE TABLE menu (dish TEXT);
INSERT INTO menu VALUES ('soup');
"""
NAME, AGE, HOME = Ref("pilot", "name"), Ref("pilot", "age"), Ref("pilot", "home")


@dataclass(frozen=True)
class Written:
    """A catalog and the composer over it."""

    catalog: Catalog
    composer: Composer

    def rows(self, query: Query) -> list[tuple[Any, ...]]:
        return self.catalog.sql(self.composer.write(query)).rows()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    import sqlite3  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("compose")
    (folder / "context").mkdir()
    (folder / "task.json").write_text('{"question": "?"}', encoding="utf-8")
    connection = sqlite3.connect(folder / "context" / "air.db")
    connection.executescript(SCRIPT)
    connection.close()
    with Catalog.build(folder, folder / "catalog.duckdb") as catalog:
        schema = Schema(catalog)
        yield Written(catalog, Composer(schema, JoinGraph(catalog, schema)))


def test_ties_are_kept(written: Written) -> None:
    rows = written.rows(Query("pilot", [Output(NAME)], rankings=[Ranking(Output(AGE), True, 1)]))
    assert sorted(rows) == [("Ada",), ("Cy",)]


def test_numbers_stored_as_text_rank_as_numbers(written: Written) -> None:
    query = Query("trip", [Output(Ref("trip", "trip_id"))], rankings=[Ranking(Output(Ref("trip", "seats")), True, 1)])
    assert written.rows(query) == [(2,)]


def test_an_entity_is_counted_once_however_many_rows_meet_it(written: Written) -> None:
    origin = (Condition(Ref("trip", "seats"), ">", (5,)),)
    assert written.rows(Query("pilot", [Output(None, "count", table="pilot")], where=[origin])) == [(3,)]


def test_an_entity_is_listed_once_however_many_rows_meet_it(written: Written) -> None:
    query = Query("pilot", [Output(NAME)], where=[(Condition(Ref("trip", "seats"), ">", (5,)),)])
    assert sorted(written.rows(query)) == [("Ada",), ("Bo",), ("Cy",)]


def test_rows_without_a_related_row(written: Written) -> None:
    assert written.rows(Query("pilot", [Output(NAME)], absences=[Absence("trip")])) == [("Di",)]


def test_values_without_a_related_row(written: Written) -> None:
    query = Query("pilot", [Output(HOME)], absences=[Absence("trip", by=HOME)], distinct=True)
    assert written.rows(query) == [("Bern",)]


def test_both_of_two_related_rows_must_exist(written: Written) -> None:
    presences = [(Condition(Ref("trip", "origin"), "=", (code,)),) for code in ("OSL", "FCO")]
    assert written.rows(Query("pilot", [Output(NAME)], presences=presences)) == [("Ada",)]


def test_groups_are_compared_by_their_size(written: Written) -> None:
    having = [Having(Output(None, "count", table="trip"), ">", 1)]
    assert written.rows(Query("pilot", [Output(NAME)], having=having, per_row=True)) == [("Ada",)]


def test_a_role_chooses_among_two_references(written: Written) -> None:
    def trips(role: str) -> list[tuple[Any, ...]]:
        city = (Condition(Ref("airport", "city", role), "=", ("Rome",)),)
        return sorted(written.rows(Query("trip", [Output(Ref("trip", "trip_id"))], where=[city])))

    assert (trips("origin"), trips("destination")) == ([(2,)], [(1,), (4,)])


def test_two_roles_of_one_table_may_stand_in_one_query(written: Written) -> None:
    where = [
        (Condition(Ref("airport", "city", "origin"), "=", ("Oslo",)),),
        (Condition(Ref("airport", "city", "destination"), "=", ("Bern",)),),
    ]
    assert written.rows(Query("trip", [Output(Ref("trip", "trip_id"))], where=where)) == [(3,)]


def test_tables_without_a_key_in_common_are_refused(written: Written) -> None:
    with pytest.raises(UnjoinableError, match="`pilot` and `menu`"):
        written.composer.write(Query("pilot", [Output(NAME), Output(Ref("menu", "dish"))]))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_any_text_may_be_compared(written: Written, text: str) -> None:
    for operator in ("=", "contains", "starts", "ends"):
        query = Query("pilot", [Output(NAME)], where=[(Condition(NAME, operator, (text,)),)])  # type: ignore[arg-type]
        found = {name for (name,) in written.rows(query)}
        expected = {
            "=": {n for n in ("Ada", "Bo", "Cy", "Di") if n == text},
            "contains": {n for n in ("Ada", "Bo", "Cy", "Di") if text.lower() in n.lower()},
            "starts": {n for n in ("Ada", "Bo", "Cy", "Di") if n.lower().startswith(text.lower())},
            "ends": {n for n in ("Ada", "Bo", "Cy", "Di") if n.lower().endswith(text.lower())},
        }[operator]
        if text.isascii():
            assert found == expected
