"""How outcomes are shown, and which exit code they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from debriefer.cli import exit_codes
from debriefer.cli.console import messages
from debriefer.pipeline import Attempt, Outcome, Status
from debriefer.pipeline.outcome import OFFLINE
from debriefer.pipeline.transcript import counted

_STYLES: dict[Status, str] = {
    "answered": "green",
    "abstained": "yellow",
    "no output": "red",
    "failed": "red",
    "stopped": "yellow",
}
_WIDE = 140
_NUMBERS = ("rows", "tries", "requests", "in", "out", "cached", "cost", "seconds")


def show_outcome(outcome: Outcome) -> None:
    """Say on stderr what became of one task, and who answered."""
    style = _STYLES[outcome.status]
    messages.print(
        Text.assemble((outcome.task_id, "bold"), " ", (outcome.status, style), f" by {by(outcome)}"), soft_wrap=True
    )
    for label, value in (
        ("reading", outcome.reading),
        ("sql", outcome.sql),
        ("prediction", outcome.prediction),
        ("reason", outcome.reason),
        ("hint", outcome.hint),
    ):
        if value is not None:
            messages.print(Text(f"  {label}: {value}"), soft_wrap=True)
    if outcome.confidence is not None:
        messages.print(Text(f"  confidence: {outcome.confidence:.2f}"))
    for refused in outcome.refused:
        messages.print(Text.assemble(("  not read: ", "yellow"), refused), soft_wrap=True)


def by(outcome: Outcome) -> str:
    """Return who answered, or tried to, in words."""
    if outcome.solver == OFFLINE:
        after = f", after {len(outcome.attempts)} attempts of a model" if outcome.attempts else ""
        return f"the {OFFLINE} (no model){after}"
    tries = f"{len(outcome.attempts)} attempt{'' if len(outcome.attempts) == 1 else 's'}"
    how = {
        "accepted": f"accepted, {tries}",
        "fallback": f"the last script run once more, {tries}",
        "unaccepted": f"left by an attempt that was not accepted, {tries}",
    }
    return f"{outcome.solver} ({how.get(outcome.delivery or '', tries)})"


def show_attempts(outcome: Outcome) -> None:
    """Say on stderr what each attempt of the model used."""
    for attempt in outcome.attempts:
        verdict = "accepted" if attempt.accepted else f"rejected: {attempt.reason}"
        cost = "" if attempt.cost is None else f", cost {attempt.cost:.4g}"
        messages.print(
            Text(
                f"  attempt {attempt.number}: {verdict}, {counted(attempt.turns, 'turn')}, "
                f"{counted(attempt.requests, 'request')}, "
                f"{attempt.input_tokens} tokens in ({attempt.cached_tokens} cached), {attempt.output_tokens} out{cost}"
                f", {attempt.seconds:.1f} s"
            ),
            soft_wrap=True,
        )


def show_summary(outcomes: Sequence[Outcome]) -> None:
    """Print one line a task, the time by stage and the totals on stderr."""
    with_model = any(outcome.attempts for outcome in outcomes)
    headers = ["task", "status", "rows", "seconds", "reason"]
    if with_model:
        headers = ["task", "status", "by", "tries", "requests", "in", "out", "cached", "cost", "seconds"]
    table = Table(box=None, pad_edge=False)
    for header in headers:
        table.add_column(header, justify="right" if header in _NUMBERS else "left", no_wrap=header != "reason")
    for outcome in outcomes:
        cells = _cells(outcome)
        table.add_row(*(cells[header] for header in headers))
    if with_model and len(outcomes) > 1:
        table.add_section()
        table.add_row(*(_totals(outcomes).get(header, "") for header in headers))
    # Figures that are cut are worth nothing: a narrow terminal may wrap the lines.
    wide = Console(stderr=True, highlight=False, width=max(messages.width, _WIDE))
    (wide if with_model else messages).print(table)
    for outcome in outcomes if with_model else ():
        if outcome.reason is not None:
            messages.print(Text(f"{outcome.task_id}: {outcome.reason}"), soft_wrap=True)
    stages: Counter[str] = Counter()
    for outcome in outcomes:
        if not outcome.resumed:
            stages.update(outcome.seconds)
    if stages:
        messages.print(Text("seconds by stage: " + ", ".join(f"{name} {value:.1f}" for name, value in stages.items())))
    counts = Counter(outcome.status for outcome in outcomes)
    shown = [status for status in _STYLES if counts[status] or status in {"answered", "abstained", "failed"}]
    parts = ", ".join(f"{counts[status]} {status}" for status in shown)
    resumed = sum(outcome.resumed for outcome in outcomes)
    again = f" ({resumed} from an earlier run)" if resumed else ""
    solvers = sorted({outcome.solver for outcome in outcomes})
    who = f"the {OFFLINE} (no model)" if solvers == [OFFLINE] and not with_model else " and ".join(solvers)
    messages.print(Text(f"{len(outcomes)} tasks by {who}: {parts}{again}"), soft_wrap=True)


def _cells(outcome: Outcome) -> dict[str, Text | str]:
    attempts = outcome.attempts
    return {
        "task": Text(outcome.task_id),
        "status": Text(outcome.status, style=_STYLES[outcome.status]),
        "by": Text(outcome.delivery or ""),
        "rows": "" if outcome.rows is None else str(outcome.rows),
        **_spent(attempts),
        "seconds": f"{sum(outcome.seconds.values()):.1f}",
        "reason": Text(outcome.reason or ""),
    }


def _spent(attempts: Sequence[Attempt]) -> dict[str, str]:
    costs = [attempt.cost for attempt in attempts if attempt.cost is not None]
    return {
        "tries": str(len(attempts)),
        "requests": str(sum(attempt.requests for attempt in attempts)),
        "in": str(sum(attempt.input_tokens for attempt in attempts)),
        "out": str(sum(attempt.output_tokens for attempt in attempts)),
        "cached": str(sum(attempt.cached_tokens for attempt in attempts)),
        "cost": f"{sum(costs):.4g}" if costs else "",
    }


def _totals(outcomes: Sequence[Outcome]) -> dict[str, str]:
    attempts = [attempt for outcome in outcomes for attempt in outcome.attempts]
    return {
        "task": "all",
        **_spent(attempts),
        "seconds": f"{sum(sum(outcome.seconds.values()) for outcome in outcomes):.1f}",
    }


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 4 if the run was stopped, else 1 if a task failed or gave no output, else 3 if one abstained, else 0."""
    statuses = {outcome.status for outcome in outcomes}
    if "stopped" in statuses or any(outcome.interrupted for outcome in outcomes):
        return exit_codes.STOPPED
    if statuses & {"failed", "no output"}:
        return exit_codes.FAILED
    return exit_codes.ABSTAINED if "abstained" in statuses else exit_codes.OK


def prediction_text(outcome: Outcome) -> str | None:
    """Return the delivered CSV, or `None` where there is none."""
    if outcome.prediction is None:
        return None
    return Path(outcome.prediction).read_text(encoding="utf-8", errors="replace")
