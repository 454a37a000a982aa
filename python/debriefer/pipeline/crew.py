"""Worker processes and what happens when one of them dies or the run is stopped."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from debriefer.pipeline.order import Job, Order
from debriefer.pipeline.outcome import Outcome
from debriefer.pipeline.stop import GRACE_SECONDS, Stop
from debriefer.workbench.prediction import PREDICTION_FILE

# The paths by which this process imports are handed on; the script that called it is not run again, as a spawned
# `multiprocessing` process would.
_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from debriefer.pipeline.worker import main; main()"
_LOOK_SECONDS = 0.2
_CHUNK = 1 << 16
# Lone tasks (of a worker that died) at once, whatever the number of processes was.
_LONE_AT_ONCE = 4

# The job, its outcome (`None` where its process is gone), and whether it was begun.
Done = Callable[[Job, Outcome | None, bool], None]


@dataclass(slots=True, eq=False)
class _Worker:
    """One process.

    Attributes:
        process: The process.
        threads: Tasks that it works on at once.
        lone: Whether it is for one task only.
        jobs: What it works on.
        unread: What of its answers has come so far without a line's end.
    """

    process: subprocess.Popen[bytes]
    threads: int
    lone: bool
    jobs: dict[int, Job] = field(default_factory=dict)
    unread: bytes = b""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; a process that has died is noticed when its answers end."""
        assert self.process.stdin is not None  # noqa: S101
        with contextlib.suppress(OSError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()


class Crew:
    """Works through tasks in processes; a task that kills its process is the only one that is lost."""

    def __init__(self, order: Order, *, processes: int, threads: int, say: Callable[[str], None], stop: Stop) -> None:
        """Prepare a crew.

        Args:
            order: What all tasks have in common.
            processes: Processes at once.
            threads: Tasks at once in each.
            say: Told what the workers tell.
            stop: Set from outside to end the run.
        """
        self._order = order
        self._processes = processes
        self._threads = threads
        self._say = say
        self._stop = stop
        self._workers: set[_Worker] = set()
        self._selector = selectors.DefaultSelector()
        self._deadline: float | None = None

    def run(self, jobs: Sequence[Job], done: Done) -> None:
        """Work through `jobs` and call `done` for each."""
        waiting = deque(jobs)
        # Tasks whose process died: one of them killed it, which only a process of its own can tell.
        suspects: deque[Job] = deque()
        try:
            while waiting or suspects or self._workers:
                if self._stop:
                    self._end(waiting, suspects, done)
                else:
                    self._hand_out(waiting, suspects)
                self._listen(suspects, done)
                self._dismiss(waiting)
        finally:
            for worker in self._workers:
                worker.process.kill()
            for worker in list(self._workers):
                self._bury(worker)
            self._selector.close()

    def _hand_out(self, waiting: deque[Job], suspects: deque[Job]) -> None:
        crowd = [worker for worker in self._workers if not worker.lone]
        while waiting and len(crowd) < self._processes and all(worker.jobs for worker in crowd):
            crowd.append(self._hire(self._threads, lone=False))
            self._give(crowd[-1], waiting.popleft())
        while waiting and (free := [worker for worker in crowd if len(worker.jobs) < worker.threads]):
            self._give(min(free, key=lambda worker: len(worker.jobs)), waiting.popleft())
        if waiting:
            return
        lone = sum(worker.lone for worker in self._workers)
        while suspects and lone < _LONE_AT_ONCE:
            self._give(self._hire(1, lone=True), suspects.popleft())
            lone += 1

    def _hire(self, threads: int, *, lone: bool) -> _Worker:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C in a terminal is for this process, which then stops the workers.
            start_new_session=True,
        )
        worker = _Worker(process, threads, lone)
        assert process.stdout is not None  # noqa: S101
        os.set_blocking(process.stdout.fileno(), False)
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        self._workers.add(worker)
        worker.send({"order": self._order.to_dict(), "threads": threads})
        return worker

    @staticmethod
    def _give(worker: _Worker, job: Job) -> None:
        # What an earlier run left in a working copy that was kept must not pass for this one's.
        (Path(job.work) / "workdir" / PREDICTION_FILE).unlink(missing_ok=True)
        worker.jobs[job.id] = job
        worker.send({"do": asdict(job)})

    def _listen(self, suspects: deque[Job], done: Done) -> None:
        for key, _ in self._selector.select(_LOOK_SECONDS):
            worker: _Worker = key.data
            data = os.read(key.fd, _CHUNK)
            if data:
                *lines, worker.unread = (worker.unread + data).split(b"\n")
                for line in lines:
                    self._heard(worker, json.loads(line), done)
            else:
                self._bury(worker)
                lost = list(worker.jobs.values())
                if worker.lone or self._stop:
                    for job in lost:
                        done(job, None, True)
                else:
                    suspects.extend(lost)

    def _heard(self, worker: _Worker, message: dict[str, Any], done: Done) -> None:
        if "say" in message:
            self._say(message["say"])
        else:
            done(worker.jobs.pop(message["id"]), Outcome.from_dict(message["outcome"]), True)

    def _dismiss(self, waiting: deque[Job]) -> None:
        """Close the input of workers that have nothing left to do; they end by themselves."""
        for worker in self._workers:
            stdin = worker.process.stdin
            if (
                not worker.jobs
                and (worker.lone or not waiting or self._stop)
                and stdin is not None
                and not stdin.closed
            ):
                with contextlib.suppress(OSError):
                    stdin.close()

    def _end(self, waiting: deque[Job], suspects: deque[Job], done: Done) -> None:
        """Stop: hand out nothing more, let the workers deliver, end those that have not after the grace time."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + GRACE_SECONDS
            self._say(f"{self._stop.name}: no new task is begun, what is done is delivered")
            for worker in self._workers:
                worker.send({"stop": True})
        for queue in (waiting, suspects):
            while queue:
                done(queue.popleft(), None, queue is suspects)
        if now >= self._deadline or self._stop.signals > 1:
            for worker in self._workers:
                worker.process.kill()

    def _bury(self, worker: _Worker) -> None:
        """Forget a worker whose answers have ended."""
        self._workers.discard(worker)
        assert worker.process.stdout is not None  # noqa: S101
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(worker.process.stdout)
        worker.process.stdout.close()
        with contextlib.suppress(OSError):
            if worker.process.stdin is not None:
                worker.process.stdin.close()
        try:
            worker.process.wait(1.0)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()
