"""Words of names and questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.linking.words import compact, is_chinese, normalise, root, split_name, stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cities", "city"),
        ("boxes", "box"),
        ("classes", "class"),
        ("courses", "course"),
        ("status", "status"),
        ("series", "series"),
        ("people", "person"),
        ("ids", "id"),
        ("gas", "gas"),
    ],
)
def test_stem_takes_off_the_plural_only(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_root_joins_a_verb_and_its_noun() -> None:
    assert root("directed") == root("directors")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AirportCode", ("airport", "code")),
        ("TV_Channel", ("tv", "channel")),
        ("FlightNo", ("flight", "number")),
        ("no_show", ("no", "show")),
        ("net worth (USD)", ("net", "worth")),
        ("HTMLPage2", ("html", "page", "2")),
    ],
)
def test_a_name_is_split_into_stems(name: str, expected: tuple[str, ...]) -> None:
    assert split_name(name) == expected


def test_compact_drops_units_and_full_width_forms() -> None:
    assert compact("在任基金数 （只）") == "在任基金数"


def test_a_name_of_only_a_unit_keeps_it() -> None:
    assert compact("(%)") != ""


@pytest.mark.parametrize(("text", "expected"), [("唐朝有哪些诗人？", True), ("Who wrote 春晓?", False), ("", False)])
def test_the_language_is_told_by_the_majority(text: str, expected: bool) -> None:
    assert is_chinese(text) is expected


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=40))
def test_any_name_can_be_split(name: str) -> None:
    assert all(word and word == word.lower() for word in split_name(name))
