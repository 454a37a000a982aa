"""Whether a task's video shows the answer: what judges say, the look-up of each claimed cell, and the vote."""

from debriefer.judgement.check import unsupported_cells
from debriefer.judgement.model import (
    AnswerShape,
    ClaimedCell,
    Decision,
    Distractor,
    Scope,
    VideoClaim,
    VideoVerdict,
)
from debriefer.judgement.slides import JudgedSlide, JudgedSpeech, JudgedVideo, prepared_video
from debriefer.judgement.vote import Round, vote

__all__ = [
    "AnswerShape",
    "ClaimedCell",
    "Decision",
    "Distractor",
    "JudgedSlide",
    "JudgedSpeech",
    "JudgedVideo",
    "Round",
    "Scope",
    "VideoClaim",
    "VideoVerdict",
    "prepared_video",
    "unsupported_cells",
    "vote",
]
