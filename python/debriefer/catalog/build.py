"""Any file -> one DuckDB file."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import duckdb

from debriefer.catalog import readers
from debriefer.catalog.identifiers import quote_identifier
from debriefer.catalog.model import MANIFEST_VERSION, META_SCHEMA, Column, ForeignKey, Manifest, Note, Refusal, Table
from debriefer.catalog.names import assign_names
from debriefer.catalog.template import OFFLINE, empty_catalog
from debriefer.digests import file_digest
from debriefer.errors import CatalogError, SourceError

_INCOMING = "incoming"
# No canonical name holds a blank, so that no table can be called like another's temporary one.
_TEMPORARY = "incoming "
# Two readers keep two cores busy while DuckDB inserts; more would only hold more tables in memory.
_READERS = 2
_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A table that stands in the file under its temporary name."""

    temporary: str
    inner_name: str | None
    table: Table
    notes: tuple[Note, ...]


class _InsertError(Exception):
    """DuckDB refused one table, and with it the transaction of all."""

    def __init__(self, source: tuple[str, str | None], refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.source = source
        self.refusal = refusal


def fingerprint(files: Sequence[tuple[str, Path]]) -> str:
    """Return a digest of the files' relative paths and contents and of the manifest's version.

    Args:
        files: Relative path and path of each file, in a fixed order.
    """
    return _combine((relative, _content_digest(path)) for relative, path in files)


def _content_digest(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError:
        return "unreadable"


def _combine(digests: Iterable[tuple[str, str]]) -> str:
    digest = hashlib.blake2b(f"catalog {MANIFEST_VERSION}".encode(), digest_size=16)
    for relative, content in digests:
        digest.update(f"\0{relative}\0{content}".encode(errors="surrogateescape"))
    return digest.hexdigest()


def build_file(files: Sequence[tuple[str, Path]], target: Path, notes: Sequence[Note] = ()) -> Manifest:
    """Load `files` into a new DuckDB file at `target`, which appears only when it is complete.

    Args:
        files: Relative path and path of each file, sorted by relative path.
        target: The catalog file; replaced if it exists.
        notes: What was decided before a file was opened; they stand before the files' own.

    Returns:
        The manifest that was stored in the file.

    Raises:
        CatalogError: The file cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Of its own for every build: several may write to one target, and the last that is complete stays.
    partial = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.partial")
    refused: dict[tuple[str, str | None], Refusal] = {}
    try:
        while True:
            try:
                partial.with_name(partial.name + ".wal").unlink(missing_ok=True)
                partial.write_bytes(empty_catalog())
                with contextlib.closing(duckdb.connect(str(partial), config=OFFLINE)) as con:
                    manifest = _fill(con, files, refused, notes)
                break
            except _InsertError as error:
                # Seldom: one transaction for all tables is worth a second pass without the one that failed.
                refused[error.source] = error.refusal
        partial.replace(target)
    except (duckdb.IOException, OSError) as error:
        message = f"`{target}` cannot be written: {error}"
        raise CatalogError(message, hint="check the folder's permissions and the free space") from error
    finally:
        for leftover in (partial, partial.with_name(partial.name + ".wal")):
            leftover.unlink(missing_ok=True)
    return manifest


def _fill(
    con: duckdb.DuckDBPyConnection,
    files: Sequence[tuple[str, Path]],
    refused: Mapping[tuple[str, str | None], Refusal],
    before: Sequence[Note],
) -> Manifest:
    loaded: list[_Loaded] = []
    refusals: list[Refusal] = []
    skipped: list[str] = []
    digests: list[tuple[str, str]] = []
    con.execute("BEGIN")
    for file in _read_all(files):
        digests.append((file.relative, file.digest))
        if file.outcomes is None:
            skipped.append(file.relative)
            continue
        for outcome in file.outcomes:
            if isinstance(outcome, Refusal):
                refusals.append(outcome)
            elif (file.relative, outcome.name) in refused:
                refusals.append(refused[file.relative, outcome.name])
            else:
                loaded.append(_insert(con, file.relative, outcome, len(loaded)))
    tables, notes = _rename(con, loaded)
    manifest = Manifest(
        tables=tables,
        notes=(*before, *notes),
        refusals=tuple(refusals),
        fingerprint=_combine(digests),
        skipped=tuple(skipped),
    )
    con.execute(f"CREATE SCHEMA {META_SCHEMA}")
    con.execute(f"CREATE TABLE {META_SCHEMA}.manifest AS SELECT ?::VARCHAR AS value", [manifest.to_json()])
    con.execute("COMMIT")
    con.execute("CHECKPOINT")
    return manifest


@dataclass(frozen=True, slots=True)
class _File:
    """What one file gave: its tables and refusals, or `None` where it is no table."""

    relative: str
    digest: str
    outcomes: Sequence[readers.Readable | Refusal] | None


def _read_all(files: Sequence[tuple[str, Path]]) -> Iterator[_File]:
    """Yield what each file gave, in the files' order; reading runs ahead of the caller."""
    with ThreadPoolExecutor(_READERS, thread_name_prefix="reader") as pool:
        pending: deque[Future[_File]] = deque()
        queue = iter(files)
        while True:
            while len(pending) < _READERS + 1 and (following := next(queue, None)) is not None:
                pending.append(pool.submit(_read_one, *following))
            if not pending:
                return
            yield pending.popleft().result()


def _read_one(relative: str, path: Path) -> _File:
    digest = _content_digest(path)
    try:
        relative.encode()
    except UnicodeEncodeError:
        shown = relative.encode(errors="surrogateescape").decode(errors="replace")
        return _File(shown, digest, [Refusal(shown, "has a name that is not UTF-8", "rename the file")])
    try:
        kind = readers.detect_kind(path)
        if kind not in readers.TABLE_KINDS:
            return _File(relative, digest, None)
        outcomes = [
            Refusal(relative, outcome.message, outcome.hint) if isinstance(outcome, SourceError) else outcome
            for outcome in readers.read(path, kind)
        ]
        if not outcomes:
            outcomes = [Refusal(relative, "holds no table", "delete the file, or export it again")]
    except SourceError as error:
        outcomes = [Refusal(relative, error.message, error.hint)]
    except OSError as error:
        outcomes = [Refusal(relative, f"cannot be opened: {error.strerror or error}", "check the file's permissions")]
    return _File(relative, digest, outcomes)


def _insert(con: duckdb.DuckDBPyConnection, relative: str, source: readers.Readable, number: int) -> _Loaded:
    temporary = quote_identifier(f"{_TEMPORARY}{number}")
    declared = dict(source.declared)
    columns = tuple(Column(name, sql_type, declared.get(name)) for name, sql_type in source.columns)
    names = source.scan_names or [column.name for column in columns]
    items = ", ".join(
        f"{quote_identifier(name)}::{column.sql_type} AS {quote_identifier(column.name)}"
        for name, column in zip(names, columns, strict=True)
    )
    try:
        if source.stream is not None:
            con.register(_INCOMING, source.stream)
        con.execute(f"CREATE TABLE {temporary} AS SELECT {items} FROM {source.scan or _INCOMING}")
    except duckdb.Error as error:
        if isinstance(error, duckdb.IOException) and source.scan is None:
            raise  # The catalog file cannot be written.
        inside = "" if source.name is None else f"table `{source.name}` "
        what, hint = ("stored", "please report this file") if source.scan is None else ("read", readers.DAMAGED_HINT)
        refusal = Refusal(relative, f"{inside}cannot be {what}: {str(error).splitlines()[0]}", hint)
        raise _InsertError((relative, source.name), refusal) from error
    if source.stream is not None:
        con.unregister(_INCOMING)
    table = Table(
        name=temporary,
        source=relative,
        source_name=source.name if source.name is not None else PurePosixPath(relative).stem,
        kind=source.kind,
        columns=columns,
        row_count=source.rows,
        primary_key=tuple(source.primary_key),
        foreign_keys=tuple(ForeignKey(*key) for key in source.foreign_keys),
    )
    notes = tuple(Note(relative, code, text, count, tuple(samples)) for code, text, count, samples in source.notes)
    return _Loaded(temporary, source.name, table, notes)


def _rename(con: duckdb.DuckDBPyConnection, loaded: Sequence[_Loaded]) -> tuple[tuple[Table, ...], tuple[Note, ...]]:
    """Give every table its canonical name and its aliases."""
    names = assign_names([(item.table.source, item.inner_name) for item in loaded])
    tables: list[Table] = []
    notes: list[Note] = []
    for item, (name, _, _) in zip(loaded, names, strict=True):
        con.execute(f"ALTER TABLE {item.temporary} RENAME TO {quote_identifier(name)}")
    for item, (name, aliases, contested) in zip(loaded, names, strict=True):
        for alias in aliases:
            con.execute(f"CREATE VIEW {quote_identifier(alias)} AS FROM main.{quote_identifier(name)}")
        tables.append(replace(item.table, name=name, aliases=tuple(aliases)))
        notes.extend(replace(note, table=name) for note in item.notes)
        if contested:
            text = "other tables have the same claim to these names, so that they mean none: ask for this one as"
            code, samples = "contested-aliases", tuple(contested[:_SAMPLES])
            notes.append(Note(item.table.source, code, f"{text} `{name}`", len(contested), samples, table=name))
    by_source = {(table.source, table.source_name): table.name for table in tables}
    resolved = [
        replace(
            table,
            foreign_keys=tuple(
                replace(key, to_table=by_source[table.source, key.to_table])
                for key in table.foreign_keys
                if (table.source, key.to_table) in by_source
            ),
        )
        for table in tables
    ]
    return tuple(sorted(resolved, key=lambda table: table.name)), tuple(notes)
