"""The reflection agent: whether an answer is credible, or what is missing."""

from __future__ import annotations

import dspy

from dspy_programs.longvideo.asking import Asker
from dspy_programs.longvideo.signatures import ReviewAnswer
from dspy_programs.longvideo.state import Board, Step
from dspy_programs.longvideo.values import Critique


class ReflectionAgent(dspy.Module):
    """Reviews an answer; may name times to look at again."""

    def __init__(self) -> None:
        super().__init__()
        self.review = dspy.Predict(ReviewAnswer)

    def forward(self, board: Board, step: Step, asker: Asker, proposed: str, trajectory: str) -> Critique | None:
        """Review once; `None` where the review could not be made or read, which is no approval.

        Args:
            board: The run's state.
            step: The observation is put there.
            asker: The door to the models.
            proposed: The answer as proposed.
            trajectory: All steps as text.
        """
        reply = asker.ask(
            self.review,
            "critique",
            Critique,
            question=board.question,
            trajectory=trajectory,
            proposed_answer=proposed,
        )
        if reply.value is None:
            step.unknown.append(f"the answer was not reviewed: {reply.error}")
            return None
        critique = reply.value
        if critique.credible:
            step.observation = "the answer is credible"
        else:
            missing = f" Missing: {'; '.join(critique.missing)}" if critique.missing else ""
            step.observation = f"CRITIQUE: {critique.comment or 'the answer is not credible'}{missing}"
        return critique
