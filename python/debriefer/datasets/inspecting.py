"""What is in a data set, and what is wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debriefer.datasets.grouping import evidence_digests
from debriefer.datasets.labelled import DatasetError, LabelledTask, load
from debriefer.datasets.splitting import SPLITS
from debriefer.errors import ScoringError
from debriefer.scoring import read_table
from debriefer.task import Task

_VERDICTS = frozenset({"ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"})


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in a data set.

    Attributes:
        parts: By part (`train`, ...; one part `all` where the set is not divided) the number of `tasks` and `groups`,
            and tasks by `program`, `evidence`, `language` and `difficulty`.
        problems: What is wrong, a sentence each: golds that cannot be read, questions asked twice of one database,
            databases that are in two parts or in two groups.
    """

    parts: Mapping[str, Mapping[str, Any]]
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as JSON values."""
        return {"parts": {name: dict(part) for name, part in self.parts.items()}, "problems": list(self.problems)}


def inspect(folder: str | Path) -> Inspection:
    """Look through a data set, or a folder of `train`, `dev` and `test`.

    Raises:
        MissingFileError: There is no such folder.
        DatasetError: It is no data set.
    """
    folder = Path(folder)
    divided = [name for name in SPLITS if (folder / name / "input").is_dir()]
    parts = {name: load(folder / name) for name in divided} if divided else {"all": load(folder)}
    problems = [problem for tasks in parts.values() for problem in _unreadable(tasks)]
    problems += [problem for tasks in parts.values() for problem in _asked_twice(tasks)]
    problems += _shared(parts)
    return Inspection({name: _summary(tasks) for name, tasks in parts.items()}, tuple(problems))


def _summary(tasks: Sequence[LabelledTask]) -> dict[str, Any]:
    once = list({task.name: task for task in tasks}.values())

    def counted(key: Callable[[LabelledTask], str], among: Sequence[LabelledTask]) -> dict[str, int]:
        return dict(sorted(Counter(key(task) or "not said" for task in among).items()))

    return {
        "tasks": len(once),
        "groups": len({task.group for task in once}),
        "program": counted(lambda task: task.program, tasks),
        "evidence": counted(lambda task: "+".join(task.evidence), once),
        "language": counted(lambda task: task.language, once),
        "difficulty": counted(lambda task: task.difficulty, once),
    }


def _unreadable(tasks: Sequence[LabelledTask]) -> list[str]:
    found = []
    for task in tasks:
        try:
            _read(task)
        except (ScoringError, DatasetError, OSError, ValueError, KeyError, TypeError) as error:
            found.append(f"`{task.name}`: the gold for `{task.program}` cannot be read: {error}")
    return found


def _read(task: LabelledTask) -> None:
    """Read what is right, as whoever scores does.

    Raises:
        DatasetError: It is not what the program is scored by.
        ScoringError: The table cannot be read.
        Exception: Whatever reading it raises: `OSError`, `ValueError`, `KeyError`, `TypeError`.
    """
    if task.program == "solver":
        read_table(task.gold)
    elif task.program == "judge":
        verdict = json.loads(task.gold.read_text(encoding="utf-8"))["task"]["verdict"]
        if verdict not in _VERDICTS:
            message = f"`{verdict}` is no verdict"
            raise DatasetError(message)
    elif not any(task.gold.glob("*.csv")):
        message = "it holds no table"
        raise DatasetError(message)


def _asked_twice(tasks: Sequence[LabelledTask]) -> list[str]:
    asked: dict[tuple[str, str], list[str]] = {}
    for task in {task.name: task for task in tasks}.values():
        asked.setdefault((task.group, Task.open(task.task_dir).question), []).append(task.name)
    return [
        f"`{group}` is asked the same in {', '.join(f'`{name}`' for name in names)}"
        for (group, _), names in asked.items()
        if len(names) > 1
    ]


def _shared(parts: Mapping[str, Sequence[LabelledTask]]) -> list[str]:
    """Return which databases stand in two parts, by their group or by the content of a file, or in two groups."""
    homes: dict[str, set[tuple[str, str]]] = {}
    for part, tasks in parts.items():
        for task in {task.name: task for task in tasks}.values():
            home = part, task.group
            for key in (f"group {task.group}", *evidence_digests(Task.open(task.task_dir))):
                homes.setdefault(key, set()).add(home)
    found = set()
    for places in homes.values():
        for one, group in sorted(places):
            for other, second in sorted(places):
                if one < other:
                    found.add(f"the database of `{group}` is in `{one}` and in `{other}`")
                elif one == other and group < second:
                    found.add(f"the groups `{group}` and `{second}` share a file")
    return sorted(found)
