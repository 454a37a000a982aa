"""The judge over a prepared task folder: inputs are assembled, and whatever fails ends in a verdict that says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.errors import DebrieferError, MediaError
from debriefer.judgement import VideoVerdict, prepared_video
from debriefer.models import Meter, Models
from debriefer.task import Task
from dspy_programs.judge.material import Material, material_of
from dspy_programs.judge.program import VideoJudge
from dspy_programs.judge.voted import ROUNDS, Judgement, judge_voted, judge_voted_async


def task_material(work: str | Path, models: Models) -> Material:
    """Return what the judge reads of a task whose video and catalog have been prepared.

    Args:
        work: The task's working copy, with `workdir/_video_frames/` and, where it has tables, `workdir/catalog.duckdb`.
        models: The role `judge` says whether pictures are shown, and how long a prompt may be.

    Raises:
        MediaError: The video was not prepared.
        DebrieferError: The task folder or its catalog cannot be read.
    """
    task = Task.open(work)
    workdir = task.folder / "workdir"
    video = prepared_video(workdir)
    if video is None:
        message = f"the video of `{task.task_id}` was not prepared: there is no timeline below `workdir/`"
        raise MediaError(message, hint="run the media stage first, or `debriefer judge` on the task folder")
    settings = models.settings("judge")
    path = workdir / CATALOG_FILE
    if not path.is_file():
        return material_of(task, video, None, vision=settings.vision, window=settings.context_window)
    with Catalog.open(path) as catalog:
        return material_of(task, video, catalog, vision=settings.vision, window=settings.context_window)


def judge_task(
    work: str | Path,
    models: Models,
    *,
    judge: VideoJudge | None = None,
    rounds: int = ROUNDS,
    meter: Meter | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Judge a prepared task by vote; never raises for what a model, an endpoint or a missing input does wrong.

    Args:
        work: The task's working copy.
        models: The role `judge` is asked.
        judge: The program, where it has learned something.
        rounds: How many rounds.
        meter: Counts all rounds together.
        stopped: Once true, no round is refilled.
    """
    material = _material(work, models)
    if isinstance(material, Judgement):
        return material
    return judge_voted(
        judge or VideoJudge(),
        material,
        models,
        rounds=rounds,
        meter=meter,
        task_id=_task_id(work),
        stopped=stopped,
    )


async def judge_task_async(
    work: str | Path,
    models: Models,
    *,
    judge: VideoJudge | None = None,
    rounds: int = ROUNDS,
    meter: Meter | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Judge as `judge_task`, with the model asked asynchronously."""
    material = await asyncio.to_thread(_material, work, models)
    if isinstance(material, Judgement):
        return material
    return await judge_voted_async(
        judge or VideoJudge(),
        material,
        models,
        rounds=rounds,
        meter=meter,
        task_id=_task_id(work),
        stopped=stopped,
    )


def _material(work: str | Path, models: Models) -> Material | Judgement:
    try:
        return task_material(work, models)
    except DebrieferError as error:
        return Judgement(VideoVerdict.not_prepared(_task_id(work), error.message))


def _task_id(work: str | Path) -> str:
    try:
        return Task.open(work).task_id
    except DebrieferError:
        return ""
