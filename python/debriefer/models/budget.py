"""Budgets: bounds on requests, tokens, money and time that no retry escapes, because the engine counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from debriefer.errors import BudgetExceededError
from debriefer.models.ledger import Call, Ledger, Totals

# Meters travel in DSPy's own settings, because `dspy.Parallel` hands these on to its threads and hands on
# no other context variable (dspy-and-local-lm.md, section 5).
_SETTING = "debriefer_meters"


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on what a block of work may use. `None` means no bound.

    Attributes:
        requests: Requests that reach an endpoint, retries and parse fallbacks included (80 an attempt, as the
            specification of the Solver has it).
        input_tokens: Prompt tokens.
        output_tokens: Reply tokens.
        cost: Money, in the currency of the prices in `ModelSettings`; a model without prices is then an error.
        seconds: Wall time since the block was first entered.

    A bound on requests is exact. Tokens and cost are known only after a reply: the request after the one that
    passed the bound is refused.
    """

    requests: int | None = 80
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("requests", "input_tokens", "output_tokens", "cost", "seconds"):
            value = getattr(self, name)
            if value is not None and value < 0:
                message = f"Budget.{name} must not be negative, got {value}"
                raise ValueError(message)


class Meter:
    """Counts what a block uses against its budget; safe to share between threads.

    Attributes:
        budget: The bounds.
        ledger: The block's own records, also those of failed attempts.
    """

    def __init__(self, budget: Budget | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = Budget() if budget is None else budget
        self.ledger = Ledger()
        self._clock = clock
        self._lock = threading.Lock()
        self._started: float | None = None
        self._requests = 0
        self._input_tokens = 0
        self._output_tokens = 0
        self._cost = 0.0
        self._turns: dict[int, int] = {}

    def start(self) -> None:
        """Start the clock, if it is not running yet; `metered` does this."""
        with self._lock:
            if self._started is None:
                self._started = self._clock()

    @property
    def requests(self) -> int:
        """Requests counted so far, those still under way included."""
        with self._lock:
            return self._requests

    @property
    def seconds(self) -> float:
        """Wall time since the start, 0 before it."""
        with self._lock:
            return self._elapsed()

    def remaining_seconds(self) -> float | None:
        """Return the wall time left (0 when none is), or `None` without a bound."""
        if self.budget.seconds is None:
            return None
        return max(0.0, self.budget.seconds - self.seconds)

    def remaining_requests(self) -> int | None:
        """Return how many requests are left, or `None` without a bound."""
        if self.budget.requests is None:
            return None
        return max(0, self.budget.requests - self.requests)

    def totals(self) -> Totals:
        """Return the sums over the block's records."""
        return self.ledger.totals()

    def check(self) -> None:
        """Raise `BudgetExceededError` if the next request would be refused."""
        with self._lock:
            self._check()

    def reserve(self) -> None:
        """Count one request that is about to be sent.

        Raises:
            BudgetExceededError: A bound is used up; nothing was counted.
        """
        with self._lock:
            self._check()
            self._requests += 1

    def refund(self) -> None:
        """Take back a reserved request that never reached an endpoint."""
        with self._lock:
            self._requests -= 1

    def settle(self, call: Call) -> None:
        """Add what a call used, and keep its record."""
        with self._lock:
            self._input_tokens += call.input_tokens or 0
            self._output_tokens += call.output_tokens or 0
            self._cost += call.cost or 0.0
        self.ledger.record(call)

    def expired(self) -> BudgetExceededError:
        """Return the error of a used-up time bound, for a wait that would outlast it."""
        return BudgetExceededError("seconds", limit=self.budget.seconds or 0.0, used=self.seconds)

    def turn(self, pool: int, following: Callable[[], int]) -> int:
        """Return this block's place in the rotation of endpoints `pool`, the next one at its first request.

        A block keeps its place, so that a conversation stays with the endpoint that has cached its prefix.
        """
        with self._lock:
            if pool not in self._turns:
                self._turns[pool] = following()
            return self._turns[pool]

    def _elapsed(self) -> float:
        return 0.0 if self._started is None else self._clock() - self._started

    def _check(self) -> None:
        budget = self.budget
        for bound, limit, used in (
            ("requests", budget.requests, self._requests),
            ("input_tokens", budget.input_tokens, self._input_tokens),
            ("output_tokens", budget.output_tokens, self._output_tokens),
            ("cost", budget.cost, self._cost),
            ("seconds", budget.seconds, self._elapsed()),
        ):
            if limit is not None and used >= limit:
                raise BudgetExceededError(bound, limit=limit, used=used)


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Count every request of the block against `meter`; blocks nest, and an inner request counts in all of them.

    The meter follows `dspy.Parallel`, `dspy.asyncify`, asyncio tasks and `asyncio.to_thread`. It does not follow
    a plain `threading.Thread` or `ThreadPoolExecutor`: enter `metered` inside the thread's function, with the
    same meter, or run the function in `contextvars.copy_context()`.
    """
    import dspy  # noqa: PLC0415 -- half a second; only who asks a model pays it

    meter.start()
    with dspy.context(**{_SETTING: (*current_meters(), meter)}):
        yield meter


def current_meters() -> tuple[Meter, ...]:
    """Return the meters of the enclosing `metered` blocks, outermost first."""
    import dspy  # noqa: PLC0415

    meters: tuple[Meter, ...] = dspy.settings.get(_SETTING, ())
    return meters


def reserve_all(meters: Sequence[Meter]) -> None:
    """Count one request in all meters or, where one of them refuses, in none."""
    with ExitStack() as undo:
        for meter in meters:
            meter.reserve()
            undo.callback(meter.refund)
        undo.pop_all()


def budget_error(error: BaseException | None) -> BudgetExceededError | None:
    """Return the budget error behind `error`, or `None`.

    DSPy wraps whatever an engine raises in `LMUnexpectedError` and keeps the original as its cause, so a program
    that must tell "out of budget" from "broken" asks here.

    >>> try:
    ...     raise RuntimeError("wrapped") from BudgetExceededError("requests", limit=3, used=3)
    ... except RuntimeError as wrapped:
    ...     budget_error(wrapped).bound
    'requests'
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, BudgetExceededError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None
