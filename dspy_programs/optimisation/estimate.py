"""What an optimisation will ask, told before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from debriefer.models import Models, ModelSettings, Totals
from debriefer.models.engine import cost_of
from dspy_programs.optimisation.optimisers import Plan
from dspy_programs.optimisation.programs import Compilable

# A prompt to the model that writes instructions shows a handful of tasks; measured on none, so an even number.
_PROMPT_TOKENS = (8_000, 1_000)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Upper bounds where the optimiser is concerned, guesses or measured means where a run of the program is.

    Attributes:
        runs: Runs of the program, before and after included.
        prompts: Requests to the model that writes instructions.
        requests: Requests in all.
        input_tokens: Prompt tokens in all.
        output_tokens: Reply tokens in all.
        cost: Money, `None` where a price is unknown.
        based_on: `guess`, or how many runs were measured.
    """

    runs: int
    prompts: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    based_on: str
    _settings: tuple[ModelSettings, ModelSettings]

    def measured(self, used: Totals, runs: int) -> Estimate:
        """Return the estimate with the means of some runs in place of guesses."""
        means = (used.requests / runs, used.input_tokens / runs, used.output_tokens / runs)
        return _total(self.runs, self.prompts, means, self._settings, f"{runs} runs")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "runs": self.runs,
            "prompts": self.prompts,
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "based_on": self.based_on,
        }

    def __str__(self) -> str:
        """The estimate in one line, for a person."""
        money = "prices unknown" if self.cost is None else f"cost {self.cost:.2f}"
        return (
            f"at most {self.runs} runs of the program and {self.prompts} prompts for instructions; "
            f"about {self.requests:,} requests, {self.input_tokens:,} tokens in, {self.output_tokens:,} out, {money} "
            f"(by {self.based_on})"
        )


def estimated(entry: Compilable, plan: Plan, dev: int, models: Models) -> Estimate:
    """Return what an optimisation will ask, by what runs of the program usually take.

    Args:
        entry: The program.
        plan: What the optimiser will do.
        dev: Tasks that are measured on, twice.
        models: For the prices.
    """
    means = (entry.requests, entry.requests * entry.input_tokens, entry.requests * entry.output_tokens)
    settings = (models.settings(entry.role), models.settings("reflection"))
    return _total(plan.runs + 2 * dev, plan.prompts, means, settings, "guess")


def _total(
    runs: int,
    prompts: int,
    means: tuple[float, float, float],
    settings: tuple[ModelSettings, ModelSettings],
    based_on: str,
) -> Estimate:
    given, made = round(runs * means[1]), round(runs * means[2])
    extra = (prompts * _PROMPT_TOKENS[0], prompts * _PROMPT_TOKENS[1])
    prices = (cost_of(settings[0], given, made, None), cost_of(settings[1], *extra, None))
    cost = None if None in prices else sum(price for price in prices if price is not None)
    requests = round(runs * means[0]) + prompts
    return Estimate(runs, prompts, requests, given + extra[0], made + extra[1], cost, based_on, settings)
