"""When two cells say the same."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement.cells import normal, normal_table, number

DIGITS = st.text("0123456789", min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,280.50", "1280.5"),
        ("１２８０．５", "1280.5"),
        ("−5", "-5"),
        ("-0.00", "0"),
        ("+7", "7"),
        ("12 %", "12.0%"),
        ("华东　大区", "华东 大区"),
        ("Ａ股", "a股"),
        (" North  East", "north east"),
    ],
)
def test_two_writings_of_one_cell_are_equal(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12", "12%"),
        ("0.12", "12%"),
        ("5", "-5"),
        ("000021", "21"),
        ("0,123", "123"),
        ("12,34", "1234"),
        ("12 万", "120000"),
        ("华东", "华南"),
        ("", "0"),
    ],
)
def test_cells_of_another_meaning_stay_apart(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@given(DIGITS, DIGITS, DIGITS, DIGITS)
def test_numbers_are_equal_exactly_where_their_values_are(one: str, part: str, other: str, rest: str) -> None:
    texts = [f"{whole.lstrip('0') or '0'}.{fraction}" for whole, fraction in ((one, part), (other, rest))]
    # 130 digits hold both exactly: Decimal compares without rounding.
    assert (number(texts[0]) == number(texts[1])) == (Decimal(texts[0]) == Decimal(texts[1]))


@given(st.integers(-(10**40), 10**40), st.integers(0, 30), st.booleans())
def test_a_normal_form_keeps_value_and_percent_sign(digits: int, places: int, percent: bool) -> None:
    sign, shown = "-" if digits < 0 else "", str(abs(digits)).rjust(places + 1, "0")
    text = f"{sign}{shown[: len(shown) - places]}.{shown[len(shown) - places :]}".rstrip(".")
    form = number(text + "%" * percent)
    assert form is not None
    assert Decimal(form.removesuffix("%")) == Decimal(text)
    assert form.endswith("%") == percent
    assert number(form) == form


@given(st.from_regex(r"0\d{1,8}", fullmatch=True))
def test_a_code_with_leading_zeros_is_text(code: str) -> None:
    assert number(code) is None


def test_a_table_keeps_its_rows_in_their_order() -> None:
    assert normal_table([["B", "2.0"], ["A", "1"]]) == (("b", "2"), ("a", "1"))
