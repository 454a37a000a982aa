from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from debriefer.media.moments import MOMENTS, Moment, fused, moment_at, spread


def test_two_rankings_beat_one() -> None:
    # 1/(60+2) + 1/(60+1) is more than 1/(60+1), the best that one ranking can give.
    assert fused([["a", "b"], ["b", "c"]])[0] == ("b", 1 / 62 + 1 / 61)


def test_neighbours_of_a_better_moment_are_suppressed_and_the_rest_is_in_order_of_time() -> None:
    moments = [Moment(50, 60, 3.0, ("x",)), Moment(53, 63, 2.0, ("y",)), Moment(10, 20, 1.0)]
    assert spread(moments) == (Moment(10, 20, 1.0), Moment(50, 60, 3.0, ("x", "y")))


def test_at_most_fifteen_are_kept_the_best_ones() -> None:
    kept = spread(Moment(20 * place, 20 * place + 10, float(place)) for place in range(40))
    assert [moment.score for moment in kept] == [float(place) for place in range(40 - MOMENTS, 40)]


@given(st.floats(0, 5000), st.floats(0, 100), st.floats(20, 5000))
def test_a_moment_lies_within_the_video(start: float, length: float, duration: float) -> None:
    start = min(start, duration)
    begin, end = moment_at(start, min(start + length, duration), duration)
    assert 0 <= begin < end <= duration


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(0, 1)), max_size=40))
def test_no_two_kept_moments_lie_on_each_other(given_moments: list[tuple[float, float]]) -> None:
    kept = spread(Moment(start, start + 10, score) for start, score in given_moments)
    assert all(later.start - earlier.start >= 5 - 1e-6 for earlier, later in pairwise(kept))
