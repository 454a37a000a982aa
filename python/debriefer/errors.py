"""The exception tree: every error that a user can cause says what is wrong and how to mend it."""

from __future__ import annotations


class DebrieferError(Exception):
    """Base of all errors raised on purpose by this package.

    Attributes:
        message: One sentence without a full stop; the file or object at fault comes first, in backticks.
        hint: What to do about it, or `None` where nothing is known to help.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def render(self) -> str:
        """Return the error as a terminal shows it: an `error:` line and, where known, a `hint:` line.

        >>> print(TaskError("`task.json` has no question", hint="add a `question` key").render())
        error: `task.json` has no question
        hint: add a `question` key
        """
        lines = [f"error: {self.message}"]
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def first_line(error: BaseException) -> str:
    """Return an error in one line; its type's name where it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class MissingFileError(DebrieferError, FileNotFoundError):
    """A file or folder that must exist does not."""


class TaskError(DebrieferError):
    """A task folder is not laid out as a task (DESIGN, section 4)."""


class SourceError(DebrieferError):
    """A file below `context/` cannot be read as a table; the other files still load."""


class CatalogError(DebrieferError):
    """A catalog cannot be built, opened or asked."""


class SqlError(DebrieferError):
    """A statement was refused or failed."""


class WorkbenchError(DebrieferError):
    """An edit or a run of `solver.py` was refused."""


class MediaError(DebrieferError):
    """A video cannot be decoded, read or listened to; what else the task holds is still used."""


class DocumentError(DebrieferError):
    """A document cannot be read; what else the task holds is still used."""


class ScoringError(DebrieferError):
    """A prediction or gold file breaks the rules of the metric."""


class ModelError(DebrieferError):
    """A language model is not configured, or the run was stopped while one was being asked."""


class BudgetExceededError(DebrieferError):
    """A bound on requests, tokens, money or time is used up; raised before the request that would pass it.

    Attributes:
        bound: Name of the bound, as `debriefer.models.Budget` spells it.
        limit: The bound's value.
        used: What had been used when the request was refused.
    """

    def __init__(self, bound: str, *, limit: float, used: float) -> None:
        unit = "in cost" if bound == "cost" else bound.replace("_", " ")
        super().__init__(
            f"the budget of {limit:g} {unit} is used up ({used:.6g} used)",
            hint=f"raise `{bound}` in the budget, or accept what was found so far",
        )
        self.bound = bound
        self.limit = limit
        self.used = used


class AbstainedError(DebrieferError):
    """No confident reading of the question was found, so no prediction was written."""
