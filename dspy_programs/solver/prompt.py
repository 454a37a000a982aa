"""The three layers of the Solver's prompt, put together from one task as byte-stable text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from debriefer.catalog import Catalog
from debriefer.judgement import VideoVerdict
from debriefer.judgement.hint import hint
from debriefer.models import count_image_tokens, count_tokens, neutralise
from debriefer.side_names import EVIDENCE_TABLES
from debriefer.task import Task
from dspy_programs.solver.evidence import DocumentTable, Evidence, Findings, Narration, Slide, Timeline, document_hints
from dspy_programs.solver.hints import describe_links
from dspy_programs.solver.rules import SCAFFOLD_NOTE, SOLVER_RULES, VIDEO_RULES
from dspy_programs.solver.tables import describe_tables, words

# Shares of the model's window. What remains is for the trajectory, which needs room for its newest observation.
_KNOWLEDGE_SHARE = 0.25
_TABLES_SHARE = 0.2
_TIMELINE_SHARE = 0.2
_DOCUMENTS_SHARE = 0.08
_VERDICT_SHARE = 0.05
# Longest directory listing; a task of thousands of files must not fill the prompt.
_TREE_ENTRIES = 150
# What a picture costs in a prompt: slides are 1280×720 as a rule, and larger ones are scaled by the engine.
IMAGE_TOKENS = count_image_tokens(1280, 720)


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a Solver run is given, layer by layer.

    Attributes:
        rules: System layer: rules that always hold, and the task folder's tree.
        knowledge: Task layer: business notes, how to read the video, the verdict on the video.
        evidence: User layer: timeline, tables, document tables.
        asked: The question alone.
        question: User layer: the question, the note on the scaffold, why an earlier attempt was rejected.
        remark: The part of `question` on an earlier attempt, for the log.
        notes: What was folded or left out to fit the window, for the log.
    """

    rules: str
    knowledge: str
    evidence: Evidence
    asked: str
    question: str
    remark: str = ""
    notes: tuple[str, ...] = field(default=())


def brief(
    task: Task,
    catalog: Catalog,
    findings: Findings | None = None,
    *,
    window: int = 32_768,
    vision: bool = False,
    remark: str = "",
    count: Callable[[str], int] = count_tokens,
) -> Briefing:
    """Put the three layers together.

    Args:
        task: The task, a working copy with its `workdir/`.
        catalog: Its catalog.
        findings: What other programs found out.
        window: The model's context window in tokens; notes, tables and timeline get a share of it each.
        vision: Whether the model sees; pictures are left out where it does not.
        remark: What stands behind the question: why an earlier attempt was rejected.
        count: Tokens of a text.

    Returns:
        The same text for the same inputs, so that providers' prompt caches work.
    """
    findings = findings or Findings()
    timeline = findings.timeline
    notes: list[str] = []
    shown = None
    if timeline is not None:
        shown = fit_timeline(
            timeline if vision else timeline.without_images(), int(window * _TIMELINE_SHARE), task.question, count
        )
        shown = shown.with_pictures()
        notes += [shown.note] if shown.note else []
    knowledge, note = fit_knowledge(task.knowledge or "", int(window * _KNOWLEDGE_SHARE), task.question, count)
    notes += [note] if note else []
    tables = describe_tables(
        catalog,
        findings.folded,
        int(window * _TABLES_SHARE),
        question=f"{task.question} {knowledge}",
        count=count,
        without=EVIDENCE_TABLES,
    )
    return Briefing(
        rules=f"{SOLVER_RULES}\n\n# The task folder\n\n{directory_tree(task)}",
        knowledge=task_layer(
            knowledge, video=timeline is not None, verdict=_verdict(findings.verdict, window * _VERDICT_SHARE, count)
        ),
        evidence=Evidence(
            timeline=shown,
            tables=tables,
            documents=document_hints(
                [_registered(table, catalog) for table in findings.document_tables],
                int(window * _DOCUMENTS_SHARE),
                count,
                findings.documents,
            ),
            links=describe_links(findings.links),
        ),
        asked=neutralise(task.question),
        # What differs between attempts stands last, so that they share all that is before it.
        question="\n\n".join(part for part in (neutralise(task.question), SCAFFOLD_NOTE, neutralise(remark)) if part),
        remark=remark,
        notes=tuple(notes),
    )


def _registered(table: DocumentTable, catalog: Catalog) -> DocumentTable:
    """Return a table under the name that the catalog gave it: its own, unless another source has that too."""
    source = table.database.removeprefix("context/")
    for one in catalog.tables.values():
        if (one.source, one.source_name) == (source, table.table):
            return table.registered(one.name, {column.name: column.sql_type for column in one.columns})
    return table


def task_layer(knowledge: str, *, video: bool, verdict: str | None) -> str:
    """Return the task layer: business notes, and for a task with a video its rules and the verdict on it."""
    parts = [f"# knowledge.md\n\n{neutralise(knowledge.strip()) or '(this task has no business notes)'}"]
    if video:
        parts.append(VIDEO_RULES)
    if verdict:
        parts.append(
            "# Does the video show the answer? (a judgement made beforehand; you decide)\n\n"
            + neutralise(verdict.strip())
        )
    return "\n\n".join(parts)


def _verdict(verdict: VideoVerdict | str | None, budget: float, count: Callable[[str], int]) -> str | None:
    """Return the verdict as text within a number of tokens; its head says what matters most."""
    text = hint(verdict) if isinstance(verdict, VideoVerdict) else verdict
    if text is None or count(text) <= budget:
        return text
    kept = int(len(text) * budget / count(text))
    return f"{text[:kept]}\n(… {len(text) - kept} more characters of the judgement are left out)"


def directory_tree(task: Task) -> str:
    """Return the files of the task folder as a tree, folders first, in the order of their names."""
    paths = [path.relative_to(task.folder) for path in task.files()]
    hidden = max(0, len(paths) - _TREE_ENTRIES)
    lines = ["./", *_branches([*paths[:_TREE_ENTRIES], Path("task.json"), Path("workdir/solver.py")], "")]
    if hidden:
        lines.append(f"({hidden} more files below context/ are not listed)")
    return neutralise("\n".join(lines))


def _branches(paths: Sequence[Path], indent: str) -> list[str]:
    folders: dict[str, list[Path]] = {}
    files: list[str] = []
    for path in paths:
        first, *rest = path.parts
        if rest:
            folders.setdefault(first, []).append(Path(*rest))
        else:
            files.append(first)
    entries = [*sorted(folders), *sorted(files)]
    lines: list[str] = []
    for name in entries:
        last = name == entries[-1]
        # A name may hold line breaks; in the tree it is one line.
        shown = "".join(character if character.isprintable() else "�" for character in name)
        lines.append(f"{indent}{'└── ' if last else '├── '}{shown}{'/' if name in folders else ''}")
        if name in folders:
            lines += _branches(folders[name], indent + ("    " if last else "│   "))
    return lines


def fit_knowledge(text: str, budget: int, question: str, count: Callable[[str], int]) -> tuple[str, str]:
    """Return business notes whole where they fit, else the parts that share most with the question.

    Args:
        text: The notes, Markdown.
        budget: Largest size in tokens.
        question: The question.
        count: Tokens of a text.

    Returns:
        The text, in its own order and with a mark at each gap, and a note on what was left out (empty if nothing).
    """
    if count(text) <= budget:
        return text, ""
    parts = _parts(text, max(1, budget // 8), count)
    wanted = words(question)
    by_relevance = sorted(range(len(parts)), key=lambda i: (-_overlap(wanted, "\n".join(parts[i])), i))
    kept: set[int] = set()
    used = 0
    for index in by_relevance:
        size = count("\n".join(parts[index])) + _GAP_TOKENS
        if used + size <= budget:
            kept.add(index)
            used += size
    note = (
        f"knowledge.md is longer than the model's window allows: {len(parts) - len(kept)} of its {len(parts)} parts "
        "are left out, those kept share most with the question"
    )
    lines = [f"({note})"]
    heading = ""
    for index, (above, body) in enumerate(parts):
        if index in kept:
            lines += [above, body] if above and above != heading else [body]
            heading = above
        elif index == 0 or index - 1 in kept:
            lines.append(f"[… left out: {_title(above or body)} …]")
    return "\n".join(lines), note


_GAP_TOKENS = 24
_TITLE_CHARACTERS = 60


def _parts(text: str, largest: int, count: Callable[[str], int]) -> list[tuple[str, str]]:
    """Split Markdown into parts, each with the heading above it: at headings, then where too large at blank lines."""
    parts: list[tuple[str, str]] = []
    for section in re.split(r"(?m)^(?=#{1,6} )", text):
        heading, body = "", section.strip("\n")
        if body.startswith("#"):
            heading, _, body = body.partition("\n")
        pieces = [body.strip("\n")]
        for separator in ("\n\n", "\n"):
            pieces = [p for piece in pieces for p in (piece.split(separator) if count(piece) > largest else [piece])]
        filled = [piece for piece in pieces if piece.strip()]
        parts += [(heading, piece) for piece in filled or ([""] if heading else [])]
    return parts


def _overlap(wanted: set[str], text: str) -> float:
    """Return how much a text shares with the question, for its length: long texts meet any word by chance."""
    found = words(text)
    return len(wanted & found) / math.sqrt(1 + len(found))


def _title(section: str) -> str:
    line = section.strip().partition("\n")[0].lstrip("# ")
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"


def fit_timeline(timeline: Timeline, budget: int, question: str, count: Callable[[str], int]) -> Timeline:
    """Return the timeline within a budget of tokens.

    Picture and layout tree go first, from the slides whose tree shares least with the question, wherever they stand:
    the head of a video is no better than its end, where results tend to be. Then narration goes by the same rule, and
    of a video of hours at last the bare slides.
    """

    def size(item: Slide | Narration | None) -> int:
        if item is None:
            return 0
        pictures = IMAGE_TOKENS if isinstance(item, Slide) and item.image is not None else 0
        return 8 + count(_said(item)) + pictures

    items: list[Slide | Narration | None] = list(timeline.items)
    wanted = words(question)
    order = sorted(range(len(items)), key=lambda i: (_overlap(wanted, _said(timeline.items[i])), i))
    slides = [i for i in order if isinstance(items[i], Slide)]
    spoken = [i for i in order if isinstance(items[i], Narration)]
    total = sum(map(size, items))
    left_out: list[str] = []
    for places, smaller, what in (
        (slides, _bare, "the content of {} of {} slides"),
        (spoken, _nothing, "{} of {} stretches of narration"),
        (slides, _nothing, "{} of {} slides altogether"),
    ):
        number = 0
        for place in places:
            if total <= budget:
                break
            less = smaller(items[place])
            total -= size(items[place]) - size(less)
            items[place] = less
            number += 1
        if number:
            left_out.append(what.format(number, len(places)))
    if not left_out:
        return timeline
    note = f"left out to fit the model's window: {', '.join(left_out)}"
    return Timeline(items=tuple(item for item in items if item is not None), note=note)


def _bare(item: Slide | Narration | None) -> Slide | Narration | None:
    return item.model_copy(update={"layout": "", "image": None}) if isinstance(item, Slide) else item


def _nothing(_: Slide | Narration | None) -> None:
    return None


def _said(item: Slide | Narration) -> str:
    return item.text if isinstance(item, Narration) else item.layout
