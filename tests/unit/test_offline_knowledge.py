"""Definitions that a task's knowledge gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.offline.columns import Schema
from debriefer.offline.knowledge import glossary, unapplied
from debriefer.offline.model import Condition, Output, Ranking, Ref


@pytest.fixture
def schema(task_with: Callable[..., Path]) -> Iterator[Schema]:
    with Catalog.build(task_with(csv={"stock.csv": "item,grade,price\nlamp,A,12\nrug,B,40\n"})) as catalog:
        yield Schema(catalog)


def test_a_term_may_stand_for_a_column(schema: Schema) -> None:
    (entry,) = glossary("cost refers to price", schema)
    assert [(c.table, c.column) for c in entry.candidates] == [("stock", "price")]


def test_a_term_may_stand_for_a_cell(schema: Schema) -> None:
    (entry,) = glossary("- prime goods refers to `grade` = 'A'", schema)
    assert [(h.column, h.raw) for h in entry.hits] == [("grade", ("A",))]
    assert entry.stems == ("prime", "good")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("dear refers to price > 30", Condition(Ref("stock", "price"), ">", (30.0,))),
        ("middling means price BETWEEN 10 AND 20", Condition(Ref("stock", "price"), "between", (10.0, 20.0))),
        ("dearest refers to MAX(price)", Ranking(Output(Ref("stock", "price")), True, 1)),
        ("第一等是指 grade != 'B'", Condition(Ref("stock", "grade"), "!=", ("B",))),
    ],
)
def test_a_term_may_stand_for_a_comparison(schema: Schema, text: str, fact: Condition | Ranking) -> None:
    (entry,) = glossary(text, schema)
    assert entry.fact == fact


@pytest.mark.parametrize("text", [None, "", "Prices are in kroner.", "cost refers to shipping", "refers to price"])
def test_other_sentences_define_nothing(schema: Schema, text: str | None) -> None:
    assert glossary(text, schema) == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_any_text_can_be_read(schema: Schema, text: str) -> None:
    for entry in glossary(text, schema):
        assert entry.candidates or entry.hits or entry.fact is not None


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("prime goods refers to grade = 'A'", ()),
        ("prime goods refers to price > 30", ("prime goods",)),
        ("prime goods refers to DIVIDE(price, 2) > 30", ("prime goods",)),
        ("prime goods refers to grade = 'A' AND price > 30", ("prime goods",)),
        ("cheap goods refers to price < 3", ()),
    ],
)
def test_a_definition_that_a_reading_does_not_heed_is_told(schema: Schema, text: str, terms: tuple[str, ...]) -> None:
    assert unapplied(text, "How many prime goods are there?", schema, {Ref("stock", "grade")}) == terms
