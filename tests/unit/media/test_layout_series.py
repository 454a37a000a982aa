# ruff: noqa: ARG002 -- a double has the interface of what it stands for
"""Pictures in turn: what is read anew, what is taken over, and that a changed digit never is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from debriefer.media.layout.series import SeriesOcr, changes
from debriefer.media.slide import Box
from debriefer.media.tree import TextLine
from tests.doubles import pictures
from tests.doubles.pictures import Picture

pytest.importorskip("cv2", reason="OpenCV is not installed")


class Counting:
    """A reader that keeps what it was asked for."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self, image: NDArray[np.uint8]) -> tuple[TextLine, ...]:
        self.asked.append("whole")
        return (TextLine(str(int(image[0, 0, 0])), Box(0, 0, 10, 10), 0.9),)

    def reread(
        self, image: NDArray[np.uint8], before: Sequence[TextLine], changed: Sequence[Box]
    ) -> tuple[TextLine, ...]:
        self.asked.append(f"{len(changed)} of {before[0].text}")
        return tuple(before)


def slide(value: str, noise: int = 0, size: int = 15) -> NDArray[np.uint8]:
    pictures.need_fonts()
    picture = Picture(640, 360)
    picture.text(20, 20, "Net Lending by Branch Office", 24, bold=True)
    picture.text(200, 200, value, size, "#64748b")
    drawn = picture.array().astype(np.int16)
    drawn += np.random.default_rng(noise).integers(-6, 7, drawn.shape, dtype=np.int16) if noise else 0
    return np.clip(drawn, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("before", "after"), [("595.95", "595.55"), ("1,388", "1,383"), ("6", "8"), ("1", "7")])
@pytest.mark.parametrize("size", [10, 15, 24])
def test_another_digit_is_a_change_in_its_place(before: str, after: str, size: int) -> None:
    found = changes(slide(before, 1, size), slide(after, 2, size), ())
    assert found
    for box in found:
        # Tiles of 16 pixels around the text, and nothing at the heading.
        assert 180 <= box.left < box.right <= 320
        assert 180 <= box.top < box.bottom <= 260


def test_noise_is_no_change() -> None:
    assert changes(slide("595.95", 1), slide("595.95", 2), ()) == []


def test_faint_text_counts_by_its_contrast() -> None:
    before = np.full((60, 120, 3), 240, dtype=np.uint8)
    after = before.copy()
    before[20:30, 20:60] = 210
    after[20:30, 20:60] = 222
    line = TextLine("***", Box(18, 18, 62, 32), 0.9)
    assert changes(before, after, ()) == []
    assert changes(before, after, (line,)) == [line.box]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 190), st.integers(0, 120)), max_size=6))
def test_boxes_cover_every_change_and_do_not_overlap(points: list[tuple[int, int]]) -> None:
    before = np.zeros((130, 200, 3), dtype=np.uint8)
    after = before.copy()
    for left, top in points:
        after[top : top + 6, left : left + 6, 1] = 200
    covered = np.zeros((130, 200), dtype=int)
    for box in changes(before, after, ()):
        covered[box.top : box.bottom, box.left : box.right] += 1
    assert covered.max(initial=0) <= 1
    assert covered[after[:, :, 1] > 0].all()
    assert covered.any() == bool(points)


def test_the_nearest_earlier_picture_is_taken() -> None:
    reader = Counting()
    series = SeriesOcr(reader)
    first, second = np.full((90, 160, 3), 10, dtype=np.uint8), np.full((90, 160, 3), 200, dtype=np.uint8)
    third = first.copy()
    third[40:60, 40:60] = 255
    for image in (first, second, third):
        series.read(image)
    # The second differs throughout, and its lines (those of the first, says the double) are taken over by none.
    assert reader.asked == ["whole", "1 of 10", "1 of 10"]
    assert series.read(np.full((45, 80, 3), 30, dtype=np.uint8))[0].text == "30"
    assert reader.asked[-1] == "whole"
