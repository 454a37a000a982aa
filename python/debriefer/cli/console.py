"""Where output goes: data to stdout, everything for a person to stderr."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from debriefer.errors import DebrieferError

messages = Console(stderr=True, highlight=False)


def data(text: str) -> None:
    """Write `text` and a line break to stdout."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def data_json(value: Any) -> None:  # noqa: ANN401 -- any JSON value
    """Write `value` as one line of JSON to stdout."""
    data(json.dumps(value, ensure_ascii=False, default=str))


def show_error(error: DebrieferError) -> None:
    """Write an error and its hint to stderr."""
    for line in error.render().splitlines():
        kind, separator, rest = line.partition(": ")
        if separator and kind in {"error", "hint"}:
            style = "bold red" if kind == "error" else "bold cyan"
            messages.print(Text.assemble((f"{kind}:", style), " ", rest), soft_wrap=True)
        else:
            messages.print(Text(line), soft_wrap=True)
