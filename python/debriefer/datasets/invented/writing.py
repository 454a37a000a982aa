"""Writing invented worlds as a data set: task folders, what is right, and `dataset.json`."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from debriefer.datasets.invented import chinese, english, films, prose
from debriefer.datasets.invented.model import Asked, Film, Row, Sheet, Shown, World
from debriefer.datasets.labelled import FORMAT, GOLD, MANIFEST, TABLES, TRUTH, VIDEO, DatasetError

SEED = 8
_INVENTORS = (*english.WORLDS, *chinese.WORLDS, *prose.WORLDS, *films.WORLDS)
_SQLITE_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}


def worlds(seed: int = SEED) -> Iterator[World]:
    """Yield all invented databases; the same for the same seed."""
    for inventor in _INVENTORS:
        # Each has a seed of its own, so that adding one changes no other.
        yield inventor(random.Random(f"{seed} {inventor.__name__}"))  # noqa: S311 -- invented data, no secret


def make(folder: str | Path, *, seed: int = SEED) -> int:
    """Write the data set into a new or an empty folder, or over one that this function wrote.

    Args:
        folder: The data set.
        seed: Other values for another seed; questions and structures stay.

    Returns:
        The number of tasks.

    Raises:
        DatasetError: The folder holds something else.
    """
    folder = Path(folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        message = f"`{folder}` holds something that is no data set"
        raise DatasetError(message, hint="name a new or an empty folder")
    for name in ("input", "output"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    entries: list[dict[str, Any]] = []
    for world in worlds(seed):
        for number, question in enumerate(world.asked, start=1):
            name = f"{world.name}_{number}"
            _write_task(world, question, folder / "input" / name, name)
            _write_gold(world, question, folder / "output" / name)
            entries.append(
                {
                    "task": name,
                    "group": world.name,
                    "language": world.language,
                    "difficulty": question.difficulty,
                    "evidence": _evidence(world),
                }
            )
    # Last, so that a data set that was cut off is not taken for one.
    _write_json(folder / MANIFEST, {"format": FORMAT, "seed": seed, "tasks": entries})
    return len(entries)


def _evidence(world: World) -> list[str]:
    kinds = (("documents", world.documents), ("tables", world.sheets), ("video", world.film))
    return [kind for kind, there in kinds if there]


def _write_task(world: World, question: Asked, folder: Path, name: str) -> None:
    context = folder / "context"
    context.mkdir(parents=True)
    _write_json(
        folder / "task.json", {"task_id": name, "difficulty": question.difficulty, "question": question.question}
    )
    for sheet in world.sheets:
        if sheet.store != "sqlite":
            ending = "json" if sheet.store == "json" else "csv"
            path = context / sheet.store / sheet.folder / f"{sheet.name}.{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = _json_text(sheet) if sheet.store == "json" else csv_text(sheet.columns, sheet.rows)
            path.write_bytes(text.encode(sheet.encoding))
    stored = [sheet for sheet in world.sheets if sheet.store == "sqlite"]
    if stored:
        _write_sqlite(stored, context / "db" / f"{world.name}.sqlite")
    for document in world.documents:
        (context / "doc").mkdir(exist_ok=True)
        (context / "doc" / document.name).write_text(document.text, encoding="utf-8")
    if world.knowledge:
        (context / "knowledge.md").write_text(world.knowledge, encoding="utf-8")
    if world.film is not None:
        _write_json(folder / VIDEO, video_input(world.film, world.language))


def _write_gold(world: World, question: Asked, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / GOLD).write_text(csv_text(question.columns, question.answer), encoding="utf-8")
    if question.verdict is not None:
        truth = {
            "question": question.question,
            "columns": list(question.columns),
            "gold": [[str(cell) for cell in row] for row in question.answer],
            "verdict": question.verdict,
            "shown": question.verdict != "RECOMPUTE",
        }
        _write_json(folder / TRUTH, {"kind": world.name, "language": world.language, "task": truth})
    for document in world.documents:
        (folder / TABLES).mkdir(exist_ok=True)
        for sheet in document.told:
            (folder / TABLES / f"{sheet.name}.csv").write_text(csv_text(sheet.columns, sheet.rows), encoding="utf-8")


def video_input(film: Film, language: str) -> dict[str, Any]:
    """Return a film in the form of `video_input.json`; there are no pictures."""
    timeline: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    for item in film.items:
        if isinstance(item, Shown):
            number = len(frames) + 1
            frames.append({"index": number, "t": item.seconds, "path": None, "title": item.title, "revisit_of": None})
            timeline.append(
                {
                    "type": "frame",
                    "t_start": item.seconds,
                    "t_end": item.seconds,
                    "slide": number,
                    "path": None,
                    "revisit_of": None,
                    "hiccup": item.layout,
                }
            )
        else:
            timeline.append({"type": "speech", "t_start": item.start, "t_end": item.end, "text": item.text})
    return {"video": "video/briefing.mp4", "language": language, "frames": frames, "timeline": timeline}


def csv_text(columns: Sequence[str], rows: Sequence[Row]) -> str:
    r"""Return a table as CSV; an empty cell for NULL.

    >>> csv_text(("a", "b"), ((1, None),))
    'a,b\n1,\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows((columns, *rows))
    return out.getvalue()


def _json_text(sheet: Sheet) -> str:
    records = [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def _write_sqlite(sheets: Sequence[Sheet], path: Path) -> None:
    """Write tables with the keys that their columns' names tell: `x_id` of a table whose first column it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    keys = {sheet.columns[0]: sheet.name for sheet in reversed(sheets) if _is_key(sheet)}
    connection = sqlite3.connect(path)
    with connection:
        for sheet in sheets:
            parts = [f'"{column}" {_sqlite_type(sheet, place)}' for place, column in enumerate(sheet.columns)]
            if _is_key(sheet):
                parts[0] += " PRIMARY KEY"
            parts += [
                f'FOREIGN KEY ("{column}") REFERENCES "{keys[column]}" ("{column}")'
                for column in sheet.columns
                if column in keys and keys[column] != sheet.name
            ]
            connection.execute(f'CREATE TABLE "{sheet.name}" ({", ".join(parts)})')
            marks = ", ".join("?" * len(sheet.columns))
            connection.executemany(f'INSERT INTO "{sheet.name}" VALUES ({marks})', sheet.rows)
    connection.close()


def _is_key(sheet: Sheet) -> bool:
    first = [row[0] for row in sheet.rows]
    return len(set(first)) == len(first) and sheet.columns[0].endswith(("_id", "编号"))


def _sqlite_type(sheet: Sheet, place: int) -> str:
    value = next((row[place] for row in sheet.rows if row[place] is not None), "")
    return _SQLITE_TYPES[type(value)]


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
