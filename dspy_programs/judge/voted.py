"""The judge asked several times at once, and the verdict of all rounds."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from debriefer.judgement import Round, VideoVerdict, vote
from debriefer.models import Budget, Meter, Models, Totals, metered
from dspy_programs.judge.material import Material
from dspy_programs.judge.program import VideoJudge

ROUNDS = 5
# A vote needs samples that can differ.
_WARM = 0.7


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round with its log and what it used.

    Attributes:
        round: What it gave.
        steps: By step the messages and the reply, as JSON values.
        totals: Requests, tokens and cost.
        seconds: Wall time.
    """

    round: Round
    steps: dict[str, dict[str, Any]]
    totals: Totals
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values, for `vote{i}.json`."""
        return {
            "summary": self.round.summary().model_dump(mode="json"),
            "steps": self.steps,
            "usage": self.totals.to_dict(),
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict and how it came about.

    Attributes:
        verdict: Of all rounds together.
        records: The rounds, in the order of their numbers.
        notes: What was left out of the prompt to fit.
    """

    verdict: VideoVerdict
    records: tuple[RoundRecord, ...] = ()
    notes: tuple[str, ...] = ()


def sampling(temperature: float | None, rounds: int) -> dict[str, Any]:
    """Return how the rounds of a vote are sampled.

    Args:
        temperature: The model's own temperature, `None` where the endpoint decides.
        rounds: Number of rounds; at temperature 0 all of several would be one.
    """
    return {"temperature": _WARM} if rounds > 1 and temperature == 0 else {}


def judge_round(judge: VideoJudge, material: Material, models: Models, meter: Meter | None = None) -> RoundRecord:
    """Run one round with the model of the role `judge`."""
    with models.using("judge", meter):
        return _one(judge, material, 1, {})


async def judge_round_async(
    judge: VideoJudge, material: Material, models: Models, meter: Meter | None = None
) -> RoundRecord:
    """Run one round as `judge_round`, with the model asked asynchronously."""
    with models.using("judge", meter):
        return await _one_async(judge, material, 1, {})


def judge_voted(
    judge: VideoJudge,
    material: Material,
    models: Models,
    *,
    rounds: int = ROUNDS,
    meter: Meter | None = None,
    task_id: str = "",
    stopped: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Run `rounds` rounds at once, refill failed ones by at most as many again, and vote.

    Args:
        judge: The program.
        material: What every round reads.
        models: The role `judge` is asked; caching is off.
        rounds: How many rounds.
        meter: Counts all rounds together; a used-up budget ends the refills.
        task_id: The task.
        stopped: Once true, no round is refilled.
    """
    config = sampling(models.settings("judge").temperature, rounds)
    records: list[RoundRecord] = []
    with models.using("judge", meter), ThreadPoolExecutor(rounds, thread_name_prefix="judge") as pool:
        while numbers := _next_rounds(records, rounds, meter, stopped):
            futures = [
                # DSPy's settings and the meters live in the context of the thread that asks.
                pool.submit(contextvars.copy_context().run, _one, judge, material, number, config)
                for number in numbers
            ]
            records += [future.result() for future in futures]
    return _verdict(records, rounds, material, task_id)


async def judge_voted_async(
    judge: VideoJudge,
    material: Material,
    models: Models,
    *,
    rounds: int = ROUNDS,
    meter: Meter | None = None,
    task_id: str = "",
    stopped: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Vote as `judge_voted`, with the model asked asynchronously."""
    config = sampling(models.settings("judge").temperature, rounds)
    records: list[RoundRecord] = []
    with models.using("judge", meter):
        while numbers := _next_rounds(records, rounds, meter, stopped):
            records += await asyncio.gather(*(_one_async(judge, material, number, config) for number in numbers))
    return _verdict(records, rounds, material, task_id)


def _next_rounds(
    records: Sequence[RoundRecord], rounds: int, meter: Meter | None, stopped: Callable[[], bool]
) -> list[int]:
    """Return the numbers of the rounds to run next: all at first, then those that replace failed ones."""
    done = len(records)
    if not done:
        return list(range(1, rounds + 1))
    missing = rounds - sum(record.round.ok for record in records)
    spent = meter is not None and (meter.remaining_requests() == 0 or meter.remaining_seconds() == 0)
    if missing <= 0 or spent or stopped():
        return []
    return list(range(done + 1, min(done + missing, 2 * rounds) + 1))


def _one(judge: VideoJudge, material: Material, number: int, config: dict[str, Any]) -> RoundRecord:
    own, began = _own_meter(), time.perf_counter()
    with metered(own):
        prediction = judge(material=material, number=number, config=config)
    return _record(prediction, own, began)


async def _one_async(judge: VideoJudge, material: Material, number: int, config: dict[str, Any]) -> RoundRecord:
    own, began = _own_meter(), time.perf_counter()
    with metered(own):
        prediction = await judge.acall(material=material, number=number, config=config)
    return _record(prediction, own, began)


def _own_meter() -> Meter:
    return Meter(Budget(requests=None))


def _record(prediction: Any, meter: Meter, began: float) -> RoundRecord:  # noqa: ANN401 -- DSPy's prediction
    return RoundRecord(prediction.round, prediction.log.steps, meter.totals(), round(time.perf_counter() - began, 3))


def _verdict(records: Sequence[RoundRecord], rounds: int, material: Material, task_id: str) -> Judgement:
    ordered = sorted(records, key=lambda record: record.round.number)
    verdict = vote([record.round for record in ordered], rounds, material.video, task_id)
    return Judgement(verdict, tuple(ordered), material.notes)
