"""A script: pages, how long each stands, how it comes, what moves on top, and the task behind it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.briefings.pages import Page
from benchmarks.briefings.stories import Question, Story


@dataclass(frozen=True, slots=True)
class Step:
    """One page for a while.

    Attributes:
        page: What is shown.
        hold: How long it stands still, in seconds.
        entry: How it comes: `cut`, `fade`, `push`.
        seconds: How long it takes to come; 0 for a cut.
        slide: Number of the slide; build-ups and little changes of one slide share it.
        say: What is said, in English, while it stands.
        watch: What differs from the step before where it is little: `cell`, `digit`, `state`, `bullet`.
    """

    page: Page
    hold: float = 3.0
    entry: str = "cut"
    seconds: float = 0.0
    slide: int = 0
    say: str = ""
    watch: str = ""


@dataclass(frozen=True, slots=True)
class FalseLead:
    """A decoy before pages have numbers: its kind, its page (`None`: spoken), its values and why it is none."""

    kind: str
    page: Page | None
    values: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that makes a video but its encoding.

    Attributes:
        kind: Kind of script.
        seed: Seed.
        story: The data.
        theme: Name of the colours.
        steps: The pages in order of time.
        question: What is asked.
        verdict: The right verdict.
        shown: Pages that show the complete answer; empty where none does.
        leads: The decoys.
        head: Whether someone speaks in an inset.
        clock: Whether a clock ticks.
        cursor: Whether a cursor moves.
        grain: Standard deviation of the noise on luma, in levels of 256; 0 for none.
        needs_speech: Whether the answer depends on what is said.
    """

    kind: str
    seed: int
    story: Story
    theme: str
    steps: tuple[Step, ...]
    question: Question
    verdict: str
    shown: tuple[Page, ...] = ()
    leads: tuple[FalseLead, ...] = ()
    head: bool = False
    clock: bool = False
    cursor: bool = False
    grain: float = 0.0
    needs_speech: bool = False
