"""One task in this process that a signal can end early."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from debriefer.models import Models
from debriefer.pipeline.delivery import salvage
from debriefer.pipeline.outcome import Outcome
from debriefer.pipeline.single import solve, solver_name
from debriefer.pipeline.stop import GRACE_SECONDS, Stop
from debriefer.task import Task

_LOOK_SECONDS = 0.1


def solve_until_stopped(
    task: str | Path,
    output: str | Path,
    stop: Stop,
    *,
    models: Models | None = None,
    work: str | Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    **options: Any,  # noqa: ANN401 -- those of `solve`
) -> tuple[Outcome, bool]:
    """Do what `solve` does in a thread, while this one looks for a signal.

    Once `stop` is set no new request, stage or attempt begins. What the task does just then (a statement, a run of the
    script) gets 12 s to end, or none after a second signal; then what it has left is delivered without it.

    Args:
        task: The task folder.
        output: Folder for results.
        stop: Set by the signals.
        models: Language models, or `None`.
        work: Folder for the working copy, kept afterwards; a temporary folder where `None`.
        say: Told what happens, a line a turn.
        options: Passed on to `solve`.

    Returns:
        The outcome, and whether the thread has ended. Where it has not, the process must be ended by `os._exit`:
        native code cannot be interrupted.

    Raises:
        DebrieferError: As `solve` raises it.
    """
    opened = Task.open(task)
    folder = Path(tempfile.mkdtemp(prefix="debriefer-")) if work is None else Path(work)
    ended: list[Outcome | BaseException] = []
    event = threading.Event()

    def work_on() -> None:
        try:
            ended.append(solve(opened, output, models=models, work=folder, say=say, stop=event, **options))
        except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
            ended.append(error)

    def end() -> None:
        say(f"{stop.name}: what is done is delivered")
        event.set()
        if models is not None:
            models.stop()

    thread = threading.Thread(target=work_on, name="task", daemon=True)
    thread.start()
    try:
        _wait(thread, stop, end)
        if not ended:
            return salvage(folder, output, opened.task_id, solver_name(models)), False
        result = ended[0]
        if isinstance(result, BaseException):
            raise result
        return result, True
    finally:
        if work is None:
            shutil.rmtree(folder, ignore_errors=True)


def _wait(thread: threading.Thread, stop: Stop, end: Callable[[], None]) -> None:
    """Wait for the thread; once stopped call `end`, and wait no longer than the time of grace."""
    while thread.is_alive() and not stop:
        thread.join(_LOOK_SECONDS)
    if not stop:
        return
    end()
    deadline = time.monotonic() + GRACE_SECONDS
    while thread.is_alive() and stop.signals == 1 and time.monotonic() < deadline:
        thread.join(_LOOK_SECONDS)
