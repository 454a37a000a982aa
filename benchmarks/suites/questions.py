"""How many questions of public question sets the offline baseline answers, and how many of those rightly.

Every question becomes a task folder (`task.json`, `context/`, `knowledge.md`) and is solved by the product's own
functions: `Catalog.build`, `read_question`, `Catalog.sql`, `write_prediction`. Two things differ from
`debriefer solve`, to keep two thousand questions within a minute: the statement runs in this process instead of a
child's, and questions over the same files share one catalog.

`python -m benchmarks.suites.questions --data DIR [--set spider_dev,chase_dusql] [--split] [--json]`

An answer counts as right where its signature score is 1. `--split` halves every set by a hash of the name of the
database or table: the rules of the baseline were written while looking at half `a` only.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import emit, print_table
from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.errors import DebrieferError, ScoringError
from debriefer.offline import Abstention, read_question
from debriefer.scoring import signature_score
from debriefer.scoring.table import Source, Table
from debriefer.task import Task
from debriefer.workbench import write_prediction

SETS = (
    "spider_dev",
    "chase_dusql",
    "bird_superhero",
    "kaggledbqa",
    "defog",
    "imtqa",
    "wikitq",
    "tatqa",
    "dabench",
    "kdd_reconstructed",
)
_FOLDERS = {".sqlite": "db", ".db": "db", ".csv": "csv", ".json": "json"}
# A gold query that takes more steps of SQLite's machine than this is given up (some ten seconds).
_STEPS = 50_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """One question: where it comes from, what it may look at, and what is right."""

    set_name: str
    case_id: str
    question: str
    files: tuple[Path, ...]
    knowledge: str
    half: str
    gold: Mapping[str, Any]
    root: Path


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one question; nothing could be right where its gold is `broken`."""

    set_name: str
    half: str
    answered: bool
    score: float
    seconds: float
    confidence: float
    broken: bool = False


def half_of(name: str) -> str:
    """Return the half, `a` or `b`, to which a database belongs.

    >>> half_of("singer")
    'a'
    """
    return "ab"[hashlib.blake2b(name.encode(), digest_size=8).digest()[0] & 1]


def load(data: Path, set_name: str) -> list[Case] | None:
    """Return the questions of a set, or `None` where it is absent."""
    if set_name == "kdd_reconstructed":
        return _load_tasks(data / set_name)
    listing = data / set_name / "questions.jsonl"
    if not listing.is_file():
        return None
    cases = []
    for number, line in enumerate(listing.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            cases.append(_case(data, set_name, json.loads(line)))
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
            print(f"{set_name} line {number}: no question: {type(error).__name__}: {error}", file=sys.stderr)
            cases.append(Case(set_name, f"line-{number}", "", (), "", half_of(""), {}, data / set_name))
    return cases


def _case(data: Path, set_name: str, entry: Mapping[str, Any]) -> Case:
    paths = [data / set_name / name for name in entry["context"]]
    tables = [p for p in paths if p.suffix in _FOLDERS]
    notes = [p for p in paths if p.suffix not in _FOLDERS]
    # A column guide beside a database is knowledge; prose beside a table is evidence of its own.
    guides = notes if all(p.suffix in (".sqlite", ".db") for p in tables) else []
    knowledge = "\n\n".join([*(p.read_text(encoding="utf-8") for p in guides), entry.get("evidence") or ""]).strip()
    question = " ".join(
        part for part in (entry["question"], entry.get("constraints"), entry.get("answer_format")) if part
    )
    files = tuple(p for p in paths if p not in guides)
    half = half_of(paths[0].stem if paths else "")
    return Case(set_name, str(entry["id"]), question, files, knowledge, half, entry, data / set_name)


def _load_tasks(folder: Path) -> list[Case] | None:
    if not (folder / "input").is_dir():
        return None
    cases = []
    for path in sorted((folder / "input").iterdir()):
        gold = folder / "output" / path.name / "gold.csv"
        if (path / "task.json").is_file() and gold.is_file():
            task = Task.open(path)
            entry = {"gold_csv": gold.relative_to(folder).as_posix(), "task": path.as_posix()}
            cases.append(
                Case(
                    folder.name,
                    task.task_id,
                    task.question,
                    (),
                    task.knowledge or "",
                    half_of(path.name),
                    entry,
                    folder,
                )
            )
    return cases


def lay_out(case: Case, folder: Path) -> Task:
    """Write the question as a task folder and return it."""
    if "task" in case.gold:
        return Task.open(case.gold["task"])
    context = folder / "context"
    for path in case.files:
        target = context / _FOLDERS.get(path.suffix, "doc") / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            try:
                os.link(path, target)
            except OSError:
                shutil.copyfile(path, target)
    context.mkdir(parents=True, exist_ok=True)
    (folder / "task.json").write_text(
        json.dumps({"task_id": case.case_id, "question": case.question}, ensure_ascii=False), encoding="utf-8"
    )
    if case.knowledge:
        (context / "knowledge.md").write_text(case.knowledge, encoding="utf-8")
    return Task.open(folder)


def solve_group(cases: Sequence[Case], folder: Path, *, always_answer: bool) -> list[Result]:
    """Solve questions over the same files with one catalog between them."""
    catalog: Catalog | None = None
    results = []
    for case in cases:
        start = time.perf_counter()
        confidence, predicted = 0.0, None
        if not _has_gold(case, folder):
            results.append(Result(case.set_name, case.half, False, 0.0, 0.0, 0.0, broken=True))
            continue
        try:
            task = lay_out(case, folder / case.case_id)
            if catalog is None:
                catalog = Catalog.build(task, folder / CATALOG_FILE)
            reading = read_question(task, catalog, always_answer=always_answer)
            if not isinstance(reading, Abstention):
                predicted = folder / case.case_id / "prediction.csv"
                predicted.parent.mkdir(parents=True, exist_ok=True)
                confidence = reading.confidence
                write_prediction(catalog.sql(reading.sql), predicted)
        except DebrieferError as error:
            print(f"{case.set_name} {case.case_id}: {error.message}", file=sys.stderr)
            predicted = None
        except Exception:  # noqa: BLE001  one crash must not hide the other figures; it is printed in full
            print(f"{case.set_name} {case.case_id}: CRASHED\n{traceback.format_exc()}", file=sys.stderr)
            predicted = None
        seconds = time.perf_counter() - start
        score = _best(case, predicted) if predicted is not None else 0.0
        results.append(Result(case.set_name, case.half, predicted is not None, score, seconds, confidence))
    if catalog is not None:
        catalog.close()
    return results


def _has_gold(case: Case, folder: Path) -> bool:
    """Return whether the first answer that counts as right can be read; say why where it cannot."""
    try:
        # A missing prediction scores 0; a gold that cannot be read is an error.
        signature_score(folder / "no-prediction.csv", next(golds(case)))
    except (DebrieferError, KeyError, OSError, StopIteration, TypeError, ValueError) as error:
        print(f"{case.set_name} {case.case_id}: broken gold: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    return True


def _best(case: Case, predicted: Path) -> float:
    """Return the best score over all answers that count as right; one that cannot be read counts for none."""
    best = 0.0
    for gold in golds(case):
        with contextlib.suppress(ScoringError):
            best = max(best, signature_score(predicted, gold).score)
    return best


def golds(case: Case) -> Iterator[Source]:
    """Yield every answer that counts as right."""
    entry = case.gold
    if "gold_csv" in entry:
        yield case.root / entry["gold_csv"]
        for query in entry.get("gold_sql_alternatives", ()):
            table = _run_gold(case, query)
            if table is not None:
                yield table
        return
    answer = entry["gold_answer"]
    cells = list(answer.values()) if isinstance(answer, dict) else answer if isinstance(answer, list) else [answer]
    yield Table.from_rows(["answer"], [[cell] for cell in cells])
    if len(cells) > 1:
        # The sets give cells without their layout: several values may be one row as well as one column.
        yield Table.from_rows([f"answer_{n}" for n in range(1, len(cells) + 1)], [cells])


def _run_gold(case: Case, query: str) -> Table | None:
    """Run an accepted query on the set's own database; queries on today's date have one answer, the stored one."""
    database = next((p for p in case.files if p.suffix in (".sqlite", ".db")), None)
    if database is None or "'now'" in query or "current_" in query.lower():
        return None
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        connection.set_progress_handler(lambda: 1, _STEPS)
        cursor = connection.execute(query)
        rows = cursor.fetchmany(20_000)
        return Table.from_rows([item[0] for item in cursor.description], rows)
    except (sqlite3.Error, DebrieferError):
        return None
    finally:
        connection.close()


def grouped(cases: Sequence[Case]) -> list[list[Case]]:
    groups: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        key = (case.set_name, *map(str, case.files), str(case.gold.get("task", "")))
        groups.setdefault(key, []).append(case)
    # The largest first, so that the processes end together.
    return sorted(groups.values(), key=len, reverse=True)


def _worker(job: tuple[int, list[Case], str, bool]) -> list[Result]:
    number, cases, scratch, always_answer = job
    folder = Path(scratch) / f"{cases[0].set_name}-{number}"
    folder.mkdir()
    try:
        return solve_group(cases, folder, always_answer=always_answer)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(results: Sequence[Result]) -> dict[str, float | int]:
    """Return the figures of some questions: shares between 0 and 1, `n`, and how many have a `broken` gold.

    A question with a broken gold is in none of the other figures.
    """
    broken = sum(r.broken for r in results)
    results = [r for r in results if not r.broken]
    answered = [r for r in results if r.answered]
    right = sum(r.score == 1.0 for r in answered)
    return {
        "overall": right / len(results) if results else 0.0,
        "precision": right / len(answered) if answered else 0.0,
        "coverage": len(answered) / len(results) if results else 0.0,
        "score": sum(r.score for r in results) / len(results) if results else 0.0,
        "n": len(results),
        "broken": broken,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.questions", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of question sets")
    parser.add_argument("--set", dest="sets", default=",".join(SETS), help="sets to ask, by comma")
    parser.add_argument("--offline", action="store_true", help="answer without a model; there is no other way yet")
    parser.add_argument("--split", action="store_true", help="give the figures of both halves too")
    parser.add_argument("--limit", type=int, help="ask at most this many questions a set")
    parser.add_argument("--always-answer", action="store_true", help="never abstain")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    cases: list[Case] = []
    names = [name for name in options.sets.split(",") if name]
    for name in names:
        loaded = load(options.data, name)
        if loaded is None:
            print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
            continue
        cases += loaded[: options.limit]
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="questions-") as scratch:
        jobs = [(n, group, scratch, options.always_answer) for n, group in enumerate(grouped(cases))]
        with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            for solved in pool.map(_worker, jobs):
                results += solved
    _print(results, names, split=options.split, as_json=options.json)


def _print(results: Sequence[Result], names: Sequence[str], *, split: bool, as_json: bool) -> None:
    metrics: dict[str, dict[str, Any]] = {}
    rows: list[list[object]] = []
    for name in names:
        own = [r for r in results if r.set_name == name]
        if not own:
            continue
        figures: dict[str, Any] = measure(own)
        parts = [(name, figures)]
        if split:
            for half in ("a", "b"):
                figures[half] = measure([r for r in own if r.half == half])
                parts.append((f"{name}, half {half}", figures[half]))
        metrics[name] = figures
        for label, part in parts:
            rows.append(
                [label, part["n"], *(f"{part[key]:.3f}" for key in ("coverage", "precision", "overall", "score"))]
            )
    broken = sum(result.broken for result in results)
    if broken:
        print(f"{broken} questions have a gold that cannot be read; they are left out", file=sys.stderr)
    header = ("set", "asked", "answered/asked", "right/answered", "right/asked", "mean score")
    print_table(header, rows, title="offline baseline, no model", file=sys.stderr if as_json else sys.stdout)
    if as_json:
        emit("questions", len(results), metrics, as_json)


if __name__ == "__main__":
    main()
