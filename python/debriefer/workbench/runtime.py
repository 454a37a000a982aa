"""What `solver.py` imports, and nothing that it does not need: it is loaded anew for every run."""

from __future__ import annotations

import os
from pathlib import Path

from debriefer.catalog.catalog import Catalog
from debriefer.workbench.confine import MEMORY_VARIABLE
from debriefer.workbench.writing import write_prediction

__all__ = ["open_catalog", "write_prediction"]


def open_catalog(path: str | Path) -> Catalog:
    """Open the catalog at `path` for one run of a script.

    Half of the memory that the process may use goes to DuckDB, which writes aside what does not fit; the other
    half is left to the result.

    Raises:
        MissingFileError: There is no such file.
        CatalogError: The file is no catalog, or one of another version.
    """
    memory = os.environ.get(MEMORY_VARIABLE, "")
    return Catalog.open(path, memory_bytes=int(memory) // 2 if memory.isdecimal() else None)
