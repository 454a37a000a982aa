"""How the Solver runs on a model."""

from __future__ import annotations

from dataclasses import dataclass

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
    """

    requests: int = 80
    unreadable_replies: int = 4
    native_tools: bool = False
    vision: bool = False
    context_window: int = 32_768
    reply_tokens: int = _REPLY_TOKENS


def settings_for(model: ModelSettings, *, requests: int = 80) -> SolverSettings:
    """Return the settings that fit a model; `requests` is the largest number of requests in a run."""
    # A reply never needs more than a quarter of the window, whatever the endpoint would allow.
    reply = min(model.max_output_tokens or _REPLY_TOKENS, model.context_window // 4)
    return SolverSettings(
        requests=requests,
        native_tools=model.native_tools,
        vision=model.vision,
        context_window=model.context_window,
        reply_tokens=reply,
    )
