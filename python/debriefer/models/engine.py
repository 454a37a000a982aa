"""The engine behind every `dspy.LM` of ours: counts, limits, repeats, records."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from debriefer.errors import ModelError
from debriefer.models import compat
from debriefer.models.budget import Meter, current_meters, reserve_all
from debriefer.models.ledger import Call, Ledger
from debriefer.models.limiter import Limiter
from debriefer.models.prepare import Prepared, estimated_tokens, finish, prepare
from debriefer.models.redact import Redactor
from debriefer.models.retry import RetryPolicy, Rotation
from debriefer.models.settings import ModelSettings

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response

_log = logging.getLogger("debriefer.models")

# An endpoint may quote pages of the request in its error.
_ERROR_CHARACTERS = 300
# How soon a request that hangs is given up once the run is stopped.
_LOOK_SECONDS = 0.1
_STOPPED = "the run was stopped while a model was being asked"
# Parameters that adapters may set; DSPy sends a schema or tools only to engines that name them.
_PARAMETERS = frozenset({"temperature", "max_tokens", "top_p", "stop", "seed"})
_TOOL_PARAMETERS = frozenset({"tools", "tool_choice", "parallel_tool_calls"})


class _StoppedError(ModelError):
    """The run was stopped while a reply was awaited."""


class Pool:
    """The endpoints of one model: their senders, made at the first request, and their rotation."""

    def __init__(self, settings: ModelSettings, factory: compat.SenderFactory, environment: Mapping[str, str]) -> None:
        self.settings = settings
        self.rotation = Rotation(len(settings.endpoints))
        self._factory = factory
        self._environment = environment
        self._senders: dict[int, compat.Sender] = {}
        self._lock = threading.Lock()

    def sender(self, number: int) -> compat.Sender:
        """Return the sender of endpoint `number`."""
        with self._lock:
            if number not in self._senders:
                self._senders[number] = self._factory(self.settings, number, self._environment)
            return self._senders[number]


@dataclass(slots=True)
class _Progress:
    """Where one request stands between its attempts."""

    prepared: Prepared
    meters: tuple[Meter, ...]
    started: float
    start: int
    attempt: int = 0
    counted: int = 0
    refused: list[int] = field(default_factory=list)
    failures: dict[int, int] = field(default_factory=dict)
    digest: str = ""


class Engine:
    """Answers requests for one role: `complete(Request) -> Response`, as `dspy.LM(engine=…)` asks for.

    Every attempt is counted against the meters around it before it is sent, waits for a slot of the limiter, is
    bounded in time, and leaves a record. A transient failure moves on to the next endpoint, or waits. What cannot
    be mended is raised as a `dspy.lm15` error, which DSPy shows as its own (`LMRateLimitError`,
    `ContextWindowExceededError`, ...); a used-up budget as `BudgetExceededError` (see `budget_error`).
    """

    def __init__(
        self,
        role: str,
        pool: Pool,
        *,
        ledger: Ledger,
        limiter: Limiter,
        policy: RetryPolicy,
        redactor: Redactor,
        stopped: threading.Event,
    ) -> None:
        self.role = role
        self.settings = pool.settings
        self._pool = pool
        self._ledger = ledger
        self._limiter = limiter
        self._policy = policy
        self._redact = redactor
        self._stopped = stopped

    @property
    def supports_function_calling(self) -> bool:
        """Whether DSPy may send tools."""
        return self.settings.native_tools

    @property
    def supports_response_schema(self) -> bool:
        """Whether DSPy may send a JSON schema for the reply."""
        return self.settings.response_schema

    @property
    def supports_reasoning(self) -> bool:
        """DSPy's own reasoning fields are not used; the effort is a setting of the model."""
        return False

    @property
    def supported_params(self) -> frozenset[str]:
        """Names of the request parameters that are passed on."""
        schema = frozenset({"response_format"}) if self.settings.response_schema else frozenset()
        return _PARAMETERS | schema | (_TOOL_PARAMETERS if self.settings.native_tools else frozenset())

    def complete(self, request: Request) -> Response:
        """Return the model's reply to `request`.

        Raises:
            BudgetExceededError: A meter around the call is used up; nothing was sent.
            ModelError: The run was stopped while the request waited, or a budget in money lacks prices.
            dspy.lm15.LM15Error: The endpoints failed; `RetryPolicy` says how often they were asked.
        """
        meters = current_meters()
        self._priced(meters)
        rotation = self._pool.rotation
        start = meters[0].turn(id(rotation), rotation.next_turn) if meters else rotation.next_turn()
        progress = _Progress(prepare(request, self.settings), meters, time.monotonic(), start)
        while True:
            number, wait = rotation.pick(progress.start, progress.refused)
            self._wait(wait, progress)
            response = self._attempt(number, progress)
            if response is not None:
                rotation.recovered(number)
                return response

    def _attempt(self, number: int, progress: _Progress) -> Response | None:
        """Send once to endpoint `number`; `None` means that the request is to be tried again."""
        progress.attempt += 1
        with self._limiter.slot(lambda: self._check(progress.meters)):
            self._check(progress.meters)
            timeout = self._timeout(progress.meters)
            reserve_all(progress.meters)
            began, stamp = time.monotonic(), datetime.now(UTC)
            try:
                response = self._sent(number, progress.prepared.request, timeout)
            except _StoppedError as error:
                failed: compat.Failure | None = compat.Failure("stopped", error)
            except Exception as error:  # noqa: BLE001 -- a sender is a foreign body; every failure is classified
                failed = compat.failure(error)
            else:
                failed = None
            seconds = time.monotonic() - began
        values: dict[str, Any] = {
            "role": self.role,
            "model": self.settings.model,
            "endpoint": self.settings.endpoints[number],
            "started": stamp.isoformat(timespec="milliseconds"),
            "seconds": seconds,
            "waited_seconds": began - progress.started,
            "attempt": progress.attempt,
            "images": progress.prepared.images,
            "notes": progress.prepared.notes,
        }
        if failed is None:
            values |= self._usage(progress.prepared, response)
            self._record(Call(**values), progress.meters)
            return finish(response, self.settings)
        self._redact.error(failed.error)
        if not failed.reached:
            for meter in progress.meters:
                meter.refund()
        first_line = str(getattr(failed.error, "message", failed.error)).partition("\n")[0][:_ERROR_CHARACTERS]
        self._record(
            Call(**values, status=failed.status, http_status=failed.http_status, error=self._redact(first_line)),
            progress.meters,
        )
        self._after(failed, number, progress)
        return None

    def _sent(self, number: int, request: Request, timeout: float) -> Response:
        """Send in a thread of its own, so that a stopped run need not wait for a reply that does not come.

        Raises:
            ModelError: The run was stopped; the reply, if one comes, is left to nobody.
        """
        answers: list[Response | Exception] = []
        done = threading.Event()

        def send() -> None:
            try:
                answers.append(self._pool.sender(number)(request, timeout))
            except Exception as error:  # noqa: BLE001 -- raised again in the thread that waits
                answers.append(error)
            finally:
                done.set()

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(send,), name="request", daemon=True).start()
        while not done.wait(_LOOK_SECONDS):
            if self._stopped.is_set():
                raise _StoppedError(_STOPPED)
        if not answers:
            message = "the thread of the request ended without an answer"
            raise ModelError(message)
        answer = answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _after(self, failed: compat.Failure, number: int, progress: _Progress) -> None:
        """Let the endpoint rest, or raise where the request is given up."""
        policy, rotation = self._policy, self._pool.rotation
        progress.counted += failed.reached
        progress.failures[number] = progress.failures.get(number, 0) + 1
        if failed.elsewhere and not failed.transient:
            progress.refused.append(number)
        if not failed.transient:
            if failed.elsewhere and len(set(progress.refused)) < len(rotation):
                _log.warning("%s: %s from %s, trying the next endpoint", self.role, failed.status, self._host(number))
                return
            raise failed.error
        progress.digest = progress.digest or compat.request_digest(progress.prepared.request)
        pause = policy.pause(progress.failures[number], progress.digest, failed.retry_after)
        rotation.rest(number, pause)
        _, wait = rotation.pick(progress.start, progress.refused)
        spent = time.monotonic() - progress.started
        if progress.counted >= policy.attempts or spent + wait > policy.patience_seconds:
            raise failed.error
        _log.warning(
            "%s: %s from %s (attempt %d), next try in %.1f s",
            self.role,
            failed.status,
            self._host(number),
            progress.attempt,
            wait,
        )

    def _wait(self, seconds: float, progress: _Progress) -> None:
        """Pause, unless a time bound would run out meanwhile or the run is stopped."""
        self._check(progress.meters)
        if seconds <= 0:
            return
        for meter in progress.meters:
            left = meter.remaining_seconds()
            if left is not None and left < seconds:
                raise meter.expired()
        self._stopped.wait(seconds)
        self._check(progress.meters)

    def _check(self, meters: Sequence[Meter]) -> None:
        if self._stopped.is_set():
            raise ModelError(_STOPPED)
        for meter in meters:
            meter.check()

    def _priced(self, meters: Sequence[Meter]) -> None:
        """Refuse a budget in money that could never be used up."""
        known = self.settings.input_price is not None and self.settings.output_price is not None
        if not known and any(meter.budget.cost is not None for meter in meters):
            message = f"a budget in money needs the prices of `{self.settings.model}`"
            raise ModelError(message, hint="set `MODEL_INPUT_PRICE` and `MODEL_OUTPUT_PRICE`, per million tokens")

    def _timeout(self, meters: Sequence[Meter]) -> float:
        left = [seconds for meter in meters if (seconds := meter.remaining_seconds()) is not None]
        return max(0.001, min([self.settings.timeout_seconds, *left]))

    def _record(self, call: Call, meters: Sequence[Meter]) -> None:
        for meter in meters:
            meter.settle(call)
        self._ledger.record(call)

    def _usage(self, prepared: Prepared, response: Response) -> dict[str, Any]:
        """Return tokens and cost of a reply, with one meaning for all providers."""
        usage, notes = response.usage, prepared.notes
        given, made, cached = usage.input_tokens, usage.output_tokens, usage.cache_read_tokens
        if given is None or made is None:
            # A budget that counted nothing would not be one.
            estimates = estimated_tokens(prepared.request, response)
            given, made = estimates[0] if given is None else given, estimates[1] if made is None else made
            notes = (*notes, "tokens estimated: the endpoint reports none")
        provider = self.settings.model.replace(":", "/").split("/", 1)[0]
        # Anthropic counts cached tokens apart, Gemini and xAI count reasoning apart (`dspy.lm15.Usage`).
        if provider == "anthropic" and usage.input_tokens is not None:
            given += (cached or 0) + (usage.cache_write_tokens or 0)
        if provider in {"gemini", "xai"} and usage.output_tokens is not None:
            made += usage.reasoning_tokens or 0
        return {
            "notes": notes,
            "finish_reason": response.finish_reason,
            "input_tokens": given,
            "output_tokens": made,
            "cached_tokens": cached,
            "reasoning_tokens": usage.reasoning_tokens,
            "cost": cost_of(self.settings, given, made, cached),
        }

    def _host(self, number: int) -> str:
        return self.settings.endpoints[number]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Optimisers copy programs deeply; connections and counters are shared on purpose.
        return self

    def __repr__(self) -> str:
        return f"Engine(role={self.role!r}, settings={self.settings!r})"


class AsyncEngine:
    """The same engine for DSPy's async calls: each request runs in a worker thread, meters included."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def complete(self, request: Request) -> Response:
        """Return the model's reply to `request`; see `Engine.complete`."""
        import asyncio  # noqa: PLC0415 -- runs without a model need none

        return await asyncio.to_thread(self._engine.complete, request)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def cost_of(settings: ModelSettings, given: int, made: int, cached: int | None) -> float | None:
    """Return the price of a call, `None` where a price is unknown.

    >>> cost_of(ModelSettings("openai/x", input_price=2.0, output_price=8.0, cached_price=0.5), 1000, 100, 600)
    0.0019
    """
    if settings.input_price is None or settings.output_price is None:
        return None
    served = min(cached or 0, given)
    cached_price = settings.input_price if settings.cached_price is None else settings.cached_price
    total = (given - served) * settings.input_price + served * cached_price + made * settings.output_price
    return round(total / 1_000_000, 9)
