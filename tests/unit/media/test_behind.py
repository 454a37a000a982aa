"""Samples that are looked at on another thread."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from debriefer.media.behind import Behind

FRAME: Any = object()


def test_samples_are_taken_in_order_on_another_thread() -> None:
    taken: list[float] = []
    threads: set[int] = set()

    def take(_: object, moment: float) -> None:
        threads.add(threading.get_ident())
        taken.append(moment)

    with Behind(take) as behind:
        for number in range(103):
            behind.add(FRAME, float(number))
    assert taken == list(range(103))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_few_samples_wait_where_looking_is_slower_than_decoding() -> None:
    handed, most = 0, 0
    taken: list[float] = []

    def slow(_: object, moment: float) -> None:
        time.sleep(0.002)
        taken.append(moment)

    with Behind(slow) as behind:
        for number in range(40):
            behind.add(FRAME, float(number))
            handed += 1
            most = max(most, handed - len(taken))
    assert len(taken) == 40
    assert most <= 8


def test_what_looking_raises_ends_the_decoding() -> None:
    def broken(_: object, moment: float) -> None:
        if moment == 5:
            message = "out of order"
            raise ValueError(message)

    def decode() -> None:
        with Behind(broken) as behind:
            for number in range(1000):
                behind.add(FRAME, float(number))

    with pytest.raises(ValueError, match="out of order"):
        decode()


def test_an_error_of_the_decoder_is_not_hidden() -> None:
    message = "no more"

    def decode() -> None:
        with Behind(lambda _frame, _time: None) as behind:
            behind.add(FRAME, 0.0)
            raise KeyboardInterrupt(message)

    with pytest.raises(KeyboardInterrupt, match=message):
        decode()
