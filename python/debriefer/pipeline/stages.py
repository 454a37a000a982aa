"""Taking a task through the stages between `prepare` and `solve`."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.errors import DebrieferError
from debriefer.models import Models
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.content import files_digests, value_digest
from debriefer.pipeline.registry import StageRegistry, package_version
from debriefer.pipeline.stage import Inputs, Product, Stage, StageRecord
from debriefer.task import Task

if TYPE_CHECKING:
    from dspy_programs.solver import Findings

_log = logging.getLogger(__name__)
# Stages that are bound by the processor would only hold more memory if more of them ran at once in one process.
_HEAVY = threading.BoundedSemaphore(os.cpu_count() or 1)


class StageError(DebrieferError):
    """A stage without which a task cannot be answered has failed."""


class StageRun:
    """One task on its way through the stages.

    Attributes:
        records: How each stage went, in order.
        products: What the stages made, by name.
    """

    def __init__(
        self,
        registry: StageRegistry,
        task: Task,
        *,
        models: Models | None = None,
        cache: Cache | None = None,
        stopped: Callable[[], bool] = lambda: False,
        records: list[StageRecord] | None = None,
    ) -> None:
        """Prepare the run of a working copy.

        Args:
            registry: The stages.
            task: The working copy.
            models: Language models, for the stages that ask one.
            cache: Where products are kept; `None` makes all of them anew, inside the working copy.
            stopped: Whether the run is to end; no further stage is then begun.
            records: Where it is noted how each stage went.
        """
        self.records: list[StageRecord] = [] if records is None else records
        self.products: dict[str, Product] = {}
        self._registry = registry
        self._task = task
        self._models = models
        self._cache = cache
        self._stopped = stopped

    def run(self) -> None:
        """Run all stages in order; what fails and can be done without is recorded, and the others go on.

        Raises:
            StageError: A stage failed that the task needs.
        """
        for name, stage in self._registry:
            if stage is None:
                self.records.append(StageRecord(name, "absent", "no such stage is installed"))
                continue
            if self._stopped():
                self.records.append(StageRecord(name, "skipped", "the run was stopped"))
                continue
            began = time.perf_counter()
            try:
                state, reason, key = self._one(stage)
            except Exception as error:
                reason = _reason(error)
                self._record(name, "failed", reason, began)
                if not stage.optional:
                    message = f"stage `{name}` failed: {reason}"
                    raise StageError(message, hint=getattr(error, "hint", None)) from error
                _log.warning("%s: stage %s failed, the task goes on without it: %s", self._task.task_id, name, reason)
            else:
                self._record(name, state, reason, began, key)

    def findings(self) -> Findings:
        """Return what the stages found out for the Solver."""
        from dspy_programs.solver import Findings  # noqa: PLC0415 -- loads DSPy; only runs with a model need it

        found = Findings()
        for name, stage in self._registry:
            if stage is not None and name in self.products:
                try:
                    found = stage.tell(self.products[name], found)
                except Exception as error:  # noqa: BLE001 -- an optional stage degrades alone
                    reason = f"its product cannot be told to the Solver: {_reason(error)}"
                    self.records.append(StageRecord(name, "failed", reason))
        return found

    def _one(self, stage: Stage) -> tuple[Any, str | None, str | None]:
        inputs = Inputs(self._task, dict(self.products), self._models)
        reason = stage.skipped(inputs)
        if reason is not None:
            return "skipped", reason, None
        key = self._key(stage, inputs)
        with _HEAVY if stage.heavy else nullcontext():
            product, found = self._make(stage, inputs, key)
        stage.lay(product, self._task)
        self.products[stage.name] = product
        return ("cached" if found else "done"), None, key

    def _key(self, stage: Stage, inputs: Inputs) -> str:
        return value_digest(
            {
                "stage": stage.name,
                "version": stage.version,
                "package": package_version(),
                "settings": dict(stage.settings(inputs)),
                "sources": files_digests(self._task.folder, stage.sources(self._task)),
                "uses": {name: self.products[name].key for name in stage.uses if name in self.products},
            }
        )

    def _make(self, stage: Stage, inputs: Inputs, key: str) -> tuple[Product, bool]:
        def build(folder: Path) -> Mapping[str, Any]:
            return stage.run(inputs, folder)

        if self._cache is not None:
            try:
                return self._cache.fetch(stage.name, key, build)
            except OSError as error:
                # A full or broken disk behind the cache; if the stage itself is at fault it fails again below.
                _log.warning("the cache cannot be used for stage %s: %s", stage.name, error)
        folder = self._task.folder / ".stages" / stage.name
        # A working copy that was kept holds what an earlier run made.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return Product(key, build(folder), folder), False

    def _record(self, name: str, state: Any, reason: str | None, began: float, key: str | None = None) -> None:  # noqa: ANN401
        self.records.append(StageRecord(name, state, reason, round(time.perf_counter() - began, 3), key))


def _reason(error: Exception) -> str:
    if isinstance(error, DebrieferError):
        return error.message
    first = (str(error).strip() or "no message").splitlines()[0]
    return f"{type(error).__name__}: {first}"
