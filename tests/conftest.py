"""Fixtures shared by all tests."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code; each test has its own timeout.
settings.register_profile("debriefer", deadline=None)
settings.load_profile("debriefer")

ROOT = Path(__file__).resolve().parent.parent


def shared_data() -> Path:
    """Return the folder of real data sets, or skip the test where it is absent."""
    folder = Path(os.environ.get("DEBRIEFER_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets (../shared/data) are not on this machine")
    return folder


@pytest.fixture
def task_with(tmp_path: Path) -> Callable[..., Path]:
    """Build a task folder from file contents and return its path.

    Keyword arguments: `question`, `knowledge`, and one mapping of file name to content for each of
    `csv`, `json`, `db`, `doc` and `other`. Text is written as UTF-8, bytes as they are, JSON values as JSON;
    a `db` value is a script of SQL statements for SQLite.
    """

    def build(
        *,
        question: str = "How many rows are there?",
        knowledge: str | None = None,
        task_id: str = "task_1",
        db: Mapping[str, str | Sequence[str]] | None = None,
        **kinds: Mapping[str, Any],
    ) -> Path:
        task = tmp_path / task_id
        context = task / "context"
        context.mkdir(parents=True)
        (task / "task.json").write_text(
            json.dumps({"task_id": task_id, "question": question}, ensure_ascii=False), encoding="utf-8"
        )
        if knowledge is not None:
            (context / "knowledge.md").write_text(knowledge, encoding="utf-8")
        for kind, files in kinds.items():
            folder = context if kind == "other" else context / kind
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, bytes):
                    path.write_bytes(content)
                elif isinstance(content, str):
                    path.write_bytes(content.encode())
                else:
                    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        for name, script in (db or {}).items():
            path = context / "db" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path)
            connection.executescript(script if isinstance(script, str) else ";\n".join(script))
            connection.close()
        return task

    return build
