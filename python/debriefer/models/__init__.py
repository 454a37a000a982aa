"""Language models for the programs: settings, roles, budgets, retries, records.

Importing this costs nothing; DSPy is loaded when a model is first asked.

    models = Models.from_environment()
    with models.using("solver", Meter(Budget(requests=80))):
        program(question=neutralise(question))
"""

from __future__ import annotations

from debriefer.errors import BudgetExceededError, ModelError
from debriefer.models.budget import Budget, Meter, budget_error, current_meters, metered
from debriefer.models.journal import Journal, Paid
from debriefer.models.ledger import Call, Ledger, Totals
from debriefer.models.limiter import Limiter
from debriefer.models.registry import Models
from debriefer.models.retry import RetryPolicy
from debriefer.models.settings import ROLES, ModelSettings
from debriefer.models.text import count_image_tokens, count_tokens, neutralise, neutralise_all

__all__ = [
    "ROLES",
    "Budget",
    "BudgetExceededError",
    "Call",
    "Journal",
    "Ledger",
    "Limiter",
    "Meter",
    "ModelError",
    "ModelSettings",
    "Models",
    "Paid",
    "RetryPolicy",
    "Totals",
    "budget_error",
    "count_image_tokens",
    "count_tokens",
    "current_meters",
    "metered",
    "neutralise",
    "neutralise_all",
]
