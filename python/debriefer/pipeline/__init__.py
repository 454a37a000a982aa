"""From task folders to delivered predictions."""

from debriefer.pipeline.batch import find_tasks, run
from debriefer.pipeline.outcome import Outcome, Status
from debriefer.pipeline.single import solve

__all__ = ["Outcome", "Status", "find_tasks", "run", "solve"]
