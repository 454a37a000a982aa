"""`debriefer sql`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.cli import console
from debriefer.cli.target import open_target
from debriefer.errors import DebrieferError
from debriefer.workbench.writing import prediction_text


class Format(StrEnum):
    """How rows are printed."""

    CSV = "csv"
    JSON = "json"
    TABLE = "table"


def sql(
    target: Annotated[Path, typer.Argument(help="Task folder, folder of files, file, or `catalog.duckdb`.")],
    query: Annotated[str, typer.Argument(help="One read-only SQL statement, or `-` to read it from stdin.")],
    form: Annotated[Format, typer.Option("--format", help="csv, json (one object a line) or table.")] = Format.CSV,
    as_json: Annotated[bool, typer.Option("--json", help="Same as `--format json`.")] = False,
) -> None:
    """Run one read-only SQL statement over every table of a task."""
    text = _from_stdin() if query == "-" else query
    with open_target(target) as catalog:
        for rewrite in catalog.normalize(text).rewrites:
            console.messages.print(Text(f"rewritten: {rewrite}"), style="dim", soft_wrap=True)
        frame = catalog.sql(text)
    if as_json or form is Format.JSON:
        for row in frame.iter_rows(named=True):
            console.data_json(row)
    elif form is Format.TABLE:
        console.data(str(frame))
    else:
        console.data(prediction_text(frame))


def _from_stdin() -> str:
    raw = typer.get_binary_stream("stdin").read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"`-` (standard input) is not UTF-8: byte {error.start + 1} cannot be read"
        raise DebrieferError(message, hint="convert it first: `iconv -t UTF-8`") from error
