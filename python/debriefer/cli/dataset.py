"""`debriefer dataset`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from debriefer.cli import console, exit_codes
from debriefer.datasets.inspecting import Inspection, inspect
from debriefer.datasets.invented.writing import SEED
from debriefer.datasets.invented.writing import make as make_set
from debriefer.datasets.labelled import VIDEO, DatasetError, load
from debriefer.datasets.splitting import split as split_tasks
from debriefer.datasets.splitting import write_split
from debriefer.media.places import FRAMES_FOLDER, INPUT_FILE
from debriefer.pipeline import MediaSettings, RunSettings, StageRegistry, default_registry
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task

dataset = typer.Typer(no_args_is_help=True, help="Make, divide and inspect labelled tasks.")
_COUNTED = ("program", "evidence", "language", "difficulty")

AsJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]


@dataset.command("make")
def make(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    seed: Annotated[int, typer.Option(help="Other values for another seed; structures and questions stay.")] = SEED,
) -> None:
    """Write the labelled set of invented data that comes with the package.

    82 tasks on 26 databases, in English and Chinese, with tables, documents and video manifests.
    """
    number = make_set(folder, seed=seed)
    console.messages.print(Text(f"{number} tasks in {folder}"), style="dim")


@dataset.command("split")
def split(
    folder: Annotated[Path, typer.Argument(help="The data set.")],
    output: Annotated[Path, typer.Argument(help="Folder for `train/`, `dev/` and `test/`.")],
    shares: Annotated[str, typer.Option(help="Shares of train, dev and test.")] = "60/20/20",
    seed: Annotated[int, typer.Option(help="Decides which database goes where.")] = 0,
) -> None:
    """Divide a data set by database: all questions on one are in one part."""
    parts = split_tasks(load(folder), shares=_shares(shares), seed=seed)
    write_split(parts, output)
    for name, tasks in parts.items():
        groups = sorted({task.group for task in tasks})
        number = len({task.name for task in tasks})
        console.messages.print(Text(f"{name}: {number} tasks on {len(groups)} databases: {', '.join(groups)}"))


@dataset.command("inspect")
def look(
    folder: Annotated[Path, typer.Argument(help="A data set, or a folder of `train/`, `dev/` and `test/`.")],
    as_json: AsJson = False,
) -> None:
    """Say what is in a data set and what is wrong with it; exit code 1 where something is."""
    found = inspect(folder)
    if as_json:
        console.data_json(found.to_dict())
    else:
        _show(found)
    if found.problems:
        raise typer.Exit(exit_codes.FAILED)


@dataset.command("prepare")
def prepare(
    folder: Annotated[Path, typer.Argument(help="A data set with videos, such as the judge's labelled set.")],
    cache: Annotated[Path | None, typer.Option(help="Keep what the media stage made here.")] = None,
    speech_model: Annotated[str | None, typer.Option(help="As of `run`.", show_default=False)] = None,
) -> None:
    """Read the videos of a data set and write `video_input.json` beside each `task.json` that has none.

    Tasks are prepared once and can then be learned from without decoding anything. Exit code 1 where a video failed.
    """
    tasks = [task for task in {one.name: one for one in load(folder)}.values() if "video" in task.evidence]
    failed = 0
    for number, task in enumerate(tasks, start=1):
        told = "is prepared"
        if not (task.task_dir / VIDEO).is_file():
            reason = _watch(task.task_dir, MediaSettings(speech_model=speech_model), cache)
            told = reason or "prepared"
            failed += reason is not None
        console.messages.print(Text(f"{number}/{len(tasks)} {task.name}: {told}"), style="dim", soft_wrap=True)
    if failed:
        raise typer.Exit(exit_codes.FAILED)


def _watch(task_dir: Path, media: MediaSettings, cache: Path | None) -> str | None:
    """Run the media stage on a copy of a task and keep its timeline; return why it failed, if it did."""
    settings = RunSettings(media=media)
    stages = [stage for _, stage in default_registry(settings) if stage is not None and stage.name == "media"]
    with tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True) as work:
        copy = Task.open(task_dir).working_copy(Path(work) / "task")
        run = StageRun(StageRegistry(stages), copy, cache=None if cache is None else Cache(cache))
        run.run()
        made = copy.folder / "workdir" / FRAMES_FOLDER / INPUT_FILE
        if not made.is_file():
            return next((record.reason for record in run.records if record.reason), "the video gave no timeline")
        # Whole or not at all: a folder with half a manifest would pass for prepared.
        partial = task_dir / f"{VIDEO}.partial"
        shutil.copyfile(made, partial)
        partial.replace(task_dir / VIDEO)
    return None


def _shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split("/"))
    except ValueError as error:
        message = f"`{text}` are no shares"
        raise DatasetError(message, hint="for example `--shares 60/20/20`") from error


def _show(found: Inspection) -> None:
    shown = Table(box=None)
    for heading in ("part", "tasks", "databases", *_COUNTED):
        shown.add_column(heading)
    for name, part in found.parts.items():
        counts = [_counts(part[key]) for key in _COUNTED]
        shown.add_row(Text(name), str(part["tasks"]), str(part["groups"]), *counts)
    console.messages.print(shown)
    for problem in found.problems:
        console.messages.print(Text(f"problem: {problem}"), style="red", soft_wrap=True)


def _counts(counts: dict[str, Any]) -> str:
    return "\n".join(f"{name} {number}" for name, number in counts.items())
