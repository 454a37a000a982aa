"""Which of the two Solvers works with a model."""

from __future__ import annotations

from typing import Literal

from debriefer.models import ModelSettings
from debriefer.models.local import is_local
from dspy_programs.oneshot.program import OneShot, oneshot_settings_for
from dspy_programs.solver import Solver, settings_for

SolverChoice = Literal["agent", "oneshot", "auto"]
# The agent's rules, tools and briefing take half of this, and what it reads in its turns needs the other half.
_AGENT_WINDOW = 16_384


def chosen_solver(choice: SolverChoice, model: ModelSettings) -> Literal["agent", "oneshot"]:
    """Return which Solver `choice` means for a model.

    `auto` takes the agent, unless the model is a file in this process (`local:`), or its window is smaller than 16,384
    tokens and it has no tool calls of its own: such models lose themselves in a loop of turns.

    >>> chosen_solver("auto", ModelSettings("openai/gpt-4o", native_tools=True, context_window=128_000))
    'agent'
    >>> chosen_solver("auto", ModelSettings("local:/models/small.gguf", context_window=32_768))
    'oneshot'
    >>> chosen_solver("auto", ModelSettings("openai/small", context_window=8_192))
    'oneshot'
    >>> chosen_solver("agent", ModelSettings("local:/models/small.gguf"))
    'agent'
    """
    if choice != "auto":
        return choice
    small = model.context_window < _AGENT_WINDOW and not model.native_tools
    return "oneshot" if is_local(model.model) or small else "agent"


def make_solver(
    choice: SolverChoice,
    model: ModelSettings,
    *,
    requests: int = 80,
    compression: ModelSettings | None = None,
) -> Solver | OneShot:
    """Return the Solver that `choice` means for a model, with settings that fit it.

    Args:
        choice: `agent`, `oneshot` or `auto`.
        model: The model that solves.
        requests: Largest number of requests in a run.
        compression: The model that compresses older turns of the agent; `None` where it is the same.
    """
    if chosen_solver(choice, model) == "oneshot":
        return OneShot(oneshot_settings_for(model, requests=requests))
    return Solver(settings_for(model, requests=requests, compression=compression))
