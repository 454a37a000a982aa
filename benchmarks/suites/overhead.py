"""What the pipeline costs beside the model: 100 tasks with a scripted model that answers at once.

    python -m benchmarks.suites.overhead [--tasks 100] [--jobs 8] [--rounds 1] [--json]

The tasks are the bundled examples, repeated under other names and, so that no catalog is found in the cache, without
one. The model is `tests/doubles/analyst.py` over HTTP, in a process of its own, whose time counts too. The
product runs as its users run it (`debriefer run … --lm openai/any`).

- `seconds_per_100_tasks`: wall time of the whole command, catalogs included. Target: 60 on two cores.
- `peak_mib_per_task`: the largest memory of all processes of the run (private and shared pages, the latter by their
  share: PSS), the bare interpreter of each process taken off, divided by the tasks at once. Target: 150.
- `peak_mib_one_task`: the same with one task at once, where the packages in memory are shared by none.
- `right`: share of predictions that equal the gold.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import emit
from debriefer.scoring import signature_score
from tests.conftest import ROOT
from tests.doubles.server import Server

_ANALYST = ROOT / "tests" / "doubles" / "analyst.py"
_EXAMPLES = ROOT / "examples"
_MIB = 1 << 20
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the command: wall time, peak of memory above the interpreters in MiB, share of right predictions."""

    seconds: float
    peak_mib: float
    right: float


def lay_out(folder: Path, count: int) -> Path:
    """Write `count` task folders: the examples in turn, under other names."""
    tasks = folder / "tasks"
    examples = sorted((_EXAMPLES / "tasks").iterdir())
    for number in range(1, count + 1):
        example = examples[number % len(examples)]
        task = tasks / f"task_{number}"
        shutil.copytree(example, task)
        values = json.loads((task / "task.json").read_text(encoding="utf-8"))
        values |= {"task_id": task.name, "example": example.name}
        (task / "task.json").write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    return tasks


def measure(tasks: Path, folder: Path, *, jobs: int, bare: float) -> Measured:
    """Run the command once on `tasks` and watch it."""
    output = folder / f"out-{jobs}"
    shutil.rmtree(output, ignore_errors=True)
    with Server(_ANALYST, function="direct") as server:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "MODEL_API_URL": server.url,
            "MODEL_NATIVE_TOOLS": "yes",
            "MODEL_CONCURRENCY": str(max(8, jobs)),
        }
        command = ["run", str(tasks), str(output), "--lm", "openai/any", "--jobs", str(jobs), "--no-cache", "--json"]
        began = time.perf_counter()
        with (folder / "outcomes").open("wb") as outcomes, (folder / "messages").open("wb") as messages:
            process = subprocess.Popen(
                [sys.executable, "-m", "debriefer", *command], env=environment, stdout=outcomes, stderr=messages
            )
            peak = Peak(process.pid, bare)
            process.wait()
        seconds = time.perf_counter() - began
        peak.end()
    lines = (folder / "outcomes").read_text(encoding="utf-8").splitlines()
    right = [_right(json.loads(line), tasks) for line in lines]
    return Measured(seconds, peak.mib, sum(right) / len(right) if right else 0.0)


def _right(outcome: dict[str, str], tasks: Path) -> bool:
    if not outcome["prediction"]:
        return False
    task = json.loads((tasks / outcome["task_id"] / "task.json").read_text(encoding="utf-8"))
    gold = _EXAMPLES / "gold" / task["example"] / "gold.csv"
    return signature_score(Path(outcome["prediction"]), gold).score == 1.0


class Peak:
    """Watches the memory of a process and all that it starts."""

    def __init__(self, pid: int, bare: float) -> None:
        """Begin to watch `pid`; `bare` MiB of each process are taken off."""
        self.mib = 0.0
        self._bare = bare
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    def _watch(self, pid: int) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            sizes = [size for one in family(pid) if (size := pss_mib(one)) > 0]
            self.mib = max(self.mib, sum(max(0.0, size - self._bare) for size in sizes))


def family(pid: int) -> Iterator[int]:
    """Yield a process and everything that it and its children have started and that still runs."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = thread.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from family(int(child))


def pss_mib(pid: int) -> float:
    """Return the memory of a process in MiB, shared pages by their share; 0 where it has ended."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / _MIB
    except OSError:
        pass
    return 0.0


def bare_interpreter_mib() -> float:
    """Return the memory of an interpreter that has loaded nothing, in MiB."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        time.sleep(0.5)
        size = pss_mib(process.pid)
        process.communicate(b"\n")
    return size


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.overhead", description=__doc__)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=8, help="tasks at once")
    parser.add_argument("--rounds", type=int, default=1, help="the median of so many runs is reported")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="debriefer-overhead-") as name:
        folder = Path(name)
        tasks = lay_out(folder, options.tasks)
        bare = bare_interpreter_mib()
        runs = [measure(tasks, folder, jobs=options.jobs, bare=bare) for _ in range(options.rounds)]
        shutil.rmtree(tasks)
        one = measure(lay_out(folder, 3), folder, jobs=1, bare=bare)
    per_100 = statistics.median(run.seconds for run in runs) * 100 / options.tasks
    peak = statistics.median(run.peak_mib for run in runs)
    metrics = {
        "seconds_per_100_tasks": round(per_100, 2),
        "peak_mib_per_task": round(peak / min(options.jobs, options.tasks), 1),
        "peak_mib_one_task": round(one.peak_mib, 1),
        "bare_interpreter_mib": round(bare, 1),
        "jobs": options.jobs,
        "right": min(run.right for run in runs),
    }
    emit("overhead", options.tasks, metrics, options.json)


if __name__ == "__main__":
    main()
