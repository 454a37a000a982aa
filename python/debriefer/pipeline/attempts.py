"""Attempts of the Solver at one task: accept, or restore and begin anew (specification, section 4.4)."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from debriefer.models import Meter, Models
from debriefer.pipeline.delivery import ATTEMPT_FILE, TURNS_FILE, is_regular
from debriefer.pipeline.learned import learned
from debriefer.pipeline.logs import TaskLog
from debriefer.pipeline.outcome import Attempt
from debriefer.pipeline.settings import RunSettings
from debriefer.pipeline.transcript import attempt_markdown, turn_line, turns_of
from debriefer.task import Task
from debriefer.workbench import Workbench

if TYPE_CHECKING:
    from dspy_programs.oneshot import OneShot
    from dspy_programs.solver import Findings, Solver, SolverResult

_log = logging.getLogger(__name__)
# Refusals that no repetition mends: a wrong key, an empty account.
_HOPELESS = frozenset({"auth", "billing"})


@dataclass(frozen=True, slots=True)
class Conditions:
    """What an attempt works with.

    Attributes:
        bench: The task's workbench.
        models: The language models.
        settings: Bounds.
        log: Where transcripts go.
        say: Told each turn, as one line.
        stopped: Whether the run is to end.
    """

    bench: Workbench
    models: Models
    settings: RunSettings
    log: TaskLog
    say: Callable[[str], None]
    stopped: Callable[[], bool]


def make_attempts(task: Task, findings: Findings, conditions: Conditions) -> list[Attempt]:
    """Let the Solver try until an attempt is accepted, the attempts are used up or no attempt can succeed.

    An attempt is accepted when the run ended without an exception and `workdir/prediction.csv` exists from this
    attempt. Before each one `solver.py` is restored and the prediction deleted. What the last one left stays in place.
    Attempts after the first are told why the last was rejected and are sampled with more variation.

    Args:
        task: The working copy.
        findings: What the stages found out.
        conditions: What the attempts work with.

    Returns:
        All attempts, in order; the last is the accepted one, if any is.
    """
    from dspy_programs.oneshot import OneShot, make_solver  # noqa: PLC0415 -- loads DSPy; runs without a model need none
    from dspy_programs.state import load_state  # noqa: PLC0415 -- as above

    budget = conditions.settings.budget
    requests = 80 if budget.requests is None else budget.requests
    models = conditions.models
    solver = make_solver(
        conditions.settings.solver,
        models.settings("solver"),
        requests=requests,
        compression=models.settings("compression"),
    )
    used, unused = ("oneshot", "solver") if isinstance(solver, OneShot) else ("solver", "oneshot")
    state = learned(conditions.settings, used)
    if state is not None:
        load_state(solver, state)
    left = learned(conditions.settings, unused)
    if left is not None and str(left) in conditions.settings.program_states:
        _log.warning("`%s` is not used: it is of `%s`, and `%s` answers", left.name, unused, used)
    attempts: list[Attempt] = []
    for number in range(1, conditions.settings.attempts + 1):
        if conditions.stopped():
            break
        last = attempts[-1] if attempts else None
        attempt, hopeless = _attempt(number, task, findings, solver, conditions, last)
        attempts.append(attempt)
        if attempt.accepted or hopeless:
            break
    return attempts


def _attempt(
    number: int, task: Task, findings: Findings, solver: Solver | OneShot, conditions: Conditions, last: Attempt | None
) -> tuple[Attempt, bool]:
    """Make one attempt and log it; say also whether further ones are hopeless."""
    from dspy_programs.solver import Retry  # noqa: PLC0415

    retry = None if last is None else Retry(number, last.reason, last.detail)
    bench, models, log = conditions.bench, conditions.models, conditions.log
    bench.restore()
    meter = Meter(conditions.settings.budget)
    folder = f"attempts/{number}"
    turns: list[Any] = []

    def on_turn(turn: Any) -> None:  # noqa: ANN401 -- a turn of the Solver
        turns.append(turn)
        value = turns_of([turn])[0]
        log.line(f"{folder}/{TURNS_FILE}", value)
        note()
        conditions.say(f"{task.task_id}: attempt {number}, turn {turn.number}: {turn_line(value)}")

    began = time.perf_counter()

    def note() -> None:
        # What is known of the attempt if the process dies in it.
        cut = _summed(number, meter, len(turns), time.perf_counter() - began, left=is_regular(bench.prediction_path))
        log.json(f"{folder}/{ATTEMPT_FILE}", asdict(replace(cut, reason="stopped", detail="cut off")))
        log.json(f"{folder}/calls.json", meter.ledger.to_dict())

    result: SolverResult | None = None
    error: Exception | None = None
    note()
    try:
        with models.using("solver", meter):
            compression = models.lm("compression")
            result = solver(
                work=task.folder, findings=findings, retry=retry, compression_lm=compression, on_turn=on_turn
            ).result
    except Exception as caught:  # noqa: BLE001 -- an exception ends the attempt, not the task
        error = caught
        _log.warning("%s: attempt %d ended by an exception", task.task_id, number, exc_info=True)
    finally:
        bench.close()
    left = is_regular(bench.prediction_path)
    attempt = _summed(number, meter, len(turns), time.perf_counter() - began, left=left)
    attempt = _judged(attempt, result, error, stopped=conditions.stopped())
    transcript: dict[str, Any] = {"turns": turns_of(turns)} if result is None else result.to_dict()
    if error is not None:
        transcript["exception"] = "".join(traceback.format_exception(error))
    log.json(f"{folder}/transcript.json", {"question": task.question, **transcript})
    log.json(f"{folder}/calls.json", meter.ledger.to_dict())
    log.json(f"{folder}/{ATTEMPT_FILE}", asdict(attempt))
    try:
        text = attempt_markdown(task.task_id, task.question, attempt, transcript)
    except (KeyError, TypeError, ValueError) as fault:
        # The page is for people; the attempt must not be lost with it.
        text = f"This transcript cannot be shown ({fault!r}); `transcript.json` has all of it.\n"
    log.text(f"{folder}/transcript.md", text)
    log.copy(bench.solver_path, f"{folder}/solver.py")
    log.remove(f"{folder}/{TURNS_FILE}")
    conditions.say(
        f"{task.task_id}: attempt {number} "
        + (
            "accepted"
            if attempt.accepted
            else f"rejected: {attempt.reason}{': ' * bool(attempt.detail)}{attempt.detail}"
        )
    )
    calls = meter.ledger.calls
    return attempt, attempt.reason == "model error" and bool(calls) and calls[-1].status in _HOPELESS


def _summed(number: int, meter: Meter, turns: int, seconds: float, *, left: bool) -> Attempt:
    totals = meter.totals()
    return Attempt(
        number=number,
        accepted=False,
        reason="",
        turns=turns,
        requests=meter.requests,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        cached_tokens=totals.cached_tokens,
        cost=totals.to_dict()["cost"] if totals.requests else None,
        seconds=round(seconds, 3),
        prediction=left,
    )


def _judged(attempt: Attempt, result: SolverResult | None, error: Exception | None, *, stopped: bool) -> Attempt:
    if result is None:
        first = (str(error).strip() or "no message").splitlines()[0]
        return replace(attempt, reason="stopped" if stopped else "exception", detail=f"{type(error).__name__}: {first}")
    if not result.finished:
        reason = "stopped" if stopped else result.reason
        return replace(attempt, reason=reason, detail=result.detail)
    if not attempt.prediction:
        return replace(attempt, reason="no prediction", detail="the run ended without a `prediction.csv`")
    return replace(attempt, accepted=True, reason="finished")
