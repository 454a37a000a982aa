"""Work on samples that goes on behind the decoder's back, in order, on a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

# Samples handed over at once: a handover costs some 20 µs, and twice so many frames are lent by the decoder.
_BATCH = 4


class Behind:
    """Hands samples to `take` in order, on another thread; both the decoder and the signatures work without the GIL.

    At most two batches are under way: where `take` is slower than the decoder, `add` waits. What `take` raises is
    raised by a later `add` or at the end.

    Args:
        take: Takes a frame and its time in seconds.
    """

    def __init__(self, take: Callable[[VideoFrame, float], object]) -> None:
        self._take = take
        self._pool = ThreadPoolExecutor(1, "slides")
        self._batch: list[tuple[VideoFrame, float]] = []
        self._running: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._hand_over()
                self._wait()
        finally:
            self._pool.shutdown(cancel_futures=True)

    def add(self, frame: VideoFrame, time: float) -> None:
        """Hand over a sample; raises what `take` raised for an earlier one."""
        self._batch.append((frame, time))
        if len(self._batch) >= _BATCH:
            self._hand_over()

    def _hand_over(self) -> None:
        self._wait()
        batch, self._batch = self._batch, []
        self._running = self._pool.submit(self._work, batch)

    def _wait(self) -> None:
        if self._running is not None:
            self._running.result()

    def _work(self, batch: list[tuple[VideoFrame, float]]) -> None:
        for frame, time in batch:
            self._take(frame, time)
