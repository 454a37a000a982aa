"""From task folders to delivered predictions.

Names are loaded when they are first used: who only hands tasks to workers needs neither DuckDB nor DSPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.pipeline.asking import Asked, answered, ask
    from debriefer.pipeline.batch import find_tasks, run
    from debriefer.pipeline.cache import Cache
    from debriefer.pipeline.judge import JudgeStage
    from debriefer.pipeline.media import MediaStage
    from debriefer.pipeline.outcome import Attempt, Outcome, Status
    from debriefer.pipeline.registry import StageRegistry, default_registry
    from debriefer.pipeline.settings import (
        DocumentsSettings,
        JudgeSettings,
        MediaSettings,
        ModelChoice,
        RelevanceSettings,
        RunSettings,
    )
    from debriefer.pipeline.single import solve
    from debriefer.pipeline.stage import BaseStage, Inputs, Product, Stage, StageRecord

_HOMES = {
    "Asked": "asking",
    "Attempt": "outcome",
    "BaseStage": "stage",
    "Cache": "cache",
    "Inputs": "stage",
    "DocumentsSettings": "settings",
    "JudgeSettings": "settings",
    "JudgeStage": "judge",
    "MediaSettings": "settings",
    "MediaStage": "media",
    "ModelChoice": "settings",
    "Outcome": "outcome",
    "Product": "stage",
    "RelevanceSettings": "settings",
    "RunSettings": "settings",
    "Stage": "stage",
    "StageRecord": "stage",
    "StageRegistry": "registry",
    "Status": "outcome",
    "answered": "asking",
    "ask": "asking",
    "default_registry": "registry",
    "find_tasks": "batch",
    "run": "batch",
    "solve": "single",
}

__all__ = [
    "Asked",
    "Attempt",
    "BaseStage",
    "Cache",
    "DocumentsSettings",
    "Inputs",
    "JudgeSettings",
    "JudgeStage",
    "MediaSettings",
    "MediaStage",
    "ModelChoice",
    "Outcome",
    "Product",
    "RelevanceSettings",
    "RunSettings",
    "Stage",
    "StageRecord",
    "StageRegistry",
    "Status",
    "answered",
    "ask",
    "default_registry",
    "find_tasks",
    "run",
    "solve",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
