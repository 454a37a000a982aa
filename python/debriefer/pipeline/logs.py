"""The log of a task: JSON and Markdown files that a person can read, without keys."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from debriefer.models import Models
from debriefer.models.redact import Redactor
from debriefer.pipeline.files import LOGS_FOLDER


def redactor_for(models: Models | None) -> Redactor:
    """Return what takes the keys of these models, and of the environment, out of a text."""
    secrets: list[str] = []
    if models is not None:
        from debriefer.models import ROLES  # noqa: PLC0415

        secrets = [secret for role in ROLES for secret in models.settings(role).secrets]
    return Redactor(secrets, os.environ)


class TaskLog:
    """The folder `logs/<task>/`."""

    def __init__(self, folder: Path, redact: Redactor, *, fresh: bool = True) -> None:
        """Begin a log in `folder`, in place of one of an earlier run; not `fresh`, add to it."""
        self.folder = folder
        self._redact = redact
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=not fresh)

    def json(self, name: str, value: Mapping[str, Any] | list[Any]) -> None:
        """Write a JSON file."""
        self.text(name, json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")

    def text(self, name: str, text: str) -> None:
        """Write a text file in one step."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(self._clean(text))
        partial.replace(path)

    def line(self, name: str, value: Mapping[str, Any]) -> None:
        """Add a line to a JSON Lines file, so that it is there even if the process dies."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(self._clean(json.dumps(value, ensure_ascii=False, default=str) + "\n"))

    def copy(self, source: Path, name: str) -> None:
        """Copy a text file of the working copy, if it is there."""
        if source.is_file() and not source.is_symlink():
            self.text(name, source.read_bytes().decode("utf-8", "replace"))

    def copy_product(self, folder: Path) -> None:
        """Copy what a stage's product in `folder` has for the log."""
        logs = folder / LOGS_FOLDER
        for path in sorted(logs.rglob("*")):
            self.copy(path, path.relative_to(logs).as_posix())

    def remove(self, name: str) -> None:
        """Delete a file."""
        (self.folder / name).unlink(missing_ok=True)

    def _clean(self, text: str) -> bytes:
        # Lone surrogates have no UTF-8.
        return self._redact(text).encode("utf-8", "replace")
