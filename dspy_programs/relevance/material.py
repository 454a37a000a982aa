"""What the rounds on a task's tables read, put together once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from debriefer.catalog import Catalog, Table
from debriefer.catalog.sides import SIDE_KINDS
from debriefer.errors import DebrieferError
from debriefer.linking import ASSERTED, Links, link
from debriefer.models import neutralise
from debriefer.task import Task
from debriefer.workbench.explore import stopped_after
from dspy_programs.solver.evidence import Timeline
from dspy_programs.solver.prompt import fit_knowledge, fit_timeline
from dspy_programs.solver.tables import describe_tables

# Characters, as published: notes, what the video shows.
KNOWLEDGE_CHARACTERS = 8_000
VIDEO_CHARACTERS = 6_000
# The published prompt has no bound; a catalog of thousands of columns must still be a request.
TABLES_CHARACTERS = 60_000
# Fewer tables than this, or a description that is so short, are not worth a request.
LEAST_TABLES, LEAST_CHARACTERS = 4, 3_000
_SECONDS = 30.0
_MOST_LINKS = 20


@dataclass(frozen=True, slots=True)
class Material:
    """What every round reads, byte for byte the same.

    Attributes:
        question: The question.
        knowledge: Business notes within 8,000 characters, by relevance.
        video: Slides and narration within 6,000 characters, by relevance; empty without a video.
        links: What the question's words were found in.
        tables: The tables.
        names: Canonical names of the tables to be judged.
        aliases: Canonical name by whatever else a table is called.
        evidence: The links themselves, `None` where linking failed.
        notes: What was left out or failed.
    """

    question: str
    knowledge: str
    video: str
    links: str
    tables: str
    names: tuple[str, ...]
    aliases: dict[str, str] = field(default_factory=dict)
    evidence: Links | None = None
    notes: tuple[str, ...] = ()

    @property
    def worthwhile(self) -> bool:
        """Whether there is anything to fold that is worth a request."""
        return _worthwhile(len(self.names), self.tables)


def _worthwhile(tables: int, described: str) -> bool:
    return tables >= LEAST_TABLES and len(described) >= LEAST_CHARACTERS


def material_of(task: Task, catalog: Catalog, timeline: Timeline | None = None, exempt: Sequence[str] = ()) -> Material:
    """Put together what the rounds read.

    Args:
        task: Its question and notes.
        catalog: Its tables; those of side files are not judged.
        timeline: What its video shows and says.
        exempt: Names of tables that are kept in any case: those taken from documents.
    """
    notes: list[str] = []
    knowledge, note = fit_knowledge(task.knowledge or "", KNOWLEDGE_CHARACTERS, task.question, len)
    notes += [note] if note else []
    judged = [
        table for table in catalog.tables.values() if table.kind not in SIDE_KINDS and table.name not in set(exempt)
    ]
    described = describe_tables(
        catalog,
        budget=TABLES_CHARACTERS,
        question=f"{task.question} {knowledge}",
        without_kinds=SIDE_KINDS,
        without=exempt,
    )
    links: Links | None = None
    if _worthwhile(len(judged), described):
        # Join keys are looked for in the data; nobody would read what a small task's linking finds.
        try:
            with stopped_after(catalog, _SECONDS):
                links = link(task.question, catalog, knowledge=task.knowledge)
        except DebrieferError as error:
            notes.append(f"the question could not be linked: {error.message}")
    return Material(
        question=neutralise(task.question),
        knowledge=neutralise(knowledge.strip()) or "(this task has no business notes)",
        video=_video(timeline, task.question),
        links=neutralise(described_links(links)) or "(none)",
        tables=described,
        names=tuple(sorted(table.name for table in judged)),
        aliases=_aliases(judged),
        evidence=links,
        notes=tuple(notes),
    )


def _aliases(tables: Sequence[Table]) -> dict[str, str]:
    """Return the canonical name by each other name that means one table only."""
    found: dict[str, str | None] = {}
    for table in tables:
        for name in {table.name, *table.aliases, table.source_name, f"{table.source}::{table.source_name}"}:
            key = name.casefold()
            found[key] = None if found.get(key, table.name) != table.name else table.name
    for table in tables:
        found[table.name.casefold()] = table.name
    return {alias: name for alias, name in found.items() if name is not None}


def _video(timeline: Timeline | None, question: str) -> str:
    if timeline is None or not timeline.items:
        return ""
    shown = fit_timeline(timeline.without_images(), VIDEO_CHARACTERS, question, len)
    return "".join(str(block["text"]) for block in shown.format() if block["type"] == "text")


def described_links(links: Links | None) -> str:
    """Return what links assert, a line each; the same for the same links."""
    if links is None:
        return ""
    lines = [f"- cell {value.value!r} of {value.table}.{value.column}: {value.reason}" for value in links.values]
    sure = [line for line, value in zip(lines, links.values, strict=True) if value.score >= ASSERTED]
    sure += [
        f"- column {column.table}.{column.column}: {column.reason}"
        for column in links.columns
        if column.score >= ASSERTED
    ]
    return "\n".join(sure[:_MOST_LINKS])
