"""The application that mounts every command."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from debriefer import __version__
from debriefer.cli import console, exit_codes
from debriefer.errors import DebrieferError

# One module a command, in the order of the help.
COMMANDS = (
    *("solve", "run", "ask", "tables", "sql", "video", "docs", "judge"),
    *("optimize", "score", "dataset", "doctor"),
)


def _show_version(value: bool) -> None:
    if value:
        console.data(f"debriefer {__version__}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the application for a command line.

    Only the command that is named first is loaded: `run` hands its tasks to other processes and is spared what these
    need. Where none is (`--help`, a misspelt one) all are.
    """
    app = typer.Typer(
        name="debriefer",
        help="Answer a data question from a folder of mixed evidence, and show where every value came from.",
        epilog="Exit codes: 0 done, 1 a task failed, 2 wrong input or usage, 3 abstained (no confident reading), "
        "4 stopped, 5 no improvement that the tasks support, 130 interrupted",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    named = arguments[0] if arguments else ""
    for name in (named,) if named in COMMANDS else COMMANDS:
        command = getattr(importlib.import_module(f"debriefer.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command()(command)
    return app


def _show_interrupted() -> None:
    message = "stopped by Ctrl-C before there was a result"
    console.show_error(DebrieferError(message, hint="run the same command again; an earlier result is as it was"))


def main() -> None:
    """Run the command line; errors that a user can cause end as two lines on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # Data is UTF-8 whatever the terminal's locale says; what cannot be encoded must not end the work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        application(sys.argv[1:])()
    except DebrieferError as error:
        console.show_error(error)
        sys.exit(exit_codes.BAD_INPUT)
    except KeyboardInterrupt:
        _show_interrupted()
        sys.exit(exit_codes.INTERRUPTED)
    except SystemExit as end:
        # Typer ends a command that Ctrl-C broke off by this code, without a word.
        if end.code == exit_codes.INTERRUPTED:
            _show_interrupted()
        raise
    except BrokenPipeError:
        # The reader of our output (`head`) has gone; Python must not complain while it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(exit_codes.FAILED)
    except OSError as error:
        where = f"`{error.filename}` " if error.filename else ""
        message = f"{where}cannot be used: {error.strerror or error}"
        console.show_error(DebrieferError(message, hint="check that the path exists and can be written to"))
        sys.exit(exit_codes.BAD_INPUT)
