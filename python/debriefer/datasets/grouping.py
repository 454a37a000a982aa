"""Which tasks stand on the same data, so that none of them is learned from while another is measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from debriefer.errors import DebrieferError
from debriefer.task import Task

# Business notes are copied from task to task and are no database.
_NOTES = "knowledge.md"


def evidence_digests(task: Task) -> frozenset[str]:
    """Return a digest for the content of each file of evidence that is not empty, `knowledge.md` left out.

    Raises:
        DebrieferError: A file cannot be read.
    """
    found = set()
    for path in task.files():
        if path.name == _NOTES:
            continue
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            message = f"`{path}` cannot be read: {error.strerror or error}"
            raise DebrieferError(message) from error
        if digest != _EMPTY:
            found.add(digest)
    return frozenset(found)


_EMPTY = hashlib.sha256().hexdigest()


def connected(evidence: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Return the group of each task: tasks that share a file, directly or through others, are in one.

    Args:
        evidence: By task the digests of its files.

    Returns:
        By task the name of its group: the first of its tasks in the order of names.

    >>> connected({"b": frozenset("1"), "a": frozenset("12"), "c": frozenset("2"), "d": frozenset("3")})
    {'a': 'a', 'b': 'a', 'c': 'a', 'd': 'd'}
    """
    parents = {name: name for name in sorted(evidence)}
    holders: dict[str, str] = {}
    for name in parents:
        for digest in sorted(evidence[name]):
            first, second = sorted((_root(parents, holders.setdefault(digest, name)), _root(parents, name)))
            parents[second] = first
    return {name: _root(parents, name) for name in parents}


def _root(parents: Mapping[str, str], name: str) -> str:
    while parents[name] != name:
        name = parents[name]
    return name


def groups_of(tasks: Sequence[Task]) -> dict[str, str]:
    """Return the group of each task by the name of its folder: what `task.json` calls `group`, else by shared files."""
    named = {task.folder.name: group for task in tasks if (group := task.extra.get("group")) and isinstance(group, str)}
    found = connected({task.folder.name: evidence_digests(task) for task in tasks if task.folder.name not in named})
    return {task.folder.name: named.get(task.folder.name) or found[task.folder.name] for task in tasks}
