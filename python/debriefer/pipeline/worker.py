"""A process that works on tasks for `crew.py`, several at once in threads.

It takes one JSON object a line on standard input: first its order (`Order`), then `{"do": Job}` and `{"stop": true}`.
On what was its standard output it answers `{"id", "outcome"}` and `{"say"}`. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO

from debriefer.errors import DebrieferError
from debriefer.models import Models
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.delivery import redacted, write_outcome
from debriefer.pipeline.logs import redactor_for
from debriefer.pipeline.order import Job, Order
from debriefer.pipeline.outcome import OFFLINE, Outcome
from debriefer.pipeline.single import solve

# <sys/prctl.h>
_SET_DEATH_SIGNAL = 1


class Channel:
    """The way back; lines of several threads do not mix."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, value: dict[str, Any]) -> None:
        """Send one object; that nobody listens any more is no error."""
        text = json.dumps(value, ensure_ascii=True, default=str) + "\n"
        with self._lock:
            try:
                self._stream.write(text)
                self._stream.flush()
            except OSError:
                pass


def main() -> None:
    """Work through what standard input says."""
    _end_with_parent()
    channel = Channel(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    # What a library prints must not get between the answers.
    os.dup2(2, 1)
    first = json.loads(sys.stdin.readline())
    order = Order.from_dict(first["order"])
    set_up_logging(lambda line: channel.send({"say": line}), verbose=order.verbose)
    models = order.models()
    cache = None if order.cache is None else Cache(order.cache)
    stop = threading.Event()
    with ThreadPoolExecutor(first["threads"], thread_name_prefix="task") as pool:
        for line in sys.stdin:
            message = json.loads(line)
            if "do" in message:
                pool.submit(_work, Job(**message["do"]), order, models, cache, stop, channel)
            elif "stop" in message:
                _stop(stop, models)
        _stop(stop, models)


def _end_with_parent() -> None:
    """Let the kernel end this process when the one that hired it is killed.

    It would otherwise finish what it works on, and could deliver beside a run that goes on where that one was.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _stop(stop: threading.Event, models: Models | None) -> None:
    stop.set()
    if models is not None:
        models.stop()


def _work(
    job: Job, order: Order, models: Models | None, cache: Cache | None, stop: threading.Event, channel: Channel
) -> None:
    outcome = work_on(job, order, models, cache, stop, lambda line: channel.send({"say": line}))
    channel.send({"id": job.id, "outcome": outcome.to_dict()})


def work_on(
    job: Job,
    order: Order,
    models: Models | None,
    cache: Cache | None,
    stop: threading.Event,
    say: Any,  # noqa: ANN401 -- a function of a line
) -> Outcome:
    """Answer one task; whatever goes wrong becomes its outcome."""
    solver = OFFLINE if models is None else f"model {models.settings('solver').model}"
    if stop.is_set():
        return Outcome(job.name, "stopped", solver, reason="the run was stopped", hint="run again with `--resume`")
    try:
        return solve(
            job.folder,
            order.output,
            models=models,
            settings=order.settings,
            work=job.work,
            name=job.name,
            cache=cache,
            resume=order.resume,
            say=say if order.verbose else (lambda _: None),
            stop=stop,
        )
    except DebrieferError as error:
        outcome = Outcome(job.name, "failed", solver, reason=error.message, hint=error.hint)
    except Exception as error:  # noqa: BLE001 -- one task can never stop another; the reason is kept
        reason = f"unexpected {type(error).__name__}: {error}"
        outcome = Outcome(job.name, "failed", solver, reason=reason, hint="please report this with the task folder")
    outcome = redacted(outcome, redactor_for(models))
    write_outcome(outcome, order.output, job.name)
    return outcome


class _Lines(logging.Handler):
    """Hands each record on as one line, without a traceback: that stands in the transcript."""

    def __init__(self, say: Any) -> None:  # noqa: ANN401
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on one record."""
        self._say(" ".join(record.getMessage().split()))


def set_up_logging(say: Any, *, verbose: bool) -> None:  # noqa: ANN401 -- a function of a line
    """Let warnings of the package be told as lines where `verbose`, and be left to the logs otherwise."""
    logger = logging.getLogger("debriefer")
    logger.handlers[:] = [_Lines(say) if verbose else logging.NullHandler()]
    logger.propagate = False
    # DSPy tells of replies that were cut off, by handlers of its own; the transcript has them.
    logging.getLogger("dspy.clients.lm").setLevel(logging.ERROR)
    programs = logging.getLogger("dspy_programs")
    programs.handlers[:] = list(logger.handlers)
    programs.propagate = False


if __name__ == "__main__":
    main()
