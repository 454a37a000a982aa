"""Dividing a data set into train, dev and test by database, never by question."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from debriefer.datasets.labelled import FORMAT, MANIFEST, DatasetError, LabelledTask

SPLITS = ("train", "dev", "test")
SHARES = (0.6, 0.2, 0.2)


def split(
    tasks: Sequence[LabelledTask], *, shares: Sequence[float] = SHARES, seed: int = 0
) -> dict[str, list[LabelledTask]]:
    """Divide tasks so that all tasks of a group are in one part.

    Groups are taken kind by kind (video, documents, tables), in an order that the seed decides. Each goes to the part
    that is furthest behind its share (Sainte-Laguë), of its kind first, then of its language, then of all tasks. So
    every kind is in each part as far as it has groups enough.

    Args:
        tasks: What `load` gave.
        shares: Wanted shares of train, dev and test; what they add up to counts as all. A part of share 0 is empty.
        seed: Decides the order of groups.

    Returns:
        The parts by name, each in the order of `tasks`.

    Raises:
        DatasetError: There are fewer groups than parts with a share, or the shares are no shares.
    """
    if len(shares) != len(SPLITS) or min(shares) < 0 or sum(shares) <= 0:
        message = f"shares must be {len(SPLITS)} numbers, none below 0 and not all 0"
        raise DatasetError(message, hint="for example `--shares 60/20/20`")
    groups: dict[str, list[LabelledTask]] = {}
    for task in tasks:
        groups.setdefault(task.group, []).append(task)
    wanted = {name: share / sum(shares) for name, share in zip(SPLITS, shares, strict=True) if share > 0}
    if len(groups) < len(wanted):
        message = f"{len(groups)} databases cannot be divided into {len(wanted)} parts"
        raise DatasetError(message, hint="questions on one database stay together; give a part the share 0")
    place: dict[str, str] = {}
    counts: dict[tuple[str, str], float] = {}
    for group in sorted(groups, key=lambda name: (_kind(groups[name][0]), _order(seed, name))):
        first = groups[group][0]
        number = len({task.name for task in groups[group]})
        keys = (_kind(first), f"{_kind(first)} {first.language}", "")

        def behind(part: str, keys: tuple[str, ...] = keys, number: int = number) -> tuple[float, ...]:
            return tuple((counts.get((part, key), 0) + number / 2) / wanted[part] for key in keys)

        place[group] = min(wanted, key=behind)
        for key in keys:
            counts[place[group], key] = counts.get((place[group], key), 0) + number
    return {name: [task for task in tasks if place[task.group] == name] for name in SPLITS}


def _kind(task: LabelledTask) -> str:
    return next((kind for kind in ("video", "documents") if kind in task.evidence), "tables")


def _order(seed: int, name: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{name}".encode(), digest_size=8).digest()


def write_split(parts: Mapping[str, Sequence[LabelledTask]], folder: str | Path) -> None:
    """Write each part that is not empty as a data set of its own: `<folder>/train`, `/dev`, `/test`.

    Raises:
        DatasetError: One of these folders is there and holds something.
    """
    folder = Path(folder)
    for name, tasks in parts.items():
        target = folder / name
        if target.is_dir() and any(target.iterdir()):
            message = f"`{target}` is not empty"
            raise DatasetError(message, hint="name a new folder, or delete the old parts")
        if tasks:
            write(tasks, target)


def write(tasks: Sequence[LabelledTask], folder: Path) -> None:
    """Write tasks with what is right as a data set that `load` reads."""
    entries = []
    for task in {task.name: task for task in tasks}.values():
        shutil.copytree(task.task_dir, folder / "input" / task.name)
        shutil.copytree(task.gold.parent, folder / "output" / task.name)
        entries.append(
            {
                "task": task.name,
                "group": task.group,
                "language": task.language,
                "difficulty": task.difficulty,
                "evidence": list(task.evidence),
            }
        )
    text = json.dumps({"format": FORMAT, "tasks": entries}, ensure_ascii=False, indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
