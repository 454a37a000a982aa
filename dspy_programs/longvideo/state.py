"""What a run knows so far: where something may be, what was verified, and the steps that led there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from debriefer.media.clock import shown_span
from debriefer.media.retrieval import Bm25
from debriefer.media.sampling import Span
from debriefer.models import count_tokens
from dspy_programs.longvideo.choices import parse_choice

EvidenceKind = Literal["seen", "said", "overview", "compared"]
# Of an observation that has to be shortened this many characters stay.
_STUB_CHARACTERS = 160
_LISTED = 40


@dataclass(slots=True)
class Grounded:
    """A stretch that may matter; it counts for nothing until it was looked at.

    Attributes:
        id: `G1`, `G2`, ...
        start: Begin in seconds.
        end: End in seconds.
        score: 2 to 4, or `None` where nothing scored it.
        caption: What grounding says is there.
        source: `scored`, `retrieved`, `captions`.
        checked: Whether perception has looked at it.
    """

    id: str
    start: float
    end: float
    score: int | None
    caption: str
    source: str
    checked: bool = False

    def line(self) -> str:
        """Return it as the planning agent reads it."""
        score = "" if self.score is None else f" score {self.score}"
        state = "looked at" if self.checked else "NOT looked at yet"
        return f"{self.id} [{shown_span(self.start, self.end)}]{score} ({state}): {self.caption}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A finding that counts: it was seen on frames, or stands in the subtitles.

    Attributes:
        id: `E1`, `E2`, ...
        kind: How it was found.
        start: Begin in seconds.
        end: End in seconds.
        text: The fact, or the quote.
        frames: Times of the frames that were shown for it.
        frame_ids: Their ids in the store, as far as they are there.
        call: Number of the call that it comes from, which groups facts of one look.
        suggests: The answer that the look suggests.
        settles: Whether the look settles the question.
    """

    id: str
    kind: EvidenceKind
    start: float
    end: float
    text: str
    frames: tuple[float, ...] = ()
    frame_ids: tuple[str, ...] = ()
    call: int = 0
    suggests: str = ""
    settles: bool = False

    def line(self) -> str:
        """Return it as the planning agent reads it."""
        return f"{self.id} [{shown_span(self.start, self.end)}] {self.kind}: {self.text}"

    @property
    def key(self) -> tuple[int, int, str]:
        """What makes it another finding than one that is there already."""
        return round(self.start), round(self.end), " ".join(self.text.casefold().split())


@dataclass(slots=True)
class Step:
    """One step of a run.

    Attributes:
        number: From 1.
        agent: `planning`, `grounding`, `subtitles`, `perception`, `reflection`, `rule`.
        action: What was done.
        reason: Why, in the words of who decided.
        instruction: What was to be found out.
        spans: Where.
        observation: What came of it.
        unknown: What could not be found out, and why.
        calls: Questions to models, with their replies.
    """

    number: int
    agent: str
    action: str
    reason: str = ""
    instruction: str = ""
    spans: tuple[Span, ...] = ()
    observation: str = ""
    unknown: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """One line that says what was done."""
        where = ", ".join(shown_span(*span) for span in self.spans)
        parts = [f"step {self.number}: {self.agent}: {self.action}", where, self.instruction]
        return " | ".join(part for part in parts if part)

    def text(self) -> str:
        """Return the step as the planning agent reads it."""
        lines = [self.heading, self.observation, *(f"UNKNOWN: {text}" for text in self.unknown)]
        return "\n".join(line for line in lines if line)

    def to_dict(self) -> dict[str, Any]:
        """Return the step as JSON values."""
        return {
            "number": self.number,
            "agent": self.agent,
            "action": self.action,
            "reason": self.reason,
            "instruction": self.instruction,
            "spans": [list(span) for span in self.spans],
            "observation": self.observation,
            "unknown": list(self.unknown),
            "calls": list(self.calls),
        }


@dataclass(slots=True)
class Board:
    """The state that all agents of a run share.

    Attributes:
        question: With its options.
        duration: Of the video, in seconds.
        choices: The options alone.
        grounded: Stretches that may matter.
        evidence: Findings that count.
        steps: What was done.
        looks: Number of the last call of perception or subtitles.
        compared: Numbers of calls whose findings were put side by side.
        described: Stretches of contact sheets that were described in this run.
    """

    question: str
    duration: float
    choices: tuple[str, ...] = ()
    grounded: list[Grounded] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    looks: int = 0
    compared: set[frozenset[int]] = field(default_factory=set)
    described: set[int] = field(default_factory=set)

    def ground(self, start: float, end: float, score: int | None, caption: str, source: str) -> Grounded:
        """Add a stretch, or better the one that is there already."""
        for one in self.grounded:
            if abs(one.start - start) < 1 and abs(one.end - end) < 1:
                if caption and (one.score or 0) <= (score or 0):
                    one.score, one.caption, one.source = score, caption, source
                return one
        made = Grounded(f"G{len(self.grounded) + 1}", start, end, score, caption, source)
        self.grounded.append(made)
        return made

    def add(self, kind: EvidenceKind, start: float, end: float, text: str, **values: Any) -> Evidence:  # noqa: ANN401
        """Add a finding; one that is there already comes back as it is."""
        made = Evidence(f"E{len(self.evidence) + 1}", kind, start, end, text, **values)
        for one in self.evidence:
            if one.key == made.key and one.kind == kind:
                return one
        self.evidence.append(made)
        return made

    def look_done(self, spans: Iterable[Span]) -> int:
        """Note that some stretches were looked at; return the number of the look."""
        for begin, end in spans:
            for one in self.grounded:
                if min(end, one.end) - max(begin, one.start) >= 0.5 * min(end - begin, one.end - one.start):
                    one.checked = True
        self.looks += 1
        return self.looks

    def unchecked(self) -> list[Grounded]:
        """Return the stretches that nobody has looked at, best first."""
        return sorted((one for one in self.grounded if not one.checked), key=lambda one: (-(one.score or 0), one.start))

    def conflict(self) -> tuple[Evidence, Evidence] | None:
        """Return two findings of different looks that settle the question differently and were not compared yet."""
        # What a comparison found has the last word.
        firm = [one for one in self.evidence if one.settles and one.suggests and one.kind != "compared"]
        for place, one in enumerate(firm):
            for other in firm[place + 1 :]:
                pair = frozenset((one.call, other.call))
                if len(pair) == 2 and pair not in self.compared and self.said(one) != self.said(other):  # noqa: PLR2004 -- two looks
                    return one, other
        return None

    def said(self, evidence: Evidence) -> str:
        """Return what a finding suggests in a form to compare: the letter of the option it names, else its words."""
        letter = parse_choice(self.choices, text=evidence.suggests) if self.choices else None
        return letter or " ".join(evidence.suggests.casefold().strip(" .").split())

    def find(self, names: Iterable[str]) -> list[Evidence]:
        """Return the findings with some ids, in order of time; for a stretch of grounding what was found in it."""
        wanted = {name.strip().strip("[]").upper() for name in names}
        spans = [(one.start, one.end) for one in self.grounded if one.id in wanted]
        found = (
            one
            for one in self.evidence
            if one.id in wanted or any(one.start <= end and one.end >= begin for begin, end in spans)
        )
        return sorted(found, key=lambda one: one.start)

    def nearest(self, text: str, number: int) -> list[Evidence]:
        """Return the findings that share most words with a text, none where they share none."""
        scores = Bm25(one.text for one in self.evidence).scores(text)
        best = sorted(scores, key=lambda place: (-scores[place], place))[:number]
        return [self.evidence[place] for place in best]

    def trajectory(self, budget: int) -> str:
        """Return all steps as text within a budget of tokens; the oldest observations are shortened first."""
        if not self.steps:
            return "(nothing was done yet)"
        texts = [step.text() for step in self.steps]
        if count_tokens("\n\n".join(texts)) <= budget:
            return "\n\n".join(texts)
        facts = [one.line() for one in self.evidence[-_LISTED:]]
        head = ["findings that count:\n" + "\n".join(facts)] if facts else []
        for place, step in enumerate(self.steps[:-1]):
            texts[place] = f"{step.heading}\n{step.observation[:_STUB_CHARACTERS]} … (shortened)"
            kept = "\n\n".join([*head, *texts])
            if count_tokens(kept) <= budget:
                return kept
        for gone in range(len(texts)):
            kept = "\n\n".join([*head, f"({gone} earlier steps left out)", *texts[gone:]])
            if count_tokens(kept) <= budget:
                break
        return kept


def merged(spans: Sequence[Span], duration: float, gap: float = 0.0) -> list[Span]:
    """Return spans in order within the video, those that meet put together.

    >>> merged([(5.0, 9.0), (8.0, 99.0), (20.0, 10.0)], 30.0)
    [(5.0, 30.0)]
    """
    found: list[Span] = []
    for begin, end in sorted((max(0.0, min(span)), min(duration, max(span))) for span in spans):
        if end < begin:
            continue
        if found and begin <= found[-1][1] + gap:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found
