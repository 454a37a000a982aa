"""Whether a slide shows a value: the look-up that no model takes part in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement.check import slide_shows, unsupported_cells
from debriefer.judgement.slides import JudgedSlide, tree_of
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
