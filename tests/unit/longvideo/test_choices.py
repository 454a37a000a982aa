from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import DebrieferError
from dspy_programs.longvideo.choices import LETTERS, bare, inline_options, parse_choice, with_options

COLOURS = ["red", "blue", "green", "black"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("**B**", "B"),
        ("B. blue", "B"),
        ("C. blue", None),
        ("blue", "B"),
        ("Blue.", "B"),
        ("The answer is C.", "C"),
        ("First I thought the answer is A, but the answer is D", "D"),
        ("the correct option is (B)", "B"),
        ("Answer: C", "C"),
        ("答案是B", "B"),
        ("答案：C。", "C"),
        # What others have read letters into.
        ("The man is wearing a hat", None),
        ("A man walks in", None),
        ("The answer is a man in a hat", None),
        ("I cannot tell", None),
        ("", None),
        ("The answer is Z", None),
        ("E", None),
        ("red or blue", None),
        ("Because nobody is there", None),
    ],
)
def test_letters_are_read_as_they_are_meant(text: str, letter: str | None) -> None:
    assert parse_choice(COLOURS, text=text) == letter


PEOPLE = ["A dog", "A cat", "A man"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is: A man", "C"),
        ("Answer: A cat", "B"),
        ("**Answer:** A cat.", "B"),
        ("The answer is A man, because he walks upright", "C"),
        ("The answer is A", "A"),
        ("The answer is A, because it barks", "A"),
        ("The answer is A because it barks", "A"),
        ("The answer is A woman", None),
        ("The answer is C. A man", "C"),
        ("The answer is C. A cat", None),
        ("Option B is wrong, it is C", "C"),
        ("Option B is wrong", None),
        ("Choice A does not fit and option B neither", None),
        ("Option B", "B"),
        ("The answer is not B", None),
        ("选项B不对，答案是C", "C"),
        ("选B", "B"),
        ("不选B", None),
    ],
)
def test_an_article_is_no_letter_and_an_option_that_is_ruled_out_no_answer(text: str, letter: str | None) -> None:
    assert parse_choice(PEOPLE, text=text) == letter


def test_initials_belong_to_the_options_they_stand_in() -> None:
    assert with_options("Who?", ["J. Bach", "C. Bach"]) == "Who?\nA. J. Bach\nB. C. Bach"
    assert bare(["A. cat", "T. rex"]) == ("A. cat", "T. rex")
    assert bare(["A. J. Bach", "B) C. Bach"]) == ("J. Bach", "C. Bach")
    assert parse_choice(["J. Bach", "C. Bach", "none"], text="C. Bach") == "B"
    assert parse_choice(["J. Bach", "C. Bach", "none"], text="The answer is C. Bach") == "B"


def test_options_whose_letters_stand_in_another_order_are_not_lettered_anew() -> None:
    with pytest.raises(DebrieferError, match="lettered B, A") as caught:
        with_options("Which?", ["B. red", "A. a bar"])
    assert caught.value.hint is not None


def test_more_options_than_letters_are_an_error() -> None:
    with pytest.raises(DebrieferError, match="27 options"):
        with_options("Which?", [f"option {number}" for number in range(27)])


def test_the_typed_field_comes_first() -> None:
    assert parse_choice(COLOURS, typed="C", text="the answer is A") == "C"
    assert parse_choice(COLOURS, typed="green", text="the answer is A") == "C"
    assert parse_choice(COLOURS, typed="none of them", text="the answer is A") == "A"


def test_two_options_of_one_wording_are_not_told_apart_by_it() -> None:
    assert parse_choice(["red", "Red"], text="red") is None


def test_a_letter_that_is_an_option_by_itself_is_read_as_a_letter_first() -> None:
    assert parse_choice(["B", "A"], text="A") == "A"


def test_options_inside_a_question() -> None:
    question = "What happens?\n(A) It rains.\n(B) It snows\n(C) A: nothing"
    assert inline_options(question) == ("What happens?", ("It rains.", "It snows", "A: nothing"))
    assert inline_options("No options. A. B.") == ("No options. A. B.", ())


@given(
    st.lists(st.text("abcdefg xyz", min_size=3).map(str.strip).filter(bool), min_size=2, max_size=8, unique=True),
    st.data(),
)
def test_every_option_is_found_by_its_letter_and_by_its_line(options: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    line = with_options("Q", options).splitlines()[1 + place]
    assert parse_choice(options, text=LETTERS[place]) == LETTERS[place]
    assert parse_choice(options, typed=line) in {LETTERS[place], None}


@given(st.text(max_size=80))
def test_any_text_names_an_option_or_none(text: str) -> None:
    assert parse_choice(COLOURS, typed=text, text=text) in {"A", "B", "C", "D", None}
