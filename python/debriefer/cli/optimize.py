"""`debriefer optimize`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.errors import DebrieferError, ModelError
from debriefer.models import Budget, Models
from debriefer.pipeline import ModelChoice
from debriefer.pipeline.stop import Stop

if TYPE_CHECKING:
    from dspy_programs.optimisation.on_tasks import PreparedTask
    from dspy_programs.optimisation.programs import Compilable
    from dspy_programs.optimisation.run import Result, Settings

_EFFORTS = ("light", "medium", "heavy")
_BOUNDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "requests": ("requests", int),
    "tokens": ("input_tokens", int),
    "output-tokens": ("output_tokens", int),
    "cost": ("cost", float),
    "seconds": ("seconds", float),
}
_BUDGET_HINT = "give an effort (light, medium, heavy) and bounds, such as `medium,requests=500,cost=2.5`"


class BudgetFormError(DebrieferError):
    """`--budget` cannot be read."""


def optimize(
    program: Annotated[str, typer.Argument(help="Which program: `solver`, `judge`, …")],
    train: Annotated[Path, typer.Option("--train", help="Labelled tasks to learn from and to choose by.")],
    dev: Annotated[Path, typer.Option("--dev", help="Labelled tasks that are measured on, before and after.")],
    optimizer: Annotated[
        str, typer.Option("--optimizer", help="`bootstrap`, `mipro`, `gepa` or `simba`.")
    ] = "bootstrap",
    budget: Annotated[
        str,
        typer.Option(
            "--budget",
            help="How much is tried (light, medium, heavy), and bounds on requests, tokens, output-tokens, cost, "
            "seconds: `medium,requests=500,cost=2.5`.",
        ),
    ] = "light",
    metric: Annotated[str | None, typer.Option("--metric", help="Which of the program's metrics.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for state, result and journal; `debriefer-optimize/PROGRAM-OPTIMIZER` by default. The same "
            "command goes on where it was.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of everything that is drawn.")] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Runs of the program at once.")] = 1,
    lm: options.Lm = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it will ask, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Compile a program on labelled tasks, and say whether the tasks support that it is better.

    Each request is kept in a journal: a run that was killed loses at most the request under way. The state is saved in
    any case, for `--program-state`. Exit code 0 only for an improvement that the interval supports, 5 where it does
    not, 4 where the budget ran out, the endpoint failed or the run was stopped: the same command goes on.
    """
    from dspy_programs.optimisation.programs import PROGRAMS  # noqa: PLC0415 -- loads DSPy

    effort, bounds = parsed_budget(budget)
    if program not in PROGRAMS:
        message = f"`{program}` is no program that can be compiled"
        raise DebrieferError(message, hint=f"the programs are {', '.join(PROGRAMS)}")
    models = ModelChoice(lm).load()
    if models is None:
        message = "no language model is configured"
        raise ModelError(message, hint="give `--lm provider/model`, or set `MODEL_API_URL` and `MODEL_NAME`")
    settings = _settings(optimizer, effort, seed, threads, metric, bounds)
    folder = output or Path("debriefer-optimize") / f"{program}-{optimizer}"
    stop = Stop(also=models.stop)
    with stop.catching():
        result = _optimised(PROGRAMS[program], settings, train, dev, models, folder, lambda: bool(stop), estimate)
    if result is None:
        return
    if as_json:
        console.data_json(result.values)
    else:
        _show(result)
    if result.status != "improved":
        raise typer.Exit(exit_codes.NOT_SUPPORTED)


def parsed_budget(text: str) -> tuple[str, Budget]:
    """Return effort and bounds of `--budget`.

    Raises:
        BudgetFormError: It cannot be read.

    >>> parsed_budget("medium,cost=2.5")[0]
    'medium'
    """
    effort: str | None = None
    bounds: dict[str, Any] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals and name in _EFFORTS and effort is None:
            effort = name
            continue
        known = _BOUNDS.get(name)
        if not equals or known is None or known[0] in bounds:
            message = f"`--budget` cannot be read: `{part}`"
            raise BudgetFormError(message, hint=_BUDGET_HINT)
        try:
            bounds[known[0]] = known[1](value)
        except ValueError:
            message = f"`--budget` cannot be read: `{value}` is no number of {name}"
            raise BudgetFormError(message, hint=_BUDGET_HINT) from None
    try:
        return effort or _EFFORTS[0], Budget(**{"requests": None, **bounds})
    except ValueError as error:
        message = f"`--budget` cannot be read: {error}"
        raise BudgetFormError(message, hint=_BUDGET_HINT) from None


def _settings(optimizer: str, effort: str, seed: int, threads: int, metric: str | None, bounds: Budget) -> Settings:
    from dspy_programs.optimisation.optimisers import OPTIMIZERS, OptimiserError  # noqa: PLC0415 -- loads DSPy
    from dspy_programs.optimisation.run import Settings  # noqa: PLC0415 -- as above

    if optimizer not in OPTIMIZERS:
        message = f"`{optimizer}` is no optimiser"
        raise OptimiserError(message, hint=f"the optimisers are {', '.join(OPTIMIZERS)}")
    return Settings(optimizer, effort, seed, threads, metric, bounds)  # type: ignore[arg-type] # checked above


def _optimised(
    entry: Compilable,
    settings: Settings,
    train: Path,
    dev: Path,
    models: Models,
    folder: Path,
    stopped: Callable[[], bool],
    estimate_only: bool,
) -> Result | None:
    from dspy_programs.optimisation.on_tasks import OptimisationStopped  # noqa: PLC0415 -- loads DSPy
    from dspy_programs.optimisation.run import Optimisation  # noqa: PLC0415 -- as above

    def say(line: str) -> None:
        console.messages.print(Text(line), style="dim", soft_wrap=True)

    try:
        with console.messages.status("preparing tasks"):
            learned = _tasks(entry, train, models, folder / "work" / "train")
            measured = _tasks(entry, dev, models, folder / "work" / "dev")
        run = Optimisation(entry, settings, learned, measured, models, folder, say=say, stopped=stopped)
        say(f"estimate: {run.estimate}")
        if settings.budget.requests is not None and run.estimate.requests > settings.budget.requests:
            say("the bound on requests is below the estimate: where it is reached, a higher one goes on from there")
        if estimate_only:
            return None
        result = run.run()
    except OptimisationStopped as end:
        console.show_error(DebrieferError(end.reason, hint=end.hint))
        if stopped():
            # A model that runs in this process would keep the interpreter until its reply is whole.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(exit_codes.STOPPED)
        raise typer.Exit(exit_codes.STOPPED) from None
    say(f"state, result and report are in {folder}")
    return result


def _tasks(entry: Compilable, data: Path, models: Models, work: Path) -> list[PreparedTask]:
    from debriefer.datasets import load  # noqa: PLC0415 -- only this command needs labelled tasks
    from debriefer.task import Task  # noqa: PLC0415 -- as above
    from dspy_programs.datasets import examples  # noqa: PLC0415 -- loads DSPy
    from dspy_programs.optimisation.programs import prepared_tasks  # noqa: PLC0415 -- as above

    labelled = load(data)
    questions = {task.name: Task.open(task.task_dir).question for task in labelled}
    work.mkdir(parents=True, exist_ok=True)
    found = examples(labelled, entry.labelled, work, model=models.settings(entry.role))
    return prepared_tasks(entry, found, questions=questions)


def _show(result: Result) -> None:
    from dspy_programs.optimisation.report import VERDICTS  # noqa: PLC0415 -- loads DSPy

    found = result.comparison
    console.data(f"{result.status}: {VERDICTS[result.status]}")
    grid = Grid(box=box.SIMPLE)
    for name in ("figure", "before", "after", "difference"):
        grid.add_column(name)
    grid.add_row(
        "score",
        f"{found.before:.3f} {found.before_interval}",
        f"{found.after:.3f} {found.after_interval}",
        f"{found.difference:+.3f} {found.difference_interval}",
    )
    for name, (old, new) in result.parts.items():
        grid.add_row(Text(name), f"{old:.3f}", f"{new:.3f}", f"{new - old:+.3f}")
    console.data_table(grid)
    moved = [change for change in result.changes if change.before.score != change.after.score]
    tasks = Grid(box=box.SIMPLE, title=f"tasks that changed: {len(moved)} of {found.n}", title_justify="left")
    for name in ("task", "before", "after", "feedback"):
        tasks.add_column(name)
    for change in moved:
        scores = f"{change.before.score:.2f}", f"{change.after.score:.2f}"
        tasks.add_row(Text(change.task), *scores, Text(change.after.feedback))
    if moved:
        console.data_table(tasks)
    cost = result.values["cost"]
    money = "" if cost["cost"] is None else f", {cost['cost']:.4f} in money"
    console.data(
        f"{cost['requests']:,} requests ({cost['replayed']:,} replayed), {cost['input_tokens']:,} tokens in, "
        f"{cost['output_tokens']:,} out{money}; n = {found.n}, p = {found.p_value:.4f}"
    )
