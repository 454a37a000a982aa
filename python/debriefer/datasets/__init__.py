"""Labelled tasks: task folders with what is right, for compiling programs and for measuring them.

`load` reads a data set, `split` divides one by database, `inspect` says what is in it, and `make` writes the set of
invented data that comes with this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.datasets.labelled import PROGRAMS, DatasetError, LabelledTask, load

_HOMES = {
    "PROGRAMS": "labelled",
    "DatasetError": "labelled",
    "LabelledTask": "labelled",
    "load": "labelled",
}

__all__ = ["PROGRAMS", "DatasetError", "LabelledTask", "load"]

_load, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public name
    return _load(name)
