"""A folder of predictions against a folder of golds: one score a task and their mean."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring.config import ExactConfig, load_config
from debriefer.scoring.exact import ExactScore, exact_score
from debriefer.scoring.signature import (
    EXTRA_PENALTIES,
    EXTRA_PENALTY,
    SignatureScore,
    check_penalty,
    signature_score,
)

Metric = Literal["signature", "exact"]

PREDICTION = "prediction.csv"
GOLD = "gold.csv"
CONFIGS = ("config.json", "eval_config.json")


@dataclass(frozen=True, slots=True)
class TaskScore:
    """One task's score.

    Attributes:
        task: Name of the task's folder, or of the prediction file where two files were compared.
        result: What the metric says, or why it can say nothing: the task's gold or configuration is broken.
        counted: Whether the task is part of the mean; an exact run with frozen configurations leaves out the others,
            and a task whose gold or configuration is broken has no score to count.
    """

    task: str
    result: SignatureScore | ExactScore | ScoringError
    counted: bool = True

    @property
    def score(self) -> float | None:
        """The task's score, 0 to 1; `None` where its gold or configuration is broken."""
        return None if isinstance(self.result, ScoringError) else self.result.score

    @property
    def frozen(self) -> bool:
        """Whether an author's configuration decided; always false for the signature metric, which needs none."""
        return isinstance(self.result, ExactScore) and not self.result.inferred

    @property
    def reason(self) -> str | None:
        """Why it is below 1 or has no score, or `None`."""
        return self.result.message if isinstance(self.result, ScoringError) else self.result.reason

    def as_dict(self) -> dict[str, Any]:
        """Return the score with its parts, ready for JSON."""
        parts: dict[str, Any] = {"task": self.task, "score": self.score, "reason": self.reason}
        match self.result:
            case SignatureScore() as result:
                parts |= {
                    "recall": result.recall,
                    "matched": result.matched,
                    "extra": result.extra,
                    "gold_columns": result.gold_columns,
                    "predicted_columns": result.predicted_columns,
                    "at": {str(penalty): result.at(penalty) for penalty in EXTRA_PENALTIES},
                }
            case ExactScore() as result:
                parts |= {"passed": result.passed, "inferred": result.inferred, "counted": self.counted}
            case ScoringError():
                parts |= {"counted": self.counted}
        return parts


@dataclass(frozen=True, slots=True)
class RunScore:
    """A run's score.

    Attributes:
        metric: `signature` or `exact`.
        extra_penalty: λ of the signature metric.
        tasks: One score for every task that has a gold, in natural order.
        unexpected: Predictions without a gold; they do not count.
    """

    metric: Metric
    extra_penalty: float
    tasks: tuple[TaskScore, ...]
    unexpected: tuple[str, ...] = field(default=())

    @property
    def broken(self) -> tuple[str, ...]:
        """The tasks that have no score, because their gold or configuration is broken."""
        return tuple(task.task for task in self.tasks if isinstance(task.result, ScoringError))

    @property
    def n(self) -> int:
        """How many tasks the mean is over."""
        return sum(task.counted for task in self.tasks)

    @property
    def score(self) -> float:
        """Plain mean over tasks, 0 to 1."""
        return self._mean([task.score for task in self.tasks if task.counted and task.score is not None])

    @property
    def by_penalty(self) -> dict[float, float]:
        """The mean under each usual λ; empty for the exact metric, which has none."""
        results = [task.result for task in self.tasks if isinstance(task.result, SignatureScore)]
        if not results:
            return {}
        return {penalty: self._mean([result.at(penalty) for result in results]) for penalty in EXTRA_PENALTIES}

    def as_dict(self) -> dict[str, Any]:
        """Return the run and its tasks, ready for JSON."""
        return {
            "metric": self.metric,
            "n": self.n,
            "score": self.score,
            "lambda": self.extra_penalty if self.metric == "signature" else None,
            "by_lambda": {str(penalty): score for penalty, score in self.by_penalty.items()},
            "tasks": [task.as_dict() for task in self.tasks],
            "unexpected": list(self.unexpected),
            "broken": list(self.broken),
        }

    @staticmethod
    def _mean(scores: list[float]) -> float:
        return math.fsum(scores) / len(scores) if scores else 0.0


def score_run(
    predictions: Path,
    gold: Path,
    metric: Metric = "signature",
    *,
    extra_penalty: float = EXTRA_PENALTY,
    configs: Path | None = None,
) -> RunScore:
    """Score predictions against golds.

    Args:
        predictions: A folder of `task_N/prediction.csv`, or one file.
        gold: A folder of `task_N/gold.csv`, or one file. Every gold is a task; one without a prediction scores 0.
        metric: `signature` (a number a task) or `exact` (passed or failed).
        extra_penalty: λ of the signature metric.
        configs: A folder of frozen configurations `task_N.json` for the exact metric. Beside it, a `config.json` or
            `eval_config.json` next to a gold is used. Where any task has one, only tasks that have one count, as in
            the final benchmark; where none has, all are guessed from the golds.

    Returns:
        One score a task and their plain mean. A task whose gold or configuration is broken has none: it says why and
        does not count, for no prediction could be right or wrong there.

    Raises:
        MissingFileError: A path does not exist.
        ScoringError: There is no gold, or every gold or configuration is broken; a broken prediction only scores 0.
    """
    check_penalty(extra_penalty)
    if metric not in {"signature", "exact"}:
        message = f"there is no metric `{metric}`"
        raise ScoringError(message, hint="use `signature` or `exact`")
    for path, holds in (
        (predictions, f"the folder that holds `task_N/{PREDICTION}`, or one file"),
        (gold, f"the folder that holds `task_N/{GOLD}`, or one file"),
        (configs, "the folder that holds `task_N.json`"),
    ):
        if path is not None and not path.exists():
            message = f"`{path}` does not exist"
            raise MissingFileError(message, hint=f"give {holds}")
    golds = _golds(gold)
    files = {name: _prediction(predictions, gold, name) for name in golds}
    unexpected = _unexpected(predictions, golds)
    frozen = _frozen(golds, configs) if metric == "exact" else {}
    tasks: list[TaskScore] = []
    for name, path in golds.items():
        try:
            result: SignatureScore | ExactScore = (
                signature_score(files[name], path, extra_penalty=extra_penalty)
                if metric == "signature"
                else exact_score(files[name], path, _usable(frozen.get(name)))
            )
        except ScoringError as error:
            tasks.append(TaskScore(name, error, counted=False))
        else:
            tasks.append(TaskScore(name, result, counted=not frozen or name in frozen))
    errors = [task.result for task in tasks if isinstance(task.result, ScoringError)]
    if len(errors) == len(tasks):
        raise errors[0]
    return RunScore(metric, extra_penalty, tuple(tasks), unexpected)


def _golds(gold: Path) -> dict[str, Path]:
    """Return the gold file of each task, in natural order of the tasks' names."""
    if gold.is_file():
        return {gold.parent.name or gold.stem: gold}
    found = {path.parent.name: path for path in gold.glob(f"*/{GOLD}")}
    if not found and (gold / GOLD).is_file():
        found = {gold.resolve().name: gold / GOLD}
    if not found:
        message = f"`{gold}` has no `task_N/{GOLD}`"
        raise ScoringError(message, hint="give the folder that holds one folder a task")
    return {name: found[name] for name in sorted(found, key=_natural)}


def _prediction(predictions: Path, gold: Path, name: str) -> Path:
    if predictions.is_file():
        if gold.is_dir() and not (gold / GOLD).is_file():
            message = f"`{predictions}` is one file, but `{gold}` holds a folder of golds"
            raise ScoringError(message, hint="give two files or two folders")
        return predictions
    nested = predictions / name / PREDICTION
    alone = gold.is_file() or (gold / GOLD).is_file()
    return predictions / PREDICTION if alone and not nested.exists() else nested


def _unexpected(predictions: Path, golds: Mapping[str, Path]) -> tuple[str, ...]:
    found = {path.parent.name for path in predictions.glob(f"*/{PREDICTION}")}
    return tuple(sorted(found - golds.keys(), key=_natural))


def _usable(config: ExactConfig | ScoringError | None) -> ExactConfig | None:
    if isinstance(config, ScoringError):
        raise config
    return config


def _frozen(golds: Mapping[str, Path], configs: Path | None) -> dict[str, ExactConfig | ScoringError]:
    """Return the frozen configuration of each task that has one, or what is wrong with it."""
    frozen: dict[str, ExactConfig | ScoringError] = {}
    for name, path in golds.items():
        places = [path.with_name(config) for config in CONFIGS]
        if configs is not None:
            places.insert(0, configs / f"{name}.json" if configs.is_dir() else configs)
        place = next((place for place in places if place.is_file()), None)
        if place is not None:
            try:
                frozen[name] = load_config(place)
            except ScoringError as error:
                frozen[name] = error
    return frozen


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Sort `task_9` before `task_10`; names that differ only in leading zeros stay apart."""
    pieces = re.findall(r"\d+|\D+", name)
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces], name
