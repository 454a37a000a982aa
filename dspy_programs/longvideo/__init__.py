"""Long video: plan, ground, read, look, reflect."""

from dspy_programs.longvideo.asked import checked
from dspy_programs.longvideo.choices import inline_options, parse_choice, with_options
from dspy_programs.longvideo.program import LongVideo
from dspy_programs.longvideo.result import Citation, VideoAnswer, render_transcript
from dspy_programs.longvideo.settings import FAST, PAPER, STRATEGIES, Limits, Strategy
from dspy_programs.longvideo.state import Evidence, Grounded, Step

__all__ = [
    "FAST",
    "PAPER",
    "STRATEGIES",
    "Citation",
    "Evidence",
    "Grounded",
    "Limits",
    "LongVideo",
    "Step",
    "Strategy",
    "VideoAnswer",
    "checked",
    "inline_options",
    "parse_choice",
    "render_transcript",
    "with_options",
]
