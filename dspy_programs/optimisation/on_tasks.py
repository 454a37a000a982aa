"""A program as optimisers see it: asked by the name of a task, so that examples stay small and hold no evidence."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self

import dspy

from debriefer.errors import BudgetExceededError
from debriefer.models import Budget, Call, Meter, Models, metered, neutralise
from dspy_programs.metrics import Graded, Metric

# Runs a program on one prepared task, with the models of the run for whatever the program asks beside its own.
Ask = Callable[[dspy.Module, Models], dspy.Prediction]

# No reply will come, however often it is asked.
_HOPELESS = frozenset({"auth", "billing", "unreachable", "stopped"})
# An endpoint that is ill, or a request that it does not take; one such run may be the fault of its prompt, several are
# not. A prompt that is too long is the program's own.
_ILL = frozenset(
    {"rate_limited", "server_error", "timeout", "transport", "malformed", "invalid", "unsupported", "unexpected"}
)
_ILL_RUNS = 3
_INTERRUPTED = "the run was stopped"
_GO_ON = "start the same command again: what was paid for is not asked again"


# No `Exception`: optimisers swallow these, and go on with scores of answers that were not given.
class OptimisationStopped(BaseException):
    """An optimisation cannot go on; started again it goes on from here.

    Attributes:
        reason: Why, as a sentence.
        hint: What to do about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class BudgetMeter(Meter):
    """A meter that remembers that it refused a request; optimisers would take the refusal for a bad answer.

    Programs are not told how much of it is left: the Solver tells its model, and the same run under a higher bound
    would ask something else.
    """

    refusal: BudgetExceededError | None = None

    def remaining_requests(self) -> int | None:
        """Return `None`: this bound is not the program's."""
        return None

    def remaining_seconds(self) -> float | None:
        """Return `None`, likewise; the next request after the bound is refused."""
        return None

    def check(self) -> None:
        """Raise, and remember, where the next request would be refused."""
        with self._remembered():
            super().check()

    def reserve(self) -> None:
        """Count a request, or raise and remember."""
        with self._remembered():
            super().reserve()

    @contextlib.contextmanager
    def _remembered(self) -> Iterator[None]:
        try:
            yield
        except BudgetExceededError as error:
            self.refusal = error
            raise


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A task that a program can be asked.

    Attributes:
        name: Unique among the tasks of a run.
        question: The question.
        group: What it shares with others, such as a database; tasks of one group stay in one split.
        ask: Runs a program on it.
        labels: Fields of the example that the metric reads.
        shown: What of the right answer an optimiser may show to a model that writes instructions, shortened.
        digest: Differs where the task or what is right differs.
    """

    name: str
    question: str
    group: str
    ask: Ask
    labels: Mapping[str, Any]
    shown: str = ""
    digest: str = ""

    def example(self) -> dspy.Example:
        """Return the task as optimisers see it; what they hand to a model is no more than text there."""
        fields = {"task": self.name, "question": neutralise(self.question), "gold": neutralise(self.shown)}
        return dspy.Example(**fields).with_inputs("task", "question")


class Bench:
    """The tasks of a run and what watches over it; shared by all copies of the program."""

    def __init__(
        self,
        tasks: Sequence[PreparedTask],
        meter: BudgetMeter,
        models: Models,
        *,
        stopped: Callable[[], bool] = lambda: False,
        on_run: Callable[[int], None] = lambda _runs: None,
    ) -> None:
        """Take the tasks.

        Args:
            tasks: All that a program may be asked.
            meter: What all requests are counted against.
            models: The models of the run, behind its journal.
            stopped: Whether the run is to end.
            on_run: Told how many runs have ended, after each.
        """
        self.tasks = {task.name: task for task in tasks}
        self.meter = meter
        self.models = models
        self.runs = 0
        self.cut = 0
        self._stopped = stopped
        self._on_run = on_run
        self._ill = 0
        self._lock = threading.Lock()
        # A working copy holds one run at a time.
        self._busy = {task.name: threading.Lock() for task in tasks}

    def run(self, program: dspy.Module, task: str) -> dspy.Prediction:
        """Run a program on a task.

        Raises:
            OptimisationStopped: The budget is used up, or the endpoint does not answer.
        """
        self.check()
        own = Meter(Budget(requests=None))
        with self._busy[task], metered(own):
            prediction = self.tasks[task].ask(program, self.models)
        self.check()
        self._look_at(own.ledger.calls)
        with self._lock:
            self.runs += 1
            runs = self.runs
        self._on_run(runs)
        return prediction

    def check(self) -> None:
        """Raise where the run is to end: what follows would be scored on answers that were not given.

        Raises:
            OptimisationStopped: The run was stopped, or a request was refused because the budget is used up.
        """
        if self._stopped():
            raise OptimisationStopped(_INTERRUPTED, _GO_ON)
        if self.meter.refusal is not None:
            raise OptimisationStopped(self.meter.refusal.message, f"raise the bound, and {_GO_ON}")

    def _look_at(self, calls: Sequence[Call]) -> None:
        given_up = [call for call, following in zip(calls, [*calls[1:], None], strict=True) if _final(call, following)]
        if not given_up:
            self._ill = 0
            return
        self.cut += 1
        self._ill += 1
        last = given_up[-1]
        if last.status in _HOPELESS or self._ill >= _ILL_RUNS:
            message = f"`{last.endpoint}` does not answer ({last.status}): {last.error}"
            raise OptimisationStopped(message, f"mend it, and {_GO_ON}")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _final(call: Call, following: Call | None) -> bool:
    """Whether a request failed for good with this attempt, by the endpoint's fault."""
    if call.status not in _HOPELESS | _ILL:
        return False
    return following is None or following.attempt <= call.attempt


class OnTasks(dspy.Module):
    """A program that is asked by the name of a task."""

    def __init__(self, program: dspy.Module, bench: Bench) -> None:
        super().__init__()
        self.program = program
        self.bench = bench

    def forward(self, task: str, question: str = "") -> dspy.Prediction:
        """Run the program on a task.

        Args:
            task: Its name.
            question: Not looked at: it stands in the example for the models that write instructions.
        """
        del question
        return self.bench.run(self.program, task)


def metric_on(bench: Bench, metric: Metric) -> Metric:
    """Return the metric for the examples of a bench, whose labels do not stand in the examples."""

    def grade(example: dspy.Example, prediction: dspy.Prediction) -> Graded:
        graded = metric.grade(dspy.Example(**bench.tasks[example.task].labels), prediction)
        # Names of columns stand in it, and GEPA shows it to a model.
        return replace(graded, feedback=neutralise(graded.feedback))

    return Metric(metric.__name__, grade)


def evaluate(program: OnTasks, tasks: Sequence[PreparedTask], metric: Metric, *, threads: int = 1) -> list[Graded]:
    """Run a program once on each task and grade what it gives.

    Not `dspy.Evaluate`: that one asks the last tasks again when they take long, and averages the reasons away.

    Args:
        program: The program.
        tasks: The tasks.
        metric: As `metric_on` gives it.
        threads: Tasks at once.

    Returns:
        A grade a task, in the order of the tasks.

    Raises:
        OptimisationStopped: The budget is used up, or the endpoint does not answer.
    """

    def one(task: PreparedTask) -> Graded:
        example = task.example()
        try:
            prediction = program(**example.inputs())
        except Exception as error:  # noqa: BLE001 -- a program that fails has given no answer
            return Graded(0.0, f"The program failed: {type(error).__name__}: {error}.")
        return metric.grade(example, prediction)

    if threads == 1:
        return [one(task) for task in tasks]
    with ThreadPoolExecutor(threads, thread_name_prefix="evaluation") as pool:
        # DSPy's settings and the meters live in the context of the thread that asks.
        futures = [pool.submit(contextvars.copy_context().run, one, task) for task in tasks]
        return [future.result() for future in futures]
