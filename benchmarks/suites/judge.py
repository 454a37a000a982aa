"""Judges the video judge on the labelled set: verdicts, values, and what it adopts that it should not.

`python -m benchmarks.suites.judge --data DIR [--split dev|train] [--offline | --lm MODEL] [--json]`

`DIR` is what `python -m benchmarks.briefings.judge_set DIR` wrote; where it holds no labelled set, the split is
generated into `DIR/judge_set` if `--make` is given. Evidence comes from the media stage and is kept in `--cache`, so
that a second run decodes nothing. Figures: `verdict_accuracy` (an abstention is wrong), `value_accuracy` (of the tasks
whose video shows the answer), `false_adopt_rate` (the costly error: adopted, with or without a check, though it is not
shown or other values are right), `calibration_error` (ten bins), `tokens_per_task`, `calls_per_task`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.briefings import judge_set
from benchmarks.briefings.judge_set import SEEDS, Labelled, labelled, split_of
from benchmarks.report import emit, print_table
from debriefer.errors import DebrieferError
from debriefer.judgement import VideoVerdict
from debriefer.judgement.cells import normal
from debriefer.models import Models
from debriefer.pipeline import (
    Inputs,
    JudgeSettings,
    JudgeStage,
    MediaSettings,
    ModelChoice,
    RunSettings,
    StageRegistry,
    default_registry,
)
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """A task and what was judged of it.

    Attributes:
        task: The task with its truth.
        verdict: The verdict; `None` where the stage failed.
        tokens: Tokens in and out.
        calls: Requests.
    """

    task: Labelled
    verdict: VideoVerdict | None
    tokens: int = 0
    calls: int = 0

    @property
    def gold(self) -> str:
        """The right verdict."""
        return self.task.truth.task.verdict

    @property
    def right(self) -> bool:
        """Whether the verdict is the right one; an abstention is not."""
        verdict = self.verdict
        return verdict is not None and verdict.finding in ("shown", "not_shown") and verdict.decision == self.gold

    @property
    def values_right(self) -> bool:
        """Whether the values, as claimed or normalised, are the gold's in any order of rows."""
        if self.verdict is None or not self.verdict.claimed_values:
            return False
        gold = _rows(self.task.truth.task.gold)
        return gold in (_rows(self.verdict.claimed_values), _rows(self.verdict.normalized_values))

    @property
    def adopts(self) -> bool:
        """Whether the values are to be adopted, with or without a check."""
        return self.verdict is not None and self.verdict.finding == "shown" and self.verdict.decision != "RECOMPUTE"

    @property
    def falsely_adopted(self) -> bool:
        """Whether something is adopted that is not the answer."""
        return self.adopts and (self.gold == "RECOMPUTE" or not self.values_right)


def _rows(table: Sequence[Sequence[object]]) -> list[tuple[str, ...]]:
    return sorted(tuple(normal(str(cell)) for cell in row) for row in table)


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the figures of some judged tasks; a figure of nothing is `None`."""
    shown = [one for one in judged if one.gold != "RECOMPUTE"]
    number = len(judged)

    def share(part: int, whole: int) -> float | None:
        return part / whole if whole else None

    return {
        "verdict_accuracy": share(sum(one.right for one in judged), number),
        "value_accuracy": share(sum(one.values_right for one in shown), len(shown)),
        "false_adopt_rate": share(sum(one.falsely_adopted for one in judged), number),
        "calibration_error": calibration_error([(one.verdict.confidence, one.right) for one in judged if one.verdict]),
        "tokens_per_task": share(sum(one.tokens for one in judged), number),
        "calls_per_task": share(sum(one.calls for one in judged), number),
        "abstained": sum(one.verdict is not None and one.verdict.finding == "unknown" for one in judged),
        "failed": sum(one.verdict is None for one in judged),
    }


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the expected calibration error over ten bins of confidence, `None` for no pairs.

    >>> calibration_error([(0.9, True), (0.9, False)])
    0.4
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in pairs:
        bins.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, right))
    if not pairs:
        return None
    error = 0.0
    for members in bins.values():
        mean = sum(confidence for confidence, _ in members) / len(members)
        accuracy = sum(right for _, right in members) / len(members)
        error += abs(mean - accuracy) * len(members)
    return round(error / len(pairs), 6)


def judge(task: Labelled, models: Models | None, settings: RunSettings, cache: Cache) -> Judged:
    """Prepare one task by the real stages and judge it."""
    with tempfile.TemporaryDirectory(prefix="debriefer-") as work:
        copy = Task.open(task.folder).working_copy(Path(work) / "task")
        (copy.folder / "workdir").mkdir(exist_ok=True)
        # The evidence comes from the cache; the judgement is made anew, since it is what is measured.
        evidence = StageRegistry([stage for _, stage in default_registry(settings) if stage and stage.name != "judge"])
        stages = StageRun(evidence, copy, models=models, cache=cache)
        stages.run()
        folder = Path(work) / "judge"
        folder.mkdir()
        try:
            value = JudgeStage(judge=settings.judge).run(Inputs(copy, stages.products, models), folder)
        except DebrieferError as error:
            print(f"{task.name}: {error.message}", file=sys.stderr)
            return Judged(task, None)
        used = value["usage"]
        tokens = used.get("input_tokens", 0) + used.get("output_tokens", 0)
        return Judged(task, VideoVerdict(**value["verdict"]), tokens, used.get("requests", 0))


def main(argv: Sequence[str] | None = None) -> int:
    """Judge a split and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with the labelled set")
    parser.add_argument("--split", choices=("train", "dev"), default="dev")
    parser.add_argument("--make", action="store_true", help="generate the split where it is absent")
    parser.add_argument("--offline", action="store_true", help="the judge without a model")
    parser.add_argument("--lm", help="the model, as `provider/model`; else what `MODEL_API_*` say")
    parser.add_argument("--program-state", type=Path, metavar="FILE", help="what the judge has learned")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the vote (default: 5)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only tasks whose name holds TEXT")
    parser.add_argument("--cache", type=Path, help="folder that keeps the evidence (default: DIR/.cache)")
    parser.add_argument("--speech-model", help="folder of a Whisper model (default: DEBRIEFER_SPEECH_MODEL)")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at once (default: 2)")
    parser.add_argument("--verbose", action="store_true", help="list what was judged wrong on stderr")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(argv)
    folder = options.data
    if not any(labelled(folder, options.split)) and (options.make or (folder / "judge_set").is_dir()):
        folder = options.data / "judge_set"
        if options.make:
            seeds = [str(seed) for seed in SEEDS if split_of(seed) == options.split]
            judge_set.main([str(folder), "--seeds", *seeds])
    tasks = [task for task in labelled(folder, options.split) if options.only in task.name]
    if not tasks:
        print(f"no labelled set below {options.data}: make one with `--make`", file=sys.stderr)
    models = None if options.offline else ModelChoice(options.lm).load()
    settings = RunSettings(
        media=MediaSettings(speech_model=options.speech_model),
        judge=JudgeSettings(rounds=options.rounds, state=options.program_state and str(options.program_state)),
    )
    cache = Cache(options.cache or folder / ".cache")
    judged: list[Judged] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, one in enumerate(pool.map(lambda task: judge(task, models, settings, cache), tasks), start=1):
            judged.append(one)
            print(f"{number}/{len(tasks)} {one.task.name}", file=sys.stderr)
            if options.verbose and (not one.right or one.falsely_adopted):
                print(_told(one), file=sys.stderr)
    metrics = figures(judged)
    verdicts = sorted({one.gold for one in judged})
    metrics["by_verdict"] = {gold: figures([one for one in judged if one.gold == gold]) for gold in verdicts}
    _print(judged)
    emit(
        "judge",
        len(judged),
        {**metrics, "split": options.split, "by": "offline" if models is None else "model"},
        options.json,
    )
    return 0


def _told(one: Judged) -> str:
    verdict = one.verdict
    if verdict is None:
        return f"  {one.task.name}: the stage failed"
    values = "" if one.values_right or one.gold == "RECOMPUTE" else f", values {verdict.claimed_values}"
    return f"  {one.task.name}: {one.gold} is right, not {verdict.finding} {verdict.decision}{values}: {verdict.reason}"


def _print(judged: Sequence[Judged]) -> None:
    kinds: dict[str, list[Judged]] = {}
    for one in judged:
        kinds.setdefault(one.task.truth.kind, []).append(one)
    rows = []
    for kind, members in kinds.items():
        shown = sum(one.gold != "RECOMPUTE" for one in members)
        rows.append(
            (
                kind,
                f"{sum(one.right for one in members)}/{len(members)}",
                f"{sum(one.values_right for one in members)}/{shown}" if shown else "",
                str(sum(one.falsely_adopted for one in members) or ""),
                str(figures(members)["abstained"] or ""),
            )
        )
    header = ("kind", "verdicts right", "values right", "falsely adopted", "abstained")
    print_table(header, rows, title="by kind", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
