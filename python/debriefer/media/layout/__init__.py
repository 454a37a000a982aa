"""From a picture to a layout tree: text, geometry, state, and the tree as text, JSON and tables.

Names are loaded when they are asked for, so that the package imports without OpenCV and RapidOCR.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from debriefer.media.layout.build import layout_tree, tree_of
    from debriefer.media.layout.hiccup import Parsed, parse_hiccup, parse_with_notes, to_hiccup
    from debriefer.media.layout.ocr import RapidOcr
    from debriefer.media.layout.records import from_dict, to_dict
    from debriefer.media.layout.refine import refined
    from debriefer.media.layout.tables import Table
    from debriefer.media.layout.tables import tables as find_tables

_HOMES = {
    "Parsed": "hiccup",
    "RapidOcr": "ocr",
    "Table": "tables",
    "from_dict": "records",
    "layout_tree": "build",
    "parse_hiccup": "hiccup",
    "parse_with_notes": "hiccup",
    "refined": "refine",
    "to_dict": "records",
    "to_hiccup": "hiccup",
    "tree_of": "build",
}

__all__ = [
    "Parsed",
    "RapidOcr",
    "Table",
    "find_tables",
    "from_dict",
    "layout_tree",
    "parse_hiccup",
    "parse_with_notes",
    "refined",
    "to_dict",
    "to_hiccup",
    "tree_of",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- whatever the name stands for
    """Load a public name from its module."""
    if name == "find_tables":
        # The module of that name is an attribute of the package once it is loaded.
        return importlib.import_module("debriefer.media.layout.tables").tables
    home = _HOMES.get(name)
    if home is None:
        message = f"module `{__name__}` has no attribute `{name}`"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"debriefer.media.layout.{home}"), name)
