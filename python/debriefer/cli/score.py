"""`debriefer score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console
from debriefer.errors import ScoringError
from debriefer.scoring import EXTRA_PENALTY, RunScore, score_run
from debriefer.scoring.run import Metric


def score(
    predictions: Annotated[Path, typer.Argument(help="Folder of `<task>/prediction.csv`, or one file.")],
    gold: Annotated[Path, typer.Argument(help="Folder of `<task>/gold.csv`, or one file.")],
    metric: Annotated[
        Metric, typer.Option(help="`signature` scores columns by content, `exact` passes or fails a whole table.")
    ] = "signature",
    extra_penalty: Annotated[
        float, typer.Option("--lambda", help="Weight of extra columns, for `signature`.")
    ] = EXTRA_PENALTY,
    configs: Annotated[
        Path | None,
        typer.Option(
            help="Folder of `<task>.json` with column types, for `exact`; else they are guessed from the gold."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as one JSON object.")] = False,
) -> None:
    """Score predictions against golds; a missing or broken prediction scores 0 and says why.

    A task whose gold or configuration is broken has no score: the others are scored, and the exit code is 2.
    """
    result = score_run(predictions, gold, metric, extra_penalty=extra_penalty, configs=configs)
    if as_json:
        console.data_json(result.as_dict())
    else:
        _print(result)
    if result.unexpected:
        _say(f"no gold for {', '.join(result.unexpected)}")
    if metric == "exact" and not any(task.frozen for task in result.tasks):
        _say("no configuration was found: column types were guessed from the golds")
    if result.broken:
        number = len(result.broken)
        what = "1 task has" if number == 1 else f"{number} tasks have"
        message = f"{what} no score, the gold or its configuration is broken: {', '.join(result.broken)}"
        raise ScoringError(message, hint="the other tasks are scored above; each reason stands beside its task")


def _print(result: RunScore) -> None:
    width = max(len(name) for name in ("mean", *(task.task for task in result.tasks)))
    for task in result.tasks:
        shown = f"{task.score:.3f}" if task.counted else "    -"
        reason = task.reason
        if not task.counted:
            reason = f"not counted: {reason if task.score is None else 'it has no configuration'}"
        console.data(f"{task.task:<{width}}  {shown}  {reason or ''}".rstrip())
    tasks = "1 task" if result.n == 1 else f"{result.n} tasks"
    if result.metric == "exact":
        console.data(f"{'mean':<{width}}  {result.score:.3f}  over {tasks}, whole tables")
        return
    console.data(f"{'mean':<{width}}  {result.score:.3f}  over {tasks}, λ = {result.extra_penalty:g}")
    others = "  ".join(f"λ {penalty:g}: {mean:.3f}" for penalty, mean in result.by_penalty.items())
    console.data(f"{'':<{width}}         {others}")


def _say(message: str) -> None:
    console.messages.print(Text(message), style="dim", soft_wrap=True)
