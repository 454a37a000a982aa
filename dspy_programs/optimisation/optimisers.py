# ruff: noqa: ANN401 -- DSPy has no types
"""DSPy's optimisers behind one door: fixed seeds, sizes by effort, what they will ask told beforehand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import dspy

from debriefer.errors import DebrieferError
from dspy_programs.metrics import Metric
from dspy_programs.optimisation.on_tasks import OnTasks, PreparedTask
from dspy_programs.optimisation.surroundings import repeatable

Optimizer = Literal["bootstrap", "mipro", "gepa", "simba"]
Effort = Literal["light", "medium", "heavy"]
OPTIMIZERS: tuple[str, ...] = get_args(Optimizer)
EFFORTS: tuple[str, ...] = get_args(Effort)
# Of MIPROv2's minibatches; a smaller validation set is looked at whole.
_MINIBATCH = 25
_FULL_EVALUATION_STEPS = 5


class OptimiserError(DebrieferError):
    """An optimiser cannot be run, or failed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an optimiser will do.

    Attributes:
        optimizer: Which one.
        effort: How much it tries.
        runs: Runs of the program, at most.
        prompts: Requests to the model that writes instructions, at most; retries and replies that cannot be read not
            counted.
        settings: What DSPy's class is given.
        train: How many tasks it learns from.
        validation: How many it chooses by; 0 where it chooses by those that it learns from.
    """

    optimizer: Optimizer
    effort: Effort
    runs: int
    prompts: int
    settings: dict[str, Any] = field(default_factory=dict)
    train: int = 0
    validation: int = 0


def divided(tasks: Sequence[PreparedTask], seed: int) -> tuple[list[PreparedTask], list[PreparedTask]]:
    """Divide tasks into those to learn from and those to choose by, half and half, groups kept together.

    One group alone is divided by tasks. The first half is never empty, the second only where there is one task.
    """
    groups: dict[str, list[PreparedTask]] = {}
    for task in tasks:
        groups.setdefault(task.group, []).append(task)
    parts = list(groups.values()) if len(groups) > 1 else [[task] for task in tasks]
    random.Random(seed).shuffle(parts)  # noqa: S311 -- no secret
    chosen: set[str] = set()
    for part in parts[1:]:
        if len(chosen) + len(part) / 2 <= len(tasks) / 2 or not chosen:
            chosen.update(task.name for task in part)
    return [task for task in tasks if task.name not in chosen], [task for task in tasks if task.name in chosen]


def plan(optimizer: Optimizer, effort: Effort, *, predictors: int, train: int, validation: int) -> Plan:
    """Return what an optimiser will do with so many tasks.

    Args:
        optimizer: Which one.
        effort: How much it tries.
        predictors: Predictors of the program.
        train: Tasks to learn from.
        validation: Tasks to choose by.

    Raises:
        OptimiserError: There are too few tasks.
    """
    if train < 1 or validation < 1:
        message = f"{train + validation} tasks are too few to learn from"
        raise OptimiserError(message, hint="give at least two tasks below `--train`")
    level = EFFORTS.index(effort)
    if optimizer == "bootstrap":
        candidates = (2, 6, 12)[level]
        settings: dict[str, Any] = {"num_candidate_programs": candidates, "max_bootstrapped_demos": (3, 4, 6)[level]}
        runs = (candidates + 1) * train + (candidates + 2) * validation
        return Plan(optimizer, effort, runs, 0, settings, train, validation)
    if optimizer == "mipro":
        candidates, trials = (4, 8, 12)[level], (8, 16, 30)[level]
        settings = {"num_candidates": candidates, "num_trials": trials, "max_bootstrapped_demos": (2, 3, 4)[level]}
        batch = min(validation, _MINIBATCH)
        full = validation * (2 + trials // _FULL_EVALUATION_STEPS) if validation > _MINIBATCH else validation
        runs = (candidates - 1) * train + trials * batch + full
        # A summary of the data, and for each predictor and candidate the program, the module and the instruction.
        prompts = 2 + min(10, train // 10) + 3 * predictors * candidates
        return Plan(optimizer, effort, runs, prompts, settings, train, validation)
    if optimizer == "gepa":
        steps = (4, 12, 30)[level] * predictors
        batch = min(3, train)
        # A step looks at a batch twice, and at all tasks to choose by where the batch got better.
        runs = validation + steps * (2 * batch + validation)
        settings = {"max_metric_calls": runs, "reflection_minibatch_size": batch}
        # The last step may begin within the bound and end beyond it.
        prompts = (runs - validation) // (2 * batch) + 1
        return Plan(optimizer, effort, runs + 2 * batch + validation, prompts, settings, train, validation)
    candidates, steps = (3, 4, 6)[level], (3, 6, 8)[level]
    everything = train + validation
    batch = min(everything, (8, 16, 32)[level])
    settings = {"bsize": batch, "num_candidates": candidates, "max_steps": steps, "max_demos": (3, 4, 4)[level]}
    runs = steps * batch * (2 * candidates + 1) + (candidates + 1) * everything
    return Plan(optimizer, effort, runs, steps * (candidates + 1), settings, everything, 0)


@dataclass(frozen=True, slots=True)
class Job:
    """What is compiled.

    Attributes:
        plan: What `plan` gave for as many tasks.
        program: The program; it is not changed.
        train: Tasks to learn from.
        validation: Tasks to choose by.
        metric: As `metric_on` gives it.
        good: The score from which on an answer may serve as a demonstration.
        prompt_lm: The model that writes instructions.
        seed: Of all that is drawn.
        threads: Runs at once. With more than one, equal prompts may change places in the journal, and DSPy runs tasks
            that take longer than two minutes twice.
    """

    plan: Plan
    program: OnTasks
    train: Sequence[PreparedTask]
    validation: Sequence[PreparedTask]
    metric: Metric
    good: float
    prompt_lm: dspy.LM
    seed: int = 0
    threads: int = 1

    def learn(self) -> list[dspy.Example]:
        """Return the examples to learn from."""
        return [task.example() for task in self.train]

    def choose(self) -> list[dspy.Example]:
        """Return the examples to choose by."""
        return [task.example() for task in self.validation]


def compiled(job: Job) -> OnTasks:
    """Compile a program; what the optimiser prints goes to standard output (see `surroundings.logged`).

    Raises:
        OptimiserError: What the optimiser needs is not installed, or it failed.
        OptimisationStopped: The budget is used up, or the endpoint does not answer.
    """
    name = job.plan.optimizer
    # A program that fails on a task scores 0 there; that must not end the search.
    with repeatable(), dspy.context(max_errors=1_000_000):
        try:
            found = _RUNNERS[name](job)
        except ImportError as error:
            message = f"`{name}` needs `{error.name or 'optuna'}`"
            raise OptimiserError(message, hint="pip install 'debriefer[optimize]'") from error
        except DebrieferError:
            raise
        except Exception as error:
            message = f"`{name}` failed: {type(error).__name__}: {error}"
            raise OptimiserError(message, hint="see `optimizer.log` beside the result") from error
    job.program.bench.check()
    return found


def _bootstrap(job: Job) -> OnTasks:
    optimizer = dspy.BootstrapFewShotWithRandomSearch(
        metric=job.metric,
        metric_threshold=job.good,
        max_labeled_demos=0,
        num_threads=job.threads,
        **job.plan.settings,
    )
    # Without -2, examples with labels alone: ours hold no evidence that could be shown. Candidates are seeded by their
    # numbers; the order of the tasks is what the seed decides.
    wanted = [-3, -1, *range(job.plan.settings["num_candidate_programs"])]
    learn = job.learn()
    random.Random(job.seed).shuffle(learn)  # noqa: S311 -- no secret
    found: OnTasks = optimizer.compile(job.program, trainset=learn, valset=job.choose(), restrict=wanted)
    return found


def _mipro(job: Job) -> OnTasks:
    settings = dict(job.plan.settings)
    trials = settings.pop("num_trials")
    optimizer = dspy.MIPROv2(
        metric=job.metric,
        prompt_model=job.prompt_lm,
        auto=None,
        max_labeled_demos=0,
        metric_threshold=job.good,
        num_threads=job.threads,
        # It takes 0 for "none given".
        seed=job.seed + 1,
        track_stats=False,
        **settings,
    )
    choose = job.choose()
    found: OnTasks = optimizer.compile(
        job.program,
        trainset=job.learn(),
        valset=choose,
        num_trials=trials,
        minibatch=len(choose) > _MINIBATCH,
        minibatch_size=min(len(choose), _MINIBATCH),
        minibatch_full_eval_steps=_FULL_EVALUATION_STEPS,
    )
    return found


def _gepa(job: Job) -> OnTasks:
    optimizer = dspy.GEPA(
        metric=job.metric,
        reflection_lm=job.prompt_lm,
        num_threads=job.threads,
        seed=job.seed,
        component_selector=AskedInTurn(job.program),
        add_format_failure_as_feedback=True,
        warn_on_score_mismatch=False,
        **job.plan.settings,
    )
    found: OnTasks = optimizer.compile(job.program, trainset=job.learn(), valset=job.choose())
    return found


def _simba(job: Job) -> OnTasks:
    optimizer = dspy.SIMBA(metric=job.metric, prompt_model=job.prompt_lm, num_threads=job.threads, **job.plan.settings)
    found: OnTasks = optimizer.compile(job.program, trainset=[*job.learn(), *job.choose()], seed=job.seed)
    return found


_RUNNERS: dict[str, Callable[[Job], OnTasks]] = {
    "bootstrap": _bootstrap,
    "mipro": _mipro,
    "gepa": _gepa,
    "simba": _simba,
}


class AskedInTurn:
    """Chooses for GEPA the predictor to rewrite: each in turn, of those that were asked at all.

    GEPA's own turn takes also those of which the runs hold no trace, and fails.
    """

    def __init__(self, program: OnTasks) -> None:
        self._signatures = {name: predictor.signature for name, predictor in program.named_predictors()}
        self._turn = 0

    def __call__(
        self, _state: Any, trajectories: Any, _scores: Any, _candidate_index: int, candidate: dict[str, str]
    ) -> list[str]:
        """Return the name of one predictor."""
        asked = [
            name
            for name, signature in self._signatures.items()
            if any(
                step[0].signature.with_instructions("").equals(signature.with_instructions(""))
                for one in trajectories or ()
                for step in one["trace"]
            )
        ] or list(candidate)
        self._turn += 1
        return [asked[(self._turn - 1) % len(asked)]]
