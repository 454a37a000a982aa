"""`debriefer run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console, exit_codes
from debriefer.cli.outcomes import exit_code, prediction_text, show_summary
from debriefer.errors import DebrieferError
from debriefer.pipeline import Outcome, find_tasks
from debriefer.pipeline import run as run_tasks
from debriefer.task import Task


def run(
    tasks: Annotated[Path, typer.Argument(help="Folder of task folders.")],
    output: Annotated[Path, typer.Argument(help="Folder for `<task>/prediction.csv` and `logs/`.")],
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Worker processes.")] = min(os.cpu_count() or 1, 4),
    work: Annotated[Path | None, typer.Option(help="Keep the working copies here.")] = None,
    always_answer: Annotated[
        bool, typer.Option("--always-answer", help="Give the best guess where no reading is confident.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Print each question and its prediction.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON, one a line.")] = False,
) -> None:
    """Answer every task of a folder without a model.

    One task can never stop another. Exit code 3 if some were abstained from, 1 if some failed.
    """
    folders = find_tasks(tasks)

    def progress(outcome: Outcome) -> None:
        console.messages.print(Text(f"{outcome.task_id}: {outcome.status}"), style="dim")

    outcomes = run_tasks(
        folders, output, jobs=jobs, work=work, always_answer=always_answer, on_outcome=None if show else progress
    )
    for folder, outcome in zip(folders, outcomes, strict=True):
        if as_json:
            console.data_json(outcome.to_dict())
        elif show:
            _show(folder, outcome)
    show_summary(outcomes)
    code = exit_code(outcomes)
    if code != exit_codes.OK:
        raise typer.Exit(code)


def _show(folder: Path, outcome: Outcome) -> None:
    try:
        question = Task.open(folder).question
    except DebrieferError:
        question = ""
    console.data(f"{outcome.task_id}  {question}")
    text = prediction_text(outcome)
    body = text if text is not None else f"{outcome.status}: {outcome.reason}"
    console.data("".join(f"    {line}\n" for line in body.splitlines()))
