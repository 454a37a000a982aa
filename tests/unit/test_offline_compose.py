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
from debriefer.offline.compose import Composer, UnjoinableError, UnwritableError
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


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    folder = tmp_path_factory.mktemp("dated")
    (folder / "context").mkdir()
    (folder / "task.json").write_text('{"question": "?"}', encoding="utf-8")
    (folder / "context" / "visits.csv").write_text(
        "n,day,slashed_date,reversed_date,note\n1,2024-01-05,2024/01/05,05/01/2024,calm\n"
        "2,2023-02-03,2023/02/03,03/02/2023,loud\n3,2025-02-03,2025/02/03,31/02/2025,calm\n"
    )
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


@pytest.mark.parametrize("year", [2023, 2023.0, "2023", "2023年"])
@pytest.mark.parametrize("column", ["day", "slashed_date", "reversed_date"])
def test_years_are_compared_with_the_years_of_dates(dated: Written, column: str, year: float | str) -> None:
    if column == "reversed_date" and isinstance(year, str):
        return  # a text is looked for in a column of texts as it is written
    ref = Ref("visits", column)
    for operator, expected in ((">", [1, 3]), ("=", [2]), ("<=", [2]), ("!=", [1, 3])):
        query = Query("visits", [Output(Ref("visits", "n"))], where=[(Condition(ref, operator, (year,)),)])  # type: ignore[arg-type]
        assert sorted(n for (n,) in dated.rows(query)) == expected
    between = Condition(ref, "between", (year, 2024.0))
    assert sorted(dated.rows(Query("visits", [Output(Ref("visits", "n"))], where=[(between,)]))) == [(1,), (2,)]


@pytest.mark.parametrize("column", ["day", "slashed_date", "reversed_date", "note"])
def test_a_number_that_is_no_year_is_not_compared_with_dates_or_texts(dated: Written, column: str) -> None:
    where = [(Condition(Ref("visits", column), ">", (99.0,)),)]
    with pytest.raises(UnwritableError, match=f"`visits.{column}`"):
        dated.composer.write(Query("visits", [Output(Ref("visits", "n"))], where=where))


def test_aggregates_have_readable_headers(written: Written) -> None:
    outputs = [
        Output(None, "count", table="pilot"),
        Output(AGE, "avg"),
        Output(AGE, "sum"),
        Output(AGE, "min"),
        Output(AGE, "max"),
        Output(HOME, "count", distinct=True),
    ]
    frame = written.catalog.sql(written.composer.write(Query("pilot", outputs)))
    assert frame.columns == ["count", "average_age", "total_age", "minimum_age", "maximum_age", "count_home"]
    assert frame.row(0) == (4, 34.0, 136, 25, 40, 3)


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
