"""What the interval supports and what it does not; expected values follow from counting."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dspy_programs.optimisation.comparison import compare

SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30)


def test_a_clear_gain_is_supported() -> None:
    before = [0.0] * 12 + [1.0] * 8
    after = [1.0] * 10 + [0.0] * 2 + [1.0] * 8
    found = compare(before, after)
    assert (found.before, found.after, found.difference) == (0.4, 0.9, 0.5)
    # Ten tasks moved, all up: 2 of 2 ** 10 patterns of signs are as extreme.
    assert found.p_value == 2 / 1024
    assert found.difference_interval.low > 0.25
    assert found.difference_interval.high < 0.75
    assert found.supported
    assert compare(after, before).worse


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    # 20 of 40 right: the 2.5 % and 97.5 % points of Binomial(40, 0.5) are 14 and 26.
    found = compare([0.0, 1.0] * 20, [0.0, 1.0] * 20)
    assert found.before_interval.low == pytest.approx(14 / 40, abs=0.026)
    assert found.before_interval.high == pytest.approx(26 / 40, abs=0.026)


def test_a_gain_that_chance_gives_is_not_supported() -> None:
    before = [0.0, 1.0] * 10
    after = [1.0, 0.0, 1.0, *before[3:]]
    found = compare(before, after)
    assert found.difference > 0
    assert not found.supported
    assert not found.worse


@pytest.mark.parametrize(("n", "supported"), [(1, False), (2, False), (5, False), (6, True)])
def test_few_tasks_support_nothing_even_if_all_improve(n: int, supported: bool) -> None:
    found = compare([0.0] * n, [1.0] * n)
    # The interval alone would: it is [1, 1].
    assert found.difference_interval.low == 1
    assert found.p_value == 2 / 2**n
    assert found.supported is supported


def test_what_did_not_move_is_not_an_improvement() -> None:
    found = compare([0.5] * 30, [0.5] * 30)
    assert (found.p_value, found.supported, found.worse) == (1, False, False)


def test_noise_is_seldom_called_an_improvement() -> None:
    randomness = random.Random(7)  # noqa: S311
    called = 0
    for number in range(60):
        before = [float(randomness.random() < 0.5) for _ in range(25)]
        after = [float(randomness.random() < 0.5) for _ in range(25)]
        called += compare(before, after, seed=number, resamples=400).supported
    # One-sided 2.5 % of 60 is 1.5; six would happen once in a few hundred times.
    assert called <= 6


@settings(max_examples=25)
@given(SCORES)
def test_the_mean_lies_in_its_interval_and_the_seed_decides(pairs: list[tuple[float, float]]) -> None:
    before, after = [one for one, _ in pairs], [other for _, other in pairs]
    found = compare(before, after, resamples=300)
    assert found == compare(before, after, resamples=300)
    assert found.before_interval.low <= found.before + 1e-9
    assert found.after_interval.high >= found.after - 1e-9
    assert 0 < found.p_value <= 1


def test_unequal_numbers_of_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="2 scores before and 1 after"):
        compare([1, 1], [1])
    with pytest.raises(ValueError, match="0 scores"):
        compare([], [])
