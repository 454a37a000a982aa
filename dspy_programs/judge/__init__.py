"""The video judge: EXTRACT, ALIGN and DECIDE, asked several times, and the vote on what they say."""

from dspy_programs.judge.alignment import shape_kept
from dspy_programs.judge.assembly import judge_task, judge_task_async, task_material
from dspy_programs.judge.material import Material, material_of
from dspy_programs.judge.program import VideoJudge
from dspy_programs.judge.signatures import AlignClaim, DecideUse, ExtractClaim
from dspy_programs.judge.voted import (
    Judgement,
    RoundRecord,
    judge_round,
    judge_round_async,
    judge_voted,
    judge_voted_async,
)

__all__ = [
    "AlignClaim",
    "DecideUse",
    "ExtractClaim",
    "Judgement",
    "Material",
    "RoundRecord",
    "VideoJudge",
    "judge_round",
    "judge_round_async",
    "judge_task",
    "judge_task_async",
    "judge_voted",
    "judge_voted_async",
    "material_of",
    "shape_kept",
    "task_material",
]
