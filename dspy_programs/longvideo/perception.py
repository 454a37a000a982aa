"""The visual perception agent: frame inspector, overview, and several stretches side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import dspy

from debriefer.media.clock import shown_span
from debriefer.media.film import Film, Picture, Sample
from debriefer.media.finding import Finder
from debriefer.media.sampling import Span
from dspy_programs.longvideo.asking import Asker, Reply
from dspy_programs.longvideo.grounding import collapsed_frames
from dspy_programs.longvideo.pictures import frames_of
from dspy_programs.longvideo.settings import CUE_FROM, LEAST_LOOK, LONGEST_LOOK, OVERVIEW_FROM, Strategy
from dspy_programs.longvideo.signatures import CompareSegments, InspectFrames, PlanLook, SummariseFrames
from dspy_programs.longvideo.state import Board, Evidence, EvidenceKind, Step, merged
from dspy_programs.longvideo.values import Findings, PlannedLook

# Facts may lie this far beyond the frames that were shown: models round times.
_SLACK_SECONDS = 1.0
# A look at frames up to this far from a fact is what it rests on.
_NEAR_SECONDS = 2.0
# The agent that asks for the same again this often is at its end.
_MOST_REPEATS = 2


class PerceptionAgent(dspy.Module):
    """Looks at frames; what it finds counts."""

    def __init__(self) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanLook)
        self.inspect = dspy.Predict(InspectFrames)
        self.summarise = dspy.Predict(SummariseFrames)
        self.compare = dspy.Predict(CompareSegments)

    def forward(
        self, board: Board, step: Step, asker: Asker, finder: Finder, strategy: Strategy, video: str
    ) -> list[Evidence]:
        """Carry out one instruction; what was seen is on the board, what could not be seen in the step.

        Args:
            board: The run's state.
            step: Instruction and spans in; observation out. The action `compare` puts the spans side by side.
            asker: The door to the models.
            finder: Finds frames by a cue.
            strategy: How many frames, and who chooses the tools.
            video: The facts of the video.
        """
        run = _Perception(self, board, step, asker, finder, strategy)
        if step.action == "compare":
            run.compared(step.spans)
        elif strategy.agent_looks:
            run.by_agent(video)
        else:
            run.by_rule(step.spans)
        asker.save()
        step.observation = "\n".join(run.lines) or "nothing was seen"
        return run.found


@dataclass(slots=True)
class _Perception:
    agent: PerceptionAgent
    board: Board
    step: Step
    asker: Asker
    finder: Finder
    strategy: Strategy
    calls: int = 0
    found: list[Evidence] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    done: set[tuple[str, tuple[Span, ...]]] = field(default_factory=set)

    @property
    def film(self) -> Film:
        return self.finder.film

    def by_agent(self, video: str) -> None:
        """Let the model choose tool after tool, within 15 calls."""
        repeats = 0
        while self.calls < self.asker.limits.tool_calls and repeats < _MOST_REPEATS and not self.asker.spent:
            planned = ", ".join(shown_span(*span) for span in self.step.spans) or "none given"
            reply = self.asker.ask(
                self.agent.plan,
                "look",
                PlannedLook,
                question=self.board.question,
                instruction=f"{self.step.instruction}\nranges: {planned}",
                video=video,
                observations="\n".join([*self.lines, *self.step.unknown]) or "(nothing was looked at yet)",
            )
            if reply.value is None:
                if not self.calls:
                    # Whoever cannot plan can still look.
                    self.by_rule(self.step.spans)
                return
            look = reply.value
            if look.tool == "done" and (self.calls or not self.step.spans):
                if look.conclusion:
                    self.lines.append(f"in sum: {look.conclusion}")
                return
            spans = tuple(merged([span.pair for span in look.spans], self.film.duration)) or self.step.spans
            before = self.calls
            if look.tool == "compare" and len(spans) > 1:
                self.compared(spans)
            elif look.tool == "summary":
                self.overview(spans[0] if spans else (0.0, self.film.duration))
            else:
                self.by_rule(spans, look.cue)
            repeats += self.calls == before

    def by_rule(self, spans: Sequence[Span], cue: str = "") -> None:
        """Look at spans as the published prompt has it: minutes by relevance, an overview of more than three."""
        spans = merged(spans, self.film.duration)
        if not spans:
            self.overview((0.0, self.film.duration))
            return
        for span in spans:
            if span[1] - span[0] > OVERVIEW_FROM:
                self.overview(span)
        windows = self._windows([span for span in spans if span[1] - span[0] <= OVERVIEW_FROM], cue)
        left = self.asker.limits.tool_calls - self.calls
        fresh = [window for window in windows if ("inspect", (window,)) not in self.done]
        for window in fresh[left:]:
            self.step.unknown.append(f"{shown_span(*window)} was not looked at: the tool calls are used up")
        fresh = fresh[:left]
        samples = self.asker.together([partial(self._pictures, window, cue) for window in fresh])
        tasks = [
            partial(self._ask, self.agent.inspect, [window], sample)
            for window, sample in zip(fresh, samples, strict=True)
        ]
        for window, sample, reply in zip(fresh, samples, self.asker.together(tasks), strict=True):
            self.calls += 1
            self.done.add(("inspect", (window,)))
            self._record("seen", [window], sample, reply)

    def overview(self, span: Span) -> None:
        """Look at frames spread over a long range."""
        if not self._call("summary", (span,)):
            return
        sample = self.film.sample([span], self.strategy.summary_frames)
        self._record("overview", [span], sample, self._ask(self.agent.summarise, [span], sample))

    def compared(self, spans: Sequence[Span]) -> None:
        """Look at several stretches side by side."""
        spans = tuple(merged(spans, self.film.duration))
        if not spans or not self._call("compare", spans):
            return
        each = max(2, self.strategy.summary_frames // len(spans))
        samples = [self.film.sample([span], each) for span in spans]
        pictures = tuple(picture for sample in samples for picture in sample.pictures)
        sample = Sample(pictures, tuple(time for one in samples for time in one.missing))
        self._record("compared", spans, sample, self._ask(self.agent.compare, spans, sample))

    def _call(self, tool: str, spans: tuple[Span, ...]) -> bool:
        if (tool, spans) in self.done:
            return False
        if self.calls >= self.asker.limits.tool_calls:
            self.step.unknown.append(f"{tool} was not done: the tool calls are used up")
            return False
        self.calls += 1
        self.done.add((tool, spans))
        return True

    def _windows(self, spans: Sequence[Span], cue: str) -> list[Span]:
        """Return windows of 10 to 60 s that cover the spans, the most relevant first."""
        windows = [window for span in spans for window in windows_of(span, self.film.duration)]
        query = cue or self.step.instruction or self.board.question
        hits = self.finder.texts().search(query, None, len(windows) * 4, windows) if len(windows) > 1 else ()

        def rank(window: Span) -> tuple[float, float, float]:
            touching = [g.score or 1 for g in self.board.grounded if g.start < window[1] and g.end > window[0]]
            said = [hit.score for hit in hits if hit.t0 < window[1] and hit.t1 > window[0]]
            return -max(touching, default=0), -max(said, default=0.0), window[0]

        return sorted(windows, key=rank)

    def _pictures(self, window: Span, cue: str) -> Sample:
        sample = self._inspected(window)
        pictures, missing = list(sample.pictures), set(sample.missing)
        if window[1] - window[0] > CUE_FROM:
            shown = {round(picture.time, 2) for picture in pictures}
            cued = self.finder.frames_like(cue or self.step.instruction, window, self.strategy.cue_frames)
            read = [(frame, self.film.read(frame)) for frame in cued if round(frame.pts, 2) not in shown]
            pictures.extend(picture for _, picture in read if picture is not None)
            missing |= {frame.pts for frame, picture in read if picture is None}
        return Sample(tuple(sorted(pictures, key=lambda one: one.time)), tuple(sorted(missing)))

    def _inspected(self, window: Span) -> Sample:
        """Return the frames of a look, even ones, or where scenes stand still the first and last of each."""
        number = self.strategy.inspector_frames
        if self.strategy.collapse:
            frames = [frame for frame in self.film.frames if window[0] <= frame.pts <= window[1]]
            turns = collapsed_frames(frames)
            if 0 < len(turns) <= number:
                read = [(frame, self.film.read(frame)) for frame in turns]
                gone = tuple(frame.pts for frame, picture in read if picture is None)
                return Sample(tuple(picture for _, picture in read if picture is not None), gone)
        return self.film.sample([window], number)

    def _ask(self, predictor: dspy.Predict, spans: Sequence[Span], sample: Sample) -> Reply[Findings]:
        if not sample.pictures:
            return Reply(None, "its frames are gone from the disk" if sample.missing else "it holds no frame")
        stretch = ", ".join(shown_span(*span) for span in spans)
        return self.asker.ask(
            predictor,
            "findings",
            Findings,
            question=self.board.question,
            instruction=self.step.instruction or "find what answers the question",
            stretch=f"{stretch}; {len(sample.pictures)} frames",
            frames=frames_of(sample.pictures),
        )

    def _record(self, kind: EvidenceKind, spans: Sequence[Span], sample: Sample, reply: Reply[Findings]) -> None:
        """Put what was seen on the board; what fails is unknown, and the stretch stays unchecked."""
        where = ", ".join(shown_span(*span) for span in spans)
        if reply.value is None:
            self.step.unknown.append(f"{where} could not be looked at: {reply.error}")
            return
        if sample.missing:
            self.step.unknown.append(f"{len(sample.missing)} frames of {where} are gone from the disk")
        call = self.board.look_done(spans)
        findings = reply.value
        outside = 0
        made = []
        for fact in findings.facts:
            begin, end = min(fact.start, fact.end), max(fact.start, fact.end)
            if not any(begin <= last + _SLACK_SECONDS and end >= first - _SLACK_SECONDS for first, last in spans):
                outside += 1
                continue
            begin, end = max(begin, min(first for first, _ in spans)), min(end, max(last for _, last in spans))
            near = _near(sample.pictures, begin, end)
            made.append(
                self.board.add(
                    kind,
                    begin,
                    max(begin, end),
                    fact.text,
                    frames=tuple(round(picture.time, 3) for picture in near),
                    frame_ids=tuple(picture.frame_id for picture in near if picture.frame_id),
                    call=call,
                    suggests=findings.suggests,
                    settles=findings.settles,
                )
            )
        self.found += made
        self.lines.append(f"{kind} at {where}:" + ("" if made else " nothing that bears on it"))
        self.lines += [one.line() for one in made]
        if findings.suggests and made:
            self.lines.append(f"suggests: {findings.suggests}" + (" (settles it)" if findings.settles else ""))
        if findings.unclear:
            self.lines.append(f"unclear: {findings.unclear}")
        if outside:
            self.lines.append(f"({outside} facts were dropped: their times lie outside of what was shown)")


def windows_of(span: Span, duration: float) -> list[Span]:
    """Return windows of 10 to 60 s that cover a span, as even as they can be.

    >>> windows_of((100.0, 104.0), 600.0), windows_of((0.0, 90.0), 600.0)
    ([(97.0, 107.0)], [(0.0, 45.0), (45.0, 90.0)])
    """
    begin, end = span
    if end - begin < LEAST_LOOK:
        middle = (begin + end) / 2
        begin = max(0.0, min(middle - LEAST_LOOK / 2, duration - LEAST_LOOK))
        return [(begin, min(duration, begin + LEAST_LOOK))]
    number = max(1, -int(-(end - begin) // LONGEST_LOOK))
    edges = [begin + (end - begin) * place / number for place in range(number + 1)]
    return list(pairwise(edges))


def _near(pictures: Sequence[Picture], begin: float, end: float) -> list[Picture]:
    """Return the pictures that a fact rests on: those within its time, else the nearest one."""
    inside = [picture for picture in pictures if begin - 0.01 <= picture.time <= end + 0.01]
    if inside or not pictures:
        return inside
    nearest = min(pictures, key=lambda picture: abs(picture.time - begin))
    return [nearest] if abs(nearest.time - begin) <= _NEAR_SECONDS else []
