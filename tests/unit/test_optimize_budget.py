"""`--budget`: an effort and bounds in one word."""

from __future__ import annotations

import pytest

from debriefer.cli.optimize import BudgetFormError, parsed_budget
from debriefer.models import Budget


@pytest.mark.parametrize(
    ("text", "effort", "budget"),
    [
        ("", "light", Budget(requests=None)),
        ("heavy", "heavy", Budget(requests=None)),
        ("medium, requests=500 ,cost=2.5", "medium", Budget(requests=500, cost=2.5)),
        ("tokens=1000,output-tokens=10,seconds=1.5", "light", Budget(None, 1000, 10, None, 1.5)),
    ],
)
def test_effort_and_bounds(text: str, effort: str, budget: Budget) -> None:
    assert parsed_budget(text) == (effort, budget)


@pytest.mark.parametrize(
    "text", ["huge", "light,medium", "requests", "requests=x", "requests=1,requests=2", "cost=-1", "tokens=1.5"]
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BudgetFormError, match="`--budget` cannot be read") as caught:
        parsed_budget(text)
    assert "medium,requests=500" in (caught.value.hint or "")
