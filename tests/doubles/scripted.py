# ruff: noqa: ANN401 -- requests and replies are classes of DSPy, which has no type hints
"""A model in this process that plays a script: what the package sends, without a socket."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from dspy import lm15

from debriefer.models import Models, ModelSettings, RetryPolicy
from tests.doubles.script import Answer, Fault, Reply, Script, ToolCall, Turn, play

# Retries must not slow the tests down.
AT_ONCE = RetryPolicy(base_seconds=0.001, cap_seconds=0.002)


class ScriptedEngine:
    """`complete(Request) -> Response` over a script; keeps all turns it saw."""

    def __init__(self, script: Script | Iterable[Answer | Script]) -> None:
        self.script: Script = script if callable(script) else play(script)
        self.turns: list[Turn] = []
        self.requests: list[Any] = []
        self._state: dict[str, Any] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def complete(self, request: Any) -> Any:
        with self._lock:
            turn = turn_of(request, next(self._numbers), self._state)
            self.turns.append(turn)
            self.requests.append(request)
            answer = self.script(turn)
        if isinstance(answer, Fault):
            raise error_of(answer)
        return response_of(Reply(answer) if isinstance(answer, str) else answer, turn)


def scripted_models(
    script: Script | Iterable[Answer | Script], settings: ModelSettings | None = None, **options: Any
) -> tuple[Models, ScriptedEngine]:
    """Return models whose every role is played by one script, and the engine that plays it.

    The requests go through the package's own engine (budgets, retries, records); only the wire is missing.
    """
    engine = ScriptedEngine(script)

    def factory(_settings: ModelSettings, _number: int, _environment: Mapping[str, str]) -> Any:
        return lambda request, _seconds: engine.complete(request)

    options.setdefault("policy", AT_ONCE)
    options.setdefault("environment", {})
    settings = settings or ModelSettings("openai/scripted")
    return Models(settings, sender_factory=factory, **options), engine


def turn_of(request: Any, number: int, state: dict[str, Any]) -> Turn:
    images = 0

    def text_of(part: Any) -> str:
        nonlocal images
        if isinstance(part, lm15.ImagePart):
            images += 1
            return f"<image {len(part.data or '')} characters>"
        if isinstance(part, lm15.ToolCallPart):
            return f"{part.name}({json.dumps(part.input, ensure_ascii=False)})"
        if isinstance(part, lm15.ToolResultPart):
            return "".join(text_of(inner) for inner in part.content)
        return getattr(part, "text", "")

    system = request.system
    messages = (
        [] if system is None else [("system", system if isinstance(system, str) else "".join(map(text_of, system)))]
    )
    # Results of several tools stand in one message here, and in one each over HTTP.
    messages += [
        (message.role, ("\n" if message.role == "tool" else "").join(map(text_of, message.parts)))
        for message in request.messages
    ]
    return Turn(
        number=number,
        model=request.model,
        messages=tuple(messages),
        tools=tuple(tool.name for tool in request.tools),
        images=images,
        response_format=request.config.response_format,
        temperature=request.config.temperature,
        max_tokens=request.config.max_tokens,
        state=state,
    )


def response_of(reply: Reply, turn: Turn) -> Any:
    parts: list[Any] = []
    if reply.reasoning:
        parts.append(lm15.ThinkingPart(reply.reasoning))
    if reply.text is not None:
        parts.append(lm15.TextPart(reply.text))
    parts += [_tool_call(call, f"call_{turn.number}_{place}") for place, call in enumerate(reply.tool_calls)]
    usage = {"prompt_tokens": len(turn.text) // 4, "completion_tokens": 8} if reply.usage is None else reply.usage
    given, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return lm15.Response(
        id=None,
        model=turn.model,
        message=lm15.Message.assistant(parts or [lm15.TextPart("")]),
        finish_reason=reply.finish_reason or ("tool_call" if reply.tool_calls else "stop"),
        usage=lm15.Usage(input_tokens=given, output_tokens=made),
    )


def _tool_call(call: ToolCall, fallback_id: str) -> Any:
    arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else dict(call.arguments)
    return lm15.ToolCallPart(id=call.id or fallback_id, name=call.name, input=arguments)


def error_of(fault: Fault) -> Exception:
    """Return the error that the HTTP client would raise for a fault with a status."""
    kinds = {401: lm15.AuthError, 402: lm15.BillingError, 408: lm15.TimeoutError, 429: lm15.RateLimitError}
    kind = kinds.get(fault.status) or (lm15.ServerError if fault.status >= 500 else lm15.InvalidRequestError)
    after = fault.headers.get("Retry-After")
    error: Exception
    if fault.kind != "status":
        error = lm15.TransportError(f"scripted: {fault.kind}")
    else:
        error = kind(fault.message, status=fault.status, retry_after=None if after is None else float(after))
    return error
