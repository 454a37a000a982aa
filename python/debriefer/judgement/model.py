"""What a judge says of a video: the claim, its alignment, the recommendation, and the verdict of all rounds.

These are data with their checks, without DSPy: both judges and the pipeline share them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

import pydantic

DecisionName = Literal["ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"]
DistractorKind = Literal[
    "old_batch",
    "adjacent_table",
    "similar_metric",
    "single_object_highlight",
    "count_not_amount",
    "wrong_unit",
    "unapplied_field",
    "category_note",
    "reference_only",
    "spoken_exclusion",
    "other",
]
# What became of the question whether the video shows the answer. `unknown`: too few rounds succeeded, or a judge
# without a model cannot tell.
Finding = Literal["shown", "not_shown", "unknown", "no_video", "not_prepared"]

_FROZEN = pydantic.ConfigDict(frozen=True, extra="ignore")
_NUMBERED = r"(?:(\d+)[:：])?(\d+)"
_REFERENCE = re.compile(_NUMBERED)
_SLIDE_WORD = r"(?:slides?|frames?|幻灯片)"
_SLIDE = re.compile(rf"{_SLIDE_WORD}\s*#?\s*{_NUMBERED}", re.IGNORECASE)
_VIDEO = re.compile(r"(?:\bvideo|视频)\s*#?\s*(\d+)|第\s*(\d+)\s*个?\s*视频", re.IGNORECASE)
# Several slides in one text, such as `slides 7 and 8`, `幻灯片 #7、#8` or `7-9`.
_BETWEEN = re.compile(r"\s*(?:[,，、;；&]|\band\b|和|与)\s*", re.IGNORECASE)
_ONE = re.compile(rf"{_SLIDE_WORD}?\s*[#第]?\s*{_NUMBERED}\s*[页张帧]?", re.IGNORECASE)
_FROM_TO = re.compile(rf"{_SLIDE_WORD}?\s*#?\s*(\d+)\s*(?:[-–~～至到]|to)\s*#?(\d+)", re.IGNORECASE)
_LONGEST_RANGE = 50


def slide_reference(value: object) -> str:
    """Return how a slide is named: `7`, and `2:7` for slide 7 of the second of several videos.

    Models write `7`, `#7`, `slide 7`, `幻灯片 #7`, `2:7` or `slide 7 of video 2`; text without a number stays as it is.

    >>> [slide_reference(value) for value in ("幻灯片 #7", 3, "slide 2:7", "video 2, slide 7")]
    ['7', '3', '2:7', '2:7']
    """
    text = str(value).strip()
    named = _VIDEO.search(text)
    rest = text if named is None else f"{text[: named.start()]} {text[named.end() :]}"
    found = _SLIDE.search(rest) or _REFERENCE.search(rest)
    if found is None:
        named, found = None, _REFERENCE.search(text)
    if found is None:
        return text
    prefix, number = (part and _plain(part) for part in found.groups())
    video = prefix or (named and _plain(named[1] or named[2]))
    return number if video in (None, "1") else f"{video}:{number}"


def _plain(digits: str) -> str:
    return digits.lstrip("0") or "0"


def slide_references(value: object) -> list[str]:
    """Return the names of the slides that one text names.

    >>> slide_references("slides 7 and 8"), slide_references("幻灯片 #7、#8"), slide_references("7-9")
    (['7', '8'], ['7', '8'], ['7', '8', '9'])
    """
    parts = _BETWEEN.split(str(value).strip())
    found: list[str] = []
    for part in parts:
        span = _FROM_TO.fullmatch(part)
        if span is not None and int(span[1]) <= int(span[2]) < int(span[1]) + _LONGEST_RANGE:
            found += map(str, range(int(span[1]), int(span[2]) + 1))
        elif _ONE.fullmatch(part):
            found.append(slide_reference(part))
        else:
            return [slide_reference(value)]
    return found


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(value)), "f")  # never 1e-05, which no slide has
    return value.strip() if isinstance(value, str) else str(value)


def _cell(value: object) -> object:
    return value if isinstance(value, (dict, ClaimedCell)) else {"value": value}


def _references(value: object) -> object:
    if isinstance(value, (str, int, float)):
        value = [value]
    items = _or_empty(value)
    if not isinstance(items, (list, tuple)):
        return items
    return list(dict.fromkeys(name for item in items if item is not None for name in slide_references(item)))


def _or_empty(value: object) -> object:
    # Models write `null` where there is nothing to list.
    return [] if value is None else value


def _decision_name(value: object) -> object:
    return re.sub(r"[\s-]+", "_", value.strip().upper()) if isinstance(value, str) else value


Listed = pydantic.BeforeValidator(_or_empty)
Text = Annotated[str, pydantic.BeforeValidator(_cell_text)]
References = Annotated[list[str], pydantic.BeforeValidator(_references)]


class ClaimedCell(pydantic.BaseModel):
    """One value that a video shows as part of the answer.

    Attributes:
        value: As it is written on the slide, empty for a blank cell.
        slides: Numbers of the slides it was read from.
    """

    model_config = _FROZEN

    value: Text
    slides: References = []


class Distractor(pydantic.BaseModel):
    """Something that looks like the answer and is not.

    Attributes:
        slide: Number of its slide; empty where it is only spoken.
        why: In a few words.
        kind: Which kind of distractor it is.
    """

    model_config = _FROZEN

    slide: Annotated[str, pydantic.BeforeValidator(lambda value: "" if value is None else slide_reference(value))] = ""
    why: Text = ""
    kind: DistractorKind = "other"

    @pydantic.field_validator("kind", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        known: tuple[str, ...] = DistractorKind.__args__  # type: ignore[attr-defined]
        return value if value in known else "other"


class Scope(pydantic.BaseModel):
    """What holds for the figures of the video.

    Attributes:
        filter: The selection in force.
        unit: The unit of the figures.
        period: The period or batch in force.
        grouping: By what figures are grouped.
    """

    model_config = _FROZEN

    filter: Text = ""
    unit: Text = ""
    period: Text = ""
    grouping: Text = ""


class VideoClaim(pydantic.BaseModel):
    """EXTRACT: whether the video shows the complete answer, and which.

    Attributes:
        has_displayed_answer: Whether every wanted row and column can be read on slides in the question's scope.
        claimed_values: Rows in the order of the question, cells in the order of its columns; empty if it is not shown.
        source_frames: Numbers of the slides that show the answer.
        distractor_notes: What looks like the answer and is not, in a sentence or two.
        distractors: The same, one by one.
        scope: What holds for the figures.

    Raises:
        ValidationError: The answer is said to be shown, and there are no values but blank ones, or rows of different
            lengths.
    """

    model_config = _FROZEN

    has_displayed_answer: bool
    claimed_values: Annotated[list[list[Annotated[ClaimedCell, pydantic.BeforeValidator(_cell)]]], Listed] = []
    source_frames: References = []
    distractor_notes: Text = ""
    distractors: Annotated[list[Distractor], Listed] = []
    scope: Annotated[Scope, pydantic.BeforeValidator(lambda value: {} if value is None else value)] = Scope()

    @pydantic.model_validator(mode="after")
    def _is_a_table(self) -> VideoClaim:
        # An answer that is shown and has no values is neither a yes nor a no: the round abstains.
        if not self.has_displayed_answer:
            return self
        widths = {len(row) for row in self.claimed_values}
        if not any(cell.value.strip() for row in self.claimed_values for cell in row) or 0 in widths:
            message = "the answer is said to be shown, and no value is given"
            raise ValueError(message)
        if len(widths) > 1:
            message = f"the claimed rows have {', '.join(map(str, sorted(widths)))} cells; all need the same"
            raise ValueError(message)
        return self

    def values(self) -> list[list[str]]:
        """Return the claimed values without where they were read."""
        return [[cell.value for cell in row] for row in self.claimed_values]


class AnswerShape(pydantic.BaseModel):
    """ALIGN: to which columns of the data the claim belongs, and whether units agree.

    Attributes:
        target_columns: A column for each of the claim's, in its order.
        unit_consistent: Whether the video's unit is the data's, or can be converted reliably.
        normalized_values: The claim in the data's units and formats, with the claim's own rows and columns.
        conversion: What was converted, such as `× 10000 (万元 to 元)`; empty where nothing was.
        note: A sentence.
    """

    model_config = _FROZEN

    target_columns: Annotated[list[Text], Listed] = []
    unit_consistent: bool = True
    normalized_values: Annotated[list[list[Text]], Listed] = []
    conversion: Text = ""
    note: Text = ""


class Decision(pydantic.BaseModel):
    """DECIDE: what the Solver should do.

    Attributes:
        decision: Whether to adopt the values.
        confidence: In [0, 1].
        reason: One sentence.
    """

    model_config = _FROZEN

    decision: Annotated[DecisionName, pydantic.BeforeValidator(_decision_name)]
    confidence: float = pydantic.Field(ge=0.0, le=1.0)
    reason: Text = ""


class Unsupported(pydantic.BaseModel):
    """A claimed cell that no slide shows.

    Attributes:
        row: Counts from 1.
        column: Counts from 1.
        value: What was claimed.
        slides: The slides that were looked at.
    """

    model_config = _FROZEN

    row: int
    column: int
    value: str
    slides: list[str] = []


class RoundSummary(pydantic.BaseModel):
    """One round in short.

    Attributes:
        number: Counts from 1; refills go on counting.
        ok: Whether its first step succeeded.
        has_displayed_answer: What it found; `None` where it failed.
        decision: What it recommends; `None` where it failed.
        confidence: Its confidence.
        rows: How many rows it claims.
        errors: What went wrong, by step.
    """

    model_config = _FROZEN

    number: int
    ok: bool
    has_displayed_answer: bool | None = None
    decision: DecisionName | None = None
    confidence: float | None = None
    rows: int = 0
    errors: dict[str, str] = {}


class VideoVerdict(pydantic.BaseModel):
    """What all rounds together say of a task's video.

    The first twelve fields are those of the specification's `VideoResultResult`, the others are ours.

    Attributes:
        task_id: The task.
        has_video: Whether there is one.
        has_displayed_answer: Whether the majority says that it shows the complete answer.
        decision: What the Solver is recommended.
        confidence: Mean of the rounds that support the decision, in [0, 1].
        claimed_values: Rows as they are written on the slides.
        normalized_values: The same in the data's units and formats; the claim's own where nothing was normalised.
        target_columns: A column of the data for each of the claim's; without a model what the slides call them.
        source_frames: `slide 7`, ….
        distractor_notes: What looks like the answer and is not.
        reason: One sentence.
        error: Why there is no judgement, else empty.
        finding: `shown`, `not_shown`, `unknown`, `no_video` or `not_prepared`.
        agreement: Share of the successful rounds that say the same: finding, decision and values.
        distractors: What looks like the answer, one by one.
        scope: What holds for the figures.
        claimed_slides: For each cell of the claim the numbers of the slides it was read from.
        unit_consistent: Whether units agree or can be converted reliably.
        conversion: What was converted.
        note: What the alignment remarks.
        unsupported: Claimed cells that no slide shows.
        rounds: The rounds in short.
        judge: `model` or `offline`.

    Source: `000_*.txt` of the specification, the table of result fields.
    """

    model_config = _FROZEN

    task_id: str = ""
    has_video: bool = True
    has_displayed_answer: bool = False
    decision: DecisionName = "RECOMPUTE"
    confidence: float = 0.0
    claimed_values: list[list[str]] = []
    normalized_values: list[list[str]] = []
    target_columns: list[str] = []
    source_frames: list[str] = []
    distractor_notes: str = ""
    reason: str = ""
    error: str = ""
    finding: Finding = "unknown"
    agreement: float = 0.0
    distractors: list[Distractor] = []
    scope: Scope = Scope()
    claimed_slides: list[list[list[str]]] = []
    unit_consistent: bool = True
    conversion: str = ""
    note: str = ""
    unsupported: list[Unsupported] = []
    rounds: list[RoundSummary] = []
    judge: Literal["model", "offline"] = "model"

    @classmethod
    def without_video(cls, task_id: str) -> VideoVerdict:
        """Return the verdict on a task that has no video: nothing is told to the Solver."""
        return cls(task_id=task_id, has_video=False, finding="no_video", reason="the task has no video")

    @classmethod
    def not_prepared(cls, task_id: str, error: str) -> VideoVerdict:
        """Return the verdict on a video that was not turned into slides and narration."""
        return cls(task_id=task_id, finding="not_prepared", error=error, reason="the video was not prepared")

    def cells(self) -> list[list[ClaimedCell]]:
        """Return the claim with the slides of each cell."""
        slides: Sequence[Sequence[list[str]]] = self.claimed_slides
        return [
            [ClaimedCell(value=value, slides=slides[i][j] if slides else []) for j, value in enumerate(row)]
            for i, row in enumerate(self.claimed_values)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON values, the specification's fields first."""
        return self.model_dump(mode="json")


def shown_reference(reference: str) -> str:
    """Return a slide's number as people read it.

    >>> shown_reference("7"), shown_reference("2:7")
    ('slide 7', 'slide 7 of video 2')
    """
    video, colon, number = reference.partition(":")
    return f"slide {number} of video {video}" if colon else f"slide {reference}"
