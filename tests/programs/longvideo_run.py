# ruff: noqa: ANN401 -- options of several types
"""What the agents of a long video say, and a run of them."""

from __future__ import annotations

from typing import Any

from debriefer.media.film import Film
from dspy_programs.longvideo import PAPER, Limits, LongVideo, Strategy, VideoAnswer
from tests.doubles.cast import Cast

LINES = [
    (5.0, 8.0, "welcome to the harbour"),
    (40.0, 43.0, "the ferry was late because of fog"),
    (100.0, 103.0, "goodbye from the harbour"),
]
SIMPLE = {"tool": "retrieve", "cues": ["ferry"], "enhanced_query": "the late ferry"}
HARD = {"tool": "score", "involves_action": True, "enhanced_query": "who waves", "scoring_instruction": "a waving hand"}
SCORED = {"relevance_score": 3, "clip_caption": "a man waves"}
SEEN = {
    "facts": [{"start": "00:00:20", "end": "00:00:22", "text": "a man waves"}],
    "suggests": "a man",
    "settles": True,
}
LOOK = {"tool": "inspect", "spans": ["00:00:15-00:00:30"]}
DONE = {"tool": "done", "conclusion": "seen"}
GROUND = {"action": "ground", "instruction": "find the waving"}
LOOK_AT = {"action": "look", "instruction": "who waves", "spans": [["00:00:15", "00:00:30"]]}
ANSWER = {"action": "answer", "answer": "a man", "choice": "B", "evidence": ["E1"]}
FINE = {"credible": True}
CHOICES = ["a woman", "a man", "a child"]


def run(
    film: Film, cast: Cast, strategy: Strategy = PAPER, *, limits: Limits | None = None, **options: Any
) -> VideoAnswer:
    settings = options.pop("settings", {})
    models, _ = cast.models(**settings)
    program = LongVideo(strategy, limits)
    result: VideoAnswer = program(
        film=film, question="Who waves?", models=models, choices=options.pop("choices", CHOICES), **options
    ).result
    return result


def actions(answer: VideoAnswer) -> list[str]:
    return [step.action for step in answer.steps]


def unknowns(answer: VideoAnswer) -> list[str]:
    return [text for step in answer.steps for text in step.unknown]


def observations(answer: VideoAnswer) -> str:
    return "\n".join(step.observation for step in answer.steps)
