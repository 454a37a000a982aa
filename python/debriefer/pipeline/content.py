"""Digests of what a stage or a task depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from debriefer.digests import file_digest
from debriefer.task import Task

__all__ = ["file_digest", "files_digests", "task_digest", "value_digest"]

_DIGEST_BYTES = 16


def files_digests(root: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the digest of each file by its path relative to `root`, with `/` between its parts."""
    return {path.relative_to(root).as_posix(): file_digest(path) for path in sorted(files)}


def value_digest(value: Mapping[str, Any]) -> str:
    """Return 32 hex digits for a JSON value; the order of keys does not matter.

    >>> value_digest({"a": 1, "b": [2]}) == value_digest({"b": [2], "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def task_digest(task: Task) -> str:
    """Return 32 hex digits for a task: its question, what else `task.json` says, and every file of its evidence."""
    return value_digest(
        {
            "task_id": task.task_id,
            "question": task.question,
            "difficulty": task.difficulty,
            "extra": task.extra,
            "files": files_digests(task.folder, task.files()),
        }
    )
