"""A task with what is right, and reading a folder of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debriefer.datasets.grouping import groups_of
from debriefer.errors import DebrieferError, MissingFileError
from debriefer.task import Task, is_task_folder

# The programs that a task can be labelled for.
PROGRAMS = ("solver", "judge", "documents")
MANIFEST = "dataset.json"
GOLD = "gold.csv"
TRUTH = "truth.json"
TABLES = "documents"
VIDEO = "video_input.json"
FORMAT = 1
# Folders of tasks and of what is right: as a run has them, and as the examples have them.
_LAYOUTS = (("input", "output"), ("tasks", "gold"))
_LAYOUT_HINT = "a data set holds task folders in `input/` and `gold.csv` of each in `output/<task>/`"


class DatasetError(DebrieferError):
    """A data set is not laid out as one, or holds what cannot be."""


@dataclass(frozen=True, slots=True)
class LabelledTask:
    """A task folder with what is right for one program.

    Attributes:
        task_dir: The task folder, absolute. `video_input.json` in it, beside `task.json`, is a video manifest: what
            the media stage would make of the task's video, in its place.
        group: The database that the task stands on; tasks of one group are never in two splits.
        gold: What is right: `gold.csv` for `solver`, `truth.json` for `judge`, and for `documents` a folder with one
            CSV file for each table that the documents tell.
        program: One of `PROGRAMS`.
        evidence: What the task has to go on: any of `tables`, `documents`, `video`.
        language: `en`, `zh`, or empty where nothing says it.
        difficulty: `easy`, `medium`, `hard`, or empty.
    """

    task_dir: Path
    group: str
    gold: Path
    program: str = "solver"
    evidence: tuple[str, ...] = ()
    language: str = ""
    difficulty: str = ""

    @property
    def name(self) -> str:
        """The name of the task's folder."""
        return self.task_dir.name


def load(folder: str | Path) -> list[LabelledTask]:
    """Read a data set.

    Two layouts are known: `input/<task>/` with `output/<task>/gold.csv`, as runs and the judge's labelled set have
    them, and `tasks/` with `gold/`, as the examples. A `dataset.json` beside them names groups; without one the group
    is what `task.json` calls `group`, else tasks that share the content of a file are in one group.

    Args:
        folder: The data set.

    Returns:
        One entry for each task and each program that it is labelled for, in the order of task names, then of
        `PROGRAMS`. Tasks without gold are left out.

    Raises:
        MissingFileError: There is no such folder.
        DatasetError: It is no data set, no task in it has gold, or `dataset.json` does not fit.
        TaskError: A `task.json` cannot be used.
    """
    folder = Path(folder).resolve()
    if not folder.is_dir():
        message = f"`{folder}` is not a folder"
        raise MissingFileError(message, hint=_LAYOUT_HINT)
    inputs, outputs = _layout(folder)
    tasks = [Task.open(path) for path in sorted(inputs.iterdir()) if is_task_folder(path)]
    known = _manifest(folder / MANIFEST)
    unknown = sorted(set(known) - {task.folder.name for task in tasks})
    if unknown:
        message = f"`{folder / MANIFEST}` names tasks that are not there: {', '.join(unknown[:3])}"
        raise DatasetError(message, hint="make the data set again, or delete its `dataset.json`")
    groups = groups_of([task for task in tasks if task.folder.name not in known])
    found: list[LabelledTask] = []
    for task in tasks:
        entry = known.get(task.folder.name, {})
        group = entry.get("group") or groups.get(task.folder.name, task.folder.name)
        found += _labelled(task, outputs / task.folder.name, str(group), entry)
    if not found:
        message = f"`{folder}` has no task with a gold"
        raise DatasetError(message, hint=_LAYOUT_HINT)
    return found


def _layout(folder: Path) -> tuple[Path, Path]:
    for inputs, outputs in _LAYOUTS:
        if (folder / inputs).is_dir():
            return folder / inputs, folder / outputs
    splits = [path.name for path in sorted(folder.iterdir()) if any((path / name).is_dir() for name, _ in _LAYOUTS)]
    message = f"`{folder}` is no data set"
    hint = f"name one of its splits: {', '.join(splits)}" if splits else _LAYOUT_HINT
    raise DatasetError(message, hint=hint)


def _manifest(path: Path) -> dict[str, Mapping[str, Any]]:
    if not path.is_file():
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        version, entries = values["format"], {entry["task"]: entry for entry in values["tasks"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"`{path}` cannot be read: {error}"
        raise DatasetError(message, hint="`debriefer dataset make` writes one") from error
    if version != FORMAT:
        message = f"`{path}` has format {version}, this version reads {FORMAT}"
        raise DatasetError(message, hint="make the data set again")
    return entries


def _labelled(task: Task, outputs: Path, group: str, entry: Mapping[str, Any]) -> Iterator[LabelledTask]:
    evidence = tuple(entry.get("evidence") or evidence_of(task))
    language = str(entry.get("language") or language_of(task.question))
    difficulty = str(entry.get("difficulty") or task.difficulty or "")
    for program, gold in zip(PROGRAMS, (outputs / GOLD, outputs / TRUTH, outputs / TABLES), strict=True):
        if gold.exists():
            yield LabelledTask(task.folder, group, gold, program, evidence, language, difficulty)


_KINDS = {
    "documents": frozenset({".md", ".txt", ".pdf", ".docx", ".html", ".htm"}),
    "video": frozenset({".mp4", ".mkv", ".mov", ".webm", ".avi", ".m4v"}),
}


def evidence_of(task: Task) -> Sequence[str]:
    """Return what a task has to go on, by the endings of its files."""
    names = [path.name for path in task.files() if path.name != "knowledge.md"]
    endings = {Path(name).suffix.lower() for name in names}
    found = {kind for kind, known in _KINDS.items() if endings & known}
    if (task.folder / VIDEO).is_file():
        found.add("video")
    if endings - frozenset().union(*_KINDS.values()):
        found.add("tables")
    return sorted(found)


def language_of(question: str) -> str:
    """Return `zh` for a question with Chinese characters, else `en`.

    >>> language_of("共有多少个订单？"), language_of("How many orders?")
    ('zh', 'en')
    """
    return "zh" if any("一" <= letter <= "鿿" for letter in question) else "en"
