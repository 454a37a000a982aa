"""The catalog: one DuckDB file a task, built once, opened read-only by every later reader."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from debriefer.catalog.build import build_file, fingerprint
from debriefer.catalog.connection import connect, read_manifest
from debriefer.catalog.door import NormalizedSql, SqlDoor, without_terminator
from debriefer.catalog.model import Note, Refusal, Table
from debriefer.catalog.profile import ColumnProfile, profile_columns
from debriefer.catalog.results import result_frame, without_stand_ins
from debriefer.catalog.sides import SIDE_KINDS, attached, hidden, search_path, side_tables
from debriefer.catalog.values import ValueIndex
from debriefer.errors import CatalogError, MissingFileError, SqlError
from debriefer.task import LeftOut, Task, files_below, left_out_below

if TYPE_CHECKING:
    import polars as pl

CATALOG_FILE = "catalog.duckdb"
# Code of the notes on links, pipes and the like.
_LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a result, and how many there are.

    Attributes:
        columns: Names, as the statement gives them.
        types: DuckDB types of the columns.
        rows: At most as many as were asked for, as Python values; a date or moment for which Python has none as text.
        total_rows: Number of rows of the whole result.
        normalized: The statement as it ran, and what was rewritten.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total_rows: int
    normalized: NormalizedSql


class Catalog:
    """Read-only access to the tables of a task.

    A catalog may be shared between threads; each statement runs on a cursor of its own. Use it as a context
    manager, or call `close`.
    """

    def __init__(self, path: str | Path, *, memory_bytes: int | None = None) -> None:
        """Open the catalog file at `path`; see `open`."""
        self._path = Path(path)
        self._connection = connect(self._path, memory_bytes)
        self._manifest = read_manifest(self._connection, self._path)
        sides = attached(self._connection)
        self._search_path = search_path(self._connection, sides)
        # A table of the task's own files goes before one of a side file, as it does in the engine.
        beside = side_tables(self._connection, sides)
        self._notes = (*self._manifest.notes, *hidden(beside, self._manifest.tables))
        known = {table.name: table for table in (*beside, *self._manifest.tables)}
        self._tables = MappingProxyType(dict(sorted(known.items())))
        self._door: SqlDoor | None = None
        self._values: ValueIndex | None = None
        # One thread builds the index; the others wait for it, but for nothing else.
        self._values_lock = threading.Lock()
        self._lock = threading.Lock()
        self._running: set[duckdb.DuckDBPyConnection] = set()
        # Removes the folder that was made for the file, where one was.
        self._temporary: weakref.finalize[..., Catalog] | None = None

    @classmethod
    def open(cls, path: str | Path, *, memory_bytes: int | None = None) -> Self:
        """Open a catalog that `build` wrote.

        Args:
            path: The catalog file.
            memory_bytes: Memory above which DuckDB writes aside or gives up; `None` for its own default, a share
                of the machine's memory. One process opens a file with one setting at a time.

        Raises:
            MissingFileError: There is no such file.
            CatalogError: The file is no catalog, or one of another version.
        """
        return cls(path, memory_bytes=memory_bytes)

    @classmethod
    def build(cls, task: Task | str | Path, path: str | Path | None = None, *, reuse: bool = False) -> Self:
        """Read every table below the task's `context/` into one DuckDB file and open it.

        A file that cannot be read is refused alone (`refusals`); the others load.

        Args:
            task: The task, or its folder.
            path: The file to write; `workdir/catalog.duckdb` in the task folder where it is a working copy
                (has a `workdir/`), else `catalog.duckdb` in a temporary folder that goes with the catalog.
            reuse: Open the file at `path` as it is if it was built from the same content.

        Raises:
            CatalogError: The file cannot be written.
        """
        task = task if isinstance(task, Task) else Task.open(task)
        files = [(file.relative_to(task.context).as_posix(), file) for file in task.files()]
        if path is None and not (task.folder / "workdir").is_dir():
            import tempfile  # noqa: PLC0415

            # Removed by `close`, when the catalog is no longer used, or when the interpreter ends.
            folder = tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True)
            try:
                catalog = cls._build(files, Path(folder.name) / CATALOG_FILE, task.left_out(), reuse=reuse)
            except BaseException:
                folder.cleanup()
                raise
            catalog._temporary = weakref.finalize(catalog, folder.cleanup)  # noqa: SLF001 -- its own class
            return catalog
        target = Path(path) if path is not None else task.folder / "workdir" / CATALOG_FILE
        return cls._build(files, target, task.left_out(), reuse=reuse)

    @classmethod
    def from_files(cls, source: str | Path, path: str | Path, *, reuse: bool = False) -> Self:
        """Read a folder of files, or one file, that is no task.

        Args:
            source: A file, or a folder whose files are found at any depth; hidden ones are left out.
            path: The catalog file to write.
            reuse: Open the file at `path` as it is if it was built from the same content.

        Raises:
            MissingFileError: `source` does not exist.
            CatalogError: The catalog file cannot be written.
        """
        source = Path(source)
        if not source.is_dir() and not source.is_file():
            message = f"`{source}` " + ("is neither a file nor a folder" if source.exists() else "does not exist")
            raise MissingFileError(message, hint="name a folder of files, or one file")
        root = source if source.is_dir() else source.parent
        found, left_out = (files_below(source), left_out_below(source)) if source.is_dir() else ([source], [])
        files = [(file.relative_to(root).as_posix(), file) for file in found]
        return cls._build(files, Path(path), left_out, reuse=reuse)

    @classmethod
    def _build(
        cls, files: Sequence[tuple[str, Path]], target: Path, left_out: Sequence[LeftOut], *, reuse: bool
    ) -> Self:
        notes = [Note(_printable(item.path), _LEFT_OUT, f"this is {item.reason}") for item in left_out]
        if reuse and target.is_file():
            with contextlib.suppress(CatalogError):
                catalog = cls(target)
                if catalog.is_current(files) and notes == [note for note in catalog.notes if note.code == _LEFT_OUT]:
                    return catalog
                catalog.close()
        manifest = build_file(files, target, notes)
        catalog = cls(target)
        if catalog.fingerprint != manifest.fingerprint:
            # One process has one instance of the engine for a path, and that one still holds the earlier file.
            catalog.close()
            message = f"`{target}` was built anew, but an earlier catalog of that name is still open in this process"
            raise CatalogError(message, hint="close the earlier one first, or build under another name")
        return catalog

    def is_current(self, files: Sequence[tuple[str, Path]]) -> bool:
        """Return whether the catalog was built from just these files (relative path and path) and their content."""
        return self.fingerprint == fingerprint(files)

    @property
    def path(self) -> Path:
        """The catalog file."""
        return self._path

    @property
    def fingerprint(self) -> str:
        """Digest of the content that the catalog was built from."""
        return self._manifest.fingerprint

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by canonical name, sorted by it; those of side files (`debriefer.catalog.sides`) among them."""
        return self._tables

    @property
    def source_tables(self) -> tuple[Table, ...]:
        """Tables of the task's own files, without those of side files."""
        return tuple(table for table in self._tables.values() if table.kind not in SIDE_KINDS)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out unopened, what was decided or repaired for each file in turn, which evidence is hidden."""
        return self._notes

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Files, or tables inside files, that could not be loaded."""
        return self._manifest.refusals

    @property
    def skipped(self) -> tuple[str, ...]:
        """Files below `context/` that are no tables: documents, media, others."""
        return self._manifest.skipped

    @property
    def schema(self) -> Mapping[str, Sequence[str]]:
        """Column names by canonical table name."""
        return MappingProxyType({name: table.column_names for name, table in self._tables.items()})

    @property
    def door(self) -> SqlDoor:
        """The SQL door over this catalog's names."""
        with self._lock:
            if self._door is None:
                aliases = {alias: table.name for table in self._tables.values() for alias in table.aliases}
                self._door = SqlDoor(
                    self.schema,
                    aliases,
                    temporal=self._columns(lambda kind: kind.startswith(("DATE", "TIME", "INTERVAL"))),
                    lists=self._columns(lambda kind: kind.endswith("]")),
                    dates=self._columns(lambda kind: kind == "DATE"),
                )
            return self._door

    def _columns(self, fits: Callable[[str], bool]) -> dict[str, list[str]]:
        """Return the columns whose type `fits`, by table."""
        return {t.name: [c.name for c in t.columns if fits(c.sql_type)] for t in self._tables.values()}

    def table(self, name: str) -> Table:
        """Return the table with this canonical name or alias, without regard to case.

        Raises:
            CatalogError: There is none.
        """
        wanted = name.strip().strip('"').casefold()
        for table in self._tables.values():
            if wanted in (table.name.casefold(), *(alias.casefold() for alias in table.aliases)):
                return table
        message = f"`{name}` is no table of this catalog"
        known = ", ".join(f"`{known}`" for known in list(self._tables)[:20])
        raise CatalogError(message, hint=f"tables: {known}" if known else "the catalog holds no table")

    def profile(self, name: str) -> list[ColumnProfile]:
        """Return what the values of each column of a table look like, in the order of the columns.

        Raises:
            CatalogError: There is no such table.
        """
        table = self.table(name)
        with self._cursor() as cursor:
            return profile_columns(cursor, table.name, table.columns)

    @property
    def values(self) -> ValueIndex:
        """The index of the tables' cells; built beside the catalog when it is first asked for.

        Raises:
            CatalogError: It cannot be built.
        """
        with self._values_lock:
            if self._values is None:
                self._values = ValueIndex.of(self)
            return self._values

    def normalize(self, query: str) -> NormalizedSql:
        """Return `query` as it would run, without running it; see `sql` for the errors."""
        return self.door.prepare(query)

    def sql(self, query: str) -> pl.DataFrame:
        """Run one read-only statement through the SQL door.

        Args:
            query: SQL of DuckDB's dialect; form errors that have one mending are mended.

        Returns:
            The whole result. Column names that occur twice get a suffix (`name_2`); a column that holds an infinite
            date or moment, or one outside the years 1 to 9999, is text.

        Raises:
            SqlError: The statement is not one read-only statement, names what does not exist, or fails.
        """
        with self._cursor() as cursor:
            normalized = self.door.prepare(query, cursor)
            try:
                return result_frame(cursor, normalized.sql)
            except duckdb.Error as error:
                raise self.door.explain_error(error, normalized.sql) from error

    def preview(self, query: str, limit: int = 50) -> Preview:
        """Run one read-only statement and return its first rows and its total number of rows.

        Rows beyond the limit are counted by running the statement once more.

        Args:
            query: As for `sql`.
            limit: Largest number of rows to return.

        Raises:
            SqlError: As for `sql`.
        """
        with self._cursor() as cursor:
            normalized = self.door.prepare(query, cursor)
            try:
                cursor.execute(normalized.sql)
                description = cursor.description or []
                rows = cursor.fetchmany(limit + 1)
                total = len(rows)
                types = tuple(str(item[1]) for item in description)
                if total > limit:
                    inner = without_terminator(normalized.sql)
                    counted = cursor.execute(f"SELECT count(*) FROM ({inner})").fetchone()
                    total = counted[0] if counted is not None else total
                rows = without_stand_ins(cursor, normalized.sql, types, rows[:limit])
            except duckdb.Error as error:
                raise self.door.explain_error(error, normalized.sql) from error
        return Preview(
            columns=tuple(item[0] for item in description),
            types=types,
            rows=tuple(rows),
            total_rows=total,
            normalized=normalized,
        )

    def interrupt(self) -> None:
        """Stop the statements that run on this catalog; they raise `SqlError`."""
        with self._lock:
            for cursor in self._running:
                cursor.interrupt()

    def close(self) -> None:
        """Close the file; further statements fail."""
        self._connection.close()
        if self._temporary is not None:
            self._temporary()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _cursor(self) -> Any:  # noqa: ANN401
        try:
            cursor = self._connection.cursor()
        except duckdb.ConnectionException as error:
            message = f"the catalog `{self._path}` is closed"
            raise SqlError(message, hint="open it again with `Catalog.open`") from error
        if self._search_path is not None:
            cursor.execute(self._search_path)
        with self._lock:
            self._running.add(cursor)
        try:
            yield cursor
        finally:
            with self._lock:
                self._running.discard(cursor)
            cursor.close()


def _printable(path: str) -> str:
    """Return a path without the bytes that are no UTF-8."""
    return path.encode(errors="surrogateescape").decode(errors="replace")
