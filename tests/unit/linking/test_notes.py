from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.linking.notes import read_notes

SCHEMA = {"orders": ("order_id", "status", "amount"), "客户": ("客户id", "等级")}
TITLES = {"orders": "Orders", "客户": "客户"}


def test_comments_come_from_tables_and_lists() -> None:
    text = (
        "## Orders\n\n| column | type | meaning |\n|---|---|---|\n| amount | real | price paid |\n\n"
        "- `status`: where the order is\n\n# 客户\n\n- 等级：客户的级别\n\norders: what was bought\n"
    )
    notes = read_notes(text, SCHEMA, TITLES)
    assert notes.comments == {
        ("orders", "amount"): "price paid",
        ("orders", "status"): "where the order is",
        ("客户", "等级"): "客户的级别",
    }
    assert notes.table_comments == {"orders": "what was bought"}


@pytest.mark.parametrize(
    ("sentence", "term", "columns", "values"),
    [
        ("open orders refers to status = 'O'", "open orders", (("orders", "status"),), ("O",)),
        ("Large order means orders.amount > 100", "Large order", (("orders", "amount"),), ()),
        ("free order is defined as amount = 0", "free order", (("orders", "amount"),), ("0",)),
        ("贵宾是指等级为“A”的客户", "贵宾", (), ("A",)),
        ("for lost parcels look at status = 'L'", "for lost parcels look at", (("orders", "status"),), ("L",)),
    ],
)
def test_sentences_define_terms(
    sentence: str, term: str, columns: tuple[tuple[str, str], ...], values: tuple[str, ...]
) -> None:
    found = read_notes(sentence, SCHEMA, TITLES).definitions
    assert [(d.term, d.columns, d.values) for d in found] == [(term, columns, values)]


def test_codes_in_comments_have_meanings() -> None:
    notes = read_notes("- status: O = open, 'C' means closed\n", SCHEMA, TITLES)
    assert [(d.term, d.columns, d.values) for d in notes.definitions] == [
        ("open", (("orders", "status"),), ("O",)),
        ("closed", (("orders", "status"),), ("C",)),
    ]


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    notes = read_notes(text, SCHEMA, TITLES)
    assert all(place[1] in SCHEMA[place[0]] for place in notes.comments)
