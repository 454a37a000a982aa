"""SIGTERM and SIGINT: a run ends early, with what is done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

# A stopped run must have ended after 20 s: the tasks under way get this long to deliver, the rest is for ours.
GRACE_SECONDS = 12.0


class Stop:
    """Whether the run is to end; set by SIGTERM and SIGINT inside `catching`. A second signal ends it at once."""

    def __init__(self, also: Callable[[], None] = lambda: None) -> None:
        """Set nothing up yet.

        Args:
            also: Called at each signal, in the main thread.
        """
        self._also = also
        self.signals = 0
        self.name: str | None = None

    def __bool__(self) -> bool:
        return self.signals > 0

    @contextlib.contextmanager
    def catching(self) -> Iterator[None]:
        """Catch the two signals for the block, where that is possible (in the main thread)."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, _frame: FrameType | None) -> None:
            self.signals += 1
            self.name = signal.Signals(number).name
            self._also()

        before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
