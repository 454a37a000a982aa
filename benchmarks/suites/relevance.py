"""Which tables stay described to the Solver: the published vote of five beside one call with what the data says.

No model is asked: verdicts are drawn, seeded, as from a model that overlooks a needed table or keeps a needless one
with given chances. A part of its errors is the same in every round, as a real model's are: a vote cannot mend those,
what the data says can. Gold tables are those of the question sets' `gold_sql`.

`python -m benchmarks.suites.relevance --data DIR [--set spider_dev,kaggledbqa] [--misses 0.1] [--keeps 0.2]
[--same 0.5] [--json]`
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.linking.gold import gold_of
from benchmarks.report import emit, print_table
from benchmarks.suites.questions import Case, grouped, lay_out, load
from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.linking import Links, link
from debriefer.models import count_tokens
from dspy_programs.relevance import PUBLISHED_ROUNDS, Relevance, Round, TableVerdict, voted, with_evidence
from dspy_programs.solver.tables import describe_tables

SETS = ("spider_dev", "bird_superhero", "kaggledbqa")
_LEAST_TABLES = 4


@dataclass(frozen=True, slots=True)
class Chances:
    """How the drawn model errs.

    Attributes:
        misses: How often it overlooks a needed table.
        keeps: How often it keeps a needless one.
        same: Share of its errors that every round makes.
    """

    misses: float
    keeps: float
    same: float


@dataclass(slots=True)
class Counts:
    """What a way of deciding came to."""

    needed: int = 0
    kept_needed: int = 0
    whole: int = 0
    questions: int = 0
    tables: int = 0
    kept: int = 0
    tokens: int = 0


Decide = Callable[[Sequence[str], Sequence[Round], Links], Relevance]
WAYS: dict[str, tuple[int, Decide]] = {
    "one call": (1, lambda tables, rounds, _: voted(tables, rounds[:1])),
    "vote of five": (PUBLISHED_ROUNDS, lambda tables, rounds, _: voted(tables, rounds)),
    "one call and links": (1, lambda tables, rounds, links: with_evidence(tables, rounds[:1], links)),
}


def drawn(
    tables: Sequence[str], needed: frozenset[str], chances: Chances, rng: random.Random, rounds: int = PUBLISHED_ROUNDS
) -> list[Round]:
    """Return verdicts of some rounds."""
    wrong = {table: chances.misses if table in needed else chances.keeps for table in tables}
    always = {table for table in tables if rng.random() < wrong[table] * chances.same}
    found: list[Round] = []
    for number in range(1, rounds + 1):
        said: dict[str, TableVerdict] = {}
        for table in tables:
            left = wrong[table] * (1 - chances.same) / (1 - wrong[table] * chances.same)
            errs = table in always or rng.random() < left
            said[table] = TableVerdict(table=table, relevant=(table in needed) != errs)
        found.append(Round(number, None, said))
    return found


def measure_group(cases: Sequence[Case], folder: Path, chances: Chances, counts: dict[str, Counts]) -> None:
    """Decide on the questions of one database."""
    catalog: Catalog | None = None
    for case in cases:
        if "gold_sql" not in case.gold:
            continue
        task = lay_out(case, folder / case.case_id)
        if catalog is None:
            catalog = Catalog.build(task, folder / CATALOG_FILE)
        tables = sorted(table.name for table in catalog.source_tables)
        if len(tables) < _LEAST_TABLES:
            break
        gold = gold_of(case.gold["gold_sql"], catalog)
        if gold is None:
            continue
        links = link(case.question, catalog, catalog.values, task.knowledge)
        rounds = drawn(tables, gold.tables, chances, random.Random(case.case_id))  # noqa: S311 -- no secret
        size = count_tokens(describe_tables(catalog))
        for name, (asked, decide) in WAYS.items():
            found = decide(tables, rounds, links)
            kept = set(tables) - found.folded
            count = counts[name]
            count.questions += 1
            count.needed += len(gold.tables)
            count.kept_needed += len(gold.tables & kept)
            count.whole += gold.tables <= kept
            count.tables += len(tables)
            count.kept += len(kept)
            count.tokens += asked * size
    if catalog is not None:
        catalog.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.relevance", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of question sets")
    parser.add_argument("--set", dest="sets", default=",".join(SETS), help="sets to ask, by comma")
    parser.add_argument("--misses", type=float, default=0.1, help="how often a needed table is overlooked")
    parser.add_argument("--keeps", type=float, default=0.2, help="how often a needless one is kept")
    parser.add_argument("--same", type=float, default=0.5, help="share of errors that every round makes")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    chances = Chances(options.misses, options.keeps, options.same)
    counts = {name: Counts() for name in WAYS}
    with tempfile.TemporaryDirectory(prefix="relevance-") as scratch:
        for name in options.sets.split(","):
            cases = load(options.data, name)
            if cases is None:
                print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
                continue
            for number, group in enumerate(grouped(cases)):
                folder = Path(scratch) / f"{name}-{number}"
                folder.mkdir()
                measure_group(group, folder, chances, counts)
    figures = {
        name: {
            "table_recall": count.kept_needed / count.needed if count.needed else None,
            "questions_with_all": count.whole / count.questions if count.questions else None,
            "kept_share": count.kept / count.tables if count.tables else None,
            "prompt_tokens": count.tokens / count.questions if count.questions else None,
        }
        for name, count in counts.items()
    }
    header = ("way", "needed tables kept", "questions with all", "tables kept", "tokens of tables sent")
    rows = [
        [name, *("-" if f is None else f"{f:,.3f}" if f <= 1 else f"{f:,.0f}" for f in one.values())]
        for name, one in figures.items()
    ]
    print_table(header, rows, title="relevance of tables", file=sys.stderr if options.json else sys.stdout)
    emit("relevance", counts["one call"].questions, figures, options.json)


if __name__ == "__main__":
    main()
