"""The grounding agent: where in the video something is. It never answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import dspy

from debriefer.media.clock import shown_span
from debriefer.media.film import Film, Kept, Picture
from debriefer.media.finding import Finder
from debriefer.media.moments import MOMENTS
from debriefer.media.sampling import Span
from debriefer.models import count_tokens
from dspy_programs.longvideo.asking import Asker, Reply
from dspy_programs.longvideo.pictures import SHEET_CELLS, frames_of, sheets_of
from dspy_programs.longvideo.settings import (
    ENOUGH_SETTLING,
    IRRELEVANT,
    SAME_SCENE_SECONDS,
    SCENES_TOKENS,
    SEGMENT_FRAMES,
    SEGMENT_SECONDS,
    SETTLING,
    SHEET_SECONDS,
    SHEETS_A_CALL,
    THREADS,
    Strategy,
)
from dspy_programs.longvideo.signatures import AnalyseQuestion, CaptionSheets, RankScenes, ScoreSegment
from dspy_programs.longvideo.state import Board, Grounded, Step
from dspy_programs.longvideo.values import QuestionAnalysis, RankedScenes, SceneCaptions, SegmentScore

# What is found by words is taken at its word only where half of the query's words are there.
_STRONG = 0.5
# A rest of a film shorter than this belongs to the segment before it: it may hold no frame at all.
_SHORTEST_SEGMENT = 2.0
_CAPTIONS_PRODUCER = "sheets"
_ISSUES = """
    SELECT role, max(coalesce(TRY_CAST(state AS INTEGER), 0)) FROM text
    WHERE source = 'caption' AND producer = ? GROUP BY role
"""


class GroundingAgent(dspy.Module):
    """Finds stretches that may matter: by words and pictures, or by scoring with a vision model."""

    def __init__(self) -> None:
        super().__init__()
        self.analyse = dspy.Predict(AnalyseQuestion)
        self.score = dspy.Predict(ScoreSegment)
        self.caption = dspy.Predict(CaptionSheets)
        self.rank = dspy.Predict(RankScenes)

    def forward(
        self, board: Board, step: Step, asker: Asker, finder: Finder, strategy: Strategy, video: str
    ) -> list[Grounded]:
        """Carry out one instruction: what was found is on the board, what could not be found out in the step.

        Args:
            board: The run's state.
            step: Instruction in, observation out.
            asker: The door to the models.
            finder: Searches texts and pictures.
            strategy: How.
            video: The facts of the video.
        """
        reply = asker.ask(
            self.analyse,
            "analysis",
            QuestionAnalysis,
            question=board.question,
            instruction=step.instruction,
            video=video,
        )
        # What could not be analysed is taken for difficult.
        analysis = reply.value or QuestionAnalysis(ambiguous=True, needs_full_scan=True)
        if reply.value is None:
            step.unknown.append(f"the question could not be analysed: {reply.error}")
        run = _Grounding(self, board, step, asker, finder, strategy, analysis)
        found = run.by_captions() if strategy.sheets else run.by_kind()
        step.observation = run.told(found)
        return found


@dataclass(slots=True)
class _Grounding:
    agent: GroundingAgent
    board: Board
    step: Step
    asker: Asker
    finder: Finder
    strategy: Strategy
    analysis: QuestionAnalysis
    tools: int = 0
    notes: list[str] = field(default_factory=list)
    partial: list[tuple[float, float, str]] = field(default_factory=list)

    @property
    def film(self) -> Film:
        return self.finder.film

    def by_kind(self) -> list[Grounded]:
        """Retrieve for a simple question, else score; retrieval that finds nothing firm is followed by scoring."""
        if self.analysis.simple and self.analysis.tool.casefold().startswith("retriev"):
            found, strong = self.retrieved(None)
            if strong:
                return found
            self.notes.append("retrieval found nothing firm, so the stretches were scored")
        return self.scored()

    def by_captions(self) -> list[Grounded]:
        """Search captions of contact sheets, rank them where words do not suffice, score where both find nothing."""
        whole = self.captioned()
        found, strong = self.retrieved(None)
        if not (self.analysis.simple and strong):
            ranked = self.ranked()
            # Words alone are weak evidence where a model has picked scenes.
            found = ranked or found
        if found and (strong or whole or any(one.score for one in found)):
            return found
        self.notes.append("the captions name nothing that fits, so the stretches were scored")
        return self.scored()

    def _tool(self) -> bool:
        self.tools += 1
        if self.tools > self.asker.limits.tool_calls:
            self.step.unknown.append("grounding ended: its tool calls are used up")
            return False
        return True

    def retrieved(self, sources: Sequence[str] | None) -> tuple[list[Grounded], bool]:
        """Return the best 15 stretches of 10 s by words and pictures, and whether they fit firmly."""
        if not self._tool():
            return [], False
        queries = [*self.analysis.cues, self.analysis.enhanced_query, self.step.instruction]
        found = self.finder.search(queries, sources=sources)
        if found.note:
            self.step.unknown.append(f"pictures were not searched: {found.note}")
        strong = found.strength >= _STRONG
        made = [
            self.board.ground(one.start, one.end, None, "; ".join(one.why)[:300], "retrieved")
            for one in found.moments
            if strong
        ]
        return made, strong and bool(made)

    def scored(self) -> list[Grounded]:
        """Score the video in stretches of a minute, several at once; return those above 1."""
        if not self._tool():
            return []
        waiting = self._segments()
        found: list[Grounded] = []
        unknown: list[str] = []
        while waiting:
            batch, waiting = waiting[:THREADS], waiting[THREADS:]
            replies = self.asker.together([partial(self._score, span) for span in batch])
            for span, (reply, missing) in zip(batch, replies, strict=True):
                one, why = self._judged(span, reply, missing)
                found += [one] if one is not None else []
                unknown += [f"{shown_span(*span)} {why}"] if why else []
            self.asker.save()
            early = self.strategy.stop_early and not self.analysis.needs_full_scan and not self.analysis.multi_hop
            if self.asker.spent or (early and sum(one.score == SETTLING for one in found) >= ENOUGH_SETTLING):
                break
        self.step.unknown += unknown
        if waiting:
            why = "the budget is used up" if self.asker.spent else "enough was found before"
            rest = f"{len(waiting)} stretches from {shown_span(*waiting[0])} on were not looked at: {why}"
            (self.step.unknown if self.asker.spent else self.notes).append(rest)
        return sorted(found, key=lambda one: one.start)

    def _judged(self, span: Span, reply: Reply[SegmentScore], missing: int) -> tuple[Grounded | None, str]:
        """Return the stretch that a score above 1 makes, and what of it is unknown, and why."""
        score = None if reply.value is None else reply.value.relevance_score
        if reply.value is None or score is None:
            return None, f"could not be judged: {reply.error or 'the reply holds no score from 1 to 4'}"
        if score <= IRRELEVANT:
            # What is gone may be what matters.
            return None, f"could not be judged: nothing is seen there, but {_gone(missing)}" if missing else ""
        text = reply.value.clip_caption
        if reply.value.reasoning:
            text = f"{text} ({reply.value.reasoning})"
        made = self.board.ground(*span, score, text, "scored")
        return made, f"was judged in part: {_gone(missing)}" if missing else ""

    def _segments(self) -> list[Span]:
        spans = segments(self.film.duration)
        if not self.strategy.prefilter:
            return spans
        moments = self.finder.search([*self.analysis.cues, self.analysis.enhanced_query]).moments
        first = [span for span in spans if any(one.start < span[1] and one.end > span[0] for one in moments)]
        return [*first, *(span for span in spans if span not in first)]

    def _score(self, span: Span) -> tuple[Reply[SegmentScore], int]:
        """Return the score of a stretch, and how many of its frames are gone."""
        sample = self.film.sample([span], SEGMENT_FRAMES)
        pictures = collapsed_frames(sample.pictures) if self.strategy.collapse else sample.pictures
        missing = len(sample.missing)
        if not pictures:
            return Reply(None, "its frames are gone from the disk"), missing
        length = span[1] - span[0]
        reply = self.asker.ask(
            self.agent.score,
            "score",
            SegmentScore,
            question=self.board.question,
            analysis=self._analysed(),
            stretch=f"{shown_span(*span)}, {length:.0f} s, {len(pictures)} frames",
            frames=frames_of(pictures),
        )
        return reply, missing

    def _analysed(self) -> str:
        parts = (self.analysis.enhanced_query, self.analysis.scoring_instruction)
        return "\n".join(part for part in parts if part) or self.step.instruction or "(nothing)"

    def captioned(self) -> bool:
        """See to it that the whole film has captions; return whether it has. They are shared by all questions."""
        if not self._tool():
            return False
        producer = captions_producer(self.asker, self.agent)
        # A stretch that is described anew gets captions of the next issue, which stand for it from then on.
        issues: dict[str, int] = dict(self.film.sql(_ISSUES, [producer]))
        stretches = sheet_stretches(self.film)
        absent = [
            number
            for number in range(len(stretches))
            if f"stretch-{number}" not in issues or not (self.asker.remember or number in self.board.described)
        ]
        extents = _Extents(self.film)
        for first in range(0, len(absent), THREADS):
            batch = absent[first : first + THREADS]
            replies = self.asker.together([partial(self._caption, stretches[number]) for number in batch])
            made: list[dict[str, Any]] = []
            for number, (reply, missing) in zip(batch, replies, strict=True):
                shown = stretches[number]
                span = shown[0].pts, shown[-1].pts
                scenes = [] if reply.value is None else reply.value.scenes
                if not scenes:
                    why = reply.error or "the reply describes nothing"
                    self.step.unknown.append(f"{shown_span(*span)} could not be described: {why}")
                else:
                    self.board.described.add(number)
                if scenes and missing:
                    self.step.unknown.append(f"{shown_span(*span)} was described in part: {_gone(missing)}")
                for place, scene in enumerate(scenes, start=1):
                    role = f"stretch-{number}"
                    begin, end = extents.of(shown, min(scene.start, scene.end), max(scene.start, scene.end))
                    if missing:
                        # Not kept: the next question must not take it for all that is there.
                        self.partial.append((begin, end, scene.text))
                        continue
                    made.append(
                        {
                            "id": f"caption-{number:05d}-{place:03d}",
                            "t0": begin,
                            "t1": end,
                            "source": "caption",
                            "text": scene.text,
                            "role": role,
                            "producer": producer,
                            "state": str(issues.get(role, -1) + 1),
                        }
                    )
            self.film.append("text", made)
            self.asker.save()
            self.finder.renew()
            if self.asker.spent:
                break
        return not absent or not self.step.unknown

    def _caption(self, frames: Sequence[Kept]) -> tuple[Reply[SceneCaptions], int]:
        """Return the captions of some frames, and how many of these are gone or broken."""
        pictures = [picture for frame in frames if (picture := self.film.read(frame)) is not None]
        sheets, shown = sheets_of(pictures)
        missing = len(frames) - shown
        if not sheets.images:
            return Reply(None, "its frames are gone from the disk"), missing
        span = shown_span(frames[0].pts, frames[-1].pts)
        return self.asker.ask(self.agent.caption, "captions", SceneCaptions, stretch=span, frames=sheets), missing

    def ranked(self) -> list[Grounded]:
        """Let a model pick scenes by their captions, slide texts and speech; in parts where they are many."""
        if not self._tool():
            return []
        rows = sorted([*self.finder.texts().captions(), *self.partial], key=lambda row: row[0])
        lines = [f"{place}. [{shown_span(t0, t1)}] {text}" for place, (t0, t1, text) in enumerate(rows)]
        replies = self.asker.together([partial(self._rank, part) for part in _parts(lines, SCENES_TOKENS)])
        chosen: dict[int, int] = {}
        for reply in replies:
            if reply.value is None:
                self.step.unknown.append(f"part of the captions could not be ranked: {reply.error}")
                continue
            chosen |= dict.fromkeys(reply.value.related, 2) | dict.fromkeys(reply.value.direct, 3)
        return [
            self.board.ground(rows[place][0], rows[place][1], score, rows[place][2], "captions")
            for place, score in sorted(chosen.items())
            if 0 <= place < len(rows)
        ]

    def _rank(self, lines: Sequence[str]) -> Reply[RankedScenes]:
        return self.asker.ask(
            self.agent.rank,
            "ranked",
            RankedScenes,
            question=self.board.question,
            analysis=self._analysed(),
            scenes="\n".join(lines),
        )

    def told(self, found: Sequence[Grounded]) -> str:
        """Return what the planning agent is told: never an answer, and nothing about what could not be judged."""
        listed = sorted(sorted(found, key=lambda one: -(one.score or 0))[: 2 * MOMENTS], key=lambda one: one.start)
        if listed:
            head = "these stretches may matter; what is said of them was not verified:"
        elif self.step.unknown:
            head = "nothing was found in what could be judged, and not all of it could"
        else:
            head = "nothing relevant was found in the whole video"
        more = [f"({len(found) - len(listed)} more of lower score)"] if len(found) > len(listed) else []
        return "\n".join([head, *(one.line() for one in listed), *more, *self.notes])


def captions_producer(asker: Asker, agent: GroundingAgent) -> str:
    """Return what names the captions of a model and a prompt in the store."""
    return f"{_CAPTIONS_PRODUCER}:{asker.producer(agent.caption)}"


def segments(duration: float) -> list[Span]:
    """Return stretches of a minute that cover a film; a rest too short to hold a frame belongs to the one before.

    >>> segments(121.0)
    [(0.0, 60.0), (60.0, 121.0)]
    """
    spans: list[Span] = []
    begin = 0.0
    while begin < duration:
        end = min(begin + SEGMENT_SECONDS, duration)
        if duration - end < _SHORTEST_SEGMENT:
            end = duration
        spans.append((begin, end))
        begin = end
    return spans


Shown = TypeVar("Shown", Kept, Picture)


def collapsed_frames(frames: Sequence[Shown]) -> list[Shown]:
    """Return frames without those in the middle of a scene that does not change."""
    return [
        frame
        for place, frame in enumerate(frames)
        if frame.scene < 0
        or place in {0, len(frames) - 1}
        or not frames[place - 1].scene == frame.scene == frames[place + 1].scene
    ]


def sheet_stretches(film: Film) -> list[list[Kept]]:
    """Return the frames that contact sheets show, in groups of one request.

    Each scene once, and again every 30 s while it lasts; where scenes last less than 5 s on the whole, as in a film of
    a moving camera, one frame every 5 s.
    """
    begins = {frame.id for frame in film.scenes()}
    chosen: list[Kept] = []
    for frame in film.frames:
        if frame.id in begins or (chosen and frame.pts - chosen[-1].pts >= SAME_SCENE_SECONDS):
            chosen.append(frame)
    if len(chosen) > film.duration / SHEET_SECONDS:
        thinned: list[Kept] = []
        for frame in chosen:
            if not thinned or frame.pts - thinned[-1].pts >= SHEET_SECONDS:
                thinned.append(frame)
        chosen = thinned
    size = SHEET_CELLS * SHEETS_A_CALL
    return [chosen[begin : begin + size] for begin in range(0, len(chosen), size)]


def _gone(missing: int) -> str:
    return f"{missing} of its frames {'is' if missing == 1 else 'are'} gone from the disk"


class _Extents:
    """Knows from when to when scenes last, which a sheet shows by one frame each."""

    def __init__(self, film: Film) -> None:
        self._first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        for frame in film.frames:
            self._first.setdefault(frame.scene, frame.pts)
            self._last[frame.scene] = frame.pts

    def of(self, shown: Sequence[Kept], begin: float, end: float) -> tuple[float, float]:
        """Return from when to when the scenes last whose frames were shown from `begin` to `end`."""
        inside = [place for place, frame in enumerate(shown) if begin - 0.1 <= frame.pts <= end + 0.1]
        if not inside:
            inside = [min(range(len(shown)), key=lambda place: abs(shown[place].pts - begin))]
        first, last = shown[inside[0]], shown[inside[-1]]
        after = shown[inside[-1] + 1].pts if inside[-1] + 1 < len(shown) else float("inf")
        again = inside[0] > 0 and shown[inside[0] - 1].scene == first.scene
        return first.pts if again else self._first[first.scene], max(first.pts, min(self._last[last.scene], after))


def _parts(lines: Sequence[str], budget: int) -> list[list[str]]:
    parts: list[list[str]] = []
    room = 0
    for line in lines:
        size = count_tokens(line) + 1
        if not parts or size > room:
            parts.append([])
            room = budget
        parts[-1].append(line)
        room -= size
    return parts
