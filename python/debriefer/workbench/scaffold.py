"""The scaffold: a `solver.py` that is complete but for one marked region."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from debriefer.errors import MissingFileError, WorkbenchError
from debriefer.workbench.prediction import PREDICTION_FILE

WORKDIR = "workdir"
SOLVER_FILE = "solver.py"
BEGIN_MARKER = "# >>> query: only the lines between the two markers may be edited"
END_MARKER = "# <<< query"
UNWRITTEN = "result = None\n"

_HEAD = f'''\
"""Answers the question in `task.json`; run it in the task's folder."""

from pathlib import Path

from debriefer.workbench.runtime import open_catalog, write_prediction

# Where the evidence stands, and where the prediction goes.
CONTEXT = Path("./context")
WORKDIR = Path("./workdir")

# Every table of the task, under the names that `explore_data` shows.
catalog = open_catalog(WORKDIR / "catalog.duckdb")


def run_sql(query):
    """Run one read-only DuckDB statement and return its result as a Polars frame."""
    return catalog.sql(query)


{BEGIN_MARKER}
'''
_TAIL = f"""\
{END_MARKER}

# Save the result.
if result is None:
    print("[solver] the query is not written yet (result is None)")
else:
    write_prediction(result, WORKDIR / "{PREDICTION_FILE}")
"""
# Number of lines above the region.
HEAD_LINES = _HEAD.count("\n")


def pristine() -> str:
    """Return the scaffold as it is before the first edit."""
    return assemble(UNWRITTEN)


def assemble(region: str) -> str:
    """Return the text of `solver.py` with `region` (whole lines, or nothing) between the markers."""
    return _HEAD + region + _TAIL


def region_of(text: str) -> str:
    """Return the text between the markers of a `solver.py` whose frame is untouched.

    Raises:
        WorkbenchError: Something outside the markers is not, character for character, as it was laid out.
    """
    region = text[len(_HEAD) : len(text) - len(_TAIL)]
    if assemble(region) != text or (region and not region.endswith("\n")):
        frame = _HEAD.splitlines()
        given = text.split("\n")
        at = next((i for i, line in enumerate(frame) if i >= len(given) or given[i] != line), None)
        where = "below the query region" if at is None else f"at line {at + 1}"
        message = f"`{WORKDIR}/{SOLVER_FILE}` was changed outside the query region, {where}"
        raise WorkbenchError(
            message, hint="lay out the scaffold again; what stood in the region must be edited in anew"
        )
    return region


def write_scaffold(work: str | Path) -> Path:
    """Lay out `workdir/solver.py` in a task's working copy, in place of one that is there.

    Run as it is, the script prints that the query is not written yet, exits with 0 and writes no CSV.

    Args:
        work: The working copy.

    Returns:
        The path of the script.

    Source: section 2 of the specification of the solver scaffold.
    """
    path = Path(work) / WORKDIR / SOLVER_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_solver(path, pristine())
    return path


def restore_scaffold(work: str | Path) -> Path:
    """Lay out the scaffold afresh and delete a prediction that an earlier attempt left; return the script's path."""
    remove_prediction(Path(work))
    return write_scaffold(work)


def remove_prediction(work: Path) -> None:
    """Delete `workdir/prediction.csv`, whatever stands under that name."""
    path = work / WORKDIR / PREDICTION_FILE
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_solver_text(path: Path) -> str:
    """Return the text of `solver.py` with its line breaks as they are.

    Raises:
        MissingFileError: There is no such file.
        WorkbenchError: It is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        message = f"`{WORKDIR}/{SOLVER_FILE}` does not exist"
        raise MissingFileError(message, hint="lay it out with `Workbench.create(work)`") from error
    except UnicodeDecodeError as error:
        message = f"`{WORKDIR}/{SOLVER_FILE}` is not UTF-8: byte {error.start} does not fit"
        raise WorkbenchError(message, hint="lay out the scaffold again") from error


def write_solver(path: Path, text: str) -> None:
    """Replace `solver.py` in one step."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(text.encode("utf-8"))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
