"""Canonical names and aliases for all tables of a catalog (INTERIM until the Rust one is merged)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from debriefer import _core


@dataclass(frozen=True, slots=True)
class AssignedName:
    """The canonical name of a table and its aliases."""

    name: str
    aliases: tuple[str, ...]


def assign(sources: Sequence[tuple[str, str]]) -> list[AssignedName]:
    """Return a name for each (relative path, name inside the file)."""
    stems = [_core.canonical_name(name) for _, name in sources]
    taken: set[str] = set()
    result = []
    for (path, _), stem in zip(sources, stems, strict=True):
        name = stem if stems.count(stem) == 1 else f"{_core.canonical_name(PurePosixPath(path).stem)}__{stem}"
        while name in taken:
            name += "_2"
        taken.add(name)
        result.append(AssignedName(name, (f"df_{name}",)))
    return result
