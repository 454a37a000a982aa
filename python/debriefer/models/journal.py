"""Replies on disk, found again by what was asked: what was paid for once is not asked a second time.

A long run of many requests, such as an optimisation, is killed and started again. It asks the same things in the same
order, since its seeds are fixed, and is given the replies of before; only the request that was under way is lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from debriefer.errors import ModelError
from debriefer.models import compat
from debriefer.models.engine import cost_of
from debriefer.models.settings import ModelSettings

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response

# What every line begins with, so that a line that was cut off can be told from a file of something else.
_BEGINNING = b'{"key": "'


@dataclass(frozen=True, slots=True)
class Paid:
    """What the replies of a journal cost, all runs that wrote to it together.

    Attributes:
        requests: Replies.
        input_tokens: Prompt tokens, as far as endpoints report them.
        output_tokens: Reply tokens, likewise.
        cost: Money, `None` where a price is unknown.
        replayed: How many replies this process took from the file.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    replayed: int = 0


class Journal:
    """A file of replies, one a line, each written out before it is handed on. Safe to use from several threads.

    A prompt that is asked several times (samples of a vote) has as many replies: the first time this process asks it,
    it gets the first, and so on. Only a reply, or the refusal of a prompt as too long, is kept; what an endpoint fails
    at is asked again. The file holds replies and digests of prompts, no prompt and no key.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a journal, or begin one.

        A last line that was cut off in the middle of being written is taken off.

        Raises:
            ModelError: The file is no journal.
            OSError: It cannot be read or written to.
        """
        self.path = Path(path)
        self._lock = threading.Lock()
        self._replies: dict[str, list[dict[str, Any]]] = {}
        self._taken: dict[str, int] = {}
        self._replayed = 0
        self._paid = Paid()
        # Kept open for the run: one writer, which a second process must not join.
        self._file = self.path.open("ab")
        try:
            self._claim()
            self._read()
        except BaseException:
            self._file.close()
            raise

    @property
    def replayed(self) -> int:
        """Replies that this process took from the file."""
        with self._lock:
            return self._replayed

    @property
    def paid(self) -> Paid:
        """What all replies in the file cost."""
        with self._lock:
            return replace(self._paid, replayed=self._replayed)

    def factory(self, inner: compat.SenderFactory) -> compat.SenderFactory:
        """Return `inner` with its senders behind this journal, for `Models(sender_factory=…)`."""

        def make(settings: ModelSettings, number: int, environment: Mapping[str, str]) -> compat.Sender:
            made: list[compat.Sender] = []

            def send(request: Request, seconds: float) -> Response:
                # A run that is served from the file alone needs no connection.
                if not made:
                    made.append(inner(settings, number, environment))
                return made[0](request, seconds)

            return lambda request, seconds: self._answer(settings, request, seconds, send)

        return make

    def close(self) -> None:
        """Close the file; what is asked afterwards fails."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, settings: ModelSettings, request: Request, seconds: float, send: compat.Sender) -> Response:
        # The model's name as the server knows it: the address takes no part, so that a server may move.
        key = compat.request_digest(replace(request, model=settings.model))
        with self._lock:
            place = self._taken.get(key, 0)
            known = self._replies.get(key, [])
            found = known[place] if place < len(known) else None
            if found is not None:
                self._taken[key] = place + 1
                self._replayed += 1
        if found is None:
            try:
                found = {"response": compat.response_values(send(request, seconds))}
            except Exception as error:
                if not compat.is_overflow(error):
                    raise
                found = {"too_long": str(getattr(error, "message", error))}
            usage = found.get("response", {}).get("usage") or {}
            given, made = usage.get("input_tokens") or 0, usage.get("output_tokens") or 0
            cost = cost_of(settings, given, made, usage.get("cache_read_tokens"))
            self._write(key, {"key": key, "model": settings.model, "cost": cost, **found})
        if "too_long" in found:
            raise compat.overflow_error(found["too_long"])
        return compat.response_of(found["response"])

    def _write(self, key: str, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._replies.setdefault(key, []).append(entry)
            self._taken[key] = self._taken.get(key, 0) + 1
            self._count(entry)

    def _count(self, entry: Mapping[str, Any]) -> None:
        usage = entry.get("response", {}).get("usage") or {}
        paid, price = self._paid, entry.get("cost")
        self._paid = Paid(
            paid.requests + 1,
            paid.input_tokens + (usage.get("input_tokens") or 0),
            paid.output_tokens + (usage.get("output_tokens") or 0),
            paid.cost if price is None else (paid.cost or 0.0) + price,
        )

    def _claim(self) -> None:
        """Make sure that no other process writes to this journal."""
        with contextlib.suppress(ImportError):
            import fcntl  # noqa: PLC0415 -- not on every system

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                message = f"`{self.path}` is being written to by another process"
                raise ModelError(message, hint="wait for it to end, or name another folder") from None

    def _read(self) -> None:
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].split(b"\n")[:-1], start=1):
            try:
                entry = json.loads(line.decode("utf-8", "surrogatepass"))
                if "too_long" not in entry:
                    compat.response_of(entry["response"])
                self._replies.setdefault(entry["key"], []).append(entry)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                message = f"`{self.path}` is no journal of replies: line {number} cannot be read"
                raise ModelError(message, hint="name another folder") from error
            self._count(entry)
        torn = data[whole:]
        if not (torn.startswith(_BEGINNING) or _BEGINNING.startswith(torn)):
            message = f"`{self.path}` is no journal of replies: its last line is none"
            raise ModelError(message, hint="name another folder")
        if torn:
            self._file.truncate(whole)
