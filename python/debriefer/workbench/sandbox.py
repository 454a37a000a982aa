"""Running a script in a confined child process and collecting, within bounds, what it says.

What the child does to itself stands in `debriefer.workbench.confine`; a stricter policy belongs there.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from debriefer.workbench.confine import MEMORY_VARIABLE

_CHILD = Path(__file__).with_name("child.py")
_PACKAGES = ("debriefer", "duckdb", "polars")
_THREADS = min(4, os.cpu_count() or 1)
# After the script has ended, what it printed last may still stand in the pipe.
_GRACE_SECONDS = 0.5
_LOOK_SECONDS = 0.1
# With all streams closed the child is about to end.
_LAST_LOOK_SECONDS = 0.002
_CHUNK = 1 << 16
_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use.

    Attributes:
        seconds: Wall time, the start of the interpreter included.
        memory_bytes: Private writable memory of each process (`RLIMIT_DATA`).
        file_bytes: Largest file that may be written.
        open_files: Open files of each process.
        processes: Processes and threads; at least 301, the kernel's least value (needs Linux 6.14 for root).
        output_bytes: How much of the output, and as much again of the errors, is kept; the rest is read and dropped.
    """

    seconds: float = 120.0
    memory_bytes: int = 4 << 30
    file_bytes: int = 1 << 30
    open_files: int = 256
    processes: int = 512
    output_bytes: int = 1 << 16

    @property
    def cpu_seconds(self) -> int:
        """Processor time of each process: what all of its threads can use within `seconds`."""
        return math.ceil(self.seconds) * _THREADS + 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a confined run ended.

    Attributes:
        exit_code: The script's exit code; `None` if a signal ended it.
        signal: Number of the signal that ended it, or `None`.
        timed_out: Whether it was stopped because its wall time was up.
        stdout: What it printed, as much as was kept.
        stderr: What it printed as errors, as much as was kept.
        error: The exception that ended the script: `type`, `family`, `text`, `hint` and `frames`; empty if none did.
        seconds: Wall time.
        isolation: What the kernel allowed, of `network`, `processes` and `files`.
    """

    exit_code: int | None
    signal: int | None
    timed_out: bool
    stdout: str
    stderr: str
    error: Mapping[str, Any]
    seconds: float
    isolation: tuple[str, ...]


@dataclass(slots=True)
class _Kept:
    """The beginning and the end of a stream."""

    size: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self.size // 2 - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room < len(data) else b""
        del self.tail[: max(0, len(self.tail) - self.size // 2)]

    def text(self) -> str:
        left_out = self.total - len(self.head) - len(self.tail)
        gap = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return (bytes(self.head) + gap + bytes(self.tail)).decode("utf-8", errors="replace")


def run_confined(work: Path, limits: Limits, protected: tuple[str, ...] = ()) -> Outcome:
    """Run `workdir/solver.py` of the folder `work` in a child process.

    The child sees none of this process's environment, has no standard input, works in `work` and leads a session
    of its own, of which no process outlives the call. Namespaces that the kernel refuses are left out; the
    outcome says which are in force.

    Args:
        work: Folder that holds `workdir/solver.py`, absolute.
        limits: What the run may use.
        protected: Files, relative to `work`, that the child cannot change (where `files` is in force).
    """
    report_reader, report_writer = os.pipe()
    order = {
        "work": str(work),
        "paths": _import_paths(),
        "protected": protected,
        "limits": {
            name: getattr(limits, name)
            for name in ("memory_bytes", "cpu_seconds", "file_bytes", "open_files", "processes")
        },
        "report": report_writer,
    }
    begin = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603
            # Not `-I`: it would also ignore the fixed hash seed; `-s -P` keep the user's site and folder out.
            [sys.executable, "-s", "-P", "-B", str(_CHILD), json.dumps(order)],
            cwd=work,
            env=_environment(work, limits),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(report_writer,),
            start_new_session=True,
        )
    except BaseException:
        os.close(report_reader)
        raise
    finally:
        os.close(report_writer)
    streams = {"stdout": _Kept(limits.output_bytes), "stderr": _Kept(limits.output_bytes), "report": _Kept(1 << 16)}
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    with process, os.fdopen(report_reader, "rb", buffering=0) as report, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, streams["stdout"])
        selector.register(process.stderr, selectors.EVENT_READ, streams["stderr"])
        selector.register(report, selectors.EVENT_READ, streams["report"])
        try:
            timed_out = _collect(process, selector, begin + limits.seconds)
        finally:
            _stop(process)
    return _outcome(process.returncode, streams, timed_out=timed_out, seconds=time.monotonic() - begin)


def _import_paths() -> list[str]:
    """Return the folders from which this process imports what the script needs, this package's own first."""
    # Looked up and not imported: this process itself may need no Polars.
    specs = (importlib.util.find_spec(name) for name in _PACKAGES)
    folders = (Path(str(spec.origin)).absolute().parent.parent for spec in specs if spec is not None)
    return list(dict.fromkeys(str(folder) for folder in folders))


def _environment(work: Path, limits: Limits) -> dict[str, str]:
    workdir = str(work / "workdir")
    threads = str(_THREADS)
    return {
        "PATH": os.defpath,
        "HOME": workdir,
        "TMPDIR": workdir,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "POLARS_MAX_THREADS": threads,
        "RAYON_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        MEMORY_VARIABLE: str(limits.memory_bytes),
    }


def _collect(process: subprocess.Popen[bytes], selector: selectors.BaseSelector, deadline: float) -> bool:
    """Read all streams until they end or the process does; return whether the deadline came first."""
    ended = False
    while not ended or selector.get_map():
        left = deadline - time.monotonic()
        if left <= 0:
            return not ended
        # A process that the script left behind may hold the pipes open: look for the script's end now and then.
        look = _LOOK_SECONDS if selector.get_map() else _LAST_LOOK_SECONDS
        for key, _ in selector.select(min(left, look)):
            data = os.read(key.fd, _CHUNK)
            if data:
                key.data.add(data)
            else:
                selector.unregister(key.fileobj)
        if not ended and _has_ended(process):
            ended = True
            _kill_session(process)
            deadline = min(deadline, time.monotonic() + _GRACE_SECONDS)
    return False


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the child has ended, without reaping it: its number must stay taken until its group is killed."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the child and everything that it started."""
    deadline = time.monotonic() + _GRACE_SECONDS
    if not _has_ended(process):
        process.terminate()
    while not _has_ended(process) and time.monotonic() < deadline:
        time.sleep(0.005)
    _kill_session(process)
    process.wait()


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _outcome(returncode: int, streams: Mapping[str, _Kept], *, timed_out: bool, seconds: float) -> Outcome:
    report = _read_report(streams["report"].text())
    exit_code, number = report.get("exit"), None
    if timed_out:
        exit_code = None
    elif exit_code is None and returncode < 0:
        number = -returncode
    elif exit_code is None and returncode > _SIGNAL_BASE:
        number = returncode - _SIGNAL_BASE
    elif exit_code is None:
        exit_code = returncode
    return Outcome(
        exit_code=exit_code,
        signal=number,
        timed_out=timed_out,
        stdout=streams["stdout"].text(),
        stderr=streams["stderr"].text(),
        error=report.get("error", {}),
        seconds=seconds,
        isolation=tuple(report.get("isolation", ())),
    )


def _read_report(text: str) -> dict[str, Any]:
    """Merge the report's lines; the script could write to it too, so what has the wrong type is left out."""
    types = {"isolation": list, "error": dict, "exit": int}
    report: dict[str, Any] = {}
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict):
                report |= {key: value for key, value in entry.items() if isinstance(value, types.get(key, ()))}
    return report
