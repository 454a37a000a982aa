"""Where output goes: data to stdout, everything for a person to stderr."""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from debriefer.errors import DebrieferError

# A table that goes into a file or a pipe need not fit a terminal.
_PLAIN_WIDTH = 160

messages = Console(stderr=True, highlight=False)


def data(text: str) -> None:
    """Write `text` and a line break to stdout.

    Raises:
        DebrieferError: It cannot be written to, for another reason than that its reader has gone.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is left in the buffer must not fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        message = f"standard output cannot be written to: {error.strerror or error}"
        raise DebrieferError(message, hint="check where it leads and the free space there") from error


def data_json(value: Any) -> None:  # noqa: ANN401 -- any JSON value
    """Write `value` as one line of JSON to stdout."""
    data(json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, default=str))


def data_table(grid: Table) -> None:
    """Write a table for people to stdout, as plain text where that is no terminal."""
    terminal = Console(file=sys.stdout, highlight=False)
    text = io.StringIO()
    width = terminal.width if terminal.is_terminal else _PLAIN_WIDTH
    Console(file=text, width=width, force_terminal=terminal.is_terminal, highlight=False).print(grid)
    data("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def _plain(value: Any) -> Any:  # noqa: ANN401 -- any JSON value
    """Return `value` with what JSON has no form for made into text or null."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Decimal):
        # As a number where the nearest double prints the same digits, else as text.
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    return value.hex() if isinstance(value, bytes) else value


def show_error(error: DebrieferError) -> None:
    """Write an error and its hint to stderr."""
    for line in error.render().splitlines():
        kind, separator, rest = line.partition(": ")
        if separator and kind in {"error", "hint"}:
            style = "bold red" if kind == "error" else "bold cyan"
            messages.print(Text.assemble((f"{kind}:", style), " ", rest), soft_wrap=True)
        else:
            messages.print(Text(line), soft_wrap=True)
