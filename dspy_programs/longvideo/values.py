"""What the agents answer, as types that take what models really write and refuse what means nothing."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import pydantic

from debriefer.media.clock import seconds_of


class Answer(pydantic.BaseModel):
    """What an agent answers; keys that nobody asked for are left out."""

    model_config = pydantic.ConfigDict(extra="ignore")

    @property
    def usable(self) -> bool:
        """Whether it says anything; what does not is asked for once more, and then unknown."""
        return True


_NUMBER = re.compile(r"-?\d+")
_SEPARATOR = re.compile(r"\s*(?:-->|–|—|~|\bto\b|-)\s*")
_LOWEST, _HIGHEST = 1, 4
_NOTHING = {"", "none", "null", "n/a"}


def _text(value: object) -> str:
    """Return a text; what stands for nothing is the empty one."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "\n".join(_text(item) for item in value)
    text = str(value).strip()
    return "" if text.casefold() in _NOTHING else text


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list | tuple) else [value]
    return [text for item in items if (text := _text(item))]


def _flag(value: object) -> object:
    if value is None:
        return False
    return value.strip().casefold() if isinstance(value, str) else value


def _score(value: object) -> int | None:
    """Return a score of 1 to 4, else `None`: what is no score must never count as "irrelevant"."""
    if isinstance(value, bool) or value is None:
        return None
    match = _NUMBER.search(str(value))
    number = None if match is None else int(match[0])
    return number if number is not None and _LOWEST <= number <= _HIGHEST else None


def _span(value: object) -> object:
    if isinstance(value, str):
        parts = _SEPARATOR.split(value.strip().strip("[]()"))
        return {"start": parts[0], "end": parts[-1]}
    if isinstance(value, list | tuple) and value:
        return {"start": value[0], "end": value[-1]}
    return value


def _listed(value: object) -> object:
    """Return a list: nothing is an empty one, one thing is a list of it."""
    if value is None or value == "":
        return []
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, int | float) for item in value) and len(value) == 2:  # noqa: PLR2004
            return [value]
        return [item for item in value if item not in (None, "")]
    return [value]


def _numbers(value: object) -> list[int]:
    items: Any = _listed(value)
    return [int(match[0]) for item in items for match in _NUMBER.finditer(str(item))]


_ACTIONS = {"finish": "answer", "inspect": "look", "perceive": "look", "subtitle": "read", "grounding": "ground"}


def _action(value: object) -> str:
    name = _text(value).casefold()
    return _ACTIONS.get(name, name)


Text = Annotated[str, pydantic.BeforeValidator(_text)]
Texts = Annotated[list[str], pydantic.BeforeValidator(_texts)]
Flag = Annotated[bool, pydantic.BeforeValidator(_flag)]
Score = Annotated[int | None, pydantic.BeforeValidator(_score)]
Seconds = Annotated[float, pydantic.BeforeValidator(seconds_of)]


class TimeSpan(Answer):
    """A stretch of the video; written as `HH:MM:SS` or seconds, also as one text `begin-end`."""

    start: Seconds
    end: Seconds

    @pydantic.model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:  # noqa: ANN401 -- whatever a model wrote
        return _span(value)

    @property
    def pair(self) -> tuple[float, float]:
        """Begin and end, the earlier first."""
        return min(self.start, self.end), max(self.start, self.end)


def _spans(value: object) -> list[TimeSpan]:
    """Return the spans that can be read; one that cannot does not take the others with it."""
    found = []
    items: Any = _listed(value)
    for item in items:
        try:
            found.append(item if isinstance(item, TimeSpan) else TimeSpan.model_validate(item))
        except ValueError:
            continue
    return found


Spans = Annotated[list[TimeSpan], pydantic.BeforeValidator(_spans)]
Action = Literal["ground", "read", "look", "answer"]


class PlannedStep(Answer):
    """What the planning agent does next."""

    reason: Text = ""
    action: Annotated[Action, pydantic.BeforeValidator(_action)]
    instruction: Text = ""
    spans: Spans = []
    answer: Text = ""
    choice: Text = ""
    evidence: Texts = []


class QuestionAnalysis(Answer):
    """What the grounding agent makes of a question.

    Attributes:
        ambiguous: Vague references, abstract notions, no concrete entity.
        multi_hop: Several scenes must be brought together.
        involves_action: An action or an event is asked about.
        needs_full_scan: First, last, order, or a count: a few good hits do not settle it.
        tool: `retrieve` or `score`.
        cues: A few concrete words each, of what can be seen, read or heard; also in the video's language.
        enhanced_query: The question in concrete terms.
        scoring_instruction: What to look for in a stretch of video.
    """

    ambiguous: Flag = False
    multi_hop: Flag = False
    involves_action: Flag = False
    needs_full_scan: Flag = False
    tool: Text = "score"
    cues: Texts = []
    enhanced_query: Text = ""
    scoring_instruction: Text = ""

    @property
    def simple(self) -> bool:
        """Whether retrieval may serve: unambiguous, one scene, no action."""
        return not (self.ambiguous or self.multi_hop or self.involves_action or self.needs_full_scan)


class SegmentScore(Answer):
    """How relevant a stretch is, from 1 (not at all) to 4 (settles the question)."""

    relevance_score: Score = None
    clip_caption: Text = ""
    reasoning: Text = ""

    @property
    def usable(self) -> bool:
        """Whether it holds a score."""
        return self.relevance_score is not None


class TimedText(Answer):
    """Something that can be observed from `start` to `end`."""

    start: Seconds
    end: Seconds
    text: Text = ""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:  # noqa: ANN401 -- whatever a model wrote
        if not isinstance(value, dict):
            return value
        made = dict(value)
        if "start" not in made:
            span: Any = _span(made.get("time") or made.get("time_range") or made.get("span") or "")
            made |= span if isinstance(span, dict) else {}
        if made.get("end") is None:
            made["end"] = made.get("start")
        made.setdefault("text", made.get("fact") or made.get("caption") or made.get("quote") or "")
        return made


def _timed(value: object) -> list[TimedText]:
    """Return what has a time and a text; the rest is left out alone."""
    found = []
    items: Any = _listed(value)
    for item in items:
        try:
            one = item if isinstance(item, TimedText) else TimedText.model_validate(item)
        except ValueError:
            continue
        if one.text:
            found.append(one)
    return found


TimedTexts = Annotated[list[TimedText], pydantic.BeforeValidator(_timed)]


class SceneCaptions(Answer):
    """What a stretch of the video shows, scene by scene in order of time; facts only."""

    scenes: TimedTexts = []

    @pydantic.model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:  # noqa: ANN401 -- whatever a model wrote
        return {"scenes": value} if isinstance(value, list) else value

    @property
    def usable(self) -> bool:
        """Whether it describes anything: no picture shows nothing."""
        return bool(self.scenes)


class RankedScenes(Answer):
    """Numbers of the scenes that may matter, by score; scenes that are not named are irrelevant."""

    direct: Annotated[list[int], pydantic.BeforeValidator(_numbers)] = []
    related: Annotated[list[int], pydantic.BeforeValidator(_numbers)] = []

    @property
    def usable(self) -> bool:
        """Whether it picks, or says that there is nothing to pick."""
        return bool(self.model_fields_set)


class Findings(Answer):
    """What was seen.

    Attributes:
        facts: What can be observed, with times, in order.
        suggests: The answer that these frames alone suggest; empty where they suggest none.
        settles: Whether they alone settle the question.
        unclear: What could not be made out.
    """

    facts: TimedTexts = []
    suggests: Text = ""
    settles: Flag = False
    unclear: Text = ""

    @property
    def usable(self) -> bool:
        """Whether it says what was seen, be it nothing."""
        return bool(self.model_fields_set & {"facts", "suggests", "unclear"})


class SubtitleReading(Answer):
    """What the subtitles say.

    Attributes:
        relevant: Lines that bear on the question, word for word, with their times.
        entities_and_sentiment: Who and what is named, and how it is spoken of.
        topic: One sentence on what is talked about.
        suggests: The answer that the lines suggest; empty where they suggest none.
        settles: Whether they alone settle the question.
    """

    relevant: TimedTexts = []
    entities_and_sentiment: Text = ""
    topic: Text = ""
    suggests: Text = ""
    settles: Flag = False

    @property
    def usable(self) -> bool:
        """Whether it says what bears on the question, be it nothing."""
        return "relevant" in self.model_fields_set


class PlannedLook(Answer):
    """What the perception agent does next: `inspect`, `summary`, `compare` or `done`."""

    tool: Annotated[
        Literal["inspect", "summary", "compare", "done"],
        pydantic.BeforeValidator(lambda value: _text(value).casefold()),
    ]
    spans: Spans = []
    cue: Text = ""
    conclusion: Text = ""


class Critique(Answer):
    """Whether an answer is credible, and what is missing where it is not."""

    credible: Flag
    comment: Text = ""
    missing: Texts = []
    reopen: Spans = []


class Conclusion(Answer):
    """The best answer to what was found."""

    answer: Text = ""
    choice: Text = ""
    evidence: Texts = []
