"""Many tasks at once; one can never stop another."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from debriefer.errors import DebrieferError, MissingFileError
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.crew import Crew
from debriefer.pipeline.delivery import salvage, stopped_outcome, write_outcome
from debriefer.pipeline.order import Job, Order
from debriefer.pipeline.outcome import OFFLINE, Outcome
from debriefer.pipeline.settings import ModelChoice, RunSettings
from debriefer.pipeline.stop import Stop
from debriefer.task import Task, is_task_folder

_KILLED = "the process that worked on it died (out of memory?)"
# What else stands in the results folder.
_RESERVED = frozenset({"logs", ".cache"})


def find_tasks(folder: str | Path) -> list[Path]:
    """Return the task folders directly below `folder`, or `folder` itself if it is one, sorted by number, then name.

    Raises:
        MissingFileError: `folder` does not exist or holds no task folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        message = f"`{folder}` is not a folder"
        raise MissingFileError(message, hint="name the folder that holds the task folders")
    if is_task_folder(folder):
        return [folder]
    found = [path for path in folder.iterdir() if path.is_dir() and is_task_folder(path)]
    if not found:
        message = f"`{folder}` holds no task folder"
        raise MissingFileError(message, hint="each task is a folder below it with a `task.json`")
    return sorted(found, key=lambda path: _natural(path.name))


def run(
    tasks: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    choice: ModelChoice | None = None,
    settings: RunSettings | None = None,
    jobs: int = 1,
    work: str | Path | None = None,
    cache: str | Path | None = None,
    resume: bool = False,
    on_outcome: Callable[[Outcome], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> list[Outcome]:
    """Answer every task and deliver `<output>/<task>/prediction.csv` for each that has an answer.

    Tasks are worked on in processes of their own, with a model in several threads of each, since they mostly wait. On
    SIGTERM or SIGINT no new task is begun, what is done is delivered, and the call returns within 20 s.

    Args:
        tasks: A folder of task folders, or the task folders themselves.
        output: Folder for predictions and logs.
        choice: Which models; `None` for the offline baseline.
        settings: Attempts, budgets, what stands behind the model.
        jobs: Tasks at once, at least 1.
        work: Folder for working copies, kept afterwards; temporary folders where `None`.
        cache: Folder for the products of stages, shared by tasks and runs.
        resume: Leave tasks as they are that were delivered under the same inputs and settings.
        on_outcome: Called with each outcome as it is known.
        say: Told each turn, and what else happens, as one line; `None` for silence.

    Returns:
        One outcome a task, in the order of the tasks. A task that cannot be read or that kills its process is
        `failed`, one that was not reached or was cut off is `stopped`; the others go on.

    Raises:
        MissingFileError: There is no task to run.
        ModelError: The environment is half configured.
        DebrieferError: The cache cannot be used.
    """
    folders = find_tasks(tasks) if isinstance(tasks, str | Path) else [Path(task) for task in tasks]
    names = result_names(folders)
    if cache is not None:
        Cache(cache)  # that it cannot be used is said once, and not by every worker
    models = None if choice is None else choice.load()
    if models is None:
        choice = None
    solver = OFFLINE if models is None else f"model {models.settings('solver').model}"
    processes, threads = places(jobs, with_model=choice is not None)
    results: dict[int, Outcome] = {}
    report = on_outcome or (lambda _: None)
    stop = Stop()

    def done(job: Job, outcome: Outcome | None, begun: bool) -> None:
        if outcome is None:
            outcome = _lost(job, order, solver, begun=begun, stopped=bool(stop))
        results[job.id] = outcome
        report(outcome)

    with _scratch(work) as scratch, tempfile.TemporaryDirectory(prefix="debriefer-slots-") as slots:
        order = Order(
            output=str(output),
            settings=settings or RunSettings(),
            choice=choice,
            slots=slots,
            cache=None if cache is None else str(cache),
            resume=resume,
            verbose=say is not None,
        )
        to_do = [
            Job(number, str(folder), name, str(scratch / name))
            for number, (folder, name) in enumerate(zip(folders, names, strict=True))
        ]
        crew = Crew(order, processes=processes, threads=threads, say=say or (lambda _: None), stop=stop)
        with stop.catching():
            crew.run(to_do, done)
    return [results[number] for number in range(len(to_do))]


def places(jobs: int, *, with_model: bool) -> tuple[int, int]:
    """Return how many processes work, and on how many tasks at once in each.

    Without a model a task is bound by the processor: a process each. With one it mostly waits, so that a process a core
    is enough and the tasks share it.

    >>> places(4, with_model=False)
    (4, 1)
    """
    if not with_model:
        return max(1, jobs), 1
    processes = max(1, min(jobs, os.cpu_count() or 1))
    return processes, math.ceil(max(1, jobs) / processes)


def _lost(job: Job, order: Order, solver: str, *, begun: bool, stopped: bool) -> Outcome:
    """Return the outcome of a task whose process is gone; deliver what it left if the run was stopped."""
    if not stopped:
        outcome = Outcome(job.name, "failed", solver, reason=_KILLED)
        write_outcome(outcome, order.output, job.name)
        return outcome
    if not begun:
        # What an earlier run has delivered and logged of the task still holds.
        return stopped_outcome(job.name, solver)
    return salvage(Path(job.work), order.output, job.name, solver)


@contextlib.contextmanager
def _scratch(work: str | Path | None) -> Iterator[Path]:
    if work is not None:
        yield Path(work).absolute()
        return
    with tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def result_names(folders: Sequence[Path]) -> list[str]:
    """Return a name for each task's results, unique without regard to case.

    It is the task's identifier; the folder's name where identifiers clash or cannot be read, or where the results
    folder has that name for something else; with a number where folders clash too.
    """
    identifiers = []
    for folder in folders:
        try:
            identifiers.append(Task.open(folder).task_id)
        except DebrieferError:
            identifiers.append(folder.resolve().name)
    counts = Counter(identifier.casefold() for identifier in identifiers)
    taken = {*_RESERVED, *(name for name, count in counts.items() if count == 1)}
    names = []
    for identifier, folder in zip(identifiers, folders, strict=True):
        name = identifier
        if counts[identifier.casefold()] > 1 or identifier.casefold() in _RESERVED:
            stem = folder.resolve().name
            numbered = (f"{stem}_{number}" for number in itertools.count(2))
            name = next(name for name in itertools.chain([stem], numbered) if name.casefold() not in taken)
            taken.add(name.casefold())
        names.append(name)
    return names


def _natural(name: str) -> tuple[int, str]:
    digits = "".join(character for character in name if character.isdecimal())
    return (int(digits) if digits else -1, name)
