"""Public names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package.

    Args:
        package: The package's own name (`__name__`).
        homes: By public name the module in the package where it is defined.
    """

    def load(name: str) -> Any:  # noqa: ANN401 -- any public name
        home = homes.get(name)
        if home is None:
            message = f"module `{package}` has no attribute `{name}`"
            raise AttributeError(message)
        value = getattr(importlib.import_module(f"{package}.{home}"), name)
        vars(sys.modules[package])[name] = value
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return load, names
