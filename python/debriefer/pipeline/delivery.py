"""Where a task's results go, and how they get there."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from debriefer.errors import DebrieferError, WorkbenchError
from debriefer.models.redact import Redactor
from debriefer.pipeline.content import file_digest
from debriefer.pipeline.outcome import Attempt, Outcome
from debriefer.pipeline.stage import StageRecord
from debriefer.pipeline.transcript import attempt_markdown
from debriefer.task import Task
from debriefer.workbench.prediction import PREDICTION_FILE

OUTCOME_FILE = "outcome.json"
STAGES_FILE = "stages.json"
# Of each attempt, in `attempts/<number>/`: what it used, and its turns so far while it is under way.
ATTEMPT_FILE = "attempt.json"
TURNS_FILE = "turns.jsonl"
RESUME_HINT = "run again with `--resume`"
_STOPPED = "the run was stopped"


def is_regular(path: Path) -> bool:
    """Return whether `path` is a file of its own: generated code could have put a link there that points elsewhere."""
    return path.is_file() and not path.is_symlink()


def deliver(prediction: Path, delivered: Path) -> str:
    """Copy a prediction to its place in one step and return its digest.

    Raises:
        WorkbenchError: It is no regular file, or cannot be copied.
    """
    if not is_regular(prediction):
        message = f"`{PREDICTION_FILE}` is no regular file"
        raise WorkbenchError(message)
    partial = delivered.with_name(delivered.name + ".partial")
    try:
        delivered.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(prediction, partial, follow_symlinks=False)
        partial.replace(delivered)
    except OSError as error:
        message = f"`{delivered}` cannot be written: {error.strerror or error}"
        raise WorkbenchError(message, hint="check the folder's permissions and the free space") from error
    return file_digest(delivered)


def redacted(outcome: Outcome, redact: Redactor) -> Outcome:
    """Return an outcome without keys: what an endpoint or an exception said may quote them."""
    return replace(
        outcome,
        reason=None if outcome.reason is None else redact(outcome.reason),
        hint=None if outcome.hint is None else redact(outcome.hint),
        attempts=tuple(replace(attempt, detail=redact(attempt.detail)) for attempt in outcome.attempts),
    )


def write_outcome(outcome: Outcome, output: str | Path, name: str) -> None:
    """Log the outcome of a task that could not log it itself."""
    folder = Path(output) / "logs" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(outcome.to_dict(), ensure_ascii=False, indent=2)
        (folder / OUTCOME_FILE).write_bytes((text + "\n").encode("utf-8", "replace"))
    except OSError:
        logging.getLogger(__name__).warning("%s: the outcome cannot be logged", name)


def stopped_outcome(name: str, solver: str) -> Outcome:
    """Return the outcome of a task that a stopped run did not get to."""
    return Outcome(name, "stopped", solver, reason=_STOPPED, hint=RESUME_HINT, interrupted=True)


def salvage(work: Path, output: str | Path, name: str, solver: str) -> Outcome:
    """Deliver what a task that was cut off has left in its working copy, log and return its outcome.

    The stages and attempts are those that its log holds; of an attempt that was under way the transcript is written.
    """
    question = ""
    with contextlib.suppress(DebrieferError):
        question = Task.open(work).question
    outcome = _with_record(stopped_outcome(name, solver), Path(output) / "logs" / name, question)
    prediction = work / "workdir" / PREDICTION_FILE
    if is_regular(prediction):
        delivered = Path(output) / name / PREDICTION_FILE
        with contextlib.suppress(DebrieferError):
            digest = deliver(prediction, delivered)
            outcome = replace(
                outcome, status="answered", delivery="unaccepted", prediction=str(delivered), digest=digest
            )
    write_outcome(outcome, output, name)
    return outcome


def _with_record(outcome: Outcome, log: Path, question: str) -> Outcome:
    """Add the stages and attempts that the log of a task under way holds."""
    if (log / OUTCOME_FILE).exists():
        # The log of an earlier run: this one was cut off before it began its own.
        return outcome
    with contextlib.suppress(OSError, ValueError, TypeError):
        records = json.loads((log / STAGES_FILE).read_bytes())
        outcome = replace(outcome, stages=tuple(StageRecord(**record) for record in records))
    attempts = []
    for number in itertools.count(1):
        folder = log / "attempts" / str(number)
        try:
            attempts.append(Attempt(**json.loads((folder / ATTEMPT_FILE).read_bytes())))
        except (OSError, ValueError, TypeError):
            break
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            _write_transcript(outcome.task_id, question, attempts[-1], folder)
    return replace(outcome, attempts=tuple(attempts))


def _write_transcript(task_id: str, question: str, attempt: Attempt, folder: Path) -> None:
    """Write the transcript of an attempt that was cut off, from its turns so far."""
    if (folder / "transcript.json").exists():
        return
    turns: list[dict[str, Any]] = []
    with contextlib.suppress(FileNotFoundError):
        turns += [json.loads(line) for line in (folder / TURNS_FILE).read_bytes().splitlines()]
    page = attempt_markdown(task_id, question, attempt, {"turns": turns})
    (folder / "transcript.md").write_bytes(page.encode("utf-8", "replace"))
    text = json.dumps({"question": question, "turns": turns}, ensure_ascii=False, indent=2)
    (folder / "transcript.json").write_bytes((text + "\n").encode("utf-8", "replace"))
