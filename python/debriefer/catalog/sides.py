"""Files beside the catalog that are attached to it: what other stages found out, under fixed schema names.

A side file is a DuckDB file with tables in `main` and a manifest as the catalog's own (`debriefer.manifest`). It lies
in the catalog's folder under its name and is attached read-only before the configuration is locked. Its tables are
found without the schema's name too, unless the catalog has one of that name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.catalog.model import MANIFEST_VERSION, META_SCHEMA, Manifest, Note, Table
from debriefer.errors import CatalogError
from debriefer.side_names import CLAIM_FILE, DOCUMENTS_FILE, VIDEO_FILE

# Schema name by file name; in the order in which names are looked up.
SIDE_FILES: Mapping[str, str] = {VIDEO_FILE: "video", CLAIM_FILE: "claim", DOCUMENTS_FILE: "documents"}
# Where it stands, a table of a side file says its kind by this word.
SIDE_KINDS = frozenset(SIDE_FILES.values())


def attach(connection: duckdb.DuckDBPyConnection, catalog: Path) -> None:
    """Attach the side files that lie beside the catalog file."""
    for name, schema in SIDE_FILES.items():
        file = catalog.parent / name
        if file.is_file() and file != catalog:
            connection.execute(f"ATTACH {quote_literal(str(file.resolve()))} AS {quote_identifier(schema)} (READ_ONLY)")


def attached(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the schema names of the side files of an opened catalog."""
    found = {row[0] for row in connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()}
    return [schema for schema in SIDE_FILES.values() if schema in found]


def side_tables(connection: duckdb.DuckDBPyConnection, schemas: Sequence[str]) -> list[Table]:
    """Return the tables of side files.

    Raises:
        CatalogError: A side file holds no manifest, or one of another version.
    """
    tables: list[Table] = []
    for schema in schemas:
        try:
            row = connection.execute(f"SELECT value FROM {quote_identifier(schema)}.{META_SCHEMA}.manifest").fetchone()
            manifest = Manifest.from_json(row[0] if row else "{}")
        except (duckdb.Error, KeyError, TypeError, ValueError) as error:
            message = f"the side file of `{schema}` holds no manifest"
            raise CatalogError(message, hint="delete it and make it again") from error
        if manifest.version != MANIFEST_VERSION:
            message = f"the side file of `{schema}` was made by another version ({manifest.version})"
            raise CatalogError(message, hint="delete it and make it again")
        tables.extend(manifest.tables)
    return tables


def hidden(sides: Sequence[Table], own: Sequence[Table]) -> tuple[Note, ...]:
    """Return a note for each table of a side file that one of the task's own hides, by whatever name.

    Args:
        sides: Tables of side files.
        own: Tables of the task's own files.
    """
    names = {name for table in own for name in (table.name, *table.aliases)}
    return tuple(
        Note(
            table.source,
            "hidden-evidence",
            f"`{table.name}` is the task's own table; that of the {table.kind} is `{table.kind}.{table.name}` in SQL",
            table=table.name,
        )
        for table in sides
        if table.name in names
    )


def search_path(connection: duckdb.DuckDBPyConnection, schemas: Sequence[str]) -> str | None:
    """Return the statement by which a new cursor finds the tables of side files, or `None` where there are none."""
    if not schemas:
        return None
    row = connection.execute("SELECT current_database()").fetchone()
    names = [row[0] if row else "main", *schemas]
    return "SET search_path = " + quote_literal(",".join(f"{quote_identifier(name)}.main" for name in names))
