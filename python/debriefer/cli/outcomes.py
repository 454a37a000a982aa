"""How outcomes are shown, and which exit code they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from debriefer.cli import exit_codes
from debriefer.cli.console import messages
from debriefer.pipeline import Outcome, Status

_STYLES: dict[Status, str] = {"answered": "green", "abstained": "yellow", "failed": "red"}


def show_outcome(outcome: Outcome) -> None:
    """Say on stderr what became of one task, and who answered."""
    style = _STYLES[outcome.status]
    messages.print(
        Text.assemble((outcome.task_id, "bold"), " ", (outcome.status, style), f" by the {outcome.solver} (no model)"),
        soft_wrap=True,
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


def show_summary(outcomes: Sequence[Outcome]) -> None:
    """Print one line a task and the totals on stderr."""
    table = Table(box=None, pad_edge=False)
    for header in ("task", "status", "rows", "seconds", "reason"):
        table.add_column(header, justify="right" if header in {"rows", "seconds"} else "left")
    for outcome in outcomes:
        table.add_row(
            Text(outcome.task_id),
            Text(outcome.status, style=_STYLES[outcome.status]),
            "" if outcome.rows is None else str(outcome.rows),
            f"{sum(outcome.seconds.values()):.1f}",
            Text(outcome.reason or ""),
        )
    messages.print(table)
    counts = Counter(outcome.status for outcome in outcomes)
    parts = ", ".join(f"{counts[status]} {status}" for status in _STYLES)
    messages.print(f"{len(outcomes)} tasks by the offline baseline (no model): {parts}")


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 1 if a task failed, else 3 if one abstained, else 0."""
    statuses = {outcome.status for outcome in outcomes}
    if "failed" in statuses:
        return exit_codes.FAILED
    return exit_codes.ABSTAINED if "abstained" in statuses else exit_codes.OK


def prediction_text(outcome: Outcome) -> str | None:
    """Return the delivered CSV, or `None` where there is none."""
    return None if outcome.prediction is None else Path(outcome.prediction).read_text(encoding="utf-8")
