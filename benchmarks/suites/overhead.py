"""What the pipeline costs beside the model: 100 tasks with a scripted model that answers at once.

    python -m benchmarks.suites.overhead [--tasks 100] [--jobs 8] [--rounds 1] [--json]

The tasks are the bundled examples, repeated under other names and, so that no catalog is found in the cache, without
one. The model is `tests/doubles/analyst.py` over HTTP, in a process of its own, whose time counts too. The
product runs as its users run it (`debriefer run … --lm openai/any`).

- `seconds_per_100_tasks`: wall time of the whole command, catalogs included. Target: 60 on two cores.
- `cpu_seconds_per_100_tasks`: processor time of the command and all that it starts, without the model's server; it says
  the same on a machine that has other work.
- `peak_mib_per_task`: the largest memory of all processes of the run (private and shared pages, the latter by their
  share: PSS), the bare interpreter of each process taken off, divided by the tasks at once. Target: 150.
- `peak_mib_one_task`: the same with one task at once: the command, one worker and the process that runs the script. All
  that is above bare interpreters counts, imported packages too, and the pages of their libraries.
- `peak_private_mib_one_task`: of that what the processes have to themselves. The rest are pages of library files,
  which are in the page cache anyway and are there once for any number of tasks.
- `packages_mib`: what the imports alone take of `peak_mib_one_task`: the same three processes with nothing but the
  packages of others loaded (Typer and Rich; DSPy and DuckDB; DuckDB and Polars).
- `right`: share of predictions that equal the gold.
"""

from __future__ import annotations

import argparse
import compileall
import ctypes
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
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
# <asm/unistd_64.h>, <linux/kcmp.h>
_KCMP, _KCMP_VM = 312, 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the command: times, peaks of memory above the interpreters in MiB, share of right predictions.

    `requests` is how many the model got, `stages` the seconds of each stage in all tasks; the
    start of the command stands in none.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float
    private_mib: float
    right: float
    requests: int
    stages: Mapping[str, float]


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


def measure(tasks: Path, folder: Path, *, jobs: int, bare: Memory, script: Path = _ANALYST) -> Measured:
    """Run the command once on `tasks` and watch it; `script` is the model, its function `direct`."""
    output = folder / f"out-{jobs}"
    shutil.rmtree(output, ignore_errors=True)
    with Server(script, function="direct") as server:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "MODEL_API_URL": server.url,
            "MODEL_NATIVE_TOOLS": "yes",
            "MODEL_CONCURRENCY": str(max(8, jobs)),
        }
        # An installed package is compiled once and not by each process; so is this source tree.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = ["run", str(tasks), str(output), "--lm", "openai/any", "--jobs", str(jobs), "--no-cache", "--json"]
        began, worked = time.perf_counter(), _children_seconds()
        with (folder / "outcomes").open("wb") as outcomes, (folder / "messages").open("wb") as messages:
            process = subprocess.Popen(
                [sys.executable, "-m", "debriefer", *command], env=environment, stdout=outcomes, stderr=messages
            )
            peak = Peak(process.pid, bare)
            process.wait()
            requests = len(server.log())
        seconds, cpu_seconds = time.perf_counter() - began, _children_seconds() - worked
        peak.end()
    lines = (folder / "outcomes").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    right = [_right(outcome, tasks) for outcome in told]
    stages: Counter[str] = Counter()
    for outcome in told:
        stages.update(outcome["seconds"])
    share = sum(right) / len(right) if right else 0.0
    return Measured(seconds, cpu_seconds, peak.mib, peak.private_mib, share, requests, stages)


def _children_seconds() -> float:
    """Return the processor time of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _right(outcome: dict[str, str], tasks: Path) -> bool:
    if not outcome["prediction"]:
        return False
    task = json.loads((tasks / outcome["task_id"] / "task.json").read_text(encoding="utf-8"))
    gold = _EXAMPLES / "gold" / task["example"] / "gold.csv"
    return signature_score(Path(outcome["prediction"]), gold).score == 1.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory in MiB: all of it, shared pages by their share (PSS), and what nobody shares and no file backs."""

    mib: float = 0.0
    private_mib: float = 0.0


class Peak:
    """Watches the memory of a process and all that it starts."""

    def __init__(self, pid: int, bare: Memory) -> None:
        """Begin to watch `pid`; `bare` is taken off each process."""
        self.mib = self.private_mib = 0.0
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
            above = total(memories(pid), self._bare)
            self.mib = max(self.mib, above.mib)
            self.private_mib = max(self.private_mib, above.private_mib)


def total(pids: Iterable[int], bare: Memory) -> Memory:
    """Return the memory of processes above that of bare interpreters."""
    sizes = [size for pid in pids if (size := memory_of(pid)).mib > 0]
    return Memory(
        sum(max(0.0, size.mib - bare.mib) for size in sizes),
        sum(max(0.0, size.private_mib - bare.private_mib) for size in sizes),
    )


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


def memories(pid: int) -> Iterator[int]:
    """Yield one process for each address space of a family.

    A child that was just started shares its parent's until it runs its own program, and would be counted twice.
    """
    counted: list[int] = []
    for one in family(pid):
        if not any(same_memory(one, other) for other in counted):
            counted.append(one)
            yield one


def same_memory(one: int, other: int) -> bool:
    """Return whether two processes share their address space, where the kernel says (`kcmp` of Linux)."""
    if platform.machine() != "x86_64":
        return False
    return bool(_LIBC.syscall(_KCMP, one, other, _KCMP_VM, 0, 0) == 0)


def memory_of(pid: int) -> Memory:
    """Return the memory of a process; nothing where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return Memory()
    values = {name: int(rest.split()[0]) * 1024 / _MIB for name, _, rest in (line.partition(":") for line in lines)}
    return Memory(values.get("Pss", 0.0), values.get("Private_Dirty", 0.0))


def idle(imports: Sequence[str], bare: Memory) -> Memory:
    """Return the memory of interpreters that have run these statements, all of them there at one time."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", f"{statement}\nprint(flush=True)\ninput()"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            for statement in imports
        ]
        for process in processes:
            assert process.stdout is not None  # noqa: S101
            process.stdout.readline()
        size = total([process.pid for process in processes], bare)
        for process in processes:
            process.kill()
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
        bare = idle(["pass"], Memory())
        for source in ("python", "dspy_programs"):
            compileall.compile_dir(ROOT / source, quiet=1)
        runs = [measure(tasks, folder, jobs=options.jobs, bare=bare) for _ in range(options.rounds)]
        shutil.rmtree(tasks)
        one = measure(lay_out(folder, 3), folder, jobs=1, bare=bare)
        packages = idle(["import typer, rich", "import dspy, duckdb", "import duckdb, polars"], bare)
    per_100 = statistics.median(run.seconds for run in runs) * 100 / options.tasks
    cpu = statistics.median(run.cpu_seconds for run in runs) * 100 / options.tasks
    peak = statistics.median(run.peak_mib for run in runs)
    metrics = {
        "seconds_per_100_tasks": round(per_100, 2),
        "cpu_seconds_per_100_tasks": round(cpu, 2),
        "peak_mib_per_task": round(peak / min(options.jobs, options.tasks), 1),
        "peak_mib_one_task": round(one.peak_mib, 1),
        "peak_private_mib_one_task": round(one.private_mib, 1),
        "packages_mib": round(packages.mib, 1),
        "bare_interpreter_mib": round(bare.mib, 1),
        "jobs": options.jobs,
        "right": min(run.right for run in runs),
    }
    emit("overhead", options.tasks, metrics, options.json)


if __name__ == "__main__":
    main()
