"""Opening a catalog file so that nothing but reading is possible."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb

from debriefer.catalog.door import ENGINE_SETTINGS
from debriefer.catalog.model import MANIFEST_VERSION, META_SCHEMA, Manifest
from debriefer.catalog.sides import attach
from debriefer.errors import CatalogError, MissingFileError

_READ_ONLY: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    # Results must not depend on which thread finished first.
    "preserve_insertion_order": "true",
}
# A file that is opened twice in one process is one instance of the engine, and whoever is first configures it.
_opening = threading.Lock()


def connect(path: Path, memory_bytes: int | None) -> duckdb.DuckDBPyConnection:
    """Open the catalog file at `path` read-only, attach side files, lock the configuration; see `Catalog.open`."""
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MissingFileError(message, hint="build it with `Catalog.build(task, path)`")
    memory = {} if memory_bytes is None else {"memory_limit": f"{memory_bytes // 1024}KiB"}
    try:
        with _opening:
            connection = duckdb.connect(str(path), read_only=True, config={**_READ_ONLY, **ENGINE_SETTINGS, **memory})
            locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
            if locked == (False,):
                attach(connection, path)
                connection.execute("SET GLOBAL enable_external_access = false")
                # Known to the engine only once it runs. Results must not depend on where the machine stands.
                connection.execute("SET GLOBAL TimeZone = 'UTC'")
                connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        message = f"`{path}` cannot be opened as a catalog: {str(error).splitlines()[0]}"
        raise CatalogError(message, hint="delete it and build it again") from error
    return connection


def read_manifest(connection: duckdb.DuckDBPyConnection, path: Path) -> Manifest:
    """Return the manifest stored in an opened catalog; close the connection where there is none."""
    hint = "delete it and build it again"
    try:
        row = connection.execute(f"SELECT value FROM {META_SCHEMA}.manifest").fetchone()
    except duckdb.Error as error:
        connection.close()
        message = f"`{path}` is a DuckDB file but no catalog"
        raise CatalogError(message, hint=hint) from error
    try:
        manifest = Manifest.from_json(row[0] if row else "{}")
    except (KeyError, TypeError, ValueError) as error:
        connection.close()
        message = f"`{path}` was built by another version"
        raise CatalogError(message, hint=hint) from error
    if manifest.version != MANIFEST_VERSION:
        connection.close()
        message = f"`{path}` was built by another version ({manifest.version}, this is {MANIFEST_VERSION})"
        raise CatalogError(message, hint=hint)
    return manifest
