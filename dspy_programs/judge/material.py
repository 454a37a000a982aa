"""What the judge reads of a task, put together once for all rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from debriefer.catalog import Catalog
from debriefer.catalog.sides import SIDE_KINDS
from debriefer.judgement import JudgedSlide, JudgedSpeech, JudgedVideo
from debriefer.models import count_tokens, neutralise
from debriefer.task import Task
from dspy_programs.solver.evidence import Narration, Slide, Timeline
from dspy_programs.solver.prompt import fit_knowledge, fit_timeline
from dspy_programs.solver.tables import describe_tables

# Characters, as the specification has them (`000_*.txt`, inputs and step 3).
KNOWLEDGE_CHARACTERS = 12_000
TABLES_CHARACTERS = 14_000
SHORT_TABLES_CHARACTERS = 6_000
# Share of the model's window that the timeline may fill; instructions, question and reply need the rest.
_TIMELINE_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Material:
    """What the judge reads; one for all rounds, byte for byte, so that a provider's prompt cache serves the others.

    Attributes:
        question: The question.
        timeline: Slides, layout trees and narration.
        knowledge: Business notes within 12,000 characters, by relevance.
        tables: The tables within 14,000 characters; no documents, nothing of the video.
        short_tables: The same within 6,000.
        video: The slides, for the look-up of cells.
        notes: What was left out to fit.
    """

    question: str
    timeline: Timeline
    knowledge: str
    tables: str
    short_tables: str
    video: JudgedVideo
    notes: tuple[str, ...] = ()


def material_of(
    task: Task,
    video: JudgedVideo,
    catalog: Catalog | None = None,
    *,
    vision: bool = False,
    window: int = 32_768,
    count: Callable[[str], int] = count_tokens,
) -> Material:
    """Put together what the judge reads.

    Args:
        task: The task: its question and `knowledge.md`.
        video: What the media stage made of its videos.
        catalog: Its tables; `None` where there are none.
        vision: Whether the model sees; without it there are no pictures.
        window: The model's context window in tokens.
        count: Tokens of a text.
    """
    whole = timeline_of(video, pictures=vision)
    # Read once for all rounds, and only what fits.
    timeline = fit_timeline(whole, int(window * _TIMELINE_SHARE), task.question, count).with_pictures()
    knowledge, note = fit_knowledge(task.knowledge or "", KNOWLEDGE_CHARACTERS, task.question, len)

    def tables(budget: int) -> str:
        if catalog is None:
            return "(no tables)"
        return describe_tables(
            catalog, budget=budget, question=f"{task.question} {knowledge}", without_kinds=SIDE_KINDS
        )

    return Material(
        question=neutralise(task.question),
        timeline=timeline,
        knowledge=neutralise(knowledge.strip()) or "(this task has no business notes)",
        tables=tables(TABLES_CHARACTERS),
        short_tables=tables(SHORT_TABLES_CHARACTERS),
        video=video,
        notes=tuple(note for note in (timeline.note, note) if note),
    )


def timeline_of(video: JudgedVideo, *, pictures: bool) -> Timeline:
    """Return a timeline for a prompt; a slide that comes back is named but not shown again."""
    return Timeline(items=tuple(_item(item, pictures=pictures) for item in video.items))


def _item(item: JudgedSlide | JudgedSpeech, *, pictures: bool) -> Slide | Narration:
    if isinstance(item, JudgedSpeech):
        return Narration(start=item.start, end=item.end, text=item.text, video=item.video)
    again = item.revisit_of is not None
    return Slide(
        seconds=item.seconds,
        number=item.number,
        layout=f"(slide {item.revisit_of} again)" if again else item.layout,
        image=str(item.picture) if pictures and not again and item.picture is not None else None,
        video=item.video,
    )
