"""Answers a data question from a folder of mixed evidence and shows where every value came from.

Names are loaded when they are first used, so that `import debriefer` costs nothing that is not needed.
"""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from debriefer.catalog import Catalog, NormalizedSql, canonical_name, normalize_sql
    from debriefer.pipeline import Outcome, run, solve
    from debriefer.scoring import exact_score, score_run, signature_score
    from debriefer.task import Task
    from debriefer.workbench import Workbench

try:
    __version__ = version("debriefer")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

_HOMES = {
    "Catalog": "debriefer.catalog",
    "NormalizedSql": "debriefer.catalog",
    "canonical_name": "debriefer.catalog",
    "normalize_sql": "debriefer.catalog",
    "Outcome": "debriefer.pipeline",
    "run": "debriefer.pipeline",
    "solve": "debriefer.pipeline",
    "exact_score": "debriefer.scoring",
    "score_run": "debriefer.scoring",
    "signature_score": "debriefer.scoring",
    "Task": "debriefer.task",
    "Workbench": "debriefer.workbench",
}

__all__ = [
    "Catalog",
    "NormalizedSql",
    "Outcome",
    "Task",
    "Workbench",
    "canonical_name",
    "exact_score",
    "normalize_sql",
    "run",
    "score_run",
    "signature_score",
    "solve",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public name
    home = _HOMES.get(name)
    if home is None:
        message = f"module `debriefer` has no attribute `{name}`"
        raise AttributeError(message)
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
