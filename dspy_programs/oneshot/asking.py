"""How the one-shot programs ask: by schema where the model's endpoint constrains replies, else in DSPy's own form."""

from __future__ import annotations

import re

import dspy
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMError

from debriefer.errors import BudgetExceededError
from debriefer.models import budget_error
from dspy_programs.solver.result import Reason

# What a model, an endpoint or a bound does to a step; anything else is a fault of ours and is raised.
FAILURES = (LMError, AdapterParseError, ValueError, BudgetExceededError)
_FENCE = re.compile(r"\A\s*```(?:\w+)?\s*\n?(.*?)\n?```", re.DOTALL)


def adapter() -> dspy.Adapter:
    """Return the adapter that fits DSPy's current model."""
    lm = dspy.settings.lm
    constrained = bool(lm.supports_response_schema) and "response_format" in lm.supported_params
    return dspy.JSONAdapter() if constrained else dspy.ChatAdapter()


def statement_of(text: str | None) -> str:
    r"""Return the statement in a model's reply: without a fence of Markdown, a label and a closing `;`.

    >>> statement_of("```sql\nSELECT 1;\n```")
    'SELECT 1'
    """
    plain = (text or "").strip()
    found = _FENCE.match(plain)
    if found is not None:
        plain = found[1]
    plain = re.sub(r"\A\s*sql\s*[::]?\s*\n", "", plain, flags=re.IGNORECASE).strip()
    return plain.rstrip(";").strip()


def ending_of(error: Exception) -> tuple[Reason, str]:
    """Return why a run ends with an error, as the Solver says it."""
    bound = budget_error(error)
    if bound is not None:
        return "budget", bound.message
    first = next(iter((str(error).strip() or type(error).__name__).splitlines()))[:300]
    if isinstance(error, ContextWindowExceededError):
        return "context window", first
    if isinstance(error, LMError):
        return "model error", first
    return "unreadable replies", "the reply has no form that can be read"
