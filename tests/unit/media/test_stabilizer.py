"""What the stabilizer makes of pictures drawn by hand: no codec, no decoder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from debriefer import _core
from debriefer.errors import MediaError

Picture = NDArray[np.uint8]
WIDTH, HEIGHT = 320, 176


def slide(seed: int) -> Picture:
    """Dark words on light paper."""
    dice = np.random.default_rng(seed)
    picture = np.full((HEIGHT, WIDTH), 245, np.uint8)
    for row in range(16, HEIGHT - 24, 24):
        for left in range(16, WIDTH - 90, 8):
            if dice.random() < 0.7:
                picture[row : row + 12, left : left + 5] = dice.integers(20, 80)
    return picture


def watch(shown: Callable[[float], Picture], seconds: float, rate: float = 10.0) -> list[_core.FoundSlide]:
    stabilizer = _core.Stabilizer()
    noise = np.random.default_rng(0)
    for number in range(round(seconds * rate)):
        picture = shown(number / rate)
        coded = np.clip(picture.astype(np.int16) + noise.integers(-2, 3, picture.shape), 0, 255).astype(np.uint8)
        stabilizer.push(coded.reshape(-1), WIDTH, HEIGHT, WIDTH, number / rate)
    return stabilizer.finish(seconds)[2]


def starts(slides: list[_core.FoundSlide]) -> list[float]:
    return [round(slide.start, 2) for slide in slides]


def with_digit(picture: Picture, left: int, top: int) -> Picture:
    changed = picture.copy()
    changed[top : top + 9, left : left + 3] = 30
    return changed


def test_each_cut_gives_a_slide_and_a_still_picture_one() -> None:
    assert starts(watch(lambda _: slide(1), 3)) == [0]
    assert starts(watch(lambda time: slide(int(time // 2)), 6)) == [0, 2, 4]


def test_slides_of_one_second_are_found() -> None:
    assert starts(watch(lambda time: slide(int(time)), 8)) == list(range(8))


def test_one_digit_is_a_partial_change_with_a_box() -> None:
    before = slide(1)
    after = with_digit(before, 250, 100)
    slides = watch(lambda time: before if time < 2 else after, 4)
    assert starts(slides) == [0, 2]
    assert slides[1].change == "partial"
    (left, top, right, bottom) = slides[1].changed[0]
    assert left <= 250
    assert right >= 253
    assert top <= 100
    assert bottom >= 109


def test_a_pale_highlight_is_a_change() -> None:
    before = slide(1)
    after = before.copy()
    after[40:64][after[40:64] > 200] -= 9
    assert starts(watch(lambda time: before if time < 2 else after, 4)) == [0, 2]


def test_a_fade_gives_two_slides_and_begins_with_its_first_step() -> None:
    one, two = slide(1), slide(2)

    def fading(time: float) -> Picture:
        share = min(max((time - 2) / 0.8, 0), 1)
        return (one * (1 - share) + two * share).astype(np.uint8)

    slides = watch(fading, 5)
    assert [slide.change for slide in slides] == ["first", "fade"]
    assert slides[1].start == pytest.approx(2.1, abs=0.11)


def test_what_comes_back_is_known_again() -> None:
    slides = watch(lambda time: slide(int(time // 2) % 2), 8)
    assert [slide.revisit_of for slide in slides] == [None, None, 0, 1]
    assert [slide.change for slide in slides[2:]] == ["revisit", "revisit"]


def test_a_moving_inset_is_no_change_and_hides_no_digit() -> None:
    noise = np.random.default_rng(5)
    before = slide(1)
    after = with_digit(before, 120, 150)

    def with_head(time: float) -> Picture:
        picture = (before if time < 9 else after).copy()
        picture[0:64, 256:320] = noise.integers(40, 200, (64, 64))
        return picture

    assert starts(watch(with_head, 14)) == [0, 9]


def test_a_clock_is_no_change_and_hides_no_digit() -> None:
    before = slide(1)
    after = with_digit(before, 120, 150)

    def ticking(time: float) -> Picture:
        picture = (before if time < 9.5 else after).copy()
        picture[4:14, 290 : 294 + int(time) % 5 * 3] = 40
        return picture

    assert starts(watch(ticking, 16)) == [0, 9.5]


def test_a_pointer_that_jumps_about_is_no_change() -> None:
    places = [(40, 60), (200, 120), (120, 30), (260, 150), (60, 140), (180, 80)]
    before = slide(1)
    after = with_digit(before, 285, 100)

    def pointing(time: float) -> Picture:
        picture = (before if time < 7 else after).copy()
        left, top = places[int(time / 1.7) % len(places)]
        picture[top : top + 14, left : left + 9] = 0
        return picture

    assert starts(watch(pointing, 10)) == [0, 7]


@pytest.mark.parametrize("changes", [9.3, 9.5])
def test_a_digit_that_changes_while_a_pointer_travels_is_no_place_of_the_pointer(changes: float) -> None:
    # The pointer leaves at 9.4 s. Were its journey and the digit taken for one change, it would be seen to come to rest
    # as a slide of its own.
    before, after = slide(1), with_digit(slide(1), 285, 40)
    places = [(20, 20), (280, 150), (60, 140), (240, 30), (40, 80), (270, 90)]

    def with_pointer(time: float) -> Picture:
        picture = (before if time < changes - 1e-6 else after).copy()
        stop, rest = divmod(time, 2.0)
        (left, top), (to_left, to_top) = places[int(stop) % 6], places[(int(stop) + 1) % 6]
        share = min(max((rest - 1.4) / 0.6, 0.0), 1.0)
        x, y = round(left + share * (to_left - left)), round(top + share * (to_top - top))
        picture[y : y + 14, x : x + 10] = 5
        return picture

    assert starts(watch(with_pointer, 14)) == [0, pytest.approx(changes, abs=0.21)]


@pytest.mark.parametrize("seconds", [0.2, 0.3, 0.4])
def test_the_last_slide_may_be_short(seconds: float) -> None:
    assert starts(watch(lambda time: slide(1 if time < 3 - 1e-6 else 2), 3 + seconds)) == [0, 3]


def test_a_change_at_the_very_end_is_not_yet_a_slide() -> None:
    assert starts(watch(lambda time: slide(1 if time < 3 - 1e-6 else 2), 3.1)) == [0]


def test_a_picture_that_a_gap_between_frames_showed_is_no_step_of_the_next() -> None:
    stabilizer = _core.Stabilizer()
    for time, seed in ((0.0, 1), (0.1, 1), (2.9, 1), (3.0, 2), (3.15, 2)):
        stabilizer.push(slide(seed).reshape(-1), WIDTH, HEIGHT, WIDTH, time)
    assert starts(stabilizer.finish(3.19)[2]) == [0, 3]


@pytest.mark.parametrize("grain", [12, 16, 20])
def test_grain_hides_no_slide(grain: int) -> None:
    noise = np.random.default_rng(3)

    def grainy(time: float) -> Picture:
        picture = slide(int(time // 3)).astype(np.int16)
        return np.clip(picture + noise.integers(-grain, grain + 1, picture.shape), 0, 255).astype(np.uint8)

    assert starts(watch(grainy, 9)) == [0, 3, 6]


def test_a_cell_that_changes_and_changes_back_is_kept() -> None:
    before = slide(1)
    after = with_digit(before, 250, 100)
    slides = watch(lambda time: after if 2 <= time < 4 else before, 6)
    assert [slide.revisit_of for slide in slides] == [None, None, 0]


def test_a_film_gives_one_picture_a_scene() -> None:
    dice = np.random.default_rng(3)

    def moving(time: float) -> Picture:
        coarse = dice.integers(0, 40, (HEIGHT // 8, WIDTH // 8)) + int(time // 4) % 2 * 150
        return np.kron(coarse, np.ones((8, 8))).astype(np.uint8)

    slides = watch(moving, 16)
    assert 4 <= len(slides) <= 8
    assert sum(slide.moving for slide in slides) >= 3


def test_a_single_sample_is_a_slide() -> None:
    assert starts(watch(lambda _: slide(1), 0.1)) == [0]


def test_sizes_and_times_that_cannot_be_are_refused() -> None:
    stabilizer = _core.Stabilizer()
    flat = slide(1).reshape(-1)
    with pytest.raises(MediaError, match="does not fit"):
        stabilizer.push(flat, WIDTH, HEIGHT + 1, WIDTH, 0.0)
    with pytest.raises(MediaError, match="too small"):
        stabilizer.push(flat, 2, 2, 2, 0.0)
    stabilizer.push(flat, WIDTH, HEIGHT, WIDTH, 1.0)
    with pytest.raises(MediaError, match="comes after"):
        stabilizer.push(flat, WIDTH, HEIGHT, WIDTH, 1.0)
    with pytest.raises(MediaError, match="another size"):
        stabilizer.push(flat, WIDTH - 16, HEIGHT, WIDTH, 2.0)
    stabilizer.finish(2.0)
    with pytest.raises(ValueError, match="finished"):
        stabilizer.push(flat, WIDTH, HEIGHT, WIDTH, 3.0)
