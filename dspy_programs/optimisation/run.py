"""One optimisation from labelled tasks to a folder: estimate, before, compile, after, and what that supports."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import dspy

from debriefer import __version__
from debriefer.models import Budget, Journal, Models
from dspy_programs.metrics import Graded
from dspy_programs.optimisation.comparison import LEVEL, RESAMPLES, Comparison, compare
from dspy_programs.optimisation.estimate import Estimate, estimated
from dspy_programs.optimisation.on_tasks import Bench, BudgetMeter, OnTasks, PreparedTask, evaluate, metric_on
from dspy_programs.optimisation.optimisers import Effort, Job, OptimiserError, Optimizer, Plan, compiled, divided, plan
from dspy_programs.optimisation.programs import Compilable
from dspy_programs.optimisation.report import markdown
from dspy_programs.optimisation.surroundings import logged
from dspy_programs.state import load_state, save_state

STATE_FILE = "state.json"
RESULT_FILE = "result.json"
REPORT_FILE = "report.md"
SETTINGS_FILE = "run.json"
CALLS_FILE = "calls.jsonl"
LOG_FILE = "optimizer.log"
# How often progress is told.
_TELL_SECONDS = 5.0

Status = Literal["improved", "not_supported", "worse"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a program is compiled.

    Attributes:
        optimizer: Which optimiser.
        effort: How much it tries.
        seed: Of everything that is drawn.
        threads: Runs of the program at once.
        metric: Name of one of the program's metrics; `None` for its first.
        budget: Bounds on the whole: before, compiling and after together.
    """

    optimizer: Optimizer
    effort: Effort = "light"
    seed: int = 0
    threads: int = 1
    metric: str | None = None
    budget: Budget = field(default_factory=lambda: Budget(requests=None))


@dataclass(frozen=True, slots=True)
class TaskChange:
    """A development task before and after.

    Attributes:
        task: Its name.
        group: Its group.
        before: The grade before.
        after: The grade after.
    """

    task: str
    group: str
    before: Graded
    after: Graded


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an optimisation.

    Attributes:
        status: `improved` only where the development tasks support it; `not_supported` or `worse` else. The state is
            saved in any case and says so.
        comparison: The scores of the development tasks.
        changes: Task by task.
        parts: The mean of each single figure, before and after.
        values: The whole record, as `result.json` holds it.
        state: The file of learned state.
        program: The compiled program itself, as the optimiser left it.
    """

    status: Status
    comparison: Comparison
    changes: tuple[TaskChange, ...]
    parts: dict[str, tuple[float, float]]
    values: dict[str, Any]
    state: Path
    program: dspy.Module


@dataclass(frozen=True, slots=True)
class _Measured:
    """What was found before anything is made of it."""

    before: list[Graded]
    after: list[Graded]
    program: dspy.Module
    runs: int
    warnings: list[str]


class Optimisation:
    """An optimisation in a folder; the same one started again goes on where it was."""

    def __init__(
        self,
        entry: Compilable,
        settings: Settings,
        train: Sequence[PreparedTask],
        dev: Sequence[PreparedTask],
        models: Models,
        folder: str | Path,
        *,
        say: Callable[[str], None] = lambda _line: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Check what is given and plan; nothing is asked and nothing written yet.

        Args:
            entry: The program.
            settings: How.
            train: Tasks to learn from and to choose by.
            dev: Tasks that are looked at before and after alone.
            models: Asked in the program's role, and in the role `reflection` to write instructions.
            folder: For everything that comes of it.
            say: Told what happens, a line at a time.
            stopped: Whether the run is to end.

        Raises:
            OptimiserError: Tasks or groups stand on both sides, or are too few; the metric is none of the program's;
                cost is bounded and prices are not known.
        """
        self.entry = entry
        self.settings = settings
        self.folder = Path(folder)
        self._models = models
        self._say = say
        self._stopped = stopped
        name = settings.metric or next(iter(entry.metrics))
        if name not in entry.metrics:
            message = f"`{name}` is no metric of `{entry.name}`"
            raise OptimiserError(message, hint=f"the metrics are {', '.join(entry.metrics)}")
        self.metric_name = name
        for role in (entry.role, "reflection"):
            if settings.budget.cost is not None and not _priced(models, role):
                message = f"a bound on cost needs the prices of `{models.settings(role).model}`"
                raise OptimiserError(
                    message, hint="set `MODEL_INPUT_PRICE` and `MODEL_OUTPUT_PRICE`, per million tokens"
                )
        _apart(train, dev)
        train, self._dev = _named_apart(train, dev)
        self._train, self._validation = divided(train, settings.seed)
        self.plan: Plan = plan(
            settings.optimizer,
            settings.effort,
            predictors=len(entry.build(models).predictors()),
            train=len(self._train),
            validation=len(self._validation),
        )
        self.estimate: Estimate = estimated(entry, self.plan, len(self._dev), models)

    def run(self) -> Result:
        """Measure, compile, measure again, and write what came of it.

        Raises:
            OptimiserError: The folder holds another optimisation, or the optimiser failed.
            OptimisationStopped: The budget is used up, the endpoint does not answer or the run was stopped; what was
                paid for is kept.
            ModelError: The journal of the folder cannot be used.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._same_run()
        began = time.monotonic()
        with Journal(self.folder / CALLS_FILE) as journal:
            if journal.paid.requests:
                self._say(f"{journal.paid.requests} replies of an earlier run are there; they are not asked for again")
            measured = self._measured(self._models.journalled(journal), journal)
            cost = {**asdict(journal.paid), "seconds": round(time.monotonic() - began, 1)}
        return self._written(measured, cost)

    def _measured(self, models: Models, journal: Journal) -> _Measured:
        settings, meter = self.settings, BudgetMeter(self.settings.budget)
        progress = _Progress(self._say, journal)
        bench = Bench(
            [*self._train, *self._validation, *self._dev], meter, models, stopped=self._stopped, on_run=progress.ran
        )
        metric = metric_on(bench, self.entry.metrics[self.metric_name])
        program = self.entry.build(models)
        with models.using(self.entry.role, meter), logged(self.folder / LOG_FILE):
            progress.phase("before", len(self._dev))
            before = evaluate(OnTasks(program, bench), self._dev, metric, threads=settings.threads)
            self._say(f"before: {_mean(before):.3f} on {len(before)} tasks")
            self.estimate = self.estimate.measured(meter.totals(), max(1, bench.runs))
            self._say(f"measured: {self.estimate}")
            progress.phase(settings.optimizer, self.plan.runs)
            found = compiled(
                Job(
                    self.plan,
                    OnTasks(program, bench),
                    self._train,
                    self._validation,
                    metric,
                    self.entry.good,
                    models.lm("reflection"),
                    settings.seed,
                    settings.threads,
                )
            )
            runs = bench.runs - len(self._dev)
            # What is measured is what the file holds.
            state = self.folder / STATE_FILE
            save_state(found.program, state, record={"status": "not measured"})
            fresh = self.entry.build(models)
            load_state(fresh, state)
            progress.phase("after", len(self._dev))
            after = evaluate(OnTasks(fresh, bench), self._dev, metric, threads=settings.threads)
        self._say(f"after: {_mean(after):.3f} on {len(after)} tasks")
        changed = found.program.dump_state() != self.entry.build(models).dump_state()
        warnings = self._warnings(models, bench, changed=changed)
        return _Measured(before, after, found.program, runs, warnings)

    def _written(self, found: _Measured, cost: dict[str, Any]) -> Result:
        before, after = [one.score for one in found.before], [one.score for one in found.after]
        comparison = compare(before, after, seed=self.settings.seed)
        status: Status = "improved" if comparison.supported else "worse" if comparison.worse else "not_supported"
        changes = tuple(
            TaskChange(task.name, task.group, old, new)
            for task, old, new in zip(self._dev, found.before, found.after, strict=True)
        )
        parts = _parts(changes)
        described = self._described()
        record = {
            "status": status,
            "optimizer": self.settings.optimizer,
            "effort": self.settings.effort,
            "seed": self.settings.seed,
            "metric": self.metric_name,
            "model": described["model"],
            "dev": described["dev"],
            **_figures(comparison),
        }
        state = self.folder / STATE_FILE
        save_state(found.program, state, record=record)
        values = {
            "status": status,
            "program": self.entry.name,
            "scores": {**_figures(comparison), "level": LEVEL, "resamples": RESAMPLES},
            "parts": {name: {"before": old, "after": new} for name, (old, new) in parts.items()},
            "tasks": [_change(change) for change in changes],
            "cost": cost,
            "program_runs": found.runs,
            "estimate": self.estimate.to_dict(),
            "settings": {**described, "budget": asdict(self.settings.budget), "plan": asdict(self.plan)},
            "tasks_of": {
                "train": [task.name for task in self._train],
                "validation": [task.name for task in self._validation],
                "dev": [task.name for task in self._dev],
            },
            "state": {"file": STATE_FILE, "sha256": hashlib.sha256(state.read_bytes()).hexdigest()},
            "versions": {"debriefer": __version__, "dspy": metadata.version("dspy")},
            "warnings": found.warnings,
        }
        result = Result(status, comparison, changes, parts, values, state, found.program)
        (self.folder / REPORT_FILE).write_text(markdown(result), encoding="utf-8")
        _write(self.folder / RESULT_FILE, values)
        return result

    def _same_run(self) -> None:
        """Refuse a folder that holds another optimisation; bounds may be raised."""
        path = self.folder / SETTINGS_FILE
        ours = self._described()
        if path.is_file():
            try:
                theirs: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                changed = sorted(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
            except (ValueError, TypeError) as error:
                message = f"`{path}` cannot be read"
                raise OptimiserError(message, hint="name another folder with `--output`") from error
            if changed:
                message = f"`{self.folder}` holds another optimisation: {', '.join(changed)} differ"
                raise OptimiserError(message, hint="name another folder with `--output`")
        elif (self.folder / CALLS_FILE).exists() or (self.folder / STATE_FILE).exists():
            message = f"`{self.folder}` holds something else"
            raise OptimiserError(message, hint="name another folder with `--output`")
        _write(path, ours)

    def _described(self) -> dict[str, Any]:
        """Return what makes this optimisation the one it is: the same values ask the same things."""
        return {
            "program": self.entry.name,
            "optimizer": self.settings.optimizer,
            "effort": self.settings.effort,
            "seed": self.settings.seed,
            "threads": self.settings.threads,
            "metric": self.metric_name,
            "model": {role: _model(self._models, role) for role in (self.entry.role, "reflection")},
            "train": _digest([*self._train, *self._validation]),
            "dev": _digest(self._dev),
            "package": __version__,
        }

    def _warnings(self, models: Models, bench: Bench, *, changed: bool) -> list[str]:
        """Return what makes the result doubtful though nothing failed outright."""
        warnings = []
        if not changed:
            warnings.append("the optimiser left the program as it was")
        if bench.cut:
            warnings.append(f"{bench.cut} runs of the program were cut short by an endpoint that failed")
        written = models.ledger.by_role().get("reflection")
        if written is not None and written.requests and written.failures == written.requests:
            warnings.append("the model that writes instructions never answered")
        for warning in warnings:
            self._say(f"warning: {warning}")
        return warnings


class _Progress:
    """Tells how far a phase is, now and then."""

    def __init__(self, say: Callable[[str], None], journal: Journal) -> None:
        self._say = say
        self._journal = journal
        self._name, self._runs, self._begun, self._told = "", 0, 0, 0.0
        self._all = 0

    def phase(self, name: str, runs: int) -> None:
        """Begin a phase of at most so many runs."""
        self._name, self._runs, self._begun, self._told = name, runs, self._all, time.monotonic()
        self._say(f"{name}: at most {runs} runs of the program")

    def ran(self, runs: int) -> None:
        """A run has ended."""
        self._all = runs
        if time.monotonic() - self._told >= _TELL_SECONDS:
            self._told = time.monotonic()
            paid = self._journal.paid
            cost = "" if paid.cost is None else f", {paid.cost:.4f} spent"
            self._say(
                f"{self._name}: {runs - self._begun} of at most {self._runs} runs; {paid.requests} requests paid, "
                f"{paid.replayed} replayed{cost}"
            )


def _apart(train: Sequence[PreparedTask], dev: Sequence[PreparedTask]) -> None:
    """Refuse tasks, and groups of tasks, that are learned from and measured on.

    Two sets that were numbered alike share names, and groups named after tasks, without sharing tasks.
    """
    if not dev:
        message = "there is no task to measure on"
        raise OptimiserError(message, hint="give tasks below `--dev`")
    learned = {task.name: task.digest for task in train}
    both = sorted(task.name for task in dev if learned.get(task.name) == task.digest)
    if both:
        message = f"`{both[0]}` is learned from and measured on"
        raise OptimiserError(message, hint="divide the set with `debriefer dataset split`")
    alike = {task.name for task in dev if task.name in learned}
    groups = sorted(({task.group for task in train} & {task.group for task in dev}) - alike)
    if groups:
        message = f"tasks of `{groups[0]}` are learned from and measured on"
        raise OptimiserError(message, hint="divide the set by database, with `debriefer dataset split`")


def _named_apart(
    train: Sequence[PreparedTask], dev: Sequence[PreparedTask]
) -> tuple[list[PreparedTask], list[PreparedTask]]:
    """Return the tasks under names that are unique over both sets."""
    both = {task.name for task in train} & {task.name for task in dev}

    def renamed(tasks: Sequence[PreparedTask], prefix: str) -> list[PreparedTask]:
        return [replace(task, name=f"{prefix}/{task.name}") if task.name in both else task for task in tasks]

    return renamed(train, "train"), renamed(dev, "dev")


def _priced(models: Models, role: str) -> bool:
    settings = models.settings(role)
    return settings.input_price is not None and settings.output_price is not None


def _model(models: Models, role: str) -> dict[str, Any]:
    """Return what of a model decides about its replies: neither addresses nor prices."""
    values = models.settings(role).to_dict()
    left_out = ("base_urls", "timeout_seconds", "input_price", "output_price", "cached_price")
    return {key: value for key, value in values.items() if key not in left_out}


def _digest(tasks: Sequence[PreparedTask]) -> str:
    text = json.dumps(sorted((task.name, task.group, task.digest) for task in tasks), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _mean(grades: Sequence[Graded]) -> float:
    return sum(grade.score for grade in grades) / len(grades)


def _parts(changes: Sequence[TaskChange]) -> dict[str, tuple[float, float]]:
    """Return the mean of each figure over the tasks that have it."""
    found: dict[str, tuple[float, float]] = {}
    for name in sorted({part for change in changes for grade in (change.before, change.after) for part in grade.parts}):
        old = [change.before.parts[name] for change in changes if name in change.before.parts]
        new = [change.after.parts[name] for change in changes if name in change.after.parts]
        found[name] = (sum(old) / len(old) if old else 0.0, sum(new) / len(new) if new else 0.0)
    return found


def _figures(comparison: Comparison) -> dict[str, Any]:
    return {
        "n": comparison.n,
        "before": comparison.before,
        "before_interval": list(asdict(comparison.before_interval).values()),
        "after": comparison.after,
        "after_interval": list(asdict(comparison.after_interval).values()),
        "difference": comparison.difference,
        "difference_interval": list(asdict(comparison.difference_interval).values()),
        "p_value": comparison.p_value,
    }


def _change(change: TaskChange) -> dict[str, Any]:
    return {
        "task": change.task,
        "group": change.group,
        "before": change.before.score,
        "after": change.after.score,
        "difference": change.after.score - change.before.score,
        "before_feedback": change.before.feedback,
        "after_feedback": change.after.feedback,
    }


def _write(path: Path, values: dict[str, Any]) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    partial.replace(path)
