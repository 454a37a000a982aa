"""One task, from its folder to its delivered prediction."""

from __future__ import annotations

import contextlib
import json
import logging
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from debriefer.catalog import Catalog
from debriefer.errors import DebrieferError, TaskError, WorkbenchError
from debriefer.models import Models
from debriefer.pipeline.attempts import Conditions, make_attempts
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.content import file_digest, task_digest, value_digest
from debriefer.pipeline.delivery import OUTCOME_FILE, RESUME_HINT, STAGES_FILE, deliver, is_regular, redacted
from debriefer.pipeline.learned import learned_digests
from debriefer.pipeline.logs import TaskLog, redactor_for
from debriefer.pipeline.outcome import OFFLINE, Attempt, Delivery, Outcome
from debriefer.pipeline.registry import StageRegistry, default_registry, package_version
from debriefer.pipeline.settings import RunSettings, model_identity
from debriefer.pipeline.stage import StageRecord
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task
from debriefer.workbench import Workbench, check_prediction
from debriefer.workbench.prediction import PREDICTION_FILE

if TYPE_CHECKING:
    from dspy_programs.solver import Findings

_NEVER = threading.Event()
_log = logging.getLogger(__name__)


def _quiet(_: str) -> None:
    """Say nothing."""


@dataclass(slots=True)
class _Run:
    """One task being worked on."""

    task: Task
    models: Models | None
    settings: RunSettings
    registry: StageRegistry
    cache: Cache | None
    log: TaskLog
    say: Callable[[str], None]
    stop: threading.Event
    seconds: dict[str, float] = field(default_factory=dict)
    records: list[StageRecord] = field(default_factory=list)


def solve(
    task: Task | str | Path,
    output: str | Path = "debriefer-out",
    *,
    models: Models | None = None,
    settings: RunSettings | None = None,
    work: str | Path | None = None,
    name: str | None = None,
    cache: Cache | str | Path | None = None,
    registry: StageRegistry | None = None,
    resume: bool = False,
    say: Callable[[str], None] = _quiet,
    stop: threading.Event = _NEVER,
) -> Outcome:
    """Answer one task and deliver its `prediction.csv`.

    With a model the Solver makes attempts until one is accepted. Then, in this order: the script that the last attempt
    left is run once more without a model; a prediction that a rejected attempt left is delivered as `unaccepted`; the
    offline baseline answers, if it may. Without a model the offline baseline answers alone: the question is
    linked to the catalog and read by rule into one SQL statement, or it abstains.

    Args:
        task: The task or its folder, which is never written to.
        output: Folder for results: `<output>/<task_id>/prediction.csv` and `<output>/logs/<task_id>/`.
        models: Language models, such as `Models.from_environment()` gives; `None` for the offline baseline.
        settings: Attempts, budgets, what stands behind the model.
        work: Folder for the working copy, kept afterwards; a temporary folder where `None`.
        name: Folder name for the results in place of the task's identifier.
        cache: Folder for the products of stages, shared by tasks and runs; `None` makes all of them anew.
        registry: The stages; those of this installation where `None`.
        resume: Leave the task as it is if it was delivered under the same inputs and settings.
        say: Told what happens, a line a turn.
        stop: Once set, no new attempt or stage begins, and what is there is delivered.

    Returns:
        The outcome; also written to `<output>/logs/<task_id>/outcome.json`.

    Raises:
        MissingFileError: There is no task folder, or no `task.json` in it.
        TaskError: `task.json` cannot be used.
        DebrieferError: `output` or `cache` cannot be written to.
    """
    task = task if isinstance(task, Task) else Task.open(task)
    name = name or task.task_id
    settings = settings or RunSettings()
    registry = registry or default_registry(settings)
    if Path(output).resolve().is_relative_to(task.folder):
        message = f"`{output}` lies inside the task folder `{task.folder}`, which is never written to"
        raise TaskError(message, hint="name a folder outside the task folder for the results")
    delivered = Path(output) / name / PREDICTION_FILE
    logs = Path(output) / "logs" / name
    key = _run_key(task, models, settings, registry)
    if resume and (earlier := _earlier(logs, delivered, key)) is not None:
        return earlier
    redact = redactor_for(models)
    try:
        # A prediction of an earlier run must not pass for this one's.
        delivered.unlink(missing_ok=True)
        log = TaskLog(logs, redact)
    except OSError as error:
        message = f"`{output}` cannot be written to: {error.strerror or error}"
        raise DebrieferError(message, hint="name a folder for the results that can be written to") from error
    cache = cache if isinstance(cache, Cache) or cache is None else Cache(cache)
    run = _Run(task, models, settings, registry, cache, log, lambda line: say(redact(line)), stop)
    empty = Outcome(task.task_id, "failed", solver_name(models), key=key, seconds=run.seconds)
    with _working_folder(work) as folder:
        try:
            outcome = _answer(run, folder, empty)
            with _timed(run.seconds, "deliver"):
                outcome = _deliver(outcome, folder, delivered, log)
        except DebrieferError as error:
            outcome = replace(empty, reason=error.message, hint=error.hint)
    for stage in ("solve", "deliver"):
        if stage in run.seconds:
            run.records.append(StageRecord(stage, "done", seconds=run.seconds[stage]))
    outcome = redacted(replace(outcome, stages=tuple(run.records)), redact)
    log.json(STAGES_FILE, [asdict(record) for record in run.records])
    log.json(OUTCOME_FILE, outcome.to_dict())
    return outcome


def _answer(run: _Run, folder: Path, outcome: Outcome) -> Outcome:
    """Take the task through the stages and answer it in the working copy; the prediction stays there."""
    with _timed(run.seconds, "prepare"):
        copy = run.task.working_copy(folder)
        bench = Workbench.create(copy.folder)
    run.records.append(StageRecord("prepare", "done", seconds=run.seconds["prepare"]))
    stages = StageRun(
        run.registry, copy, models=run.models, cache=run.cache, stopped=run.stop.is_set, records=run.records
    )
    try:
        stages.run()
    finally:
        # Written again at the end; the Solver may take long, and the process may die in it.
        run.log.json(STAGES_FILE, [asdict(record) for record in run.records])
        ran = {"done", "cached", "failed"}
        run.seconds.update((record.name, record.seconds) for record in run.records if record.state in ran)
    for product in stages.products.values():
        run.log.copy_product(product.folder)
    if "catalog" not in stages.products:
        reason = "the run was stopped before the catalog was built"
        return replace(outcome, status="stopped", reason=reason, hint=RESUME_HINT, interrupted=True)
    outcome = replace(outcome, refused=_refused(stages))
    with _timed(run.seconds, "solve"), bench:
        if run.models is None:
            return _offline(run, copy, bench, outcome)
        conditions = Conditions(bench, run.models, run.settings, run.log, run.say, run.stop.is_set)
        attempts = make_attempts(copy, _with_links(run, copy, bench, stages.findings()), conditions)
        outcome = replace(outcome, attempts=tuple(attempts))
        if attempts and attempts[-1].accepted:
            return _answered(outcome, "accepted", bench)
        return _without_acceptance(run, copy, bench, outcome)


def _refused(stages: StageRun) -> tuple[str, ...]:
    """Return what the task goes on without: files that could not be read, and stages that failed."""
    files = [refused for product in stages.products.values() for refused in product.value.get("refused", ())]
    failed = [f"{record.name}: {record.reason}" for record in stages.records if record.state == "failed"]
    return (*files, *failed)


def _with_links(run: _Run, copy: Task, bench: Workbench, findings: Findings) -> Findings:
    """Add what the offline baseline links the question's words to; where that fails the model goes without."""
    if not run.settings.hints or run.stop.is_set():
        return findings
    from dspy_programs.solver.hints import question_links  # noqa: PLC0415 -- loads DSPy

    try:
        # A catalog of its own: with it goes what was looked up.
        with Catalog.open(bench.catalog_path) as catalog:
            return replace(findings, links=question_links(copy, catalog))
    except Exception as error:  # noqa: BLE001 -- hints can be done without
        reason = error.message if isinstance(error, DebrieferError) else f"{type(error).__name__}: {error}"
        _log.warning("%s: the question's words could not be linked: %s", copy.task_id, reason)
        run.log.json("hints.json", {"failed": reason})
        return findings


def _without_acceptance(run: _Run, copy: Task, bench: Workbench, outcome: Outcome) -> Outcome:
    """Answer where no attempt was accepted: by what the last one left, or by the offline baseline."""
    reason = _why(outcome.attempts)
    outcome = replace(outcome, reason=reason, interrupted=run.stop.is_set())
    delivery: Delivery = "unaccepted"
    if not is_regular(bench.prediction_path) and not outcome.interrupted:
        delivery = "fallback"
        result = bench.run()
        run.say(f"{run.task.task_id}: the last script, run once more without a model: {result.status}")
    if is_regular(bench.prediction_path):
        return replace(_answered(outcome, delivery, bench), reason=reason)
    if outcome.interrupted:
        return replace(outcome, status="stopped", hint=RESUME_HINT)
    if run.settings.offline_fallback:
        offline = _offline(run, copy, bench, outcome)
        if offline.status == "answered":
            return replace(offline, reason=f"{reason}; the offline baseline answered")
        reason = f"{reason}; the offline baseline has no answer: {offline.reason}"
    return replace(outcome, status="no output", reason=reason, hint=f"see `{run.log.folder}` for the attempts")


def _offline(run: _Run, copy: Task, bench: Workbench, outcome: Outcome) -> Outcome:
    """Read the question by rule and run its statement in the working copy."""
    # Its lexicons are loaded where they are used.
    from debriefer.offline import Abstention, read_question  # noqa: PLC0415

    outcome = replace(outcome, solver=OFFLINE)
    try:
        reading = read_question(copy, bench.catalog, always_answer=run.settings.always_answer)
        if isinstance(reading, Abstention):
            hint = None if run.settings.always_answer else "run again with `--always-answer` for the best guess"
            return replace(outcome, status="abstained", reason=reading.reason, hint=hint)
        bench.restore()
        outcome = replace(
            outcome, sql=reading.sql, reading=reading.explanation, confidence=round(reading.confidence, 4)
        )
        result = bench.write_query(reading.sql, comment=reading.explanation)
    except DebrieferError as error:
        return replace(outcome, status="failed", reason=error.message, hint=error.hint)
    if result.status != "OK":
        return replace(outcome, status="failed", reason=result.reason or result.status)
    return _answered(outcome, "offline", bench)


def _answered(outcome: Outcome, delivery: Delivery, bench: Workbench) -> Outcome:
    outcome = replace(outcome, status="answered", delivery=delivery)
    try:
        check = check_prediction(bench.prediction_path, 0)
    except WorkbenchError as error:
        # The specification accepts whatever file is there; what is wrong with it is said.
        return replace(outcome, reason=error.message, hint=error.hint)
    return replace(outcome, rows=check.rows, columns=tuple(check.columns))


def _deliver(outcome: Outcome, folder: Path, delivered: Path, log: TaskLog) -> Outcome:
    """Copy the prediction to the output and the program that made it to the logs."""
    workdir = folder / "workdir"
    log.copy(workdir / "solver.py", "solver.py")
    if outcome.status != "answered":
        return outcome
    digest = deliver(workdir / PREDICTION_FILE, delivered)
    return replace(outcome, prediction=str(delivered), digest=digest)


def _run_key(task: Task, models: Models | None, settings: RunSettings, registry: StageRegistry) -> str:
    return value_digest(
        {
            "package": package_version(),
            "task": task_digest(task),
            "models": model_identity(models),
            # A state counts by what it says, wherever it stands.
            "settings": {**settings.to_dict(), "program_states": learned_digests(settings)},
            "stages": registry.versions(),
        }
    )


def _earlier(logs: Path, delivered: Path, key: str) -> Outcome | None:
    """Return the outcome of an earlier run under the same key whose prediction still stands, if there is one."""
    try:
        outcome = Outcome.from_dict(json.loads((logs / OUTCOME_FILE).read_bytes()))
        if outcome.key == key and outcome.final and outcome.digest == file_digest(delivered):
            return replace(outcome, prediction=str(delivered), resumed=True)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _why(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return "the run was stopped before the first attempt"
    last = attempts[-1]
    detail = f": {last.detail}" if last.detail else ""
    first = "the only attempt was rejected" if len(attempts) == 1 else f"all {len(attempts)} attempts were rejected"
    return f"{first}, the last ended by {last.reason}{detail}"


def solver_name(models: Models | None) -> str:
    """Return who answers with these models, as outcomes say it."""
    return OFFLINE if models is None else f"model {models.settings('solver').model}"


@contextlib.contextmanager
def _working_folder(work: str | Path | None) -> Iterator[Path]:
    if work is not None:
        yield Path(work)
        return
    with tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextlib.contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[stage] = round(time.perf_counter() - start, 3)
