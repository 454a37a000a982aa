"""The whole product: building catalogs of many files and of large ones, and tasks with a model that takes its time.

    python -m benchmarks.suites.end_to_end [--most 2e9] [--files 1,20,200] [--jobs 1,2,…,64] [--tasks 2] [--json]

- `build.FILES_files.SIZE`: seconds to build a catalog of so many CSV files, so large together, in a process of its own,
  and `mib` above its imports at its peak. Sizes are 1 MB, 10 MB, 100 MB, 1 GB and 2 GB, up to `--most` bytes.
- `tasks.LATENCY_ms.JOBS_at_once`: tasks a second, with a scripted model over HTTP that waits `LATENCY` before it
  answers (`tests/doubles/analyst.py`), and the peak of all processes in MiB. Each run has `--tasks` tasks for each at
  once, and counts the start of the command. Where twice the tasks at once no longer give more a second, the machine is
  the limit; below that the model is.
- `non_model_share`: of the wall time of tasks one at a time with 500 ms latency, what was not waited for the model: the
  time of all stages less requests x 0.5 s. Target: 0.05. No catalog comes from the cache. `non_model_share_of_command`
  counts the start of the command and of its processes too; `stage_ms.NAME` says where a task's time goes, the waiting
  included, and `non_model_ms_per_request` what is not waiting, by request.

The model of this suite answers in five requests of little text; a real one makes more and longer ones, and the share is
smaller.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.catalog import write_files
from benchmarks.report import emit
from benchmarks.suites.overhead import Measured, Memory, idle, lay_out, measure

FILES = (1, 20, 200)
SIZES = {"1_mb": 1e6, "10_mb": 1e7, "100_mb": 1e8, "1_gb": 1e9, "2_gb": 2e9}
JOBS = (1, 2, 4, 8, 16, 32, 64)
LATENCIES = (0.0, 0.5)
# A share of a few percent needs more than two tasks.
SHARE_TASKS = 10
# Builds of up to so many bytes are repeated and their median taken.
REPEATED, ROUNDS = 1e8, 3
Spread = dict[str, tuple[float, float]]

_BUILD = textwrap.dedent("""
    import re, sys, time
    from pathlib import Path
    from debriefer.catalog import Catalog
    import duckdb, polars
    peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    before, start = peak(), time.perf_counter()
    with Catalog.from_files(Path(sys.argv[1]), Path(sys.argv[2])) as catalog:
        rows = sum(table.row_count for table in catalog.tables.values())
    print()
    print(time.perf_counter() - start, peak() - before, rows)
""")
_DELAYED = textwrap.dedent("""
    from dataclasses import replace
    from tests.doubles import analyst
    from tests.doubles.script import Reply

    def direct(turn):
        answer = analyst.direct(turn)
        answer = Reply(answer) if isinstance(answer, str) else answer
        return replace(answer, delay={delay}) if isinstance(answer, Reply) else answer
""")


def builds(folder: Path, files: Sequence[int], most: float) -> tuple[dict[str, Any], Spread]:
    """Build catalogs of each number of files and each size up to `most` bytes."""
    metrics: dict[str, Any] = {}
    spread: Spread = {}
    for count in files:
        for name, size in SIZES.items():
            if size > most:
                continue
            data = folder / "data"
            data.mkdir()
            true_size = write_files(data, count, size / 2**20)
            runs = [build(data, folder / "catalog.duckdb") for _ in range(ROUNDS if size <= REPEATED else 1)]
            shutil.rmtree(data)
            seconds = [run[0] for run in runs]
            key = f"{count}_files.{name}"
            metrics[key] = {
                "seconds": statistics.median(seconds),
                "mib": statistics.median(run[1] for run in runs),
                "megabytes_per_second": true_size / 1e6 / statistics.median(seconds),
                "rows": runs[0][2],
            }
            spread[f"build.{key}.seconds"] = (min(seconds), max(seconds))
            print(f"built {count} files, {name}: {statistics.median(seconds):.2f} s", file=sys.stderr, flush=True)
    return metrics, spread


def build(data: Path, target: Path) -> tuple[float, float, int]:
    """Build a catalog in a process of its own; return seconds, peak in MiB above the imports, and rows."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", _BUILD, str(data), str(target)]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for left in target.parent.glob(f"{target.stem}.*"):
        left.unlink()
    # A progress bar of the engine may stand before.
    seconds, mib, rows = answer.stdout.splitlines()[-1].split()
    return float(seconds), float(mib), int(rows)


def run_tasks(folder: Path, count: int, jobs: int, delay: float, bare: Memory) -> Measured:
    """Run `count` tasks, `jobs` at once, with a model that waits `delay` seconds before each answer."""
    script = folder / "delayed.py"
    script.write_text(_DELAYED.format(delay=delay), encoding="utf-8")
    tasks = lay_out(folder, count)
    try:
        return measure(tasks, folder, jobs=jobs, bare=bare, script=script)
    finally:
        shutil.rmtree(tasks)


def throughput(folder: Path, jobs: Sequence[int], per_job: int, bare: Memory) -> dict[str, Any]:
    """Run tasks at each latency and each number at once."""
    metrics: dict[str, Any] = {}
    for delay in LATENCIES:
        for at_once in jobs:
            count = at_once * per_job
            run = run_tasks(folder, count, at_once, delay, bare)
            metrics[f"{delay * 1000:.0f}_ms.{at_once}_at_once"] = {
                "tasks_per_second": count / run.seconds,
                "peak_mib": run.peak_mib,
                "cpu_seconds_per_task": run.cpu_seconds / count,
                # How much of the time that all places together had was waited for the model.
                "model_share": run.requests * delay / (run.seconds * at_once),
                "right": run.right,
            }
            print(
                f"{at_once} at once, {delay:g} s: {count / run.seconds:.2f} tasks a second", file=sys.stderr, flush=True
            )
    return metrics


def share(folder: Path, bare: Memory, tasks: int = SHARE_TASKS) -> dict[str, Any]:
    """Return what of the tasks' time was not waited for a model of 500 ms."""
    delay = LATENCIES[-1]
    run = run_tasks(folder, tasks, 1, delay, bare)
    waited, task_seconds = run.requests * delay, sum(run.stages.values())
    return {
        "non_model_share": 1 - waited / task_seconds,
        "non_model_share_of_command": 1 - waited / run.seconds,
        "non_model_ms_per_request": (task_seconds - waited) / run.requests * 1000,
        "requests_per_task": run.requests / tasks,
        "stage_ms": {name: seconds / tasks * 1000 for name, seconds in sorted(run.stages.items())},
        "share_right": run.right,
    }


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.end_to_end", description=__doc__)
    parser.add_argument("--most", type=float, default=2e9, help="largest input in bytes; 0 builds nothing")
    parser.add_argument("--files", type=_numbers, default=list(FILES), help="numbers of files, by comma")
    parser.add_argument("--jobs", type=_numbers, default=list(JOBS), help="tasks at once, by comma; empty for none")
    parser.add_argument("--tasks", type=int, default=2, help="tasks for each at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="debriefer-end-to-end-") as name:
        folder = Path(name)
        bare = idle(["pass"], Memory())
        built, spread = builds(folder, options.files, options.most)
        metrics: dict[str, Any] = {"build": built} if built else {}
        if options.jobs:
            metrics |= {"tasks": throughput(folder, options.jobs, options.tasks, bare)}
            metrics |= share(folder, bare, min(SHARE_TASKS, max(options.jobs) * options.tasks))
    emit("end_to_end", len(built) + len(LATENCIES) * len(options.jobs), metrics, options.json, spread=spread)


if __name__ == "__main__":
    main()
