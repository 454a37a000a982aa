"""The Solver as a DSPy module."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy

from debriefer.errors import ModelError
from debriefer.models import metered
from debriefer.task import Task
from debriefer.workbench import Workbench
from dspy_programs.solver.evidence import Findings
from dspy_programs.solver.prompt import Briefing, brief
from dspy_programs.solver.protocol import SolverAdapter, example_text
from dspy_programs.solver.result import SolverResult
from dspy_programs.solver.session import FAILURES, Ask, Session, advance
from dspy_programs.solver.settings import Retry, SolverSettings
from dspy_programs.solver.signatures import CompressTurns, NextAction
from dspy_programs.solver.trajectory import Turn


class Solver(dspy.Module):
    """Answers one task by completing and running its `solver.py`.

    Two predictors can be compiled: `next_action` and `compression`. The language model is DSPy's current one
    (`with models.using("solver", meter): ...`).

    A run never raises for what a model or a tool does wrong: bounds, errors of the endpoint and unreadable replies
    end it with a reason. Errors of our own (no task folder, no catalog) are raised.
    """

    def __init__(self, settings: SolverSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or SolverSettings()
        self.next_action = dspy.Predict(NextAction)
        self.compression = dspy.Predict(CompressTurns)

    def forward(
        self,
        work: str | Path,
        findings: Findings | None = None,
        *,
        retry: Retry | None = None,
        compression_lm: dspy.LM | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> dspy.Prediction:
        """Run once, from a pristine `solver.py` and without an earlier prediction.

        Args:
            work: Working copy of a task with `task.json`, `context/` and `workdir/catalog.duckdb`; one run at a time.
            findings: What other programs found out about the task.
            retry: What is to be known of earlier attempts; this one is then sampled differently.
            compression_lm: The model that compresses older turns; DSPy's current one where none is given.
            on_turn: Called with each turn as it ends, for a live log.

        Returns:
            A prediction with `result` (`SolverResult`), `finished`, and `csv_path` (the prediction, or `None`).

        Raises:
            ModelError: DSPy has no current language model.
            MissingFileError: There is no task folder or catalog.
            TaskError: `task.json` cannot be used.
            CatalogError: The catalog cannot be opened.
        """
        with self._session(work, findings, retry, on_turn) as session:
            steps = session.run()
            step = advance(steps)
            while not isinstance(step, SolverResult):
                try:
                    if isinstance(step, Ask):
                        with metered(session.meter), dspy.context(**self._context(step, compression_lm)):
                            value = step.predictor(**step.inputs)
                    else:
                        value = session.toolbox.run(step.call, step.seconds)
                except FAILURES as error:
                    step = advance(steps, error=error)
                else:
                    step = advance(steps, value)
        return _prediction(step)

    async def aforward(
        self,
        work: str | Path,
        findings: Findings | None = None,
        *,
        retry: Retry | None = None,
        compression_lm: dspy.LM | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> dspy.Prediction:
        """Run once as `forward` does, with the model asked asynchronously and tools off the event loop."""
        with await asyncio.to_thread(self._session, work, findings, retry, on_turn) as session:
            steps = session.run()
            step = advance(steps)
            while not isinstance(step, SolverResult):
                try:
                    if isinstance(step, Ask):
                        with metered(session.meter), dspy.context(**self._context(step, compression_lm)):
                            value = await step.predictor.acall(**step.inputs)
                    else:
                        value = await asyncio.to_thread(session.toolbox.run, step.call, step.seconds)
                except FAILURES as error:
                    step = advance(steps, error=error)
                else:
                    step = advance(steps, value)
        return _prediction(step)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """Return what was learned, of each example only what a later prompt shows.

        An example would otherwise carry the whole evidence of its task, pictures included.
        """
        state: dict[str, Any] = super().dump_state(json_mode=json_mode)
        examples = [demo for demo in self.next_action.demos if demo.get("tool_calls") is not None]
        state["next_action"]["demos"] = [
            {
                "augmented": True,
                "question": demo.get("question", ""),
                "trajectory": example_text(demo.get("trajectory", "")),
                "thought": demo.get("thought", ""),
                "tool_calls": dspy.ToolCalls.model_validate(demo["tool_calls"]).format(),
            }
            for demo in examples
        ]
        return state

    def _context(self, step: Ask, compression_lm: dspy.LM | None) -> dict[str, Any]:
        if step.predictor is self.next_action:
            return {"adapter": SolverAdapter(native=self.settings.native_tools)}
        # A silent second try by DSPy is welcome here: the request is small and the meter counts it.
        return {"adapter": dspy.ChatAdapter(), **({} if compression_lm is None else {"lm": compression_lm})}

    def _session(
        self,
        work: str | Path,
        findings: Findings | None,
        retry: Retry | None,
        on_turn: Callable[[Turn], None] | None,
    ) -> Session:
        if dspy.settings.lm is None:
            message = "the Solver has no language model"
            raise ModelError(message, hint='run it inside `with models.using("solver"):`')
        task = Task.open(work)
        bench = Workbench.create(task.folder)

        def briefed(window: int) -> Briefing:
            remark = "" if retry is None else retry.remark()
            return brief(task, bench.catalog, findings, window=window, vision=self.settings.vision, remark=remark)

        try:
            return Session(
                bench,
                self.settings,
                next_action=self.next_action,
                compression=self.compression,
                briefed=briefed,
                sampling={} if retry is None else retry.config(self.settings.temperature),
                on_turn=on_turn,
            )
        except BaseException:
            bench.close()
            raise


def _prediction(result: SolverResult) -> dspy.Prediction:
    return dspy.Prediction(result=result, finished=result.finished, csv_path=result.prediction)
