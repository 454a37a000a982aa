"""A process that works on tasks for `crew.py`, several at once in threads.

It takes one JSON object a line on standard input: first its order (`Order`), then `{"do": Job}` and `{"stop": true}`.
On what was its standard output it answers `{"id", "outcome"}` and `{"say"}`. It ends when its input does.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from debriefer.errors import DebrieferError
from debriefer.models import Models
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.outcome import OFFLINE, Outcome
from debriefer.pipeline.settings import ModelChoice, RunSettings
from debriefer.pipeline.single import OUTCOME_FILE, solve


@dataclass(frozen=True, slots=True)
class Order:
    """What all tasks of a run have in common.

    Attributes:
        output: Folder for predictions and logs.
        settings: How tasks are answered.
        choice: Which models, or `None` for the offline baseline.
        slots: Folder that bounds requests over all processes.
        cache: Folder of products, or `None`.
        resume: Whether tasks that were delivered are left as they are.
        verbose: Whether each turn is told.
    """

    output: str
    settings: RunSettings
    choice: ModelChoice | None = None
    slots: str | None = None
    cache: str | None = None
    resume: bool = False
    verbose: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the order as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Order:
        """Return the order that `to_dict` gave."""
        choice = values["choice"]
        return cls(
            **{
                **values,
                "settings": RunSettings.from_dict(values["settings"]),
                "choice": None if choice is None else ModelChoice(**choice),
            }
        )

    def models(self) -> Models | None:
        """Return the models of the run.

        Raises:
            ModelError: The environment is half configured.
        """
        return None if self.choice is None else self.choice.load(None if self.slots is None else Path(self.slots))


@dataclass(frozen=True, slots=True)
class Job:
    """One task of a run.

    Attributes:
        id: Place of the task in the run.
        folder: The task folder.
        name: Name of its folder of results.
        work: Folder for its working copy.
    """

    id: int
    folder: str
    name: str
    work: str


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
    write_outcome(outcome, order.output, job.name)
    return outcome


def write_outcome(outcome: Outcome, output: str, name: str) -> None:
    """Log the outcome of a task that could not log it itself."""
    folder = Path(output) / "logs" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(outcome.to_dict(), ensure_ascii=False, indent=2)
        (folder / OUTCOME_FILE).write_bytes((text + "\n").encode("utf-8", "replace"))
    except OSError:
        logging.getLogger(__name__).warning("%s: the outcome cannot be logged", name)


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
    programs = logging.getLogger("dspy_programs")
    programs.handlers[:] = list(logger.handlers)
    programs.propagate = False


if __name__ == "__main__":
    main()
