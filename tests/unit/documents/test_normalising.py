"""The normalising operations as Python calls them, and the tokens of a line; the rules are tested in Rust."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from debriefer.documents.normalising import normalise_column
from debriefer.documents.tokens import tokens


def test_repeated_values_keep_their_places() -> None:
    done = normalise_column(["12%", "5%", "12%"])
    assert (done.values, done.operations, done.sql_type) == (["12", "5", "12"], ["strip_percent"], "INTEGER")


def test_a_wanted_unit_is_taken_where_it_can_be() -> None:
    assert normalise_column(["15000元"], "万元").values == ["1.5"]
    assert normalise_column(["15000元"], "kg").values == ["15000"]


@given(st.lists(st.text(max_size=8), max_size=8))
def test_all_or_none_of_a_column(values: list[str]) -> None:
    done = normalise_column(values)
    assert len(done.values) == len(values)
    if done.verbatim:
        assert done.values == values
    else:
        assert done.sql_type in ("INTEGER", "REAL", "DATE", "TIMESTAMP", "TEXT")


@given(st.text())
def test_tokens_are_the_line_without_its_blanks(line: str) -> None:
    found = tokens(line)
    assert all(line[token.value_start : token.end] == token.text for token in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    covered = {place for token in found for place in range(token.start, token.end)}
    assert all(letter.isspace() for place, letter in enumerate(line) if place not in covered)
