"""At most so many requests at once, over all threads and, with a shared folder, over all processes."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# A request takes seconds; a twentieth of one is no loss, and no busy wait.
_POLL_SECONDS = 0.05


class Limiter:
    """Slots for requests under way.

    Threads of one process share a semaphore. Processes share lock files in `folder`: the kernel releases the lock
    of a process that dies, so that no slot is ever lost.

    Attributes:
        limit: Requests at once.
        folder: Folder of the lock files, the same for all processes; `None` limits this process only.
    """

    def __init__(self, limit: int = 8, *, folder: Path | None = None) -> None:
        if limit < 1:
            message = f"the limit must be at least 1, got {limit}"
            raise ValueError(message)
        self.limit = limit
        self.folder = folder
        self._local = threading.BoundedSemaphore(limit)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def slot(self, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold one slot for the block; while waiting, `check` is called and may raise to give up."""
        while not self._local.acquire(timeout=_POLL_SECONDS):
            check()
        try:
            file = None if self.folder is None else self._lock(self.folder, check)
            try:
                yield
            finally:
                if file is not None:
                    os.close(file)
        finally:
            self._local.release()

    def _lock(self, folder: Path, check: Callable[[], None]) -> int:
        """Return an open, locked slot file; closing it frees the slot."""
        # Processes start their search at different slots, so that they do not all queue for the first.
        first = os.getpid() % self.limit
        while True:
            for number in range(self.limit):
                path = folder / f"slot-{(first + number) % self.limit}"
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.close(file)
                else:
                    return file
            check()
            time.sleep(_POLL_SECONDS)
