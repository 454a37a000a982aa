"""Labelled tasks: task folders with what is right, for compiling programs and for measuring them.

`load` reads a data set, `split` divides one by database, `inspect` says what is in it, and `make` writes the set of
invented data that comes with this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.datasets.inspecting import Inspection, inspect
    from debriefer.datasets.invented.writing import make
    from debriefer.datasets.labelled import PROGRAMS, DatasetError, LabelledTask, load
    from debriefer.datasets.splitting import split, write_split

_HOMES = {
    "PROGRAMS": "labelled",
    "DatasetError": "labelled",
    "Inspection": "inspecting",
    "LabelledTask": "labelled",
    "inspect": "inspecting",
    "load": "labelled",
    "make": "invented.writing",
    "split": "splitting",
    "write_split": "splitting",
}

__all__ = [
    "PROGRAMS",
    "DatasetError",
    "Inspection",
    "LabelledTask",
    "inspect",
    "load",
    "make",
    "split",
    "write_split",
]

_load, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public name
    return _load(name)
