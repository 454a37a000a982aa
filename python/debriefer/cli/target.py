"""What a command that reads tables may be pointed at."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.errors import CatalogError, MissingFileError
from debriefer.task import Task, is_task_folder


@contextlib.contextmanager
def open_target(target: Path) -> Iterator[Catalog]:
    """Open the tables at `target`: a task folder, any folder of files, one file, or a built catalog.

    Raises:
        MissingFileError: There is nothing at `target`.
    """
    if not target.exists():
        message = f"`{target}` does not exist"
        raise MissingFileError(message, hint="name a task folder, a folder of files, a file or a `catalog.duckdb`")
    if target.suffix == ".duckdb" and target.is_file():
        with Catalog.open(target) as catalog:
            yield catalog
        return
    with _ended_by_sigterm(), tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        path = Path(folder) / CATALOG_FILE
        if target.is_dir() and is_task_folder(target):
            catalog = _of_task(Task.open(target), path)
        else:
            catalog = Catalog.from_files(target, path)
        with catalog, _interrupted_by_signals(catalog):
            yield catalog


@contextlib.contextmanager
def _interrupted_by_signals(catalog: Catalog) -> Iterator[None]:
    """Stop a running statement when a signal comes: Python's own handler waits until the engine comes back to it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)

    def watch() -> None:
        while numbers := reading.recv(16):
            if signal.SIGTERM in numbers or signal.SIGINT in numbers:
                catalog.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        writing.close()
        watcher.join()
        reading.close()


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM unwind the block, so that it leaves no files behind, and end with the shell's code for it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    caught = []

    def end(number: int, _frame: FrameType | None) -> None:
        caught.append(number)
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except Exception:
        # DuckDB makes an error of its own of whatever a handler raises while a statement runs.
        if caught:
            sys.exit(128 + caught[0])
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _of_task(task: Task, path: Path) -> Catalog:
    """Open the catalog in the task's `workdir/` if it was built from the evidence as it is now, else build one."""
    built = task.folder / "workdir" / CATALOG_FILE
    if built.is_file():
        files = [(file.relative_to(task.context).as_posix(), file) for file in task.files()]
        with contextlib.suppress(CatalogError):
            catalog = Catalog.open(built)
            if catalog.is_current(files):
                return catalog
            catalog.close()
    return Catalog.build(task, path)
