"""Which file of learned state belongs to which program; without DSPy, since a run that asks no model needs none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from debriefer.errors import DebrieferError, MissingFileError

# Each program that can be compiled, by the class that its states name.
CLASSES = {
    "solver": "dspy_programs.solver.agent:Solver",
    "oneshot": "dspy_programs.oneshot.program:OneShot",
    "judge": "dspy_programs.judge.program:VideoJudge",
    "documents": "dspy_programs.documents.program:DocumentProgram",
    "relevance": "dspy_programs.relevance.program:TableRelevanceJudge",
    "longvideo": "dspy_programs.longvideo.program:LongVideo",
}
# States that a real model earned, each with its record; an absent one is better than a made-up one.
COMPILED = Path(__file__).resolve().parent / "compiled"


class ProgramStateError(DebrieferError):
    """A program's state cannot be saved, or does not fit the program."""


def read_state(path: str | Path) -> dict[str, Any]:
    """Return what `dspy_programs.state.save_state` wrote, unchecked but for its form.

    Raises:
        MissingFileError: There is no such file.
        ProgramStateError: It is no state.
    """
    path = Path(path)
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MissingFileError(message, hint="a program runs without a state, too; leave the path out")
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for key in ("format", "program", "signatures", "state"):
            document[key]
    except (ValueError, KeyError, TypeError) as error:
        message = f"`{path}` is no saved state of a program"
        raise ProgramStateError(message, hint="load what `dspy_programs.state.save_state` wrote") from error
    return document


def state_files(paths: Sequence[str | Path] = ()) -> dict[str, Path]:
    """Return the file of learned state of each program: one that is given, else the one that ships, if any.

    Args:
        paths: Files of any programs, in any order; each says itself whose it is.

    Raises:
        MissingFileError: A file does not exist.
        ProgramStateError: A file is no state, or of no program; or two are of one.
    """
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        owner = read_state(path)["program"]
        name = next((name for name, known in CLASSES.items() if known == owner), None)
        if name is None:
            message = f"`{path}` was learned by `{owner}`, which is no program here"
            raise ProgramStateError(message, hint=f"the programs are {', '.join(CLASSES)}")
        if name in found:
            message = f"`{path}` and `{found[name]}` are both states of `{name}`"
            raise ProgramStateError(message, hint="give one")
        found[name] = path
    shipped = {name: COMPILED / f"{name}.json" for name in CLASSES}
    return {**{name: path for name, path in shipped.items() if path.is_file()}, **found}
