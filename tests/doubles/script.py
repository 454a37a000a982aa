"""The language of scripts: what a double is asked (`Turn`) and what it may answer (`Reply`, `Fault`).

A script is a function of a `Turn`. It can take hashes, names and next steps from the text it was sent, so that a
wrong observation breaks the session. `play` makes one from a list.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolCall:
    """One call that the model asks for; `arguments` may be a string that is not JSON."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True)
class Reply:
    """An answer. `text=None` with tool calls is what many servers send."""

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    delay: float = 0.0
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Fault:
    """A failure.

    `kind` is one of `status` (an HTTP error with `message`), `hang` (no byte for `seconds`), `malformed` (200 with
    half a JSON object), `drop` (the connection is closed without an answer), `refuse` (the connection is dropped,
    and new ones are refused for `seconds`), `trickle` (a byte now and then for `seconds`).
    """

    kind: str = "status"
    status: int = 500
    message: str = "the server had an error"
    code: str | None = None
    type: str = "server_error"
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


Answer = Reply | Fault | str


@dataclass(frozen=True)
class Turn:
    """One request as a script sees it, the same in process and over HTTP.

    `messages` holds `(role, text)` pairs, images as `<image N bytes>`; `number` counts requests from 0;
    `state` is a dictionary that lives as long as the double.
    """

    number: int
    model: str
    messages: tuple[tuple[str, str], ...]
    tools: tuple[str, ...] = ()
    images: int = 0
    response_format: Mapping[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All text of the request."""
        return "\n".join(text for _, text in self.messages)

    @property
    def last(self) -> str:
        """The text of the last message."""
        return self.messages[-1][1]

    @property
    def system(self) -> str:
        """The text of the system messages."""
        return "\n".join(text for role, text in self.messages if role in {"system", "developer"})

    def count(self, key: str) -> int:
        """Return how often this was called with `key` before: a step counter for each session."""
        done: int = self.state.get(key, 0)
        self.state[key] = done + 1
        return done


Script = Callable[[Turn], Answer]


def fields(turn: Turn, **values: object) -> Reply:
    """Return a reply with output fields, as JSON where a schema was asked for, else in DSPy's text protocol."""
    if turn.response_format is not None:
        return Reply(json.dumps(values, ensure_ascii=False))
    shown = {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in values.items()}
    body = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in shown.items())
    return Reply(f"{body}\n\n[[ ## completed ## ]]")


def call(name: str, /, **arguments: object) -> Reply:
    """Return a reply that asks for one tool, with null content."""
    return Reply(None, (ToolCall(name, arguments),))


def play(answers: Iterable[Answer | Script]) -> Script:
    """Return a script that gives the answers in order, functions being asked, and fails once they have run out."""
    steps: Sequence[Answer | Script] = list(answers)
    lock = threading.Lock()
    position = iter(range(len(steps)))

    def respond(turn: Turn) -> Answer:
        with lock:
            place = next(position, None)
        if place is None:
            return Fault(status=400, type="invalid_request_error", message=f"the script ended after {len(steps)}")
        step = steps[place]
        return step(turn) if callable(step) else step

    return respond


def rate_limited(retry_after: float | None = None) -> Fault:
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return Fault(status=429, type="rate_limit_error", message="Rate limit reached for requests", headers=headers)


def server_error() -> Fault:
    return Fault(status=500)


def hang(seconds: float) -> Fault:
    return Fault("hang", seconds=seconds)


def malformed() -> Fault:
    return Fault("malformed")


def dropped() -> Fault:
    return Fault("drop")


def refused(seconds: float) -> Fault:
    return Fault("refuse", seconds=seconds)


def overflow(wording: str = "openai") -> Fault:
    """Return a context overflow as OpenAI, llama.cpp or vLLM words it."""
    if wording == "openai":
        message = (
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens. "
            "Please reduce the length of the messages."
        )
        return Fault(status=400, type="invalid_request_error", code="context_length_exceeded", message=message)
    if wording == "llama.cpp":
        message = "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"
        return Fault(status=400, type="exceed_context_size_error", message=message)
    if wording == "vllm":
        message = "The decoder prompt (length 5000) is longer than the maximum model length of 4096."
        return Fault(status=400, type="BadRequestError", message=message)
    raise ValueError(wording)
