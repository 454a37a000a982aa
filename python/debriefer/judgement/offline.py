"""The judge of a machine without a model: it abstains where it cannot tell."""

from __future__ import annotations

from debriefer.judgement.model import VideoVerdict
from debriefer.judgement.slides import JudgedVideo


def judge_offline(question: str, knowledge: str, video: JudgedVideo) -> VideoVerdict:
    """Return the verdict of layout trees and table matching alone.

    Args:
        question: The question.
        knowledge: The task's business notes.
        video: Slides and narration.
    """
    del question, knowledge, video
    return VideoVerdict(finding="unknown", judge="offline", reason="without a model it cannot be told")
