"""Answers a data question from a folder of mixed evidence and shows where every value came from.

Names are loaded when they are first used, so that `import debriefer` costs nothing that is not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.catalog import Catalog, NormalizedSql, canonical_name, normalize_sql
    from debriefer.pipeline import Outcome, ask, run, solve
    from debriefer.scoring import exact_score, score_run, signature_score
    from debriefer.task import Task
    from debriefer.workbench import Workbench

    __version__: str

_HOMES = {
    "Catalog": "catalog",
    "NormalizedSql": "catalog",
    "canonical_name": "catalog",
    "normalize_sql": "catalog",
    "Outcome": "pipeline",
    "ask": "pipeline",
    "run": "pipeline",
    "solve": "pipeline",
    "exact_score": "scoring",
    "score_run": "scoring",
    "signature_score": "scoring",
    "Task": "task",
    "Workbench": "workbench",
}

__all__ = [
    "Catalog",
    "NormalizedSql",
    "Outcome",
    "Task",
    "Workbench",
    "ask",
    "canonical_name",
    "exact_score",
    "normalize_sql",
    "run",
    "score_run",
    "signature_score",
    "solve",
]

_load, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public name
    if name == "__version__":
        value: Any = _version()
        globals()[name] = value
        return value
    return _load(name)


def _version() -> str:
    # Looking it up loads the standard library's mail parser, which every run of a script would pay for.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("debriefer")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"
