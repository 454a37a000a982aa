"""The empty catalog that every build starts from: a DuckDB file that holds the macros and nothing else."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path

import duckdb

from debriefer.catalog.macros import MACROS
from debriefer.catalog.numbers import NUMBER_MACROS

__all__ = ["OFFLINE", "empty_catalog"]

# A catalog is written with what is installed: DuckDB fetches nothing.
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@functools.cache
def empty_catalog() -> bytes:
    """Return the bytes of the file, about 270 KB.

    DuckDB binds a macro's body when it is created, and those that stand on others take 40 ms each: 0.2 s of processor
    time a catalog, if each build created them. So a process creates them once.
    """
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        path = Path(folder) / "empty.duckdb"
        with contextlib.closing(duckdb.connect(str(path), config=OFFLINE)) as con:
            con.execute("BEGIN")
            for macro in (*MACROS, *NUMBER_MACROS):
                con.execute(macro)
            con.execute("COMMIT")
            con.execute("CHECKPOINT")
        return path.read_bytes()
