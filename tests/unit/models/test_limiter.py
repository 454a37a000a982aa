"""Slots over threads and processes, and the rotation of endpoints."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.models import Limiter
from debriefer.models.retry import Rotation
from tests.conftest import ROOT

HOLD = """
import pathlib, sys, time
from debriefer.models import Limiter
with Limiter(1, folder=pathlib.Path(sys.argv[1])).slot():
    print("held", flush=True)
    time.sleep(60)
"""


class GaveUpError(Exception):
    pass


def give_up() -> None:
    raise GaveUpError


def test_a_full_limiter_makes_others_wait_and_lets_them_give_up() -> None:
    limiter = Limiter(1)
    with limiter.slot(), pytest.raises(GaveUpError), limiter.slot(give_up):
        pass
    with limiter.slot(give_up):
        pass


def test_an_error_in_the_block_frees_the_slot(tmp_path: Path) -> None:
    limiter = Limiter(1, folder=tmp_path)
    with pytest.raises(GaveUpError), limiter.slot():
        give_up()
    with limiter.slot(give_up):
        pass


def test_two_limiters_on_one_folder_share_their_slots(tmp_path: Path) -> None:
    first, second = Limiter(2, folder=tmp_path), Limiter(2, folder=tmp_path)
    with first.slot(), second.slot(), pytest.raises(GaveUpError), second.slot(give_up):
        pass


def test_a_dead_process_loses_its_slot(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT / "python"), "PATH": ""}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        limiter = Limiter(1, folder=tmp_path)
        with pytest.raises(GaveUpError), limiter.slot(give_up):
            pass
        process.kill()
        process.wait()
        began = time.monotonic()
        with limiter.slot():
            assert time.monotonic() - began < 5


def test_waiting_threads_all_get_their_turn(tmp_path: Path) -> None:
    limiter, done = Limiter(2, folder=tmp_path), []

    def work(number: int) -> None:
        with limiter.slot():
            time.sleep(0.01)
            done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(done) == list(range(6))


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Limiter(0)


def test_rotation_prefers_the_start_then_whoever_is_rested_then_whoever_is_ready_first() -> None:
    now = [0.0]
    rotation = Rotation(3, clock=lambda: now[0])
    assert rotation.pick(1) == (1, 0.0)
    rotation.rest(1, 10.0)
    assert rotation.pick(1) == (2, 0.0)
    rotation.rest(2, 5.0)
    rotation.rest(0, 7.0)
    assert rotation.pick(1) == (2, 5.0)
    now[0] = 6.0
    assert rotation.pick(1) == (2, 0.0)
    rotation.recovered(1)
    assert rotation.pick(1) == (1, 0.0)
    assert [rotation.next_turn() for _ in range(4)] == [0, 1, 2, 0]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=5), st.integers(0, 4), st.sets(st.integers(0, 4)))
def test_rotation_never_picks_one_that_rests_while_another_is_ready(
    rests: list[float], start: int, refused: set[int]
) -> None:
    rotation = Rotation(len(rests), clock=lambda: 50.0)
    for number, seconds in enumerate(rests):
        rotation.rest(number, seconds - 50.0)
    number, wait = rotation.pick(start, sorted(refused))
    allowed = [n for n in range(len(rests)) if n not in refused] or list(range(len(rests)))
    assert number in allowed
    assert wait == pytest.approx(min(max(0.0, rests[n] - 50.0) for n in allowed), abs=1e-9)
