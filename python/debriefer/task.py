"""The task folder: `task.json`, the files below `context/` by kind, and a working copy to solve it in."""

from __future__ import annotations

import json
import os
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from debriefer.errors import MissingFileError, TaskError

_TASK_FILE = "task.json"
_CONTEXT = "context"
# Stands in `workdir/` of a working copy: only there may `context/` be replaced.
_MARKER = ".working-copy"
# Names of files have at most 255 bytes on every common file system, and results add to theirs.
_LONGEST_NAME = 150
_LAYOUT_HINT = "a task folder holds `task.json` with a `question`, and the evidence below `context/`"


@dataclass(frozen=True, slots=True)
class Task:
    """One question and its evidence, read from a folder that is never written to.

    Attributes:
        folder: The task folder, absolute.
        task_id: Identifier from `task.json`; the folder's name where the file gives none.
        question: The question, without white space at its ends.
        difficulty: `easy`, `medium`, `hard`, `extreme` or whatever the file says; `None` where it is absent.
        extra: Keys of `task.json` that this package does not know, as they were read.

    Source: task folder layout of the KDD Cup 2026 Data Agents track.
    """

    folder: Path
    task_id: str
    question: str
    difficulty: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def open(cls, folder: str | Path) -> Task:
        """Read a task folder.

        Args:
            folder: Folder that holds `task.json` and, usually, `context/`.

        Raises:
            MissingFileError: The folder or its `task.json` does not exist.
            TaskError: `task.json` is no JSON object or asks no question.
        """
        folder = Path(folder)
        path = folder / _TASK_FILE
        if not folder.is_dir():
            message = f"`{folder}` is not a folder"
            raise MissingFileError(message, hint=_LAYOUT_HINT)
        if not path.is_file():
            message = f"`{path}` does not exist"
            raise MissingFileError(message, hint=_LAYOUT_HINT)
        values = _read_object(path)
        question = values.pop("question", None)
        if not isinstance(question, str) or not question.strip():
            message = f"`{path}` asks no question"
            raise TaskError(message, hint='add the question as text: {"question": "…"}')
        task_id = values.pop("task_id", None)
        if task_id is None or not str(task_id).strip():
            task_id = folder.resolve().name
        difficulty = values.pop("difficulty", None)
        return cls(
            folder=folder.resolve(),
            task_id=_safe_name(str(task_id)),
            question=question.strip(),
            difficulty=None if difficulty is None else str(difficulty),
            extra=values,
        )

    @property
    def context(self) -> Path:
        """Folder of the evidence; may be absent."""
        return self.folder / _CONTEXT

    @property
    def knowledge(self) -> str | None:
        """Text of `context/knowledge.md`, or `None` where the task has none.

        Text that is not valid UTF-8 is read as GB18030, and as a last resort with replacement characters.
        """
        path = self.context / "knowledge.md"
        if not path.is_file():
            return None
        raw = path.read_bytes()
        for encoding in ("utf-8-sig", "gb18030"):
            try:
                return raw.decode(encoding)
            except UnicodeDecodeError:
                continue
        return raw.decode("utf-8", errors="replace")

    def files(self) -> list[Path]:
        """Return every regular file below `context/`, sorted by its path relative to it.

        Hidden files and folders (`.git`, `.DS_Store`) and lock files of office programs (`~$…`) are left out.
        A link to a file is followed only if it stays below `context/`; see `left_out`.
        """
        return files_below(self.context)

    def left_out(self) -> list[LeftOut]:
        """Return what stands below `context/` and is no evidence, though it is not hidden, sorted by its path.

        That is links that lead out of `context/` or nowhere, links to folders, pipes, sockets and devices, and folders
        that cannot be opened. A working copy remembers what the task folder had.
        """
        found = {item.path: item for item in (*_remembered(self.folder), *left_out_below(self.context))}
        return [found[path] for path in sorted(found)]

    def working_copy(self, folder: str | Path) -> Task:
        """Lay a copy of the task into `folder` in which `context/` and `workdir/` may be written to.

        The copy is made afresh: what an earlier run left in `folder`'s `context/` is replaced, its `workdir/` is kept.

        Raises:
            TaskError: `folder` is the task folder itself, lies inside it or holds it; or it holds evidence or a task
                that no working copy of ours left there; or it cannot be written to.
        """
        target = Path(folder).resolve()
        if target.is_relative_to(self.folder) or self.folder.is_relative_to(target):
            message = f"`{folder}` overlaps the task folder `{self.folder}`, which is never written to"
            raise TaskError(message, hint="name a folder outside the task folder for the working copy")
        marker = target / "workdir" / _MARKER
        foreign = [name for name in (_TASK_FILE, _CONTEXT) if (target / name).exists() and not marker.is_file()]
        if foreign:
            message = f"`{folder}` holds a `{foreign[0]}` that is no working copy's, and it would be replaced"
            raise TaskError(message, hint="name an empty or a new folder for the working copy")
        try:
            return self._copy_into(target, marker)
        except OSError as error:
            message = f"`{folder}` cannot take the working copy: {error.strerror or error}"
            raise TaskError(message, hint="name a folder that can be written to") from error

    def _copy_into(self, target: Path, marker: Path) -> Task:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(json.dumps([[item.path, item.reason] for item in self.left_out()]), encoding="ascii")
        shutil.copyfile(self.folder / _TASK_FILE, target / _TASK_FILE)
        shutil.rmtree(target / _CONTEXT, ignore_errors=True)
        (target / _CONTEXT).mkdir()
        for path in self.files():
            copy = target / _CONTEXT / path.relative_to(self.context)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        return Task(target, self.task_id, self.question, self.difficulty, dict(self.extra))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in a folder of evidence that is not read.

    Attributes:
        path: Relative to the folder, with `/` between its parts.
        reason: What it is, without a full stop.
    """

    path: str
    reason: str


def files_below(folder: Path) -> list[Path]:
    """Return every regular file below `folder`, sorted by its relative path; see `Task.files` for what is left out."""
    return _look_through(folder)[0]


def left_out_below(folder: Path) -> list[LeftOut]:
    """Return what `files_below` does not give though it is not hidden, sorted by its path; see `Task.left_out`."""
    return _look_through(folder)[1]


def _look_through(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    if not folder.is_dir():
        return [], []
    root = folder.resolve()
    found: list[Path] = []
    left_out: list[LeftOut] = []

    def leave_out(path: Path, reason: str) -> None:
        left_out.append(LeftOut(path.relative_to(folder).as_posix(), reason))

    def unreadable(error: OSError) -> None:
        leave_out(Path(error.filename), f"a folder that cannot be opened: {error.strerror or error}")

    for current, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in folders:
            path = Path(current) / name
            if path.is_symlink():
                leave_out(path, "a link to a folder, which is not followed")
        for name in names:
            if name.startswith((".", "~$")):
                continue
            path = Path(current) / name
            reason = _why_not(path, root)
            if reason is None:
                found.append(path)
            else:
                leave_out(path, reason)
    left_out.sort(key=lambda item: item.path)
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix()), left_out


def _why_not(path: Path, root: Path) -> str | None:
    """Return why an entry of a folder is no evidence, or `None` where it is a file."""
    if path.is_symlink():
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return "a link that leads nowhere"
        if not target.is_relative_to(root):
            return "a link that leads out of the folder, which is not followed"
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"a file that cannot be looked at: {error.strerror or error}"
    if stat.S_ISREG(mode):
        return None
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((f"{kind}, no file" for is_kind, kind in kinds if is_kind(mode)), "no file")


def _remembered(folder: Path) -> list[LeftOut]:
    """Return what the task folder of a working copy had that was not copied."""
    try:
        values = json.loads((folder / "workdir" / _MARKER).read_text(encoding="ascii"))
        return [LeftOut(str(path), str(reason)) for path, reason in values]
    except (OSError, ValueError, TypeError):
        # No working copy, or one of an earlier version.
        return []


def _read_object(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"`{path}` is not UTF-8: byte {error.start} does not fit"
        raise TaskError(message, hint="save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        message = f"`{path}` is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise TaskError(message, hint="check the file with `python -m json.tool`") from error
    except ValueError as error:
        message = f"`{path}` cannot be read: {error}"
        raise TaskError(message, hint=_LAYOUT_HINT) from error
    except RecursionError as error:
        message = f"`{path}` is nested too deeply to read"
        raise TaskError(message, hint=_LAYOUT_HINT) from error
    if not isinstance(values, dict):
        message = f"`{path}` holds no JSON object"
        raise TaskError(message, hint='write an object: {"task_id": "task_1", "question": "…"}')
    return values


def _safe_name(task_id: str) -> str:
    """Return `task_id` as one path component: it names folders of results and logs."""
    cleaned = "".join("_" if c in '/\\:\0*?"<>|' or not c.isprintable() else c for c in task_id.strip())
    cleaned = cleaned.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return "_" if cleaned.strip(". ") == "" else cleaned


def is_task_folder(folder: Path) -> bool:
    """Return whether `folder` holds a `task.json`."""
    return (folder / _TASK_FILE).is_file()
