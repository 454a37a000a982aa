"""From task folders to delivered predictions."""

from debriefer.pipeline.batch import find_tasks, run
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.media import MediaSettings, MediaStage
from debriefer.pipeline.outcome import Attempt, Outcome, Status
from debriefer.pipeline.registry import StageRegistry, default_registry
from debriefer.pipeline.settings import ModelChoice, RunSettings
from debriefer.pipeline.single import solve
from debriefer.pipeline.stage import BaseStage, Inputs, Product, Stage, StageRecord

__all__ = [
    "Attempt",
    "BaseStage",
    "Cache",
    "Inputs",
    "MediaSettings",
    "MediaStage",
    "ModelChoice",
    "Outcome",
    "Product",
    "RunSettings",
    "Stage",
    "StageRecord",
    "StageRegistry",
    "Status",
    "default_registry",
    "find_tasks",
    "run",
    "solve",
]
