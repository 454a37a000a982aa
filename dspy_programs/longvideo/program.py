"""The control loop: plan, ground, read, look, reflect; each limit is enforced here and not in a prompt."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import dspy

from debriefer.media.clock import clock, shown_span
from debriefer.media.film import Film
from debriefer.media.finding import Finder
from debriefer.media.sampling import Span
from debriefer.models import Meter, Models, metered
from dspy_programs.longvideo.asked import checked
from dspy_programs.longvideo.asking import Asker
from dspy_programs.longvideo.choices import LETTERS, bare, parse_choice, with_options
from dspy_programs.longvideo.grounding import GroundingAgent, captions_producer
from dspy_programs.longvideo.perception import PerceptionAgent
from dspy_programs.longvideo.reflection import ReflectionAgent
from dspy_programs.longvideo.result import Citation, VideoAnswer, summed_calls
from dspy_programs.longvideo.settings import CLOSE_TO_SPENT, FAST, Limits, Strategy
from dspy_programs.longvideo.signatures import ConcludeAnswer, PlanStep
from dspy_programs.longvideo.state import Board, Evidence, Step, merged
from dspy_programs.longvideo.subtitles import SubtitleAgent
from dspy_programs.longvideo.values import Conclusion, PlannedStep, TimeSpan

# Share of the planner's window that the steps may fill.
_TRAJECTORY_SHARE = 0.6
# Two plans in a row that cannot be read, and a rule goes on in the planner's place.
_MOST_UNREADABLE = 2
# How many stretches that nobody has looked at are looked at before an answer counts.
_MUST_LOOK = 3
_AGENTS = {"ground": "grounding", "read": "subtitles", "look": "perception", "compare": "perception"}


@dataclass(slots=True)
class _Proposal:
    """An answer that was given but not reviewed, or not accepted."""

    answer: str
    choice: str | None
    evidence: list[Evidence] = field(default_factory=list)


class LongVideo(dspy.Module):
    """Answers a question about a film with five agents; each predictor can be compiled.

    A run never raises for what a model, an endpoint or a bound does: the best answer so far comes back, and says so.
    """

    def __init__(self, strategy: Strategy = FAST, limits: Limits | None = None) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanStep)
        self.conclude = dspy.Predict(ConcludeAnswer)
        self.grounding = GroundingAgent()
        self.perception = PerceptionAgent()
        self.subtitles = SubtitleAgent()
        self.reflection = ReflectionAgent()
        # Not fields that DSPy would save: how long a run may take is not learned.
        self._settings = (strategy, limits or Limits())

    def forward(
        self,
        film: Film,
        question: str,
        models: Models,
        *,
        choices: Sequence[str] = (),
        finder: Finder | None = None,
        meter: Meter | None = None,
        remember: bool = True,
    ) -> dspy.Prediction:
        """Answer one question.

        Args:
            film: The video, made ready.
            question: The question.
            models: The roles `planner`, `grounding`, `subtitles`, `vision` and `reflection` are asked.
            choices: Its options, with or without letters; none for an open question.
            finder: Searches the film; one over its texts alone where `None`.
            meter: Counts the run; one of the limits' own where `None`.
            remember: Whether answers to questions with pictures, and captions, are taken from the film's store.

        Raises:
            MediaError: The question or its options cannot be asked (`checked`).

        Returns:
            A prediction with `result` (`VideoAnswer`), `answer` and `choice`.
        """
        strategy, limits = self._settings
        question, choices = checked(question, choices)
        meter = meter or Meter(limits.budget())
        finder = finder or Finder(film)
        with metered(meter):
            asker = Asker(models, meter, limits, film, remember)
            finder.renew(captions_producer(asker, self.grounding))
            run = _Run(
                self,
                strategy,
                limits,
                Board(with_options(question, choices), film.duration, choices),
                asker,
                finder,
                question,
                choices,
            )
            result = run.answered()
        return dspy.Prediction(result=result, answer=result.answer, choice=result.choice)


@dataclass(slots=True)
class _Run:
    program: LongVideo
    strategy: Strategy
    limits: Limits
    board: Board
    asker: Asker
    finder: Finder
    question: str
    choices: tuple[str, ...]
    best: _Proposal | None = None
    guess: _Proposal | None = None
    critiques: int = 0
    known_before_critique: int = -1
    credible: bool | None = None
    doubt: str = ""
    unreadable: int = 0
    unnamed: bool = False
    unfounded: bool = False
    done: dict[tuple[str, str, tuple[Span, ...]], int] = field(default_factory=dict)
    seen_records: int = 0

    def answered(self) -> VideoAnswer:
        began = time.perf_counter()
        exhausted = self._rounds()
        proposal = self.best
        if proposal is None or exhausted:
            proposal = self._concluded(exhausted) or proposal or self._by_rule() or self.guess or _Proposal("", None)
        self.asker.save()
        return self._result(proposal, exhausted, time.perf_counter() - began)

    def _rounds(self) -> str | None:
        """Run the loop; return the bound that ended it, or `None` where an answer was accepted."""
        for number in range(self.limits.rounds):
            if self.asker.spent:
                return self.asker.spent
            if self.asker.share_spent() >= CLOSE_TO_SPENT:
                return self._closest_bound()
            step = self._planned(self.limits.rounds - number)
            if step is None:
                return self.asker.spent or None
            if step.action == "answer":
                if self._accepted(step):
                    # A review that a bound refused ends the run, too, and not as it should.
                    return self.asker.spent or None
                continue
            self._act(_AGENTS[step.action], step.action, step.reason, step.instruction, self._pairs(step.spans))
        return self.asker.spent or "rounds"

    def _planned(self, left: int) -> PlannedStep | None:
        """Return the next step: the planner's, or a rule's where its plans cannot be read; `None` ends the loop."""
        reply = self.asker.ask(
            self.program.plan,
            "step",
            PlannedStep,
            question=self.board.question,
            video=self._video(),
            trajectory=self._trajectory(),
            limits=f"{left} steps, {self.limits.critiques - self.critiques} reviews of an answer",
        )
        if reply.value is not None:
            self.unreadable = 0
            return reply.value
        if reply.spent:
            return None
        self.unreadable += 1
        step = self._step("planning", "plan", "")
        step.unknown.append(f"the plan could not be read: {reply.error}")
        self._close(step)
        return self._fallback() if self.unreadable < _MOST_UNREADABLE or self._worth_going_on() else None

    def _worth_going_on(self) -> bool:
        """Whether a rule still has something to do in the planner's place."""
        tried = {step.action for step in self.board.steps}
        return "ground" not in tried or bool(self.board.unchecked() and "look" not in tried)

    def _fallback(self) -> PlannedStep:
        tried = {step.action for step in self.board.steps}
        if "ground" not in tried:
            return PlannedStep(action="ground", reason="rule: nothing was searched yet", instruction=self.question)
        if "read" not in tried and self.finder.film.spoken():
            return PlannedStep(action="read", reason="rule: the subtitles were not read", instruction=self.question)
        spans = [TimeSpan(start=one.start, end=one.end) for one in self.board.unchecked()[:_MUST_LOOK]]
        if spans:
            reason = "rule: what grounding names was not looked at"
            return PlannedStep(action="look", reason=reason, instruction=self.question, spans=spans)
        _, suggested = self._suggested()
        return PlannedStep(action="answer", reason="rule: nothing is left to do", answer=suggested)

    def _act(self, agent: str, action: str, reason: str, instruction: str, spans: tuple[Span, ...]) -> Step:
        step = self._step(agent, action, reason, instruction, spans)
        key = (action, " ".join(instruction.casefold().split()), spans)
        if key in self.done:
            # The same request at temperature 0 would give the same reply, at the same price.
            step.observation = f"the same was done in step {self.done[key]}; its observation stands"
            self._close(step)
            return step
        self.done[key] = step.number
        if action == "ground":
            self.program.grounding(self.board, step, self.asker, self.finder, self.strategy, self._video())
        elif action == "read":
            self.program.subtitles(self.board, step, self.asker, self.finder)
        else:
            self.program.perception(self.board, step, self.asker, self.finder, self.strategy, self._video())
        self._close(step)
        return step

    def _accepted(self, step: PlannedStep) -> bool:
        """Whether an answer ends the run: what it rests on was looked at, conflicts compared, the review passed."""
        choice = parse_choice(self.choices, typed=step.choice, text=step.answer) if self.choices else None
        record = self._step("planning", "answer", step.reason)
        record.observation = f"proposed: {step.answer or step.choice}" + (f" ({choice})" if choice else "")
        objection = self._objection(step, choice)
        record.observation += objection
        self._close(record)
        proposal = _Proposal(step.answer or step.choice, choice, self.board.find(step.evidence))
        if objection:
            self.guess = proposal
            return False
        # Whatever ends the run from here on, this is the best answer so far.
        self.best = proposal
        if self._must_look(step) or self._must_compare():
            proposal.evidence = self.board.find(step.evidence)
            return False
        known = len(self.board.evidence)
        if self.critiques >= self.limits.critiques or known == self.known_before_critique:
            return True
        review = self._step("reflection", "review", "")
        critique = self.program.reflection(self.board, review, self.asker, record.observation, self._trajectory())
        self.critiques += 1
        self._close(review)
        if critique is None:
            # A review that cannot be read is no approval; without one the answer stands as what it is.
            return True
        self.credible, self.doubt = critique.credible, "" if critique.credible else critique.comment
        if critique.credible:
            return True
        self.known_before_critique = known
        reopened = self._pairs(critique.reopen)
        if reopened:
            wanted = "; ".join(critique.missing) or critique.comment
            self._act("perception", "look", "the review asks to look again", wanted, reopened)
        return False

    def _objection(self, step: PlannedStep, choice: str | None) -> str:
        """Return what an answer lacks by its form, each time once; nothing where it lacks nothing."""
        if not any(done.action in _AGENTS for done in self.board.steps) and not self.unfounded:
            self.unfounded = True
            return "\nnothing was searched yet, and an answer has to rest on what was seen or said"
        if self.choices and choice is None and (step.answer or step.choice) and not self.unnamed:
            self.unnamed = True
            return "\nthat names none of the options: give the letter of the likeliest one as `choice`"
        return ""

    def _must_look(self, step: PlannedStep) -> bool:
        """Look at what an answer rests on and nobody has looked at; return whether there was something."""
        names = {name.strip().strip("[]").upper() for name in step.evidence}
        cited = [one for one in self.board.grounded if one.id in names and not one.checked]
        loose = self.board.unchecked()[:_MUST_LOOK] if not self.board.evidence else []
        spans = tuple(merged([(one.start, one.end) for one in (cited or loose)], self.board.duration))
        if not spans or self.asker.spent:
            return False
        before = len(self.done)
        self._act("perception", "look", "rule: what grounding names counts once it was seen", self.question, spans)
        return len(self.done) > before

    def _must_compare(self) -> bool:
        """Put two findings that settle the question differently side by side; return whether there were two."""
        pair = self.board.conflict()
        if pair is None or self.asker.spent:
            return False
        one, other = pair
        self.board.compared.add(frozenset((one.call, other.call)))
        wanted = (
            f"{one.id} suggests “{one.suggests}”, {other.id} suggests “{other.suggests}”: which do the frames support?"
        )
        spans = ((one.start, one.end), (other.start, other.end))
        step = self._act("perception", "compare", "rule: findings conflict", wanted, spans)
        return not step.unknown

    def _concluded(self, exhausted: str | None) -> _Proposal | None:
        """Ask for the best answer to what was found, if anything is left to ask with."""
        if not (self.board.evidence or self.board.grounded) or self.asker.spent:
            return None
        step = self._step("planning", "conclude", f"the bound on {exhausted} is used up" if exhausted else "")
        reply = self.asker.ask(
            self.program.conclude,
            "conclusion",
            Conclusion,
            question=self.board.question,
            trajectory=self._trajectory(),
        )
        if reply.value is None:
            step.unknown.append(f"no conclusion: {reply.error}")
            self._close(step)
            return None
        made = reply.value
        choice = parse_choice(self.choices, typed=made.choice, text=made.answer) if self.choices else None
        step.observation = f"concluded: {made.answer or made.choice}"
        self._close(step)
        return _Proposal(made.answer or made.choice, choice, self.board.find(made.evidence))

    def _by_rule(self) -> _Proposal | None:
        """Return what the findings suggest by themselves; `None` where they suggest nothing."""
        said, answer = self._suggested()
        if not answer:
            return None
        choice = parse_choice(self.choices, text=answer) if self.choices else None
        firm = [one for one in self.board.evidence if one.suggests and self.board.said(one) == said]
        return _Proposal(answer, choice, firm)

    def _suggested(self) -> tuple[str, str]:
        """Return what most looks suggest, those that settle the question before others: to compare, and in words."""
        votes: dict[str, tuple[int, int]] = {}
        words: dict[str, str] = {}
        for one in {(e.call, e.suggests): e for e in self.board.evidence if e.suggests}.values():
            said = self.board.said(one)
            settled, number = votes.get(said, (0, 0))
            votes[said] = settled + one.settles, number + 1
            words.setdefault(said, one.suggests)
        best = max(votes, key=lambda said: votes[said], default="")
        return best, words.get(best, "")

    def _result(self, proposal: _Proposal, exhausted: str | None, seconds: float) -> VideoAnswer:
        cited = proposal.evidence or [
            one for one in self.board.evidence if one.suggests and proposal.answer and one.suggests == proposal.answer
        ]
        answer, choice = proposal.answer, proposal.choice
        if choice is not None and parse_choice(self.choices, text=answer) == choice:
            answer = bare(self.choices)[LETTERS.index(choice)]
        if not cited and answer:
            cited = self.board.nearest(f"{self.question} {answer}", _MUST_LOOK)
        unfounded = self._unfounded() if answer or choice else ""
        doubts = [self.doubt, unfounded]
        if answer and not cited and not unfounded:
            doubts.append("it cites nothing that was seen or said")
        files = {frame.id: frame.file for frame in self.finder.film.frames}
        failed = [call["error"] for step in self.board.steps for call in step.calls if call["error"]]
        replied = any(call["error"] == "" for step in self.board.steps for call in step.calls)
        return VideoAnswer(
            question=self.question,
            answer=answer,
            choice=choice,
            choices=self.choices,
            citations=tuple(Citation.of(one, files) for one in sorted(cited, key=lambda one: one.start)),
            abstained=choice is None if self.choices else not answer,
            budget_exhausted=exhausted,
            credible=False if unfounded else self.credible,
            doubt="; ".join(dict.fromkeys(doubt for doubt in doubts if doubt)),
            error=failed[0] if failed and not replied else "",
            steps=tuple(self.board.steps),
            grounded=tuple(
                {"id": one.id, "start": one.start, "end": one.end, "score": one.score, "source": one.source,
                 "caption": one.caption, "checked": one.checked}
                for one in self.board.grounded
            ),
            strategy=self.strategy.name,
            usage=self.asker.meter.totals(),
            calls=summed_calls(self.board.steps),
            seconds=round(seconds, 3),
            notes=tuple(self.finder.film.facts.get("notes", ())),
        )  # fmt: skip

    def _unfounded(self) -> str:
        """Return why an answer rests on nothing, whatever a review says of it; empty where it may rest on a look."""
        if self.board.evidence:
            return ""
        if not any(step.action in _AGENTS for step in self.board.steps):
            return "nothing was searched: it rests on nothing that was seen or said"
        # A look that is asked for again is not made again, and says nothing by itself.
        made = set(self.done.values())
        looks = [step for step in self.board.steps if step.agent == "perception" and step.number in made]
        failed = [text for step in looks for text in step.unknown]
        if looks and all(step.unknown for step in looks):
            return f"it was not verified: {failed[0]}"
        return "" if self.board.looks else "it was not verified: nothing was looked at"

    def _step(self, agent: str, action: str, reason: str, instruction: str = "", spans: tuple[Span, ...] = ()) -> Step:
        return Step(len(self.board.steps) + 1, agent, action, reason, instruction, spans)

    def _close(self, step: Step) -> None:
        """Add a step with the questions that were asked for it."""
        records = self.asker.records[self.seen_records :]
        self.seen_records += len(records)
        step.calls = [record.to_dict() for record in records]
        self.board.steps.append(step)

    def _closest_bound(self) -> str:
        budget, totals = self.asker.meter.budget, self.asker.meter.totals()
        used = {
            "requests": (self.asker.meter.requests, budget.requests),
            "input_tokens": (totals.input_tokens, budget.input_tokens),
            "output_tokens": (totals.output_tokens, budget.output_tokens),
            "cost": (totals.cost, budget.cost),
            "seconds": (self.asker.meter.seconds, budget.seconds),
            "frames": (self.asker.frames, self.limits.frames),
        }
        return max(used, key=lambda name: (used[name][0] / (used[name][1] or 1)) if used[name][1] is not None else -1.0)

    def _pairs(self, spans: Sequence[TimeSpan]) -> tuple[Span, ...]:
        return tuple(merged([span.pair for span in spans], self.board.duration))

    def _video(self) -> str:
        film = self.finder.film
        lines = len(film.spoken())
        said = (
            f"{lines} lines of speech can be read" if lines else f"no speech can be read ({film.facts.get('speech')})"
        )
        return f"length {clock(film.duration)} ({film.duration:.1f} s), from {shown_span(0, film.duration)}; {said}"

    def _trajectory(self) -> str:
        window = self.asker.models.settings("planner").context_window
        return self.board.trajectory(int(window * _TRAJECTORY_SHARE))
