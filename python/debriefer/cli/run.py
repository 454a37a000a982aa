"""`debriefer run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.cli.outcomes import exit_code, prediction_text, show_summary
from debriefer.errors import DebrieferError
from debriefer.pipeline import Outcome, find_tasks
from debriefer.pipeline import run as run_tasks
from debriefer.task import Task

# A task with a model waits for replies and for its own tools in turn: twice the requests at once keep both busy.
_MODEL_JOBS = 16


def run(
    tasks: Annotated[Path, typer.Argument(help="Folder of task folders.")],
    output: Annotated[Path, typer.Argument(help="Folder for `<task>/prediction.csv` and `logs/`.")],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Tasks at once; the cores, at most 4, by default, 16 with a model.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on: leave what was delivered under the same inputs and settings.")
    ] = False,
    lm: options.Lm = None,
    offline: options.Offline = False,
    work: Annotated[Path | None, typer.Option(help="Keep the working copies here.")] = None,
    always_answer: options.AlwaysAnswer = False,
    attempts: options.Attempts = options.ATTEMPTS,
    max_requests: options.MaxRequests = options.REQUESTS,
    max_seconds: options.MaxSeconds = options.SECONDS,
    max_tokens: options.MaxTokens = None,
    max_cost: options.MaxCost = None,
    offline_fallback: options.Fallback = True,
    cache: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    speech_model: options.SpeechModel = None,
    verbose: options.Verbose = False,
    show: Annotated[bool, typer.Option("--show", help="Print each question and its prediction.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON, one a line.")] = False,
) -> None:
    """Answer every task of a folder, with a model where one is configured.

    One task can never stop another. Exit code 3 if some were abstained from, 1 if some gave no output or failed, 4 if
    the run was stopped by SIGTERM or SIGINT: what was done is delivered, and `--resume` goes on.
    """
    folders = find_tasks(tasks)
    choice = options.choice_of(lm, offline=offline)
    with_model = choice is not None and choice.load() is not None

    def progress(outcome: Outcome) -> None:
        again = " (from an earlier run)" if outcome.resumed else ""
        console.messages.print(Text(f"{outcome.task_id}: {outcome.status}{again}"), style="dim")

    def say(line: str) -> None:
        console.messages.print(Text(line), style="dim", soft_wrap=True)

    outcomes = run_tasks(
        folders,
        output,
        choice=choice,
        settings=options.settings_of(
            attempts=attempts,
            max_requests=max_requests,
            max_seconds=max_seconds,
            max_tokens=max_tokens,
            max_cost=max_cost,
            offline_fallback=offline_fallback,
            always_answer=always_answer,
            speech_model=speech_model,
        ),
        jobs=jobs or (_MODEL_JOBS if with_model else min(os.cpu_count() or 1, 4)),
        work=work,
        cache=options.cache_of(cache, output, no_cache=no_cache),
        resume=resume,
        on_outcome=None if show else progress,
        say=say if verbose else None,
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
