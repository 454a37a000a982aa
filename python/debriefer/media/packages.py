"""The packages of the extra `video`, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from debriefer.errors import MediaError

HINT = "pip install 'debriefer[video]'"


def needed(name: str) -> Any:  # noqa: ANN401 -- a module
    """Import and return a module of the extra `video`.

    Raises:
        MediaError: It is not installed, or its libraries do not load.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"the package of `{name}` is not at hand: {error}"
        raise MediaError(message, hint=HINT) from error
