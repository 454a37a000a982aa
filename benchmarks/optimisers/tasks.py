"""Invented briefings of a few slides, labelled: some show the answer, some only what looks like it.

Each has a table of the period that is asked for, of an earlier period, or both, in either order. A judge that takes
the first table is right where the wanted period happens to stand first.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

_REGIONS = ("North", "South", "East", "West", "Coast", "Valley")
_METRICS = ("sales", "returns", "margin", "orders")
_TASKS_A_GROUP = 4


def make(folder: Path, number: int, seed: int, prefix: str) -> Path:
    """Write a labelled set for the judge, in the layout that `debriefer.datasets.load` reads.

    Args:
        folder: Where to.
        number: How many tasks; four share a group.
        seed: Of everything that is drawn.
        prefix: Of the names of tasks and groups.

    Returns:
        `folder`.
    """
    randomness = random.Random(f"{prefix}/{seed}")  # noqa: S311 -- invented data
    entries = []
    for index in range(number):
        name = f"{prefix}_{index + 1:03}"
        # A quarter shows the answer first, half of them behind an old table, a quarter not at all.
        order = ("wanted first", "old first", "old first", "old alone")[index % 4]
        task, timeline, truth = _briefing(randomness, name, order)
        task_dir = folder / "input" / name
        (task_dir / "context" / "csv").mkdir(parents=True, exist_ok=True)
        _write(task_dir / "task.json", task)
        _write(task_dir / "video_input.json", {"video": f"{name}.mp4", "timeline": timeline})
        (task_dir / "context" / "csv" / "regions.csv").write_text("region\nNorth\nSouth\n", encoding="utf-8")
        (folder / "output" / name).mkdir(parents=True, exist_ok=True)
        _write(folder / "output" / name / "truth.json", {"task": truth})
        entries.append({"task": name, "group": f"{prefix}_group_{index // _TASKS_A_GROUP + 1}", "evidence": ["video"]})
    _write(folder / "dataset.json", {"format": 1, "tasks": entries})
    return folder


def _briefing(randomness: random.Random, name: str, order: str) -> tuple[Any, Any, Any]:
    """Return the task, the timeline of its video and the truth on it."""
    metric, region = randomness.choice(_METRICS), randomness.choice(_REGIONS)
    year = randomness.randint(2019, 2026)
    wanted, old = f"{year}Q{randomness.randint(2, 4)}", f"{year - 1}Q4"
    values = {
        period: {place: f"{randomness.randint(100, 9_999) / 10:.1f}" for place in _REGIONS} for period in (wanted, old)
    }
    periods = {"wanted first": [wanted, old], "old first": [old, wanted], "old alone": [old]}[order]
    slides = [_slide(f"{metric} by region", period, values[period]) for period in periods]
    slides.append('[:page [:h1 "Notes"] [:p "Figures are in millions"]]')
    timeline = [
        {"type": "slide", "slide": place, "t_start": 10.0 * place, "t_end": 10.0 * place + 9, "hiccup": layout}
        for place, layout in enumerate(slides, start=1)
    ]
    timeline.append({"type": "speech", "t_start": 1.0, "t_end": 8.0, "text": f"This is the briefing {name}"})
    shown = order != "old alone"
    truth = {"verdict": "ADOPT" if shown else "RECOMPUTE", "gold": [[values[wanted][region]]] if shown else []}
    question = f"What were the {metric} of {region} in {wanted}?"
    return {"task_id": name, "question": question}, timeline, truth


def _slide(title: str, period: str, values: dict[str, str]) -> str:
    rows = "".join(f' [:tr [:td "{region}"] [:td "{value}"]]' for region, value in values.items())
    return (
        f'[:page [:h1 "{title}"] [:label "period"] [:value "{period}"] '
        f'[:table [:tr [:th "region"] [:th "value"]]{rows}]]'
    )


def _write(path: Path, value: Any) -> None:  # noqa: ANN401 -- any JSON value
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
