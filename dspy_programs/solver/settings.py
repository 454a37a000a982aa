"""How the Solver runs on a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from debriefer.models import ModelSettings

_REPLY_TOKENS = 4_096


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """How the Solver runs on a model.

    Attributes:
        requests: Largest number of requests in a run, compressions and retries included (80 in the specification).
            A run inside a `debriefer.models.metered` block also keeps to the budget of that block.
        unreadable_replies: Replies in a row that may be unreadable before the run ends.
        native_tools: Use the model's own tool calls.
        vision: Show pictures.
        context_window: Tokens that prompt and reply may have together.
        reply_tokens: Room that is kept for a reply.
        temperature: Sampling temperature of the model; `None` where the endpoint decides.
        compression_window: The context window of the model that compresses, where it is another one.
    """

    requests: int = 80
    unreadable_replies: int = 4
    native_tools: bool = False
    vision: bool = False
    context_window: int = 32_768
    reply_tokens: int = _REPLY_TOKENS
    temperature: float | None = None
    compression_window: int | None = None


def settings_for(
    model: ModelSettings, *, requests: int = 80, compression: ModelSettings | None = None
) -> SolverSettings:
    """Return the settings that fit a model.

    Args:
        model: The model that solves.
        requests: Largest number of requests in a run.
        compression: The model that compresses older turns; `None` where it is the same.
    """
    # A reply never needs more than a quarter of the window, whatever the endpoint would allow.
    reply = min(model.max_output_tokens or _REPLY_TOKENS, model.context_window // 4)
    return SolverSettings(
        requests=requests,
        native_tools=model.native_tools,
        vision=model.vision,
        context_window=model.context_window,
        reply_tokens=reply,
        temperature=model.temperature,
        compression_window=None if compression is None else compression.context_window,
    )


@dataclass(frozen=True, slots=True)
class Retry:
    """An attempt after others that were rejected.

    Attributes:
        number: Number of this attempt, from 2.
        reason: Why the last one was rejected: a `Reason` of the Solver, `no prediction` or `exception`.
        detail: The bound or the error in words.
    """

    number: int
    reason: str
    detail: str = ""

    def remark(self) -> str:
        """Return what the model is told of the attempt before."""
        lesson = _LESSONS.get(self.reason, _LESSONS["exception"])
        return (
            f"This is attempt {self.number}, with a fresh `solver.py`. The attempt before was rejected: {lesson} "
            "Read the question anew, and do not take the same way by habit."
        )

    def config(self, temperature: float | None) -> dict[str, Any]:
        """Return how requests of this attempt are sampled; the same for the same attempt.

        At temperature 0 the same prompt would get the same answer, and a cache would replay it at any.

        Args:
            temperature: The model's own temperature, `None` where the endpoint decides.
        """
        step = self.number - 2
        warmer = 0.7 + 0.1 * step if temperature is None else max(temperature, temperature + 0.25 * (step + 1))
        return {"temperature": round(max(min(warmer, 1.0), temperature or 0.0), 2), "cache": False}


# The spec accepts a run that ended by itself and left a file; each lesson names the part that was missing.
_LESSONS = {
    "no prediction": "it ended without a `prediction.csv`. Run `solver.py` with your query in it before you end.",
    "budget": "it ran out of requests, tokens or time. Write a query early, run it, and end once it fits the question.",
    "unreadable replies": "too many of its replies had no form that could be read. Keep to the form of a reply.",
    "context window": "it outgrew the context window. Ask for fewer rows and columns at once.",
    "model error": "the model's endpoint failed, through no fault of yours.",
    "exception": "it was cut off by an error that was not yours.",
}
