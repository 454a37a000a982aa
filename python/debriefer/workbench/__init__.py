"""The workbench: `solver.py`, hash-anchored edits, runs in a child process, the four tools.

Names are loaded when they are first used: `solver.py` imports `debriefer.workbench.runtime` anew in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.workbench.editing import Edit, line_hash
    from debriefer.workbench.prediction import Check, check_prediction
    from debriefer.workbench.running import RunResult
    from debriefer.workbench.sandbox import Limits
    from debriefer.workbench.scaffold import restore_scaffold, write_scaffold
    from debriefer.workbench.workbench import Workbench
    from debriefer.workbench.writing import prediction_text, write_prediction

_HOMES = {
    "Check": "prediction",
    "Edit": "editing",
    "Limits": "sandbox",
    "RunResult": "running",
    "Workbench": "workbench",
    "check_prediction": "prediction",
    "line_hash": "editing",
    "prediction_text": "writing",
    "restore_scaffold": "scaffold",
    "write_prediction": "writing",
    "write_scaffold": "scaffold",
}

__all__ = [
    "Check",
    "Edit",
    "Limits",
    "RunResult",
    "Workbench",
    "check_prediction",
    "line_hash",
    "prediction_text",
    "restore_scaffold",
    "write_prediction",
    "write_scaffold",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
