"""How long to wait after which failure, and which endpoint comes next."""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a request is repeated after a transient failure (rate limit, server error, time-out, no connection).

    Attributes:
        attempts: Attempts of one request that reach an endpoint; connections that were refused do not count.
        patience_seconds: Time after which a request is not tried again, from its first attempt.
        base_seconds: First pause; each further one doubles.
        cap_seconds: Longest pause, except where `Retry-After` asks for more.
        seed: Seed of the jitter, so that a run can be repeated to the tick.
    """

    attempts: int = 6
    patience_seconds: float = 120.0
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    seed: int = 0

    def pause(self, failures: int, key: str, retry_after: float | None = None) -> float:
        """Return the seconds to wait after failure number `failures` (from 1) of the request `key`.

        Half of the doubling pause is fixed, the other half depends on seed, key and number, so that clients that
        failed together do not come back together. With `retry_after` that much is the least.
        """
        full = min(self.cap_seconds, self.base_seconds * 2.0 ** min(failures - 1, 30))
        digest = hashlib.sha256(f"{self.seed}/{key}/{failures}".encode("utf-8", "replace")).digest()
        share = int.from_bytes(digest[:8], "big") / 2**64
        if retry_after is not None:
            return retry_after + share * self.base_seconds
        return full * (0.5 + 0.5 * share)


class Rotation:
    """The endpoints of one model in turn; one that failed rests while others can take its place."""

    def __init__(self, size: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rest_until = [0.0] * size
        self._turns = itertools.count()

    def __len__(self) -> int:
        return len(self._rest_until)

    def next_turn(self) -> int:
        """Return the place at which the next conversation starts."""
        with self._lock:
            return next(self._turns) % len(self)

    def pick(self, start: int, excluded: Sequence[int] = ()) -> tuple[int, float]:
        """Return an endpoint and the seconds until it may be used.

        The first one from `start` that rests no longer; if all rest, the one that is ready first. Endpoints in
        `excluded` (a refused key) are passed over while there are others.
        """
        with self._lock:
            now = self._clock()
            order = [(start + step) % len(self) for step in range(len(self))]
            order = [number for number in order if number not in excluded] or order
            waits = [max(0.0, self._rest_until[number] - now) for number in order]
        best = min(range(len(order)), key=lambda place: (waits[place], place))
        return order[best], waits[best]

    def rest(self, number: int, seconds: float) -> None:
        """Let endpoint `number` rest for `seconds`, or longer if it already does."""
        with self._lock:
            self._rest_until[number] = max(self._rest_until[number], self._clock() + seconds)

    def recovered(self, number: int) -> None:
        """End the rest of endpoint `number`: it has just answered."""
        with self._lock:
            self._rest_until[number] = 0.0
