"""`debriefer solve`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console, exit_codes
from debriefer.cli.options import Shared, with_shared
from debriefer.cli.outcomes import exit_code, show_attempts, show_outcome
from debriefer.pipeline.alone import solve_until_stopped
from debriefer.pipeline.stop import Stop
from debriefer.pipeline.worker import set_up_logging


@with_shared
def solve(
    task: Annotated[Path, typer.Argument(help="Task folder: `task.json` and `context/`.")],
    shared: Shared,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the prediction and the log.")] = Path(
        "debriefer-out"
    ),
    work: Annotated[Path | None, typer.Option(help="Keep the working copy (catalog, `solver.py`) here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON instead of the CSV.")] = False,
) -> None:
    """Answer one task and print its prediction as CSV.

    With a model (`--lm`, or `MODEL_API_URL`, `MODEL_API_KEY`, `MODEL_NAME`) the Solver answers. Without one the offline
    baseline reads the question by rule; where it is not confident it abstains: exit code 3. On SIGTERM or SIGINT
    what is there is delivered, within 20 s: exit code 4.
    """

    def say(line: str) -> None:
        if shared.verbose:
            console.messages.print(Text(line), style="dim", soft_wrap=True)

    set_up_logging(say, verbose=shared.verbose)
    stop = Stop()
    with stop.catching():
        choice = shared.choice()
        outcome, ended = solve_until_stopped(
            task,
            output,
            stop,
            models=None if choice is None else choice.load(),
            settings=shared.settings(),
            work=work,
            cache=shared.cache_folder(output),
            resume=shared.resume,
            say=say,
        )
        show_outcome(outcome)
        show_attempts(outcome)
        if as_json:
            console.data_json(outcome.to_dict())
        elif outcome.prediction is not None:
            console.data(Path(outcome.prediction).read_text(encoding="utf-8", errors="replace"))
        code = exit_code([outcome])
        if not ended:
            # Native code in the other thread would keep the interpreter from ending.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    if code != exit_codes.OK:
        raise typer.Exit(code)
