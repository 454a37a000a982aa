"""One request about a task's tables as a DSPy program, and several of them at once."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from debriefer.errors import first_line
from debriefer.models import Meter, Models, budget_error
from dspy_programs.judge.program import FAILURES
from dspy_programs.judge.voted import sampling
from dspy_programs.relevance.material import Material
from dspy_programs.relevance.model import Relevance, Round, TableVerdict
from dspy_programs.relevance.signatures import JudgeTables
from dspy_programs.relevance.tally import voted, with_evidence

ROLE = "relevance"
PUBLISHED_ROUNDS = 5
# Requests of a vote in which some fail, as published.
_MOST_BATCHES = 7


class TableRelevanceJudge(dspy.Module):
    """Which tables a question needs; the predictor can be compiled.

    The language model is DSPy's current one. A reply that cannot be read is a failed round.
    """

    def __init__(self) -> None:
        super().__init__()
        self.judge = dspy.Predict(JudgeTables)

    def forward(self, material: Material, number: int = 1, config: Mapping[str, Any] | None = None) -> dspy.Prediction:
        """Ask once.

        Args:
            material: What is read.
            number: The round's number.
            config: How replies are sampled, where not as the model's settings say.

        Returns:
            A prediction with `round`.
        """
        inputs = {name: getattr(material, name) for name in JudgeTables.input_fields}
        try:
            # DSPy would ask again in JSON behind a reply that it cannot read; here that is a failed round.
            with dspy.context(adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
                reply = self.judge(**inputs, config=dict(config or {}))
        except FAILURES as error:
            return dspy.Prediction(round=Round(number, error=_why(error)))
        verdicts, invented = _known(reply.verdicts, material)
        if not verdicts:
            return dspy.Prediction(round=Round(number, error="the reply speaks of no table that there is"))
        return dspy.Prediction(round=Round(number, reply.needs, verdicts, invented))


def _why(error: Exception) -> str:
    spent = budget_error(error)
    if spent is not None:
        return spent.message
    return "the reply has no form that can be read" if isinstance(error, AdapterParseError) else first_line(error)


def _known(verdicts: Sequence[TableVerdict], material: Material) -> tuple[dict[str, TableVerdict], tuple[str, ...]]:
    """Return verdicts by canonical name; of two on one table that keeps it which keeps it."""
    found: dict[str, TableVerdict] = {}
    invented: list[str] = []
    for verdict in verdicts:
        name = material.aliases.get(verdict.table.strip("`\"' ").casefold())
        if name is None:
            invented.append(verdict.table)
        elif name not in found or not found[name].relevant:
            found[name] = verdict.model_copy(update={"table": name})
    return found, tuple(invented)


def judge_tables(
    material: Material,
    models: Models,
    *,
    judge: TableRelevanceJudge | None = None,
    rounds: int = 1,
    meter: Meter | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Relevance:
    """Say which tables are relevant; never raises for what a model or an endpoint does wrong.

    Args:
        material: What is read.
        models: The role `relevance` is asked.
        judge: The program, where it has learned something.
        rounds: Requests that must succeed: 1, with what the data says beside it, or the published 5, which vote alone.
        meter: Counts all requests together.
        stopped: Once true, no failed round is asked again.
    """
    judge = judge or TableRelevanceJudge()
    config = sampling(models.settings(ROLE).temperature, rounds)
    done: list[Round] = []
    with models.using(ROLE, meter), ThreadPoolExecutor(rounds, thread_name_prefix=ROLE) as pool:
        for _ in range(_MOST_BATCHES):
            missing = rounds - sum(one.ok for one in done)
            if missing <= 0 or (done and (stopped() or _spent(meter))):
                break
            numbers = range(len(done) + 1, len(done) + missing + 1)
            # DSPy's settings and the meters live in the context of the thread that asks.
            futures = [
                pool.submit(contextvars.copy_context().run, judge, material=material, number=number, config=config)
                for number in numbers
            ]
            done += [future.result().round for future in futures]
    if rounds == 1:
        return with_evidence(material.names, done, material.evidence)
    return voted(material.names, done)


def _spent(meter: Meter | None) -> bool:
    return meter is not None and (meter.remaining_requests() == 0 or meter.remaining_seconds() == 0)
