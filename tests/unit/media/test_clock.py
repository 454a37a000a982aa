from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.media.clock import clock, seconds_of


def test_hundredths_never_become_a_tail_of_nines() -> None:
    assert clock(67.36) == "00:01:07.36"


def test_rounding_carries_into_minutes_and_hours() -> None:
    assert (clock(59.996), clock(3599.999), clock(7265.5)) == ("00:01:00.00", "01:00:00.00", "02:01:05.50")


@given(st.floats(0, 1e6))
def test_what_is_written_reads_back(seconds: float) -> None:
    assert seconds_of(clock(seconds)) == pytest.approx(seconds, abs=0.0051)


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "00:61", "01:75:00", "-3", "nan"])
def test_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no time|more than 59"):
        seconds_of(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, True])
def test_a_number_that_is_no_time_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no time"):
        seconds_of(value)
