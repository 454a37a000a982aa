"""Whether a slide shows a value: the look-up that no model takes part in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement.check import slide_shows, unsupported_cells
from debriefer.judgement.slides import JudgedSlide, tree_of
from debriefer.media.tree import Node, Tag
from tests.doubles.judged import RANKING, claim, video

LAYOUT = (
    '[:page [:card [:label "Lending (k EUR)"] [:value "4,902.99"] [:p "rate -5 and 12 %, 2030-H2"]] '
    '[:table [:tr [:th "地区"] [:th "金额"]] [:tr [:td "华东"] [:td "128.6"]] [:tr [:td "华南"] [:td ""]]]]'
)
SLIDE = JudgedSlide("7", 7, "", 0.0, LAYOUT, tree_of(LAYOUT))


@pytest.mark.parametrize(
    "value",
    ["4,902.99", "4902.99", "4902.990", "-5", "12%", "12 %", "华东", "128.6", "１２８.６", "LENDING (k EUR)", ""],
)
def test_values_are_found_as_written_or_in_their_normal_form(value: str) -> None:
    assert slide_shows(SLIDE, value)


@pytest.mark.parametrize("value", ["902.99", "28.6", "128", "5", "12", "华", "东", "Lend", "4903", "128.60001"])
def test_parts_of_a_number_or_a_word_are_not_found(value: str) -> None:
    assert not slide_shows(SLIDE, value)


def test_a_slide_without_a_tree_shows_nothing() -> None:
    assert not slide_shows(JudgedSlide("1", 1, "", 0.0, "", None), "")


def test_each_cell_is_looked_up_on_the_slides_that_it_cites() -> None:
    shown = video(RANKING)
    cells = claim([["华东", "128.6"]], (7, 8)).claimed_values
    assert unsupported_cells(cells, shown) == []
    only_names = claim([["华东", "128.6"]], (7,)).claimed_values
    assert [(cell.row, cell.column, cell.slides) for cell in unsupported_cells(only_names, shown)] == [(1, 2, ["7"])]


def test_a_cell_that_cites_nothing_is_looked_up_on_the_slides_of_the_claim() -> None:
    cells = claim([["华东"]], ()).claimed_values
    assert unsupported_cells(cells, video(RANKING), ["7"]) == []
    assert len(unsupported_cells(cells, video(RANKING))) == 1


def test_a_revisited_slide_shows_what_the_earlier_one_does() -> None:
    shown = video(RANKING, revisits={9: 7})
    assert unsupported_cells(claim([["华南"]], (9,)).claimed_values, shown) == []


@given(st.integers(-(10**9), 10**9), st.integers(0, 999))
def test_a_number_is_found_with_and_without_thousands_separators(whole: int, part: int) -> None:
    layout = f'[:page [:value "{whole:,}.{part:03d}"]]'
    slide = JudgedSlide("1", 1, "", 0.0, layout, tree_of(layout))
    assert slide_shows(slide, f"{whole}.{part:03d}")
    assert not slide_shows(slide, f"{whole}.{part:03d}1")
    assert not slide_shows(slide, f"1{abs(whole)}.{part:03d}")


def slide_of(layout: str) -> JudgedSlide:
    return JudgedSlide("1", 1, "", 0.0, layout, tree_of(layout))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("¥-5", "5"),
        ("同比-5%", "5%"),
        ("（-5）", "5"),
        ("－5", "5"),
        ("2030-12", "-12"),
        ("12,34", "12"),
        ("1.2.3", "1.2"),
        ("𠮷野", "野"),
        ("佐々木", "佐"),
    ],
)
def test_a_sign_a_decimal_comma_and_a_rare_character_make_it_another_value(text: str, value: str) -> None:
    assert not slide_shows(slide_of(f'[:page [:p "{text}"]]'), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2030-12", "12"),
        ("3%-5%", "5 %"),
        ("3%-5%", "3%"),
        ("¥-5", "-5"),
        ("同比-5.20%", "-5.2%"),
        ("−5 °C", "-5"),
        ("销售额128.6，2024年", "128.6"),
        ("rose to 5.", "5.0"),
        ("第3名", "3"),
        ("128.60亿元", "128.6"),
    ],
)
def test_a_number_is_found_within_a_text(text: str, value: str) -> None:
    assert slide_shows(slide_of(f'[:page [:p "{text}"]]'), value)


def test_words_of_a_container_are_shown_too() -> None:
    assert slide_shows(slide_of('[:page [:card "Total 128.6" [:p "rate"]]]'), "128.6")


def test_a_blank_cell_is_a_cell_of_a_table_without_words() -> None:
    assert not slide_shows(slide_of('[:page [:card [:value "7"]] [:p ""]]'), "")
    assert not slide_shows(slide_of('[:page [:table [:tr [:td [:value "7"]]]]]'), "")


def test_a_cell_is_not_looked_for_on_slides_that_it_does_not_cite_or_that_are_not_there() -> None:
    shown = video(RANKING)
    missing = unsupported_cells(claim([["华东", "128.6"]], (99,)).claimed_values, shown, ["7", "8"])
    assert [(cell.row, cell.column, cell.value, cell.slides) for cell in missing] == [
        (1, 1, "华东", ["99"]),
        (1, 2, "128.6", ["99"]),
    ]


@given(st.text(), st.text())
def test_any_value_is_looked_for_in_any_text(text: str, value: str) -> None:
    page = Node(Tag.PAGE, children=(Node(Tag.PARAGRAPH, text),))
    slide = JudgedSlide("1", 1, "", 0.0, "", page)
    assert isinstance(slide_shows(slide, value), bool)
    if text.strip():
        assert slide_shows(slide, text)
