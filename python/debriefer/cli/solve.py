"""`debriefer solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from debriefer.cli import console, exit_codes
from debriefer.cli.outcomes import exit_code, show_outcome
from debriefer.pipeline import solve as solve_task


def solve(
    task: Annotated[Path, typer.Argument(help="Task folder: `task.json` and `context/`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the prediction and the log.")] = Path(
        "debriefer-out"
    ),
    work: Annotated[Path | None, typer.Option(help="Keep the working copy (catalog, `solver.py`) here.")] = None,
    always_answer: Annotated[
        bool, typer.Option("--always-answer", help="Give the best guess where no reading is confident.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON instead of the CSV.")] = False,
) -> None:
    """Answer one task without a model, and print its prediction as CSV.

    The offline baseline reads the question by rule. Where it is not confident it abstains: exit code 3.
    """
    outcome = solve_task(task, output, work=work, always_answer=always_answer)
    show_outcome(outcome)
    if as_json:
        console.data_json(outcome.to_dict())
    elif outcome.prediction is not None:
        console.data(Path(outcome.prediction).read_text(encoding="utf-8"))
    code = exit_code([outcome])
    if code != exit_codes.OK:
        raise typer.Exit(code)
