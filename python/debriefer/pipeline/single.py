"""One task, from its folder to its delivered prediction."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.errors import DebrieferError
from debriefer.offline import Abstention, Reading, read_question
from debriefer.pipeline.outcome import Outcome
from debriefer.task import Task
from debriefer.workbench import Workbench

OFFLINE = "offline baseline"
PREDICTION_FILE = "prediction.csv"


def solve(
    task: Task | str | Path,
    output: str | Path = "debriefer-out",
    *,
    work: str | Path | None = None,
    always_answer: bool = False,
    name: str | None = None,
) -> Outcome:
    """Answer one task without a model and deliver its `prediction.csv`.

    The question is linked to the catalog and read by rule into one SQL statement, which goes through the same
    workbench as a model's: edit `solver.py`, run it in a child process, check what it wrote. Where no reading is
    confident nothing is delivered and the outcome says why.

    Args:
        task: The task or its folder, which is never written to.
        output: Folder for results: `<output>/<task_id>/prediction.csv` and `<output>/logs/<task_id>/`.
        work: Folder for the working copy, kept afterwards; a temporary folder where `None`.
        always_answer: Deliver the best reading there is, however unsure.
        name: Folder name for the results in place of the task's identifier.

    Returns:
        The outcome; also written to `<output>/logs/<task_id>/outcome.json`.

    Raises:
        MissingFileError: There is no task folder, or no `task.json` in it.
        TaskError: `task.json` cannot be used.
    """
    task = task if isinstance(task, Task) else Task.open(task)
    name = name or task.task_id
    delivered = Path(output) / name / PREDICTION_FILE
    logs = Path(output) / "logs" / name
    # A prediction of an earlier run must not pass for this one's.
    delivered.unlink(missing_ok=True)
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    with _working_folder(work) as folder:
        try:
            outcome = _answer(task, folder, always_answer=always_answer)
            outcome = _deliver(outcome, folder, delivered, logs)
        except DebrieferError as error:
            outcome = Outcome(task.task_id, "failed", OFFLINE, reason=error.message, hint=error.hint)
    (logs / "outcome.json").write_text(
        json.dumps(outcome.to_dict(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    return outcome


def _answer(task: Task, folder: Path, *, always_answer: bool) -> Outcome:
    """Read the question and run its statement in the working copy; the prediction stays there."""
    seconds: dict[str, float] = {}
    with _timed(seconds, "prepare"):
        copy = task.working_copy(folder)
        bench = Workbench.create(copy.folder)
    with _timed(seconds, "catalog"):
        catalog = Catalog.build(copy, copy.folder / "workdir" / CATALOG_FILE)
    with catalog:
        refused = tuple(f"{refusal.source}: {refusal.message}" for refusal in catalog.refusals)
        with _timed(seconds, "read"):
            reading = read_question(copy, catalog, always_answer=always_answer)
    outcome = Outcome(task.task_id, "abstained", OFFLINE, refused=refused, seconds=seconds)
    if isinstance(reading, Abstention):
        hint = "run again with `--always-answer` for the best guess"
        return replace(outcome, reason=reading.reason, hint=None if always_answer else hint)
    with _timed(seconds, "run"):
        return _execute(bench, reading, outcome)


def _execute(bench: Workbench, reading: Reading, outcome: Outcome) -> Outcome:
    outcome = replace(outcome, sql=reading.sql, reading=reading.explanation, confidence=round(reading.confidence, 4))
    result = bench.write_query(reading.sql, comment=reading.explanation)
    if result.status != "OK":
        return replace(outcome, status="failed", reason=result.reason or result.status)
    rows, _ = result.shape or (None, None)
    return replace(outcome, status="answered", rows=rows, columns=tuple(result.columns))


def _deliver(outcome: Outcome, folder: Path, delivered: Path, logs: Path) -> Outcome:
    """Copy the prediction to the output and the program that made it to the logs."""
    workdir = folder / "workdir"
    if (workdir / "solver.py").is_file():
        shutil.copyfile(workdir / "solver.py", logs / "solver.py")
    if outcome.status != "answered":
        return outcome
    delivered.parent.mkdir(parents=True, exist_ok=True)
    partial = delivered.with_name(delivered.name + ".partial")
    shutil.copyfile(workdir / PREDICTION_FILE, partial)
    partial.replace(delivered)
    return replace(outcome, prediction=str(delivered))


@contextlib.contextmanager
def _working_folder(work: str | Path | None) -> Iterator[Path]:
    if work is not None:
        yield Path(work)
        return
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[stage] = round(time.perf_counter() - start, 3)
