"""Looking at the data: the list of tables, one table's columns, or one read-only statement."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from debriefer.catalog.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier
from debriefer.catalog.model import Table
from debriefer.errors import CatalogError, SqlError
from debriefer.workbench.cells import cell_text, shortened

DEFAULT_ROWS = 50
MOST_ROWS = 500
MOST_CELL_CHARACTERS = 200
# Of the rows of one answer, about 15,000 tokens: 500 wide rows would fill a model's context.
_MOST_CHARACTERS = 50_000
_MOST_EXAMPLE_CHARACTERS = 40
_EXAMPLES = 3
# Rows among which examples are looked for before a column is asked alone.
_EXAMPLE_ROWS = 200
_INTERRUPT_SECONDS = 0.05
_COMMANDS = (
    "`\\tables`, `\\schema NAME`, `\\documents`, `\\extract NAME`, `\\evidence TABLE RECORD COLUMN` "
    "or one SQL statement"
)


def explore(catalog: Catalog, query: str, limit: int = DEFAULT_ROWS, seconds: float = 60.0) -> str:
    r"""Return what `query` asks for as text.

    Args:
        catalog: The task's catalog.
        query: `\tables`, `\schema NAME`, or one read-only SQL statement.
        limit: Rows (or tables) to show, 1 to 500; what is outside is bounded, and the last line says so. The total is
            given in any case.
        seconds: Time after which a statement is stopped.

    Raises:
        CatalogError: There is no such table.
        SqlError: The statement is refused, fails or takes too long, or `limit` is no whole number.
    """
    try:
        asked_limit = int(limit)
    except (TypeError, ValueError) as error:
        message = f"`limit` is no whole number: {shortened(repr(limit), MOST_CELL_CHARACTERS)}"
        raise SqlError(message, hint=f"give 1 to {MOST_ROWS}") from error
    limit = max(1, min(asked_limit, MOST_ROWS))
    text = _answer(catalog, query, limit, seconds)
    bounded = f"\nlimit {asked_limit} is outside 1 to {MOST_ROWS}: {limit} was taken"
    return text if limit == asked_limit else text + bounded


def _answer(catalog: Catalog, query: str, limit: int, seconds: float) -> str:
    asked = query.strip()
    if not asked.startswith("\\"):
        return _statement(catalog, asked, limit, seconds)
    command, _, argument = asked.lstrip("\\").partition(" ")
    argument = argument.strip().rstrip(";").strip()
    if command.rstrip(";").casefold() == "tables":
        return _tables(catalog, limit)
    if command.casefold() == "schema" and argument:
        with stopped_after(catalog, seconds):
            return _schema(catalog, _table(catalog, argument))
    message = "`\\schema` names no table" if command.casefold() == "schema" else f"`\\{command}` is no command"
    raise SqlError(message, hint=f"ask with {_COMMANDS}")


def table_text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as lines of cells with ` | ` between them; what is no plain text is quoted or named `NULL`."""
    lines = [" | ".join(shortened(name, MOST_CELL_CHARACTERS) for name in header)]
    lines.extend(" | ".join(shown(value, MOST_CELL_CHARACTERS) for value in row) for row in rows)
    return "\n".join(lines)


def shown(value: object, most: int) -> str:
    """Return a cell as a model is shown it: `NULL` bare, and in quotes a text that could be taken for something else.

    >>> [shown(value, 9) for value in (None, "NULL", " a", "", "a" * 12)]
    ['NULL', "'NULL'", "' a'", "''", 'aaaaaaaa…']
    """
    text = cell_text(value)
    if text is None:
        return "NULL"
    cut = shortened(text, most)
    if isinstance(value, str) and (text in ("", "NULL") or text != text.strip() or " | " in text):
        return f"'{cut}'"
    return cut


def _statement(catalog: Catalog, query: str, limit: int, seconds: float) -> str:
    if not query:
        message = "the query is empty"
        raise SqlError(message, hint=f"ask with {_COMMANDS}")
    with stopped_after(catalog, seconds):
        preview = catalog.preview(query, limit)
    header = [f"{name} {kind}" for name, kind in zip(preview.columns, preview.types, strict=True)]
    head, *rows = table_text(header, preview.rows).split("\n")
    ends = itertools.accumulate(len(row) + 1 for row in rows)
    fitting = rows[: max(1, sum(end <= _MOST_CHARACTERS for end in ends))]
    extent = f"{preview.total_rows} row{'' if preview.total_rows == 1 else 's'}"
    if len(fitting) < preview.total_rows:
        extent += f", the first {len(fitting)} shown"
    rewrites = [f"rewritten: {rewrite}" for rewrite in preview.normalized.rewrites]
    return "\n".join([extent, *rewrites, head, *fitting])


def _tables(catalog: Catalog, limit: int) -> str:
    tables = list(catalog.tables.values())
    lines = [f"{len(tables)} table{'' if len(tables) == 1 else 's'}"]
    if len(tables) > limit:
        lines[0] += f", the first {limit} shown"
    lines.extend(
        f"{table.name}: {table.row_count} rows, {len(table.columns)} columns, from {_origin(table)}"
        for table in tables[:limit]
    )
    lines.extend(
        f"not loaded: {refusal.source}: {shortened(refusal.message, MOST_CELL_CHARACTERS)}"
        for refusal in catalog.refusals[:limit]
    )
    return "\n".join(lines)


def _table(catalog: Catalog, name: str) -> Table:
    bare = name.strip("\"'`[]《》「」")
    try:
        return catalog.table(bare)
    except CatalogError as error:
        known = {alias: table.name for table in catalog.tables.values() for alias in (table.name, *table.aliases)}
        near = difflib.get_close_matches(bare.casefold(), list(known), n=3, cutoff=0.5)
        if not near:
            raise
        names = ", ".join(dict.fromkeys(f"`{known[match]}`" for match in near))
        raise CatalogError(error.message, hint=f"the nearest: {names}; `\\tables` lists all") from error


def _schema(catalog: Catalog, table: Table) -> str:
    lines = [f"{table.name}: {table.row_count} rows, {len(table.columns)} columns, from {_origin(table)}"]
    if table.aliases:
        lines.append("aliases: " + ", ".join(table.aliases))
    if table.primary_key:
        lines.append("primary key: " + ", ".join(table.primary_key))
    lines.extend(f"foreign key: {key.column} refers to {key.to_table}.{key.to_column}" for key in table.foreign_keys)
    notes = [
        note
        for note in catalog.notes
        if note.table == table.name or (note.table is None and note.source == table.source)
    ]
    lines.extend(f"note: {shortened(note.message, MOST_CELL_CHARACTERS)}" for note in notes)
    nested = next((column.name for column in table.columns if column.sql_type == "JSON"), None)
    if nested is not None:
        # `name.key` gives JSON: texts keep their quotes, and a JSON null is the text `null`, not NULL.
        name = quote_identifier(nested)
        lines.append(f"JSON: {name} ->> '$.key' gives text and NULL; {name}.key gives JSON text")
    lines.append("columns:")
    present = _present(catalog, table)
    examples = _examples(catalog, table, present)
    for column, count, values in itertools.islice(zip(table.columns, present, examples, strict=True), MOST_ROWS):
        nullable = "N" if count == table.row_count else f"Y ({table.row_count - count} NULL)"
        line = f"- {quote_identifier(column.name)} {column.sql_type} nullable={nullable}"
        lines.append(f"{line} e.g. {', '.join(values)}" if values else line)
    if len(table.columns) > MOST_ROWS:
        lines.append(f"[{len(table.columns) - MOST_ROWS} columns left out]")
    return "\n".join(lines)


def _origin(table: Table) -> str:
    stem = table.source.rpartition("/")[2].rpartition(".")[0]
    return table.source if table.source_name in ("", stem) else f"{table.source} ({table.source_name})"


def _present(catalog: Catalog, table: Table) -> list[int]:
    """Return for each column the number of its values."""
    counts = ", ".join(f"count({quote_identifier(column.name)})" for column in table.columns)
    return [int(count) for count in _rows(catalog, f"SELECT {counts} FROM {quote_identifier(table.name)}", 1)[0]]


def _examples(catalog: Catalog, table: Table, present: Sequence[int]) -> list[list[str]]:
    """Return for each column its first distinct values, in the order of the rows."""
    source = quote_identifier(table.name)
    head = _rows(catalog, f"SELECT * FROM {source} LIMIT {_EXAMPLE_ROWS}", _EXAMPLE_ROWS)
    found = []
    for number, (column, count) in enumerate(zip(table.columns, present, strict=True)):
        values = _first_distinct(row[number] for row in head)
        if not values and count:
            name = quote_identifier(column.name)
            rows = _rows(catalog, f"SELECT {name} FROM {source} WHERE {name} IS NOT NULL LIMIT {_EXAMPLES}", _EXAMPLES)
            values = _first_distinct(row[0] for row in rows)
        found.append(values)
    return found


def _first_distinct(values: Iterator[Any]) -> list[str]:
    texts: dict[str, None] = {}
    for value in values:
        if value is not None:
            text = shortened(cell_text(value) or "", _MOST_EXAMPLE_CHARACTERS)
            texts[f"'{text}'" if isinstance(value, str) else text] = None
        if len(texts) == _EXAMPLES:
            break
    return list(texts)


def _rows(catalog: Catalog, query: str, limit: int) -> tuple[tuple[Any, ...], ...]:
    return catalog.preview(query, limit).rows


@contextlib.contextmanager
def stopped_after(catalog: Catalog, seconds: float) -> Iterator[None]:
    """Interrupt what runs on the catalog after some seconds, and say so."""
    expired, done = threading.Event(), threading.Event()

    def watch() -> None:
        if not done.wait(seconds):
            expired.set()
        # A statement may have started between two others just then, so one interrupt is not enough.
        while not done.wait(_INTERRUPT_SECONDS):
            catalog.interrupt()

    watcher = threading.Thread(target=watch, name="statement-watch", daemon=True)
    watcher.start()
    try:
        yield
    except SqlError as error:
        if not expired.is_set():
            raise
        message = f"the statement was stopped after {seconds:g} s"
        raise SqlError(message, hint="filter or aggregate earlier, and give every join its key") from error
    finally:
        done.set()
        watcher.join()
