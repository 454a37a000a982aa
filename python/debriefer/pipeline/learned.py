"""What programs have learned, as a run uses it: the files that were given, else those that ship."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from debriefer.digests import file_digest
from debriefer.pipeline.settings import DocumentsSettings, JudgeSettings, RelevanceSettings, RunSettings
from dspy_programs.learned import state_files

_Learning = TypeVar("_Learning", JudgeSettings, RelevanceSettings, DocumentsSettings)


def learned(settings: RunSettings, program: str) -> Path | None:
    """Return the file of learned state that a program is to load, `None` for none.

    Raises:
        MissingFileError: A file that was given does not exist.
        ProgramStateError: It is no state, or of no program; or two are of one.
    """
    return state_files(settings.program_states).get(program)


def learned_digests(settings: RunSettings) -> dict[str, str]:
    """Return a digest of the state of each program that has one: another state may give other answers.

    Raises:
        MissingFileError: A file that was given does not exist.
        ProgramStateError: As `learned`.
    """
    return {name: file_digest(path) for name, path in sorted(state_files(settings.program_states).items())}


def judge_with_state(settings: RunSettings) -> JudgeSettings:
    """Return the judge's settings with the state that it is to load.

    Raises:
        MissingFileError: A file that was given does not exist.
        ProgramStateError: As `learned`.
    """
    return _with_state(settings.judge, learned(settings, "judge"))


def relevance_with_state(settings: RunSettings) -> RelevanceSettings:
    """Return the settings of table relevance with the state that it is to load.

    Raises:
        MissingFileError: A file that was given does not exist.
        ProgramStateError: As `learned`.
    """
    return _with_state(settings.relevance, learned(settings, "relevance"))


def documents_with_state(settings: RunSettings) -> DocumentsSettings:
    """Return the settings of reading documents with the state that it is to load.

    Raises:
        MissingFileError: A file that was given does not exist.
        ProgramStateError: As `learned`.
    """
    return _with_state(settings.documents, learned(settings, "documents"))


def _with_state(own: _Learning, path: Path | None) -> _Learning:
    return own if own.state or path is None else replace(own, state=str(path))
