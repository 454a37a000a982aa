"""What the offline baseline links the question's words to, as hints for the model."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.catalog import Catalog
from debriefer.models import neutralise
from debriefer.offline import Link, read_question
from debriefer.task import Task
from debriefer.workbench.explore import stopped_after

# Values are looked up in all tables; a hint is not worth more.
_SECONDS = 30.0
# A fit below this is a guess among many (`debriefer.offline`).
LEAST_SCORE = 0.6
_MOST_LINKS = 20
_MOST_CHARACTERS = 80
_KINDS = {"table": "the table", "column": "the column", "value": "the stored value"}


def question_links(task: Task, catalog: Catalog) -> tuple[Link, ...]:
    """Return what each span of the question was taken for, by rule; the same for the same task.

    Raises:
        SqlError: Looking up values failed or took too long.
    """
    with stopped_after(catalog, _SECONDS):
        return read_question(task, catalog).links


def describe_links(links: Sequence[Link]) -> str:
    """Return links as a prompt shows them, a line each, in the order of the question.

    Spans that are linked to a table, a column or a stored value; what holds untrusted text is one short line.
    """
    lines: dict[str, None] = {}
    for link in links:
        if link.kind in _KINDS and link.target and link.score >= LEAST_SCORE:
            lines[f'- "{_line(link.text)}" may mean {_KINDS[link.kind]} {_line(link.target)}'] = None
    return neutralise("\n".join(list(lines)[:_MOST_LINKS]))


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_CHARACTERS else flat[: _MOST_CHARACTERS - 1] + "…"
