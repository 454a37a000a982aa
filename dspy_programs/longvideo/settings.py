"""Limits and constants of a run, of both strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from debriefer.errors import DebrieferError
from debriefer.models import Budget

StrategyName = Literal["paper", "fast"]


class LimitReachedError(DebrieferError):
    """A bound of a run is used up; what was found so far is answered with.

    Attributes:
        bound: Name of the bound.
    """

    def __init__(self, bound: str) -> None:
        super().__init__(f"the bound on {bound} is used up", hint="raise it, or accept what was found so far")
        self.bound = bound


@dataclass(frozen=True, slots=True)
class Limits:
    """What a question may use; all of it is enforced in Python. `None` means no bound.

    Attributes:
        rounds: Steps of the planning agent (15 as published).
        tool_calls: Tool calls of the grounding or perception agent at one instruction (15 as published).
        critiques: Reviews of an answer (3 as published).
        frames: Pictures shown, over all calls; a contact sheet is one.
        requests: Requests that reach an endpoint.
        input_tokens: Prompt tokens.
        output_tokens: Reply tokens.
        cost: Money; needs the prices of the models.
        seconds: Wall time.
    """

    rounds: int = 15
    tool_calls: int = 15
    critiques: int = 3
    frames: int | None = 20_000
    requests: int | None = 2_000
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = 3_600.0

    def budget(self) -> Budget:
        """Return the part that the engine enforces."""
        return Budget(self.requests, self.input_tokens, self.output_tokens, self.cost, self.seconds)


@dataclass(frozen=True, slots=True)
class Strategy:
    """How grounding and perception look.

    Attributes:
        name: `paper` or `fast`.
        sheets: Whether scenes are found by captions of contact sheets that all questions share.
        stop_early: Whether scoring ends at two fours, where the question allows.
        prefilter: Whether scoring begins with the minutes that the texts point to.
        agent_looks: Whether a model chooses each look, or the rule that the published prompt states.
        inspector_frames: Most frames of a look at 10 to 60 s.
        cue_frames: Frames that a cue adds where a look is longer than 30 s.
        summary_frames: Frames of an overview.
        collapse: Whether a stretch whose scene does not change is shown by fewer frames.
    """

    name: StrategyName
    sheets: bool
    stop_early: bool
    prefilter: bool
    agent_looks: bool
    inspector_frames: int
    cue_frames: int
    summary_frames: int
    collapse: bool


PAPER = Strategy("paper", False, False, False, True, 40, 10, 40, False)
FAST = Strategy("fast", True, True, True, False, 12, 4, 16, True)
STRATEGIES: dict[str, Strategy] = {"paper": PAPER, "fast": FAST}

# Scoring: stretches of 60 s with 30 frames (`004_*.txt`, section 1.3.2); what scores more than 1 is kept.
SEGMENT_SECONDS = 60.0
SEGMENT_FRAMES = 30
IRRELEVANT = 1
SETTLING = 4
# Two stretches that settle the question end the scoring where its kind allows (symphony.md, section 6).
ENOUGH_SETTLING = 2
# A look covers 10 to 60 s; from 30 s on a cue adds frames; ranges over 3 min get an overview (section 1.4.3).
LEAST_LOOK, LONGEST_LOOK, CUE_FROM, OVERVIEW_FROM = 10.0, 60.0, 30.0, 180.0
# Scenes of less than 5 s on the whole are shown by one frame every 5 s; four sheets a request.
SHEET_SECONDS = 5.0
SHEETS_A_CALL = 4
# A scene that does not change is shown again after this long: small changes stay below what makes a new scene.
SAME_SCENE_SECONDS = 30.0
# Requests at once; the models' own limiter bounds them further.
THREADS = 8
# Tokens of subtitles in one prompt, of scenes in one ranking, and of the trajectory.
SUBTITLE_TOKENS = 4_000
SCENES_TOKENS = 6_000
# Share of a budget after which the best answer is asked for, so that something is left to ask with.
CLOSE_TO_SPENT = 0.9
