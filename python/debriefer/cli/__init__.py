"""The command line: one file a command."""

from debriefer.cli.app import main

__all__ = ["main"]
