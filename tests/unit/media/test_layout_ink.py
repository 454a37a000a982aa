"""Ink of a line of text: where it is, what parts it, what goes through it; and spaces that are seen, not read."""

from __future__ import annotations

import numpy as np
import pytest

from debriefer.media.layout.ink import crop_of, ink_of, is_mask, pieces
from debriefer.media.layout.spacing import spaced
from debriefer.media.slide import Box
from tests.doubles import pictures
from tests.doubles.pictures import Picture

pytest.importorskip("cv2", reason="OpenCV is not installed")


def around(box: Box, room: int) -> Box:
    return Box(box.left - room, box.top - room, box.right + room, box.bottom + room)


def close(one: Box, other: Box, slack: int = 2) -> bool:
    pairs = ((one.left, other.left), (one.top, other.top), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(a - b) <= slack for a, b in pairs)


def test_a_loose_box_is_drawn_to_the_ink() -> None:
    pictures.need_fonts()
    picture = Picture(300, 100)
    box = picture.text(60, 40, "7", 18)
    found = pieces(picture.array(), around(box, 9))
    assert len(found) == 1
    assert close(found[0].box, box)
    assert found[0].background == (255, 255, 255)
    assert max(found[0].foreground) < 80


def test_a_box_beyond_its_button_gives_the_text_on_it() -> None:
    pictures.need_fonts()
    for fill, ink in (("#2f3e54", "#ffffff"), ("#e08040", "#151515")):
        picture = Picture(300, 100)
        picture.panel((80, 30, 150, 60), fill, radius=6)
        box = picture.text(115, 45, "Quarry", 15, ink, anchor="mm")
        for room in (8, 12, 16):
            found = pieces(picture.array(), around(box, room))
            assert len(found) == 1, room
            assert close(found[0].box, box, 3), room


def test_cells_are_parted_at_a_ruling_and_at_a_wide_gap() -> None:
    pictures.need_fonts()
    picture = Picture(400, 100)
    one = picture.text(40, 40, "12.5", 16)
    other = picture.text(one.right + 12, 40, "USA", 16)
    picture.draw.line((one.right + 6, 20, one.right + 6, 90), fill="#888888")
    third = picture.text(other.right + 60, 40, "no", 16)
    found = pieces(picture.array(), Box(34, 34, third.right + 6, 60))
    assert [close(ink.box, box, 3) for ink, box in zip(found, (one, other, third), strict=True)] == [True] * 3


@pytest.mark.parametrize("text", ["Retail", "in service", "survey"])
def test_a_line_through_a_text_is_seen_and_lifted(text: str) -> None:
    pictures.need_fonts()
    plain, struck = Picture(300, 100), Picture(300, 100)
    box = plain.text(60, 40, text, 20)
    struck.text(60, 40, text, 20, struck=True)
    clean = ink_of(plain.array(), box)
    lined = ink_of(struck.array(), box)
    assert clean is not None
    assert lined is not None
    assert clean.strike is None
    assert lined.strike is not None
    first, last = lined.strike
    assert box.top < first < last < box.bottom
    # Without the line the picture is nearer to the plain one.
    original = crop_of(plain.array(), lined).astype(int)
    assert abs(crop_of(struck.array(), lined, lifted=True).astype(int) - original).mean() < (
        abs(crop_of(struck.array(), lined).astype(int) - original).mean() / 2
    )


@pytest.mark.parametrize("text", ["-", "—", "+4.4%", "12-34", "A = B", "total", "H", "===", "2026-03-31"])
def test_other_texts_have_no_line_through_them(text: str) -> None:
    pictures.need_fonts()
    picture = Picture(300, 100)
    box = picture.text(60, 40, text, 20)
    ink = ink_of(picture.array(), box)
    assert ink is not None
    assert ink.strike is None


@pytest.mark.parametrize(
    ("text", "masked"), [("***", True), ("****", True), ("1111", False), ("abc", False), ("**", False)]
)
def test_a_mask_is_a_row_of_equal_signs(text: str, masked: bool) -> None:
    pictures.need_fonts()
    picture = Picture(300, 100)
    box = picture.text(60, 40, text, 22)
    # A detector's box is as high as the line, whatever is written on it.
    found = pieces(picture.array(), Box(box.left - 6, 34, box.right + 6, 66))
    assert [is_mask(picture.array(), ink) for ink in found] == [masked]


def columns(*runs: tuple[int, int]) -> np.ndarray:
    ink = np.zeros(100, dtype=bool)
    for start, stop in runs:
        ink[start:stop] = True
    return ink


def test_a_gap_beside_a_chinese_character_is_a_space() -> None:
    signs = [("期", 8.0), ("第", 32.0), ("1", 50.0)]
    assert spaced("期第1", signs, columns((0, 17), (23, 41), (46, 54)), 20.0) == "期 第1"
    assert spaced("期第1", signs, columns((0, 20), (23, 41), (43, 54)), 20.0) == "期第1"


def test_room_of_punctuation_and_latin_letters_is_no_space() -> None:
    assert (
        spaced("元，1", [("元", 8.0), ("，", 24.0), ("1", 50.0)], columns((0, 17), (22, 26), (46, 54)), 20.0) == "元，1"
    )
    assert spaced("ab", [("a", 8.0), ("b", 40.0)], columns((0, 12), (35, 45)), 20.0) == "ab"
    assert spaced("ab c", [("a", 1.0)], columns((0, 2)), 20.0) == "ab c"
