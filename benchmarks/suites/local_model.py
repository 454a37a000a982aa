"""A small real model on this machine: one raw call beside the one-shot Solver, on samples of public question sets.

`python -m benchmarks.suites.local_model --data DIR --lm local:FILE.gguf [--programs raw,oneshot] [--json]`

Each program answers the same seeded sample of each set. A reply is bounded in tokens, the temperature is 0. Results
are appended to `--journal` one by one, so that a run that was killed goes on where it was; they hold scores, no text of
the sets. An answer is right where its signature score is 1. Printed are the share of right answers with a 95 % Wilson
interval, and for each program the difference to the first one with a 95 % interval of a paired bootstrap.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dspy

from benchmarks.report import emit, print_table
from benchmarks.suites.questions import Case, golds, lay_out, load
from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.datasets.labelled import FORMAT, MANIFEST
from debriefer.errors import ModelError, ScoringError
from debriefer.models import Budget, Meter, Models
from debriefer.models.local import PREFIX
from debriefer.scoring import signature_score
from debriefer.task import Task
from dspy_programs.oneshot import OneShot, OneShotSettings, RawCall
from dspy_programs.state import load_state

SETS = ("spider_dev", "chase_dusql")
PROGRAMS = ("raw", "oneshot")
_RESAMPLES = 10_000
# 97.5 % point of the normal distribution.
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one question with one program.

    Attributes:
        run: Digest-free name of the settings: model, program, sample.
        set_name: The set.
        case_id: The question.
        ran: Whether a statement ran.
        score: Signature score.
        requests: Requests to the model.
        tokens: Tokens in and out.
        seconds: Wall time.
        reason: How it ended.
    """

    run: str
    set_name: str
    case_id: str
    ran: bool
    score: float
    requests: int
    tokens: int
    seconds: float
    reason: str


def sample(cases: Sequence[Case], number: int, seed: int) -> list[Case]:
    """Return a seeded sample, grouped by database so that a prompt's head is read once for all questions on one."""
    chosen = random.Random(seed).sample(list(cases), min(number, len(cases)))  # noqa: S311 -- a sample, no secret
    return sorted(chosen, key=lambda case: (tuple(map(str, case.files)), case.case_id))


def wilson(right: int, number: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share.

    >>> [round(bound, 3) for bound in wilson(10, 40)]
    [0.142, 0.402]
    """
    if number == 0:
        return 0.0, 1.0
    share = right / number
    middle = share + _Z**2 / (2 * number)
    half = _Z * ((share * (1 - share) + _Z**2 / (4 * number)) / number) ** 0.5
    whole = 1 + _Z**2 / number
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def paired_interval(first: Sequence[float], second: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference second - first by a paired bootstrap over questions.

    >>> paired_interval([0, 0, 0, 0], [1, 1, 1, 1])
    (1.0, 1.0)
    """
    differences = [b - a for a, b in zip(first, second, strict=True)]
    chance = random.Random(seed)  # noqa: S311 -- as above
    number = len(differences)
    means = sorted(sum(chance.choices(differences, k=number)) / number for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def prepare(cases: Sequence[Case], folder: Path) -> Iterator[tuple[Case, Path]]:
    """Lay out each question as a working copy; questions over the same files share one catalog."""
    built: dict[tuple[Path, ...], Path] = {}
    for case in cases:
        task = lay_out(case, folder / "tasks" / case.case_id)
        work = folder / "work" / case.case_id
        copy: Task = task.working_copy(work)
        target = work / "workdir" / CATALOG_FILE
        if case.files in built:
            shutil.copyfile(built[case.files], target)
        else:
            Catalog.build(copy, target).close()
            built[case.files] = target
        yield case, work


def export(cases: Sequence[Case], folder: Path) -> None:
    """Write a sample as a labelled set that `debriefer optimize --dev` reads; the group is the database.

    It holds questions and tables of the sets, which may not be given away with every licence.
    """
    entries = []
    for case in cases:
        lay_out(case, folder / "input" / case.case_id)
        gold = folder / "output" / case.case_id / "gold.csv"
        gold.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(case.root / case.gold["gold_csv"], gold)
        entries.append({"task": case.case_id, "group": f"{case.set_name} {case.files[0].stem}", "evidence": ["tables"]})
    listing = folder / MANIFEST
    if listing.is_file():
        entries = [*json.loads(listing.read_text(encoding="utf-8"))["tasks"], *entries]
    listing.write_text(json.dumps({"format": FORMAT, "tasks": entries}, ensure_ascii=False), encoding="utf-8")


def program_of(name: str, models: Models, states: Mapping[str, Path]) -> dspy.Module:
    """Return the program that is called `name`; `NAME=FILE` of `--state` names a compiled one."""
    if name == "raw":
        return RawCall()
    settings = models.settings("solver")
    program = OneShot(OneShotSettings(context_window=settings.context_window, temperature=settings.temperature))
    if name in states:
        load_state(program, states[name])
    return program


def answer(program: dspy.Module, models: Models, case: Case, work: Path, run: str) -> Result:
    """Let a program answer one question and score it."""
    meter = Meter(Budget(requests=8))
    began = time.perf_counter()
    with models.using("solver", meter):
        said = program(work=str(work))
    seconds = round(time.perf_counter() - began, 2)
    totals = meter.totals()
    tokens = totals.input_tokens + totals.output_tokens
    score = _score(case, said.csv, work) if said.csv is not None else 0.0
    return Result(
        run, case.set_name, case.case_id, said.csv is not None, score, meter.requests, tokens, seconds, said.reason
    )


def _score(case: Case, csv: str, work: Path) -> float:
    path = work / "answer.csv"
    path.write_text(csv, encoding="utf-8")
    best = 0.0
    for gold in golds(case):
        try:
            best = max(best, signature_score(path, gold).score)
        except ScoringError:
            continue
    return best


def _journal(path: Path) -> dict[tuple[str, str, str], Result]:
    found = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = Result(**json.loads(line))
            except (ValueError, TypeError):
                continue  # the line that a killed run was writing
            found[result.run, result.set_name, result.case_id] = result
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of question sets")
    parser.add_argument("--lm", required=True, help="the model, such as `local:FILE.gguf`")
    parser.add_argument("--set", dest="sets", default=",".join(SETS), help="sets to ask, by comma")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="programs, by comma; the first is the baseline")
    parser.add_argument("--state", action="append", default=[], metavar="NAME=FILE", help="a compiled oneshot")
    parser.add_argument("--sample", type=int, default=40, help="questions a set")
    parser.add_argument("--seed", type=int, default=8, help="seed of the sample")
    parser.add_argument("--max-output-tokens", type=int, default=96, help="bound on one reply")
    parser.add_argument("--context-window", type=int, default=4_096, help="tokens of prompt and reply")
    parser.add_argument("--journal", type=Path, default=Path("local_model.jsonl"), help="file results are appended to")
    parser.add_argument("--export", type=Path, metavar="DIR", help="ask nothing; write the samples as a labelled set")
    parser.add_argument(
        "--optimization", type=Path, metavar="FILE", help="`result.json`: show its before and after, too"
    )
    parser.add_argument("--report", action="store_true", help="ask nothing; print what the journal has")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    sets: dict[str, list[Case]] = {}
    for set_name in filter(None, options.sets.split(",")):
        cases = load(options.data, set_name)
        if cases is None:
            print(f"{set_name}: not in {options.data}, skipped", file=sys.stderr)
        else:
            sets[set_name] = sample(cases, options.sample, options.seed)
    if options.export:
        for cases in sets.values():
            export(cases, options.export)
        return
    programs = [name for name in options.programs.split(",") if name]
    results = _asked(options, sets, programs)
    if options.optimization:
        results += _optimized(options.optimization, sets)
        programs += ["before", "after"]
    _print(results, programs, Path(options.lm.removeprefix(PREFIX)).name, as_json=options.json)


def _asked(
    options: argparse.Namespace, sets: Mapping[str, Sequence[Case]], programs: Sequence[str]
) -> list[tuple[str, Result]]:
    """Ask what the journal does not have, and return all results with the program of each."""
    environment = {
        "MODEL_TEMPERATURE": "0",
        "MODEL_MAX_OUTPUT_TOKENS": str(options.max_output_tokens),
        "MODEL_CONTEXT_WINDOW": str(options.context_window),
        "MODEL_TIMEOUT": "300",
    }
    models = Models.from_environment(lm=options.lm, environment=environment)
    if models is None:
        message = f"`{options.lm}` names no model"
        raise ModelError(message)
    model = Path(options.lm.removeprefix(PREFIX)).name
    states = {name: Path(path) for name, _, path in (state.partition("=") for state in options.state)}
    known = _journal(options.journal)
    results: list[tuple[str, Result]] = []
    with tempfile.TemporaryDirectory(prefix="local-model-") as scratch, options.journal.open("a") as journal:
        for set_name, cases in sets.items():
            # Database by database, so that a run that is cut off has asked all programs the same questions.
            for _, group in itertools.groupby(cases, key=lambda case: case.files):
                own = list(group)
                # Laid out only where something is to be asked.
                laid: dict[str, Path] = {}
                for name in programs:
                    program = program_of(name, models, states)
                    run = f"{model} {name} seed {options.seed} of {options.sample}, {options.max_output_tokens} tokens"
                    for case in own:
                        result = known.get((run, set_name, case.case_id))
                        if result is None and not options.report:
                            laid = laid or {one.case_id: work for one, work in prepare(own, Path(scratch) / set_name)}
                            result = answer(program, models, case, laid[case.case_id], run)
                            journal.write(json.dumps(asdict(result)) + "\n")
                            journal.flush()
                            print(f"{set_name} {name} {case.case_id}: {result}", file=sys.stderr)
                        if result is not None:
                            results.append((name, result))
    return results


def _optimized(path: Path, sets: Mapping[str, Sequence[Case]]) -> list[tuple[str, Result]]:
    """Return before and after of an optimisation whose development set was exported from these samples."""
    scores = {task["task"]: task for task in json.loads(path.read_text(encoding="utf-8"))["tasks"]}
    return [
        (part, Result(path.name, set_name, case.case_id, True, scores[case.case_id][part], 0, 0, 0.0, ""))
        for set_name, cases in sets.items()
        for case in cases
        if case.case_id in scores
        for part in ("before", "after")
    ]


def _print(results: Sequence[tuple[str, Result]], programs: Sequence[str], model: str, *, as_json: bool) -> None:
    metrics: dict[str, Any] = {"model": model}
    rows: list[list[object]] = []
    asked = Counter((result.set_name, result.case_id) for _, result in results)
    for set_name in dict.fromkeys(result.set_name for _, result in results):
        figures: dict[str, Any] = {}
        first: list[float] = []
        for name in programs:
            own = [result for program, result in results if program == name and result.set_name == set_name]
            # Of a run that was cut off only questions count that all programs were asked.
            own = [result for result in own if asked[set_name, result.case_id] == len(programs)]
            if not own:
                continue
            right = [float(result.score == 1.0) for result in own]
            low, high = wilson(int(sum(right)), len(own))
            part: dict[str, Any] = {
                "right": sum(right) / len(own),
                "interval": [round(low, 3), round(high, 3)],
                "ran": sum(result.ran for result in own) / len(own),
                "mean_score": sum(result.score for result in own) / len(own),
                "requests": sum(result.requests for result in own) / len(own),
                "tokens": sum(result.tokens for result in own) / len(own),
                "seconds": sum(result.seconds for result in own) / len(own),
                "n": len(own),
            }
            difference = ""
            if first:
                below, above = paired_interval(first, right)
                part["difference"] = part["right"] - sum(first) / len(first)
                part["difference_interval"] = [below, above]
                difference = f"{part['difference']:+.3f} [{below:+.3f}, {above:+.3f}]"
            else:
                first = right
            figures[name] = part
            rows.append(
                [
                    set_name,
                    name,
                    len(own),
                    f"{part['right']:.3f} [{low:.3f}, {high:.3f}]",
                    difference,
                    f"{part['ran']:.3f}",
                    f"{part['requests']:.2f}",
                    f"{part['tokens']:.0f}",
                    f"{part['seconds']:.1f}",
                ]
            )
        metrics[set_name] = figures
    header = ("set", "program", "asked", "right [95 %]", "difference [95 %]", "ran", "requests", "tokens", "seconds")
    print_table(header, rows, title=model, file=sys.stderr if as_json else sys.stdout)
    if as_json:
        emit("local_model", len(results), metrics, as_json)


if __name__ == "__main__":
    main()
