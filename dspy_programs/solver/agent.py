"""The Solver: turns of thought and tool calls until the model ends the run or a bound does."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import dspy
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMError

from debriefer.errors import BudgetExceededError, ModelError
from debriefer.models import (
    Budget,
    Meter,
    ModelSettings,
    budget_error,
    count_tokens,
    metered,
    neutralise,
    neutralise_all,
)
from debriefer.task import Task
from debriefer.workbench import Workbench
from dspy_programs.solver.context import Window, digest
from dspy_programs.solver.evidence import Findings
from dspy_programs.solver.prompt import Briefing, brief
from dspy_programs.solver.protocol import SolverAdapter, correction, example_text, shown_reply, system_message
from dspy_programs.solver.result import Compression, Reason, SolverResult
from dspy_programs.solver.rules import SCAFFOLD_NOTE
from dspy_programs.solver.signatures import CompressTurns, NextAction
from dspy_programs.solver.tools import TOOLS, Toolbox
from dspy_programs.solver.trajectory import Call, Notes, Observation, Trajectory, Turn

_log = logging.getLogger(__name__)
# Overflows of one turn in a row after which the window cannot be as large as it is said to be.
_OVERFLOWS = 5
_REPLY_TOKENS = 4_096
_ECHO = "(the same call gave the same answer in turn"
_TOOLS = tuple(tool.as_dspy() for tool in TOOLS.values())


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """How the Solver runs on a model.

    Attributes:
        requests: Largest number of requests in a run, compressions and retries included (80 in the specification).
            A run inside a `debriefer.models.metered` block also keeps to the budget of that block.
        unreadable_replies: Replies in a row that may be unreadable before the run ends.
        native_tools: Use the model's own tool calls.
        vision: Show pictures.
        context_window: Tokens that prompt and reply may have together.
        reply_tokens: Room that is kept for a reply.
    """

    requests: int = 80
    unreadable_replies: int = 4
    native_tools: bool = False
    vision: bool = False
    context_window: int = 32_768
    reply_tokens: int = _REPLY_TOKENS


@dataclass(slots=True)
class _Ask:
    """A step of a run that needs the model."""

    predictor: dspy.Predict
    inputs: dict[str, Any]


@dataclass(slots=True)
class _Act:
    """A step of a run that needs a tool."""

    call: Call


_Step = _Ask | _Act
# What a model, an endpoint or a bound does to a step; anything else is a fault of ours and is raised.
_FAILURES = (LMError, AdapterParseError, ValueError, BudgetExceededError)


class _CutOffError(ValueError):
    """A reply without calls that ended at its length limit; its text is the message."""


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
        compression_lm: dspy.LM | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> dspy.Prediction:
        """Run once, from a pristine `solver.py` and without an earlier prediction.

        Args:
            work: Working copy of a task with `task.json`, `context/` and `workdir/catalog.duckdb`.
            findings: What other programs found out about the task.
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
        with self._session(work, findings, on_turn) as session:
            steps = session.run()
            step = _advance(steps)
            while not isinstance(step, SolverResult):
                try:
                    if isinstance(step, _Ask):
                        with metered(session.meter), dspy.context(**self._context(step, compression_lm)):
                            value = step.predictor(**step.inputs)
                    else:
                        value = session.toolbox.run(step.call)
                except _FAILURES as error:
                    step = _advance(steps, error=error)
                else:
                    step = _advance(steps, value)
        return _prediction(step)

    async def aforward(
        self,
        work: str | Path,
        findings: Findings | None = None,
        *,
        compression_lm: dspy.LM | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> dspy.Prediction:
        """Run once as `forward` does, with the model asked asynchronously and tools off the event loop."""
        with await asyncio.to_thread(self._session, work, findings, on_turn) as session:
            steps = session.run()
            step = _advance(steps)
            while not isinstance(step, SolverResult):
                try:
                    if isinstance(step, _Ask):
                        with metered(session.meter), dspy.context(**self._context(step, compression_lm)):
                            value = await step.predictor.acall(**step.inputs)
                    else:
                        value = await asyncio.to_thread(session.toolbox.run, step.call)
                except _FAILURES as error:
                    step = _advance(steps, error=error)
                else:
                    step = _advance(steps, value)
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

    def _context(self, step: _Ask, compression_lm: dspy.LM | None) -> dict[str, Any]:
        if step.predictor is self.next_action:
            return {"adapter": SolverAdapter(native=self.settings.native_tools)}
        # A silent second try by DSPy is welcome here: the request is small and the meter counts it.
        return {"adapter": dspy.ChatAdapter(), **({} if compression_lm is None else {"lm": compression_lm})}

    def _session(self, work: str | Path, findings: Findings | None, on_turn: Callable[[Turn], None] | None) -> _Session:
        if dspy.settings.lm is None:
            message = "the Solver has no language model"
            raise ModelError(message, hint='run it inside `with models.using("solver"):`')
        task = Task.open(work)
        bench = Workbench.create(task.folder)
        settings = self.settings
        try:
            briefing = brief(task, bench.catalog, findings, window=settings.context_window, vision=settings.vision)
        except BaseException:
            bench.close()
            raise
        return _Session(self, bench, briefing, on_turn)


class _Session:
    """One run: a generator that yields what it needs and is sent what came of it, so that sync and async share it."""

    def __init__(
        self, solver: Solver, bench: Workbench, briefing: Briefing, on_turn: Callable[[Turn], None] | None
    ) -> None:
        self.toolbox = Toolbox(bench)
        self._solver = solver
        self._bench = bench
        self._briefing = briefing
        self._on_turn = on_turn
        self._settings = solver.settings
        self._turns: list[Turn] = []
        self._trajectory = Trajectory()
        self._compressions: list[Compression] = []
        self.meter = Meter(Budget(requests=solver.settings.requests))
        self._asked = 0
        # In a row, until a turn succeeds.
        self._unreadable = 0
        self._overflows = 0
        self._window = Window(
            briefing,
            fixed_text=_fixed_text(solver, native=solver.settings.native_tools),
            window=solver.settings.context_window,
            reply_tokens=solver.settings.reply_tokens,
            count=count_tokens,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.close()

    def run(self) -> Generator[_Step, Any, SolverResult]:
        """Yield model and tool steps until the run ends."""
        while True:
            try:
                yield from self._make_room()
                reply = yield self._ask(self._solver.next_action, self._action_inputs())
                calls = _calls(reply, len(self._turns) + 1, self._used_ids())
                if not calls and self._cut_off():
                    raise _CutOffError(reply.thought or "")
            except _FAILURES as error:
                ending = self._ending(error)
                if ending is not None:
                    return self._result(*ending)
                continue
            self._unreadable = self._overflows = 0
            observations: list[Observation] = []
            for call in calls:
                observation = yield _Act(call)
                observations.append(self._with_echo(call, observation, observations))
            thought = neutralise((reply.thought or "").strip())
            self._record(
                Turn(number=len(self._turns) + 1, thought=thought, calls=calls, observations=tuple(observations))
            )
            if not calls:
                return self._result("finished", "")

    def _ending(self, error: Exception) -> tuple[Reason, str] | None:
        """Return why the run ends, or `None` after doing what lets it go on: a correction, or a shorter request."""
        bound = budget_error(error)
        if bound is not None:
            return "budget", bound.message
        if isinstance(error, ContextWindowExceededError):
            self._overflows += 1
            if self._overflows < _OVERFLOWS and self._shrink():
                return None
            return "context window", _first_line(error)
        if isinstance(error, LMError):
            return "model error", _first_line(error)
        self._unreadable += 1
        self._record(self._unreadable_turn(error))
        if self._unreadable < self._settings.unreadable_replies:
            return None
        return "unreadable replies", f"{self._unreadable} replies in a row could not be read"

    def _ask(self, predictor: dspy.Predict, inputs: dict[str, Any]) -> _Ask:
        # The meter counts what reaches the endpoint; this count holds without one, too.
        if self._requests() >= self._settings.requests:
            bound = "requests"
            raise BudgetExceededError(bound, limit=self._settings.requests, used=self._requests())
        self._asked += 1
        return _Ask(predictor, inputs)

    def _requests(self) -> int:
        """Return the requests of this run: by the meter, which sees retries and hidden ones."""
        # A language model that is not of `debriefer.models` moves no meter.
        return self.meter.requests or self._asked

    def _cut_off(self) -> bool:
        """Return whether the last reply ended at its length limit, so that calls may be missing."""
        calls = self.meter.ledger.calls
        return bool(calls) and calls[-1].finish_reason == "length"

    def _with_echo(self, call: Call, observation: Observation, before: Sequence[Observation]) -> Observation:
        """Return the observation, with a remark where the same call has given the same answer before."""
        if any(seen.text == observation.text and seen.tool == observation.tool for seen in before):
            return observation
        for turn in self._turns:
            for earlier, seen in zip(turn.calls, turn.observations, strict=False):
                same = (earlier.tool, earlier.arguments) == (call.tool, call.arguments)
                if same and seen.text.partition(_ECHO)[0].rstrip() == observation.text.rstrip():
                    text = f"{observation.text.rstrip()}\n{_ECHO} {turn.number})"
                    return observation.model_copy(update={"text": text})
        return observation

    def _action_inputs(self) -> dict[str, Any]:
        return {
            "rules": self._briefing.rules,
            "tools": list(_TOOLS),
            "knowledge": self._briefing.knowledge,
            "evidence": self._briefing.evidence,
            "question": self._briefing.question,
            "trajectory": self._trajectory,
        }

    def _record(self, turn: Turn) -> None:
        """Keep a turn: in full for the transcript, and as it fits the window for the model."""
        self._turns.append(turn)
        shown = self._window.fit_turn(turn)
        self._trajectory = self._trajectory.model_copy(update={"turns": (*self._trajectory.turns, shown)})
        if self._on_turn is not None:
            self._on_turn(turn)

    def _unreadable_turn(self, error: Exception) -> Turn:
        if isinstance(error, _CutOffError):
            reason = "it ended at its length limit before any tool call; think less and call the tool"
            shown = shown_reply(str(error))
            number = len(self._turns) + 1
            return Turn(
                number=number, unreadable=shown, correction=correction(reason, native=self._settings.native_tools)
            )
        reply = getattr(error, "lm_response", None)
        native = self._settings.native_tools
        # DSPy writes an empty native reply as a dict of Nones.
        text = "" if reply is None or (native and str(reply).startswith(("{'text': None", "None"))) else str(reply)
        message = getattr(error, "message", "") if isinstance(error, AdapterParseError) else ""
        reason = message if message.startswith("it") else "it holds neither text nor a call that can be read"
        return Turn(
            number=len(self._turns) + 1, unreadable=shown_reply(text), correction=correction(reason, native=native)
        )

    def _make_room(self) -> Generator[_Step, Any, None]:
        """Compress older turns while the request is too long for the window."""
        while self._window.full(self._trajectory):
            before = self._window.tokens(self._trajectory)
            older, newest = self._window.split(self._trajectory.turns)
            if not older:
                return
            notes, by_model = yield from self._compress(older)
            self._trajectory = Trajectory(notes=notes, turns=newest)
            after = self._window.tokens(self._trajectory)
            self._compressions.append(Compression(len(self._turns) + 1, notes.turns, by_model, (before, after)))

    def _compress(self, turns: Sequence[Turn]) -> Generator[_Step, Any, tuple[Notes, bool]]:
        """Turn turns into conclusions, by the model, and by rule where that fails; say whether all are the model's."""
        notes = self._trajectory.notes or Notes()
        by_model = True
        left = tuple(turns)
        overflows = 0
        while left:
            part, text = self._window.chunk(left)
            inputs = {"question": self._question(), "earlier": notes.text(), "turns": text}
            try:
                reply = yield self._ask(self._solver.compression, inputs)
            except (LMError, AdapterParseError, ValueError) as error:
                bound = budget_error(error)
                if bound is not None:
                    raise bound from error
                overflows += 1
                if isinstance(error, ContextWindowExceededError) and overflows < _OVERFLOWS:
                    self._window.shrink()
                    continue
                _log.warning("%d turns are compressed by rule: %s", len(part), _first_line(error))
                notes = self._window.add(notes, digest(part), (), notes.next_step, len(part))
                by_model = False
            else:
                notes = self._window.add(notes, reply.conclusions, reply.withdrawn, reply.next_step or "", len(part))
            left = left[len(part) :]
        return notes, by_model

    def _question(self) -> str:
        return self._briefing.question.removesuffix(SCAFFOLD_NOTE).strip()

    def _shrink(self) -> bool:
        """Make a request shorter that the model refused; return whether anything could be taken from it."""
        before = self._window.tokens(self._trajectory)
        self._window.shrink()
        if len(self._trajectory.turns) == 1:
            # Nothing is older than the newest turn: cut its output, in sight.
            newest = self._window.fit_turn(self._trajectory.turns[0], share=0.5)
            self._trajectory = self._trajectory.model_copy(update={"turns": (newest,)})
            return self._window.tokens(self._trajectory) < before
        return len(self._trajectory.turns) > 1

    def _used_ids(self) -> set[str]:
        return {call.id for turn in self._turns for call in turn.calls}

    def _result(self, reason: Reason, detail: str) -> SolverResult:
        finished = reason == "finished"
        path = self._bench.prediction_path
        return SolverResult(
            finished=finished,
            reason=reason,
            detail=detail,
            message=self._turns[-1].thought if finished else "",
            turns=tuple(self._turns),
            notes=self._trajectory.notes,
            compressions=tuple(self._compressions),
            requests=self._requests(),
            usage=self.meter.totals(),
            briefing=self._briefing,
            prediction=path if path.is_file() else None,
        )


def settings_for(model: ModelSettings, *, requests: int = 80) -> SolverSettings:
    """Return the settings that fit a model; `requests` is the largest number of requests in a run."""
    # A reply never needs more than a quarter of the window, whatever the endpoint would allow.
    reply = min(model.max_output_tokens or _REPLY_TOKENS, model.context_window // 4)
    return SolverSettings(
        requests=requests,
        native_tools=model.native_tools,
        vision=model.vision,
        context_window=model.context_window,
        reply_tokens=reply,
    )


def _fixed_text(solver: Solver, *, native: bool) -> str:
    """Return the text of the system message beside the rules, and of the schemas that go beside it, for its size."""
    action = solver.next_action
    text = system_message(action.signature.instructions, {"rules": "", "tools": _TOOLS}, action.demos, native=native)
    return text + "".join(json.dumps(tool.format_as_litellm_function_call()) for tool in _TOOLS if native)


def _calls(reply: dspy.Prediction, turn: int, used: set[str]) -> tuple[Call, ...]:
    """Return the calls of a reply, each with an identifier that is unique in the run."""
    asked = reply.tool_calls.tool_calls if reply.tool_calls is not None else []
    calls: list[Call] = []
    for index, call in enumerate(asked, start=1):
        # Nine letters and digits: what the strictest provider takes.
        identifier = call.id if call.id and call.id not in used else f"t{turn:04d}c{index:03d}"
        used.add(identifier)
        calls.append(Call(id=identifier, tool=neutralise(str(call.name)), arguments=neutralise_all(dict(call.args))))
    return tuple(calls)


def _advance(
    steps: Generator[_Step, Any, SolverResult], value: object = None, *, error: Exception | None = None
) -> _Step | SolverResult:
    """Send what came of a step and return the next one, or the result."""
    try:
        return steps.send(value) if error is None else steps.throw(error)
    except StopIteration as stop:
        result: SolverResult = stop.value
        return result


def _prediction(result: SolverResult) -> dspy.Prediction:
    return dspy.Prediction(result=result, finished=result.finished, csv_path=result.prediction)


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]
