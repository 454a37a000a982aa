"""Writes the whole task that a video belongs to: evidence, question, gold, and what a judge should find."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from pathlib import Path

from benchmarks.briefings.kinds import script
from benchmarks.briefings.manifest import Manifest
from benchmarks.briefings.stories import Story


def write(manifest: Manifest, video: Path, out: Path, task_id: str) -> Path:
    """Write `input/<task_id>` with the evidence and `output/<task_id>` with the gold and the truth.

    The task folder holds `task.json`, `context/video/briefing.mp4`, a CSV file of the measurements, a SQLite file of
    the properties and `knowledge.md`; the answer follows from the tables by the manifest's `gold_sql`.

    Args:
        manifest: The video's manifest.
        video: The video file.
        out: Folder to write to.
        task_id: Name of the task.

    Returns:
        The task folder.
    """
    story = script(manifest.kind, manifest.seed, manifest.language).story
    folder = out / "input" / task_id
    context = folder / "context"
    (context / "video").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(video, context / "video" / "briefing.mp4")
    _write_rows(story, context / "csv")
    _write_profiles(story, context / "db")
    (context / "knowledge.md").write_text(_knowledge(story), encoding="utf-8")
    (folder / "task.json").write_text(
        json.dumps(
            {"task_id": task_id, "difficulty": "medium", "question": manifest.task.question},
            ensure_ascii=False,
            indent=2,
        )
        + "\n",
        encoding="utf-8",
    )
    gold = out / "output" / task_id
    gold.mkdir(parents=True, exist_ok=True)
    with (gold / "gold.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows((manifest.task.columns, *manifest.task.gold))
    manifest.save(gold / "truth.json")
    return folder


def _write_rows(story: Story, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    words = story.words
    header = (words.entity, words.group, words.batch, words.amount, words.net, words.count)
    with (folder / f"{words.records}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in story.rows:
            writer.writerow((row.entity, row.group, row.batch, row.amount, row.net, row.count))


def _write_profiles(story: Story, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / "profiles.sqlite"
    path.unlink(missing_ok=True)
    words = story.words
    columns = ", ".join(
        f'"{name}" {kind}'
        for name, kind in (
            (words.entity, "TEXT"),
            (words.group, "TEXT"),
            (words.opened, "INTEGER"),
            (words.status, "TEXT"),
        )
    )
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f'CREATE TABLE "{words.profiles}" ({columns})')
        connection.executemany(
            f'INSERT INTO "{words.profiles}" VALUES (?, ?, ?, ?)',
            [(profile.entity, profile.group, profile.opened, profile.status) for profile in story.profiles],
        )
    connection.close()


def _knowledge(story: Story) -> str:
    words = story.words
    if story.language == "zh":
        return (
            f"# {words.title}\n\n"
            f"- 当前{words.batch}：{story.current}；其余为历史{words.batch}，仅供参考。\n"
            f"- {words.amount}、{words.net}的单位均为{words.unit}。\n"
            f"- {words.amount}为扣减前口径，{words.net}为扣减之后的余额，二者不可互换。\n"
            f"- {words.count}为数量，不是金额。\n"
        )
    return (
        f"# {words.title}\n\n"
        f"- The current {words.batch} is {story.current}; the others are archived and kept for reference.\n"
        f"- `{words.amount}` and `{words.net}` are in {words.unit}.\n"
        f"- `{words.amount}` is gross, `{words.net}` is what remains after deductions; they are not the same.\n"
        f"- `{words.count}` is a number, not an amount.\n"
    )
