"""What every request to a language model cost: one record an attempt, and their sums."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt to get one reply. Holds no key, no prompt and no reply, save what an error message quotes.

    Attributes:
        role: The role that asked, such as `solver`.
        model: The model's name as the endpoint knows it.
        endpoint: Host and port, never credentials or a path; the provider's name where it has a fixed address.
        started: Start of the attempt, ISO 8601 in UTC.
        seconds: Time from sending to the reply or the failure.
        waited_seconds: Time spent before sending: for a slot, and for earlier attempts of the same request.
        attempt: 1 for the first attempt of a request, 2 for its first retry.
        status: `ok`, or the kind of failure (`rate_limited`, `server_error`, `timeout`, `unreachable`, `transport`,
            `malformed`, `auth`, `billing`, `overflow`, `invalid`, `unsupported`, `stopped`, `unexpected`).
        http_status: The HTTP status of a failure, where there was one.
        finish_reason: Why the model stopped (`stop`, `length`, `tool_call`, ...).
        input_tokens: Prompt tokens as billed, cached ones included; an estimate, with a note, where the endpoint does
            not say; `None` for a failure.
        output_tokens: Reply tokens, reasoning included; likewise.
        cached_tokens: The part of `input_tokens` that the provider's prompt cache served.
        reasoning_tokens: The part of `output_tokens` spent on reasoning, where reported.
        cost: Price in the currency of the settings, `None` where prices are unknown.
        images: Images sent.
        error: The first line of the failure, at most 300 characters, with keys removed.
        notes: What the engine changed in the request (images left out or scaled, a temperature dropped).
    """

    role: str
    model: str
    endpoint: str
    started: str
    seconds: float
    waited_seconds: float = 0.0
    attempt: int = 1
    status: str = "ok"
    http_status: int | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    images: int = 0
    error: str | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-able values."""
        record = asdict(self)
        record["notes"] = list(self.notes)
        return record


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over calls.

    Attributes:
        requests: Attempts that reached an endpoint.
        failures: Attempts that brought no reply, those that never reached one included.
        input_tokens: Prompt tokens of the replies.
        output_tokens: Reply tokens.
        cached_tokens: The part of the prompt tokens that providers' caches served.
        cost: The sum of the known costs.
        cost_complete: Whether every reply had a known cost.
        seconds: Time between sending and reply, summed; requests at one time count one by one.
    """

    requests: int = 0
    failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0
    cost_complete: bool = True
    seconds: float = 0.0

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Totals:
        """Add up `calls`.

        >>> Totals.of([]).requests
        0
        """
        requests = failures = input_tokens = output_tokens = cached_tokens = 0
        cost = seconds = 0.0
        complete = True
        for call in calls:
            requests += call.status != "unreachable"
            seconds += call.seconds
            if call.status != "ok":
                failures += 1
                continue
            input_tokens += call.input_tokens or 0
            output_tokens += call.output_tokens or 0
            cached_tokens += call.cached_tokens or 0
            cost += call.cost or 0.0
            complete = complete and call.cost is not None
        return cls(requests, failures, input_tokens, output_tokens, cached_tokens, cost, complete, seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as JSON-able values; `cost` is `None` where no price is known."""
        record = asdict(self)
        if not self.cost_complete and self.cost == 0.0:
            record["cost"] = None
        return record


@dataclass(slots=True)
class Ledger:
    """All calls in the order in which they ended. Safe to use from several threads.

    Attributes:
        on_call: Called with each record as it is added (a console line, a log); its errors are the caller's.
    """

    on_call: Callable[[Call], None] | None = None
    _calls: list[Call] = field(default_factory=list, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def record(self, call: Call) -> None:
        """Add one record."""
        with self._lock:
            self._calls.append(call)
        if self.on_call is not None:
            self.on_call(call)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The records so far."""
        with self._lock:
            return tuple(self._calls)

    def totals(self) -> Totals:
        """Return the sums over all records."""
        return Totals.of(self.calls)

    def by_role(self) -> dict[str, Totals]:
        """Return the sums of each role, roles in alphabetical order."""
        calls = self.calls
        return {role: Totals.of(c for c in calls if c.role == role) for role in sorted({c.role for c in calls})}

    def to_dict(self) -> dict[str, Any]:
        """Return totals, sums by role and all records as JSON-able values."""
        return {
            "totals": self.totals().to_dict(),
            "by_role": {role: totals.to_dict() for role, totals in self.by_role().items()},
            "calls": [call.to_dict() for call in self.calls],
        }
