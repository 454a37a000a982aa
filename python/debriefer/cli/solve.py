"""`debriefer solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.cli.outcomes import exit_code, show_attempts, show_outcome
from debriefer.pipeline import solve as solve_task
from debriefer.pipeline.worker import set_up_logging


def solve(
    task: Annotated[Path, typer.Argument(help="Task folder: `task.json` and `context/`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the prediction and the log.")] = Path(
        "debriefer-out"
    ),
    lm: options.Lm = None,
    offline: options.Offline = False,
    work: Annotated[Path | None, typer.Option(help="Keep the working copy (catalog, `solver.py`) here.")] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON instead of the CSV.")] = False,
) -> None:
    """Answer one task and print its prediction as CSV.

    With a model (`--lm`, or `MODEL_API_URL`, `MODEL_API_KEY`, `MODEL_NAME`) the Solver answers. Without one the offline
    baseline reads the question by rule; where it is not confident it abstains: exit code 3.
    """
    choice = options.choice_of(lm, offline=offline)

    def say(line: str) -> None:
        if verbose:
            console.messages.print(Text(line), style="dim", soft_wrap=True)

    set_up_logging(say, verbose=verbose)
    outcome = solve_task(
        task,
        output,
        models=None if choice is None else choice.load(),
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
        work=work,
        cache=options.cache_of(cache, output, no_cache=no_cache),
        say=say,
    )
    show_outcome(outcome)
    show_attempts(outcome)
    if as_json:
        console.data_json(outcome.to_dict())
    elif outcome.prediction is not None:
        console.data(Path(outcome.prediction).read_text(encoding="utf-8", errors="replace"))
    code = exit_code([outcome])
    if code != exit_codes.OK:
        raise typer.Exit(code)
