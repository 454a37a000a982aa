"""Answers a data question from a folder of mixed evidence and shows where every value came from.

Names are loaded when they are first used, so that `import debriefer` costs nothing that is not needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from debriefer.catalog import Catalog, NormalizedSql, canonical_name, normalize_sql
    from debriefer.pipeline import Outcome, run, solve
    from debriefer.scoring import exact_score, score_run, signature_score
    from debriefer.task import Task
    from debriefer.workbench import Workbench

    __version__: str

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
    if name == "__version__":
        value: Any = _version()
        globals()[name] = value
        return value
    home = _HOMES.get(name)
    if home is None:
        message = f"module `debriefer` has no attribute `{name}`"
        raise AttributeError(message)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def _version() -> str:
    # Looking it up loads the standard library's mail parser, which every run of a script would pay for.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("debriefer")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
