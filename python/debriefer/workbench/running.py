"""Running `solver.py` and saying what came of it."""

from __future__ import annotations

import os
import re
import signal
import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from debriefer.catalog.catalog import CATALOG_FILE
from debriefer.catalog.sides import SIDE_FILES
from debriefer.errors import DebrieferError, WorkbenchError
from debriefer.workbench.cells import shortened
from debriefer.workbench.editing import region_lines
from debriefer.workbench.explore import MOST_CELL_CHARACTERS, table_text
from debriefer.workbench.prediction import PREDICTION_FILE, check_prediction
from debriefer.workbench.sandbox import Limits, Outcome, run_confined
from debriefer.workbench.scaffold import SOLVER_FILE, WORKDIR, read_solver_text, region_of, remove_prediction

Status = Literal["FAILED", "NO OUTPUT", "OK"]

_SCRIPT = f"{WORKDIR}/{SOLVER_FILE}"
# Runs at once in this process, however many tasks it works on: each may hold gigabytes, and more than the cores can
# work on would only hold them longer. Waiting does not count as time of the run.
_AT_ONCE = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
# What a script reads and must not write.
_READ_ONLY = tuple(f"{WORKDIR}/{name}" for name in (CATALOG_FILE, *SIDE_FILES))
_MOST_OUTPUT_CHARACTERS = 2000
# How Rust, C++ and DuckDB say that memory was refused.
_OUT_OF_MEMORY = re.compile(
    r"memory allocation of \d+ bytes failed|bad_alloc|Out of Memory|Cannot allocate memory|failed to allocate"
)
# The first that names the error's class or one of its bases, and whose words occur in its text, gives the hint.
_HINTS = (
    ("NameError", "'result'", 'assign the result in the query region: result = run_sql("SELECT …")'),
    ("NameError", "'pd'", "there is no pandas here; `run_sql` returns a Polars frame, so say it in SQL"),
    ("NameError", "'pl'", "say it in SQL, or write `import polars as pl` in the query region"),
    ("ImportError", "", "only the standard library, polars and duckdb are there; say it in SQL"),
    ("AttributeError", "'DataFrame'", "`run_sql` returns a Polars frame, not a pandas one; say it in SQL"),
    ("MemoryError", "", "aggregate in SQL, so that less has to be held in memory"),
)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run of `solver.py`.

    Attributes:
        status: `OK` if the script ended well and wrote a prediction, `NO OUTPUT` if it ended well and wrote none,
            else `FAILED`, and then no prediction is left.
        shape: Rows and columns of the prediction; `None` unless `OK` and checked.
        columns: Its header.
        non_null: For each column, the number of cells that are not empty.
        sample: Its first rows; an empty cell is `None`.
        stdout: What the script printed, bounded.
        stderr: What it printed as errors, bounded.
        seconds: Wall time.
        reason: What went wrong, for `FAILED` and `NO OUTPUT`.
        hint: How to mend it, or `None`.
        where: The script's lines at which it failed, outermost first, as `workdir/solver.py, line 24: <code>`.
        isolation: What the kernel allowed, of `network`, `processes` and `files`.
    """

    status: Status
    shape: tuple[int, int] | None = None
    columns: tuple[str, ...] = ()
    non_null: tuple[int, ...] = ()
    sample: tuple[tuple[str | None, ...], ...] = ()
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    reason: str | None = None
    hint: str | None = None
    where: tuple[str, ...] = ()
    isolation: tuple[str, ...] = ()

    def render(self) -> str:
        """Return the result as a model is shown it: the same text for the same run, without times."""
        lines: list[str] = [self.status]
        lines.extend(self.where)
        if self.reason is not None:
            lines.append(self.reason if self.status == "NO OUTPUT" else f"error: {self.reason}")
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        if self.shape is not None:
            rows, width = self.shape
            lines.append(f"{rows} row{'' if rows == 1 else 's'}, {width} column{'' if width == 1 else 's'}")
            counts = zip(self.columns, self.non_null, strict=True)
            lines.append("not empty: " + ", ".join(f"{shortened(c, MOST_CELL_CHARACTERS)} {n}" for c, n in counts))
            if self.sample:
                lines.append(f"first {len(self.sample)} of {rows}:")
                lines.append(table_text(self.columns, self.sample))
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr if self.status == "FAILED" else "")):
            if text.strip():
                lines.append(f"{name}:")
                lines.append(_middle_cut(text.strip("\n")))
        return "\n".join(lines)


def run(work: Path, limits: Limits, *, self_check: bool = True, rows: int = 5) -> RunResult:
    """Run `workdir/solver.py` in a child process and look at the prediction it wrote.

    A prediction that stood there before is deleted first, and one of a failed run afterwards.

    Args:
        work: The working copy, absolute.
        limits: What the run may use.
        self_check: Whether to read the prediction back.
        rows: Number of rows of the sample.
    """
    remove_prediction(work)
    try:
        text = read_solver_text(work / WORKDIR / SOLVER_FILE)
        region_of(text)
        with _AT_ONCE:
            outcome = run_confined(work, limits, protected=(_SCRIPT, *_READ_ONLY))
    except DebrieferError as error:
        return RunResult("FAILED", reason=error.message, hint=error.hint)
    except OSError as error:
        return RunResult("FAILED", reason=f"the script cannot be started: {error.strerror or error}")
    result = RunResult(
        "OK",
        stdout=_without_paths(outcome.stdout, work),
        stderr=_without_paths(outcome.stderr, work),
        seconds=outcome.seconds,
        isolation=outcome.isolation,
    )
    failure = _failure(outcome, limits, work, text)
    if failure is None:
        result = _with_prediction(result, work / WORKDIR / PREDICTION_FILE, rows if self_check else None)
    else:
        result = replace(result, status="FAILED", **failure)
    if result.status == "FAILED":
        remove_prediction(work)
    return result


def _with_prediction(result: RunResult, prediction: Path, rows: int | None) -> RunResult:
    """Add what the prediction looks like; `rows` is the size of the sample, `None` for no look inside."""
    try:
        mode = prediction.lstat().st_mode
    except FileNotFoundError:
        reason = f"the script ended without writing `{WORKDIR}/{PREDICTION_FILE}`"
        return replace(result, status="NO OUTPUT", reason=reason)
    # A named pipe would be waited for without end, a link could lead out of the folder.
    if not stat.S_ISREG(mode):
        return replace(result, status="FAILED", reason=f"`{WORKDIR}/{PREDICTION_FILE}` is no regular file")
    if rows is None:
        return result
    try:
        check = check_prediction(prediction, max(0, rows))
    except WorkbenchError as error:
        return replace(result, status="FAILED", reason=error.message, hint=error.hint)
    return replace(
        result,
        shape=(check.rows, len(check.columns)),
        columns=check.columns,
        non_null=check.non_null,
        sample=check.sample,
    )


def _failure(outcome: Outcome, limits: Limits, work: Path, text: str) -> dict[str, Any] | None:  # noqa: PLR0911
    """Return `reason`, `hint` and `where` of a run that did not end well, else `None`."""
    memory = f"the script needed more memory than the {_size(limits.memory_bytes)} it may use"
    less = "aggregate in SQL, so that less has to be held in memory"
    if outcome.timed_out:
        reason = f"the script was stopped after {limits.seconds:g} s"
        return {"reason": reason, "hint": "filter or aggregate earlier, and give every join its key"}
    if outcome.error:
        failure = _of_exception(outcome.error, work, text)
        if "MemoryError" in outcome.error.get("family", ()) or _OUT_OF_MEMORY.search(failure["reason"]):
            failure |= {"reason": memory, "hint": less}
        return failure
    if outcome.signal is not None:
        if _OUT_OF_MEMORY.search(outcome.stderr):
            return {"reason": memory, "hint": less}
        if outcome.signal == signal.SIGKILL:
            return {"reason": "the script was killed: the machine ran out of memory, or it killed itself", "hint": less}
        if outcome.signal == signal.SIGXCPU:
            reason = f"the script used up the {limits.cpu_seconds} s of processor time it may use"
            return {"reason": reason, "hint": less}
        return {"reason": f"the script was ended by signal {_signal_name(outcome.signal)}"}
    if outcome.exit_code:
        return {"reason": f"the script ended with exit code {outcome.exit_code}"}
    return None


def _of_exception(error: Mapping[str, Any], work: Path, text: str) -> dict[str, Any]:
    source = text.split("\n")
    frames = error.get("frames", ())
    # The frame's own `run_sql` says nothing that the line which calls it does not say.
    mine = [frame for frame in frames if frame[0] in region_lines(text)]
    where = []
    for number, function in mine or frames:
        line = source[number - 1].strip() if 0 < number <= len(source) else ""
        inside = "" if function == "<module>" else f", in {function}"
        where.append(f"{_SCRIPT}, line {number}{inside}: {shortened(line, MOST_CELL_CHARACTERS)}")
    family = error.get("family", ())
    message = _without_paths(str(error.get("text", "")), work).strip()
    # The package's own errors are written for people; of others the class says what happened.
    reason = message if "DebrieferError" in family else f"{error.get('type')}: {message}".rstrip(": ")
    hint = error.get("hint")
    if hint is None:
        hint = next((hint for kind, words, hint in _HINTS if kind in family and words in message), None)
    return {"reason": reason, "hint": hint, "where": tuple(where)}


def _without_paths(text: str, work: Path) -> str:
    """Return `text` with the working copy as `.` and without the folders of the interpreter and its packages."""
    text = text.replace(str(work), ".")
    return re.sub(r"(?:/[\w.+-]+)+/(?:site-packages|lib/python3\.\d+|debriefer(?=/workbench))/", "…/", text)


def _middle_cut(text: str) -> str:
    if len(text) <= _MOST_OUTPUT_CHARACTERS:
        return text
    half = _MOST_OUTPUT_CHARACTERS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _size(count: int) -> str:
    return f"{count / 2**30:g} GiB" if count >= 1 << 30 else f"{count / 2**20:g} MiB"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
