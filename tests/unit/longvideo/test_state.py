from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from debriefer.models import count_tokens
from dspy_programs.longvideo.grounding import segments
from dspy_programs.longvideo.perception import windows_of
from dspy_programs.longvideo.state import Board, Step, merged


def test_a_stretch_counts_as_looked_at_once_half_of_it_was() -> None:
    board = Board("Q", 100.0)
    board.ground(10, 30, 3, "a", "scored")
    board.ground(60, 70, 4, "b", "scored")
    board.look_done([(0.0, 15.0)])
    assert [one.id for one in board.unchecked()] == ["G2", "G1"]
    board.look_done([(0.0, 21.0)])
    assert [one.id for one in board.unchecked()] == ["G2"]


def test_the_same_finding_is_kept_once() -> None:
    board = Board("Q", 100.0)
    first = board.add("seen", 10.0, 12.0, "A dog runs")
    assert board.add("seen", 10.3, 12.2, "a  dog runs") is first
    assert board.add("seen", 40.0, 42.0, "A dog runs").id == "E2"


def test_findings_that_settle_differently_conflict_until_they_are_compared() -> None:
    board = Board("Q", 100.0)
    one = board.add("seen", 10, 12, "a red door", call=1, suggests="Red.", settles=True)
    board.add("seen", 14, 15, "the same red door", call=2, suggests="red", settles=True)
    other = board.add("seen", 50, 52, "a blue door", call=3, suggests="blue", settles=True)
    board.add("seen", 70, 72, "a door", call=4, suggests="green", settles=False)
    assert board.conflict() == (one, other)
    board.compared |= {frozenset((1, 3)), frozenset((2, 3))}
    assert board.conflict() is None


def test_the_letter_of_an_option_is_the_option_and_no_conflict() -> None:
    board = Board("Q", 100.0, ("a woman", "a man", "a child"))
    board.add("seen", 10, 12, "a man waves", call=1, suggests="a man", settles=True)
    board.add("seen", 30, 32, "he waves", call=2, suggests="B. a man", settles=True)
    board.add("seen", 50, 52, "still he", call=3, suggests="(B)", settles=True)
    assert board.conflict() is None
    board.add("seen", 70, 72, "a child", call=4, suggests="C", settles=True)
    found = board.conflict()
    assert found is not None
    assert [one.id for one in found] == ["E1", "E4"]


def test_a_long_run_is_shortened_but_its_findings_stay() -> None:
    board = Board("Q", 100.0)
    board.add("seen", 10, 12, "the needle")
    for number in range(1, 31):
        board.steps.append(Step(number, "perception", "look", observation="words " * 400))
    for budget in (6_000, 2_000, 900):
        text = board.trajectory(budget)
        assert count_tokens(text) <= budget
        assert "step 30" in text
        assert "the needle" in text


@given(st.floats(0.1, 20_000))
def test_segments_cover_the_film_and_none_is_too_short_to_hold_a_frame(duration: float) -> None:
    spans = segments(duration)
    assert spans[0][0] == 0
    assert spans[-1][1] == duration
    assert all(end - begin <= 62 for begin, end in spans)
    assert all(end - begin >= min(2.0, duration) - 1e-6 for begin, end in spans)


def test_an_exact_multiple_of_a_minute_has_no_empty_rest() -> None:
    assert segments(180.0) == [(0, 60), (60, 120), (120, 180)]


@given(st.floats(0, 3_000), st.floats(0.0, 179), st.floats(10, 4_000))
def test_a_look_covers_ten_to_sixty_seconds_within_the_film(begin: float, length: float, duration: float) -> None:
    begin = min(begin, duration)
    windows = windows_of((begin, min(begin + length, duration)), duration)
    assert all(10 - 1e-6 <= end - start <= 60 + 1e-6 for start, end in windows)
    assert windows[0][0] >= 0
    assert windows[-1][1] <= duration + 1e-6


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=12))
def test_merged_spans_are_apart_and_lie_within(spans: list[tuple[float, float]]) -> None:
    found = merged(spans, 50.0)
    assert all(0 <= begin <= end <= 50 for begin, end in found)
    assert all(a[1] < b[0] for a, b in pairwise(found))
