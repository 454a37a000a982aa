"""The workbench: a task's working copy with its catalog, its `solver.py` and the four tools that work on them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from debriefer.catalog.catalog import CATALOG_FILE, Catalog
from debriefer.errors import DebrieferError, MissingFileError
from debriefer.workbench import running
from debriefer.workbench.documents import DocumentDesk, command_of
from debriefer.workbench.editing import Edit, apply_edit, line_hash, numbered, region_lines
from debriefer.workbench.explore import DEFAULT_ROWS, explore
from debriefer.workbench.prediction import PREDICTION_FILE
from debriefer.workbench.running import RunResult
from debriefer.workbench.sandbox import Limits
from debriefer.workbench.scaffold import (
    BEGIN_MARKER,
    END_MARKER,
    SOLVER_FILE,
    WORKDIR,
    read_solver_text,
    restore_scaffold,
    write_scaffold,
    write_solver,
)

_SCRIPT = f"{WORKDIR}/{SOLVER_FILE}"
_STATEMENT_SECONDS = 60.0
_MOST_LINES = 500
_MOST_SAMPLE_ROWS = 500
_MOST_SECONDS = 600.0
# Lines shown before and behind an edit, and of a long edit at each end.
_AROUND = 2
_ENDS = 20


@dataclass(slots=True)
class Workbench:
    """One task's working copy and the four tools on it.

    `explore_data`, `read_solver`, `edit_solver` and `run_solver` return text for a model and never raise for what a
    model can get wrong; `edit`, `run` and `write_query` are for programs. Calls on one workbench from several threads
    wait for each other; workbenches of different folders know nothing of each other.

    Attributes:
        work: The working copy, absolute: `workdir/solver.py`, `workdir/catalog.duckdb`, `context/`.
        limits: What a run may use; `run_solver` may ask for another wall time.
    """

    work: Path
    limits: Limits = field(default_factory=Limits)
    _catalog: Catalog | None = field(default=None, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    @classmethod
    def create(cls, work: str | Path, limits: Limits | None = None) -> Self:
        """Lay out the scaffold in a working copy and open the workbench; an earlier `prediction.csv` is deleted.

        The catalog may be built later, but before the first tool that needs it.
        """
        bench = cls(Path(work).resolve(), limits or Limits())
        bench.restore()
        return bench

    @classmethod
    def open(cls, work: str | Path, limits: Limits | None = None) -> Self:
        """Open the workbench of a working copy as it is.

        Raises:
            MissingFileError: There is no `workdir/solver.py` in it.
        """
        bench = cls(Path(work).resolve(), limits or Limits())
        if not bench.solver_path.is_file():
            message = f"`{bench.solver_path}` does not exist"
            raise MissingFileError(message, hint="lay it out with `Workbench.create(work)`")
        return bench

    @property
    def solver_path(self) -> Path:
        """The script."""
        return self.work / WORKDIR / SOLVER_FILE

    @property
    def prediction_path(self) -> Path:
        """The file that a successful run writes."""
        return self.work / WORKDIR / PREDICTION_FILE

    @property
    def catalog_path(self) -> Path:
        """The catalog's file."""
        return self.work / WORKDIR / CATALOG_FILE

    @property
    def catalog(self) -> Catalog:
        """The task's catalog, opened when it is first needed.

        Raises:
            MissingFileError: It was not built.
            CatalogError: The file is no catalog.
        """
        with self._lock:
            if self._catalog is None:
                self._catalog = Catalog.open(self.catalog_path)
            return self._catalog

    def scaffold(self) -> Path:
        """Lay out `solver.py` as it is before the first edit and return its path."""
        with self._lock:
            return write_scaffold(self.work)

    def restore(self) -> Path:
        """Lay out `solver.py` afresh and delete `prediction.csv`, as before every attempt; return the script's path."""
        with self._lock:
            return restore_scaffold(self.work)

    def explore_data(self, query: str, limit: int = DEFAULT_ROWS) -> str:
        r"""Look at the data: list or describe tables, run one read-only SQL statement, or ask for a document.

        Args:
            query: `\tables` lists all tables; `\schema NAME` shows the columns of one table with types, empty values
                and examples; `\documents` lists the documents, `\extract NAME` takes the tables out of one that was
                left aside, `\evidence TABLE RECORD COLUMN` shows the text that a value was read from; anything else
                is one read-only statement in DuckDB's SQL, such as `SELECT city, count(*) FROM orders GROUP BY city`.
            limit: Largest number of rows to show, at most 500. The total number of rows is always given.

        Returns:
            The tables, columns or rows as text. Cells are cut at 200 characters, which `…` marks; where rows are
            very wide, fewer are shown than were asked for.
        """
        try:
            command = command_of(query)
            if command is not None:
                with self._lock:
                    return DocumentDesk(self.work, lambda: self.catalog, self.close).answer(*command)
            return explore(self.catalog, query, limit, _STATEMENT_SECONDS)
        except DebrieferError as error:
            return self._refusal(error)

    def read_solver(self, start_line: int = 1, lines: int = 200) -> str:
        """Read `solver.py`; every line comes with its number and the hash that `edit_solver` asks for.

        Args:
            start_line: First line to show, counted from 1.
            lines: Number of lines to show.

        Returns:
            Lines as `number|hash|content`, below a line that says which of them may be edited.
        """
        try:
            text = read_solver_text(self.solver_path)
            region = region_lines(text)
        except DebrieferError as error:
            return self._refusal(error)
        content = text.removesuffix("\n").split("\n")
        first = max(1, min(start_line, len(content)))
        shown = content[first - 1 : first - 1 + max(1, min(lines, _MOST_LINES))]
        return f"{_SCRIPT}: {len(content)} lines; {_editable(region)}\n{numbered(shown, first)}"

    def edit_solver(
        self, start_line: int, end_line: int, start_hash: str, new_content: str, end_hash: str | None = None
    ) -> str:
        """Replace lines of the query region of `solver.py`.

        Nothing is written if a hash is wrong, a line lies outside the region or the script would not compile.

        Args:
            start_line: First line to replace. With `end_line = start_line - 1` nothing is replaced and the new lines
                are put before `start_line`.
            end_line: Last line to replace.
            start_hash: The two letters that `read_solver` shows for `start_line`.
            new_content: The new lines, without numbers and hashes; empty to delete the old ones.
            end_hash: The two letters of `end_line`; needed where more than one line is replaced.

        Returns:
            What was changed, with the new numbers and hashes of the lines around it, or why it was refused.
        """
        try:
            edit = self.edit(start_line, end_line, start_hash, new_content, end_hash)
        except DebrieferError as error:
            return self._refusal(error)
        return _edit_text(edit)

    def run_solver(self, self_check: bool = True, rows: int = 5, timeout_seconds: float = 120.0) -> str:
        """Run `solver.py` and look at the `prediction.csv` that it wrote.

        Args:
            self_check: Whether to show the prediction's shape, its columns with the number of cells that are not empty,
                and its first rows.
            rows: Number of first rows to show.
            timeout_seconds: Wall time after which the run is stopped, at most 600.

        Returns:
            `OK`, `NO OUTPUT` (nothing was written: the query is missing) or `FAILED` with the reason, and the check.
        """
        return self.run(self_check=self_check, rows=rows, timeout_seconds=timeout_seconds).render()

    def edit(
        self, start_line: int, end_line: int, start_hash: str, new_content: str, end_hash: str | None = None
    ) -> Edit:
        """Do what `edit_solver` does and return the edit that was written.

        Raises:
            WorkbenchError: The edit was refused.
            MissingFileError: There is no `solver.py`.
        """
        with self._lock:
            text = read_solver_text(self.solver_path)
            edit = apply_edit(text, start_line, end_line, start_hash, new_content, end_hash)
            write_solver(self.solver_path, edit.text)
            return edit

    def run(self, *, self_check: bool = True, rows: int = 5, timeout_seconds: float | None = None) -> RunResult:
        """Do what `run_solver` does and return the result; `timeout_seconds` is the limits' own where `None`."""
        seconds = self.limits.seconds if timeout_seconds is None else min(timeout_seconds, _MOST_SECONDS)
        with self._lock:
            return running.run(
                self.work,
                replace(self.limits, seconds=max(0.1, seconds)),
                self_check=self_check,
                rows=min(rows, _MOST_SAMPLE_ROWS),
            )

    def write_query(self, sql: str, comment: str = "") -> RunResult:
        """Put one statement in place of the whole query region, run the script and return the result.

        Args:
            sql: The statement.
            comment: Why the statement answers the question; stands above it.

        Raises:
            WorkbenchError: The edit was refused.
        """
        with self._lock:
            text = read_solver_text(self.solver_path)
            region = region_lines(text)
            lines = text.split("\n")
            start, end = line_hash(lines[region.start - 1]), line_hash(lines[region.stop - 2])
            self.edit(region.start, region.stop - 1, start, _region(sql, comment), end if region else None)
            return self.run()

    def close(self) -> None:
        """Close the catalog; it is opened again where it is needed again."""
        with self._lock:
            if self._catalog is not None:
                self._catalog.close()
                self._catalog = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refusal(self, error: DebrieferError) -> str:
        return error.render().replace(f"{self.work}/", "")


def _editable(region: range) -> str:
    if not region:
        return f"the query region is empty, insert before line {region.stop}"
    return f"lines {region.start} to {region.stop - 1} may be edited"


def _edit_text(edit: Edit) -> str:
    content = edit.text.removesuffix("\n").split("\n")
    first = max(1, edit.first - _AROUND)
    last = min(len(content), edit.first + edit.added - 1 + _AROUND)
    summary = f"{edit.removed} line{'' if edit.removed == 1 else 's'} replaced by {edit.added}"
    head = f"{_SCRIPT}: {summary}; {_editable(region_lines(edit.text))}"
    if last - first < 2 * _ENDS + 1:
        return f"{head}\n{numbered(content[first - 1 : last], first)}"
    begin = numbered(content[first - 1 : first - 1 + _ENDS], first)
    end = numbered(content[last - _ENDS : last], last - _ENDS + 1)
    return f"{head}\n{begin}\n[{last - first + 1 - 2 * _ENDS} lines left out]\n{end}"


def _region(sql: str, comment: str) -> str:
    reasons = [f"# {' '.join(line.split())}".rstrip() for line in comment.splitlines() if line.strip()]
    return "\n".join([*reasons, f"result = run_sql({_literal(sql)})"])


def _literal(sql: str) -> str:
    """Return SQL as a Python string: over several lines as it stands, where that is possible."""
    text = sql.strip().replace("\r\n", "\n")
    marked = any(line.strip() in (BEGIN_MARKER, END_MARKER) for line in text.split("\n"))
    plain = all(character.isprintable() or character in "\n\t" for character in text)
    if marked or not plain or '"""' in text:
        return repr(text)
    prefix = "r" if "\\" in text else ""
    return f'{prefix}"""\n{text}\n"""'
