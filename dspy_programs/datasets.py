"""Labelled tasks as `dspy.Example`, prepared once so that a program can be run on them again and again.

    tasks = debriefer.datasets.load("dev")
    with prepared(tasks, "solver") as examples: ...

or `examples(tasks, "solver", folder)` with a folder that is kept.
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dspy

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.datasets.labelled import VIDEO, DatasetError, LabelledTask
from debriefer.errors import CatalogError
from debriefer.judgement import JudgedSlide, JudgedVideo, prepared_video
from debriefer.media.places import FRAMES_FOLDER, INPUT_FILE
from debriefer.models import ModelSettings
from debriefer.task import Task
from dspy_programs.judge import material_of
from dspy_programs.solver import Findings, Narration, Slide, Timeline
from dspy_programs.solver.hints import question_links

_DOCUMENTS = frozenset({".md", ".txt", ".pdf", ".docx", ".html", ".htm"})


def examples(
    tasks: Sequence[LabelledTask],
    program: str,
    work: str | Path,
    *,
    model: ModelSettings | None = None,
    links: bool = True,
) -> list[dspy.Example]:
    """Prepare the tasks that are labelled for a program.

    Inputs are those of the program's `forward`; the labels are those that its metric in `dspy_programs.metrics` asks
    for. Every example also carries `name` and `group`.

    - `solver` (the agent and `oneshot`): `work` (a working copy with its catalog), `findings`; label `gold`, the path
      of the CSV file.
    - `judge`: `material`; labels `verdict` and `values`.
    - `documents`: `paths` (the documents), `knowledge`; label `cells`: table to rows.

    Args:
        tasks: What `debriefer.datasets.load` gave.
        program: `solver`, `judge` or `documents`; tasks that are labelled for others are left out.
        work: Folder for working copies, one a task; what is there from the same task is used again.
        model: The model that will be asked: how long a prompt may be, and whether pictures are shown.
        links: Whether the question's words are linked by rule beforehand (`solver`).

    Raises:
        DatasetError: No task is labelled for the program, or two tasks have one name.
        DebrieferError: A task cannot be prepared.
    """
    chosen = [task for task in tasks if task.program == program]
    if not chosen:
        message = f"no task is labelled for `{program}`"
        found = sorted({task.program for task in tasks})
        raise DatasetError(message, hint=f"the tasks are labelled for: {', '.join(found) or 'nothing'}")
    names = [task.name for task in chosen]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        message = f"two tasks are called `{double}`"
        raise DatasetError(message, hint="load one data set at a time")
    make = {"solver": _solver, "judge": _judge, "documents": _documents}[program]
    return [make(task, Path(work) / task.name, model or ModelSettings("none"), links) for task in chosen]


@contextmanager
def prepared(
    tasks: Sequence[LabelledTask], program: str, *, model: ModelSettings | None = None, links: bool = True
) -> Iterator[list[dspy.Example]]:
    """Prepare tasks as `examples` does, in a temporary folder that goes with the block."""
    with tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True) as folder:
        yield examples(tasks, program, folder, model=model, links=links)


def prepare(task: LabelledTask, work: Path) -> Task:
    """Lay out a working copy with its catalog and, from a video manifest, what the media stage would lay.

    A copy that is there from the same evidence is used as it is.
    """
    source = Task.open(task.task_dir)
    if work.is_dir():
        try:
            copy = Task.open(work)
            files = [(path.relative_to(source.context).as_posix(), path) for path in source.files()]
            with Catalog.open(work / "workdir" / CATALOG_FILE) as catalog:
                if copy.question == source.question and catalog.is_current(files):
                    return copy
        except (CatalogError, FileNotFoundError):
            pass  # cut off while it was being laid out
        shutil.rmtree(work)
    copy = source.working_copy(work)
    manifest = task.task_dir / VIDEO
    if manifest.is_file():
        frames = work / "workdir" / FRAMES_FOLDER
        frames.mkdir(parents=True)
        shutil.copyfile(manifest, frames / INPUT_FILE)
    Catalog.build(copy, work / "workdir" / CATALOG_FILE).close()
    return copy


def timeline_of(video: JudgedVideo) -> Timeline:
    """Return what was prepared of a video as the Solver is shown it; pictures are left out."""
    items: list[Slide | Narration] = []
    for item in video.items:
        if isinstance(item, JudgedSlide):
            layout = item.layout if item.revisit_of is None else f"(slide {item.revisit_of} again)"
            items.append(Slide(seconds=item.seconds, number=item.number, layout=layout, video=item.video))
        else:
            items.append(Narration(start=item.start, end=item.end, text=item.text, video=item.video))
    return Timeline(items=tuple(items))


def _solver(task: LabelledTask, work: Path, _: ModelSettings, links: bool) -> dspy.Example:
    copy = prepare(task, work)
    video = prepared_video(copy.folder / "workdir")
    with Catalog.open(copy.folder / "workdir" / CATALOG_FILE) as catalog:
        linked = question_links(copy, catalog) if links else ()
    findings = Findings(timeline=None if video is None else timeline_of(video), links=linked)
    example = dspy.Example(
        work=str(copy.folder), findings=findings, gold=str(task.gold), name=task.name, group=task.group
    )
    return example.with_inputs("work", "findings")


def _judge(task: LabelledTask, work: Path, model: ModelSettings, _: bool) -> dspy.Example:
    copy = prepare(task, work)
    video = prepared_video(copy.folder / "workdir")
    if video is None:
        message = f"the video of `{task.name}` was not prepared, and the task has no `{VIDEO}`"
        raise DatasetError(message, hint="give the task folder the `video_input.json` that `debriefer video` writes")
    with Catalog.open(copy.folder / "workdir" / CATALOG_FILE) as catalog:
        material = material_of(copy, video, catalog, vision=model.vision, window=model.context_window)
    verdict, values = _truth(task.gold)
    example = dspy.Example(material=material, verdict=verdict, values=values, name=task.name, group=task.group)
    return example.with_inputs("material")


def _truth(path: Path) -> tuple[str, list[list[str]]]:
    """Return the right verdict and, where the video shows the answer, its values."""
    try:
        truth: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["task"]
        values = [[str(cell) for cell in row] for row in truth["gold"]]
        return str(truth["verdict"]), values if truth["verdict"] != "RECOMPUTE" else []
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"`{path}` is no truth of a video: {error}"
        raise DatasetError(message) from error


def _documents(task: LabelledTask, work: Path, _: ModelSettings, __: bool) -> dspy.Example:
    copy = prepare(task, work)
    paths = [str(path) for path in copy.files() if path.suffix.lower() in _DOCUMENTS and path.name != "knowledge.md"]
    cells: dict[str, list[dict[str, str]]] = {}
    for path in sorted(task.gold.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            cells[path.stem] = list(csv.DictReader(file))
    example = dspy.Example(
        work=str(copy.folder),
        paths=paths,
        knowledge=copy.knowledge or "",
        cells=cells,
        name=task.name,
        group=task.group,
    )
    return example.with_inputs("work", "paths", "knowledge")
