"""Many tasks at once; one can never stop another."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from debriefer.errors import DebrieferError, MissingFileError
from debriefer.pipeline.outcome import Outcome
from debriefer.pipeline.single import OFFLINE, solve
from debriefer.task import Task, is_task_folder

_KILLED = "the process that worked on it died (out of memory?)"


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker needs to know; sent between processes."""

    folder: Path
    output: Path
    work: Path | None
    always_answer: bool
    name: str


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
    jobs: int = 1,
    work: str | Path | None = None,
    always_answer: bool = False,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Answer every task and deliver `<output>/<task>/prediction.csv` for each that has an answer.

    Args:
        tasks: A folder of task folders, or the task folders themselves.
        output: Folder for predictions and logs.
        jobs: Number of worker processes, at least 1; with 1 the tasks run in this process.
        work: Folder for working copies, kept afterwards; temporary folders where `None`.
        always_answer: Deliver the best reading there is, however unsure.
        on_outcome: Called with each outcome as it is known.

    Returns:
        One outcome a task, in the order of the tasks. A task that cannot be read or that kills its process is
        `failed`; the others go on.

    Raises:
        MissingFileError: There is no task to run.
    """
    folders = find_tasks(tasks) if isinstance(tasks, str | Path) else [Path(task) for task in tasks]
    names = _result_names(folders)
    jobs_to_do = [
        _Job(folder, Path(output), None if work is None else Path(work) / name, always_answer, name)
        for folder, name in zip(folders, names, strict=True)
    ]
    report = on_outcome or (lambda _: None)
    if jobs <= 1 or len(jobs_to_do) <= 1:
        outcomes = []
        for job in jobs_to_do:
            outcomes.append(_solve_job(job))
            report(outcomes[-1])
        return outcomes
    return _run_processes(jobs_to_do, jobs, report)


def _run_processes(jobs_to_do: Sequence[_Job], jobs: int, report: Callable[[Outcome], None]) -> list[Outcome]:
    results: dict[int, Outcome] = {}

    def work_through(numbered: Sequence[tuple[int, _Job]], processes: int) -> None:
        for index, outcome in _pool(numbered, processes):
            results[index] = outcome
            report(outcome)

    def unfinished() -> list[tuple[int, _Job]]:
        return [(index, job) for index, job in enumerate(jobs_to_do) if index not in results]

    # A dead worker breaks its whole pool. What is left is tried together once more, then each task in a pool of
    # its own, so that only the task that kills its process is lost.
    work_through(unfinished(), jobs)
    if remaining := unfinished():
        work_through(remaining, jobs)
    for index, job in unfinished():
        work_through([(index, job)], 1)
        if index not in results:
            results[index] = Outcome(job.name, "failed", OFFLINE, reason=_KILLED)
            report(results[index])
    return [results[index] for index in range(len(jobs_to_do))]


def _pool(numbered: Sequence[tuple[int, _Job]], jobs: int) -> Iterable[tuple[int, Outcome]]:
    # Fresh interpreters: a forked child would inherit DuckDB's and Polars' locked threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(numbered)), mp_context=context) as pool:
        futures: dict[Future[Outcome], int] = {pool.submit(_solve_job, job): index for index, job in numbered}
        for future in as_completed(futures):
            try:
                outcome = future.result()
            except BrokenProcessPool:
                continue
            yield futures[future], outcome


def _solve_job(job: _Job) -> Outcome:
    try:
        return solve(job.folder, job.output, work=job.work, always_answer=job.always_answer, name=job.name)
    except DebrieferError as error:
        return Outcome(job.name, "failed", OFFLINE, reason=error.message, hint=error.hint)
    except Exception as error:  # noqa: BLE001 -- one task can never stop another; the reason is kept
        reason = f"unexpected {type(error).__name__}: {error}"
        return Outcome(job.name, "failed", OFFLINE, reason=reason, hint="please report this with the task folder")


def _result_names(folders: Sequence[Path]) -> list[str]:
    """Return each task's identifier, or its folder's name where identifiers clash or cannot be read."""
    identifiers = []
    for folder in folders:
        try:
            identifiers.append(Task.open(folder).task_id)
        except DebrieferError:
            identifiers.append(folder.resolve().name)
    counts = Counter(identifiers)
    return [
        identifier if counts[identifier] == 1 else folder.resolve().name
        for identifier, folder in zip(identifiers, folders, strict=True)
    ]


def _natural(name: str) -> tuple[int, str]:
    digits = "".join(character for character in name if character.isdecimal())
    return (int(digits) if digits else -1, name)
