"""One run of the Solver: turns of thought and tool calls until the model ends the run or a bound does."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import dspy
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMError

from debriefer.errors import BudgetExceededError, first_line
from debriefer.models import Budget, Meter, budget_error, count_tokens, current_meters, neutralise, neutralise_all
from debriefer.workbench import Workbench
from dspy_programs.solver.context import Window, digest
from dspy_programs.solver.prompt import Briefing
from dspy_programs.solver.protocol import correction, shown_reply, system_message
from dspy_programs.solver.result import Compression, Reason, SolverResult
from dspy_programs.solver.settings import SolverSettings
from dspy_programs.solver.tools import TOOLS, Toolbox
from dspy_programs.solver.trajectory import Call, Notes, Observation, Trajectory, Turn

_log = logging.getLogger(__name__)
# Overflows in a row after which the window cannot be as large as it is said to be.
_OVERFLOWS = 5
# Calls of one reply that are made; more is a model that repeats itself.
_CALLS_A_TURN = 16
# Numbers of requests left at which the model is told so, to bring the run to its end.
_TOLD_AT = (10, 4, 1)
_TOOLS = tuple(tool.as_dspy() for tool in TOOLS.values())
# No briefing makes sense in less; the rules and tools alone take half of it.
_LEAST_WINDOW = 4_000
_ECHO = "(the same call gave the same answer in turn"


@dataclass(slots=True)
class Ask:
    """A step of a run that needs the model."""

    predictor: dspy.Predict
    inputs: dict[str, Any]


@dataclass(slots=True)
class Act:
    """A step of a run that needs a tool; it may take no longer than the run has left."""

    call: Call
    seconds: float | None = None


Step = Ask | Act
# What a model, an endpoint or a bound does to a step; anything else is a fault of ours and is raised.
FAILURES = (LMError, AdapterParseError, ValueError, BudgetExceededError)


class _CutOffError(ValueError):
    """A reply without calls that ended at its length limit; its text is the message."""


class Session:
    """One run: a generator that yields what it needs and is sent what came of it, so that sync and async share it."""

    def __init__(
        self,
        bench: Workbench,
        settings: SolverSettings,
        *,
        next_action: dspy.Predict,
        compression: dspy.Predict,
        briefed: Callable[[int], Briefing],
        sampling: Mapping[str, Any] | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> None:
        """Begin a run.

        Args:
            bench: The task's workbench, with a pristine script; closed at the end.
            settings: How the Solver runs on the model.
            next_action: Predictor of `NextAction`.
            compression: Predictor of `CompressTurns`.
            briefed: Returns the briefing for a window of so many tokens.
            sampling: How replies are sampled, where not as the model's settings say.
            on_turn: Called with each turn as it ends.
        """
        self.toolbox = Toolbox(bench)
        self.meter = Meter(Budget(requests=settings.requests))
        self._bench = bench
        self._settings = settings
        self._next_action = next_action
        self._compression = compression
        self._briefed = briefed
        self._sampling = dict(sampling or {})
        self._on_turn = on_turn
        self._turns: list[Turn] = []
        self._trajectory = Trajectory()
        self._compressions: list[Compression] = []
        self._asked = 0
        self._left_before = settings.requests + 1
        # In a row, until a turn succeeds.
        self._unreadable = 0
        self._overflows = 0
        self._open_window(settings.context_window)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.close()

    def run(self) -> Generator[Step, Any, SolverResult]:
        """Yield model and tool steps until the run ends."""
        while True:
            try:
                yield from self._make_room()
                reply = yield self._ask(self._next_action, self._action_inputs())
                calls = _calls(reply, len(self._turns) + 1, self._used_ids())
                if not calls and self._cut_off():
                    raise _CutOffError(reply.thought or "")
            except FAILURES as error:
                ending = self._ending(error)
                if ending is not None:
                    return self._result(*ending)
                continue
            self._unreadable = self._overflows = 0
            try:
                observations = yield from self._observe(calls)
            except BudgetExceededError as error:
                return self._result("budget", error.message)
            thought = neutralise((reply.thought or "").strip())
            self._record(Turn(number=len(self._turns) + 1, thought=thought, calls=calls, observations=observations))
            if not calls:
                return self._result("finished", "")

    def _observe(self, calls: Sequence[Call]) -> Generator[Step, Any, tuple[Observation, ...]]:
        """Make the calls of a turn in order; stop between two of them when time has run out."""
        observations: list[Observation] = []
        for number, call in enumerate(calls, start=1):
            left_seconds = None
            for meter in current_meters():
                remaining = meter.remaining_seconds()
                if remaining == 0:
                    raise meter.expired()
                left_seconds = min(filter(None, (left_seconds, remaining)), default=None)
            if number > _CALLS_A_TURN:
                text = f"error: not called; at most {_CALLS_A_TURN} calls of one reply are made"
                observations.append(Observation(call_id=call.id, tool=call.tool, text=text, refused=True))
                continue
            observation = yield Act(call, left_seconds)
            observations.append(self._with_echo(call, observation))
        left = self._requests_left()
        # Retries and compressions count too, so that a number can be passed over.
        if observations and any(left <= mark < self._left_before for mark in _TOLD_AT):
            text = f"{observations[-1].text.rstrip()}\n({left} requests are left: write the query, run it and end)"
            observations[-1] = observations[-1].model_copy(update={"text": text})
        self._left_before = left
        return tuple(observations)

    def _open_window(self, tokens: int) -> None:
        self._briefing = self._briefed(tokens)
        self._tokens = tokens
        self._window = Window(
            self._briefing,
            fixed_text=_fixed_text(self._next_action, native=self._settings.native_tools),
            window=tokens,
            reply_tokens=min(self._settings.reply_tokens, tokens // 4),
            count=count_tokens,
        )

    def _ending(self, error: Exception) -> tuple[Reason, str] | None:
        """Return why the run ends, or `None` after doing what lets it go on: a correction, or a shorter request."""
        bound = budget_error(error)
        if bound is not None:
            return "budget", bound.message
        if isinstance(error, ContextWindowExceededError):
            self._overflows += 1
            if self._overflows < _OVERFLOWS and self._shrink():
                return None
            return "context window", first_line(error)[:300]
        if isinstance(error, LMError):
            return "model error", first_line(error)[:300]
        self._unreadable += 1
        self._record(self._unreadable_turn(error))
        if self._unreadable < self._settings.unreadable_replies:
            return None
        return "unreadable replies", f"{self._unreadable} replies in a row could not be read"

    def _ask(self, predictor: dspy.Predict, inputs: dict[str, Any]) -> Ask:
        # The meter counts what reaches the endpoint; this count holds without one, too.
        if self._requests() >= self._settings.requests:
            bound = "requests"
            raise BudgetExceededError(bound, limit=self._settings.requests, used=self._requests())
        self._asked += 1
        return Ask(predictor, inputs)

    def _requests(self) -> int:
        """Return the requests of this run: by the meter, which sees retries and hidden ones."""
        # A language model that is not of `debriefer.models` moves no meter.
        return self.meter.requests or self._asked

    def _requests_left(self) -> int:
        bounds = [meter.remaining_requests() for meter in current_meters()]
        return min([self._settings.requests - self._requests(), *(bound for bound in bounds if bound is not None)])

    def _cut_off(self) -> bool:
        """Return whether the last reply ended at its length limit, so that calls may be missing."""
        calls = self.meter.ledger.calls
        return bool(calls) and calls[-1].finish_reason == "length"

    def _with_echo(self, call: Call, observation: Observation) -> Observation:
        """Return the observation, with a remark where the same call has given the same answer in an earlier turn."""
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
            **({"config": self._sampling} if self._sampling else {}),
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
        # DSPy repeats the whole reply behind the reason; the model has its own reply above.
        message = str(getattr(error, "message", "")).partition("\n")[0] if isinstance(error, AdapterParseError) else ""
        reason = message if message.startswith("it") else "it holds neither text nor a call that can be read"
        if self._cut_off():
            # Of reasoning models all may be spent before the reply begins.
            reason = f"it ended at its length limit, and {reason}; think less"
        return Turn(
            number=len(self._turns) + 1, unreadable=shown_reply(text), correction=correction(reason, native=native)
        )

    def _make_room(self) -> Generator[Step, Any, None]:
        """Compress older turns while the request is too long for the window."""
        while self._window.full(self._trajectory):
            before = self._window.tokens(self._trajectory)
            older, newest = self._window.split(self._trajectory.turns)
            if not older:
                return
            notes, by_model = yield from self._compress(older)
            self._trajectory = Trajectory(notes=notes, turns=newest)
            after = self._window.tokens(self._trajectory)
            self._compressions.append(Compression(len(self._turns) + 1, notes, by_model, (before, after)))

    def _compress(self, turns: Sequence[Turn]) -> Generator[Step, Any, tuple[Notes, bool]]:
        """Turn turns into conclusions, by the model, and by rule where that fails; say whether all are the model's."""
        notes = self._trajectory.notes or Notes()
        by_model = True
        left = tuple(turns)
        largest = self._window.chunk_tokens(self._settings.compression_window)
        overflows = 0
        while left:
            part, text = self._window.chunk(left, largest)
            inputs = {"question": self._briefing.asked, "earlier": notes.text(), "turns": text}
            try:
                reply = yield self._ask(self._compression, inputs)
            except (LMError, AdapterParseError, ValueError) as error:
                bound = budget_error(error)
                if bound is not None:
                    raise bound from error
                overflows += 1
                if isinstance(error, ContextWindowExceededError) and overflows < _OVERFLOWS:
                    # It says nothing about the window of the model that solves.
                    largest //= 2
                    continue
                _log.warning("%d turns are compressed by rule: %s", len(part), first_line(error)[:300])
                notes = self._window.add(notes, digest(part), (), notes.next_step, len(part))
                by_model = False
            else:
                notes = self._window.add(notes, reply.conclusions, reply.withdrawn, reply.next_step or "", len(part))
            left = left[len(part) :]
        return notes, by_model

    def _shrink(self) -> bool:
        """Make a request shorter that the model refused; return whether anything could be taken from it."""
        turns = self._trajectory.turns
        if not turns:
            # The window is not as large as it is said to be: brief for half of it.
            if self._tokens <= _LEAST_WINDOW:
                return False
            self._open_window(self._tokens // 2)
            return True
        before = self._window.tokens(self._trajectory)
        self._window.shrink(self._trajectory)
        if len(turns) == 1:
            # Nothing is older than the newest turn: cut its output, in sight, from what it was in full.
            newest = self._window.fit_turn(self._turns[-1])
            self._trajectory = self._trajectory.model_copy(update={"turns": (newest,)})
            return self._window.tokens(self._trajectory) < before
        return True

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


def advance(
    steps: Generator[Step, Any, SolverResult], value: object = None, *, error: Exception | None = None
) -> Step | SolverResult:
    """Send what came of a step and return the next one, or the result."""
    try:
        return steps.send(value) if error is None else steps.throw(error)
    except StopIteration as stop:
        result: SolverResult = stop.value
        return result


def _fixed_text(action: dspy.Predict, *, native: bool) -> str:
    """Return the text of the system message beside the rules, and of the schemas that go beside it, for its size."""
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
