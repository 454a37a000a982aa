"""Relations into SQLite, where the catalog finds them as it finds any other table."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from debriefer.catalog.identifiers import quote_identifier
from debriefer.documents.normalising import normalise_column
from debriefer.documents.relation import Relation

RECORD_ID = "record_id"
# Between the parts of a key in `record_id`.
KEY_MARK = "|"


def write_database(relations: Sequence[Relation], target: Path) -> None:
    """Write relations of one document into a new SQLite file, each as a table of its own.

    The first column is `record_id`, the primary key; a key of several parts follows as columns of its own. Values have
    their types, and where there is none to be trusted it is NULL.

    Raises:
        FileExistsError: There is a file of that name; sources are never written over.
        sqlite3.Error: The file cannot be written.
    """
    if target.exists():
        message = f"`{target}` exists"
        raise FileExistsError(message)
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(target)) as connection, connection:
        for relation in relations:
            _write(connection, relation)


def record_id(key: Sequence[str]) -> str:
    """Return the text that stands for a key."""
    return KEY_MARK.join(key)


def _write(connection: sqlite3.Connection, relation: Relation) -> None:
    columns = [_key_column(RECORD_ID, [record_id(key) for key in relation.records])]
    if len(relation.key) > 1:
        columns += [
            _key_column(name, [key[part] for key in relation.records]) for part, name in enumerate(relation.key)
        ]
    for column in relation.columns:
        cells = [relation.cells.get((key, column.name)) for key in relation.records]
        columns.append((column.name, column.dtype, [None if cell is None else cell.value for cell in cells]))
    declared = ", ".join(
        f"{quote_identifier(name)} {kind}{' PRIMARY KEY' if place == 0 else ''}"
        for place, (name, kind, _) in enumerate(columns)
    )
    table = quote_identifier(relation.name)
    connection.execute(f"CREATE TABLE {table} ({declared})")
    typed = [[_typed(value, kind) for value in values] for _, kind, values in columns]
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", list(zip(*typed, strict=True)))


def _key_column(name: str, texts: Sequence[str]) -> tuple[str, str, Sequence[str | None]]:
    done = normalise_column(texts)
    # A key that is more than a plain number or day stays as it is written: other tables have it so.
    plain = done.operations in (["number"], ["date"]) and len(set(done.values)) == len(set(texts))
    return (name, done.sql_type, done.values) if plain else (name, "TEXT", texts)


def _typed(value: str | None, kind: str) -> int | float | str | None:
    if value is None:
        return None
    if kind == "INTEGER":
        return int(value)
    return float(value) if kind == "REAL" else value


def free_stem(stem: str, taken: Collection[str]) -> str:
    """Return a file stem that no other source has: the document's own, else with `_document` and a number behind.

    >>> free_stem("rates", {"rates"})
    'rates_document'
    """
    names = [stem, f"{stem}_document", *(f"{stem}_document_{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if not _is_taken(name.casefold(), taken))


def _is_taken(name: str, taken: Collection[str]) -> bool:
    """Return whether a source has a name, or one that a further table of a document of this name would get."""
    numbered = f"{name}_table_"
    return name in taken or any(one.startswith(numbered) and one[len(numbered) :].isdecimal() for one in taken)
