"""Gold queries that were written for SQLite, run through the SQL door, compared with their gold results.

    python -m benchmarks.suites.sql_parity --data DIR [--set NAME,NAME] [--failures] [--json]

`DIR` holds one folder a set, each with `questions.jsonl`, `databases/` and `gold/`. A question's database is loaded
into a catalog, its `gold_sql` runs through `Catalog.sql`, and the result is right if its signature score against
`gold_csv` is 1. `parity` is the share of right results over all sets; beside it stands one share a set.
`changed_though_right` counts queries that DuckDB answers rightly as they are and that the door rewrote nevertheless;
`broken_by_door` counts those of them that are wrong afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.report import emit, print_table
from debriefer.catalog import Catalog
from debriefer.errors import DebrieferError, SqlError
from debriefer.scoring import signature_score

SETS = ("spider_dev", "bird_superhero", "kaggledbqa", "defog", "chase_dusql")


@dataclass(frozen=True)
class Case:
    """One gold query."""

    set_name: str
    identifier: str
    database: Path
    sql: str
    gold: Path


@dataclass(frozen=True)
class Result:
    """How a gold query fared."""

    case: Case
    right: bool
    right_without_door: bool
    rewritten: bool
    reason: str


def cases(data: Path, names: tuple[str, ...]) -> list[Case]:
    """Return the gold queries of the sets that are present, those of one database together."""
    found = []
    for name in names:
        folder = data / name
        listing = folder / "questions.jsonl"
        if not listing.is_file():
            print(f"{name}: absent, skipped", file=sys.stderr)
            continue
        for line in listing.read_text(encoding="utf-8").splitlines():
            question: dict[str, Any] = json.loads(line)
            databases = [item for item in question["context"] if item.endswith((".sqlite", ".db", ".sqlite3"))]
            if question.get("gold_sql") and question.get("gold_csv") and databases:
                found.append(
                    Case(
                        name, question["id"], folder / databases[0], question["gold_sql"], folder / question["gold_csv"]
                    )
                )
    return sorted(found, key=lambda case: (case.set_name, str(case.database), case.identifier))


def run(found: list[Case]) -> Iterator[Result]:
    """Run each query with the door and without it."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (database, group) in enumerate(groupby(found, key=lambda case: case.database)):
            target = Path(folder) / f"{number}.duckdb"
            of_database = list(group)
            Catalog.from_files(database, target).close()
            # One file cannot be open with two configurations in one process: first DuckDB alone, then the catalog.
            with duckdb.connect(str(target), read_only=True) as connection:
                plain = [_runs_right_without_door(connection, case) for case in of_database]
            with Catalog.open(target) as catalog:
                for case, right in zip(of_database, plain, strict=True):
                    yield _run_one(catalog, case, right)


def _run_one(catalog: Catalog, case: Case, right_without_door: bool) -> Result:
    rewritten = False
    try:
        rewritten = catalog.normalize(case.sql).sql != case.sql
        frame = catalog.sql(case.sql)
    except SqlError as error:
        return Result(case, False, right_without_door, rewritten, error.message)
    right = _is_right(frame, case)
    return Result(case, right, right_without_door, rewritten, "" if right else "another result")


def _is_right(frame: Any, case: Case) -> bool:  # noqa: ANN401 -- any source that the metric takes
    return signature_score(frame, case.gold).score == 1.0


def _runs_right_without_door(connection: duckdb.DuckDBPyConnection, case: Case) -> bool:
    try:
        return _is_right(connection.sql(case.sql), case)
    except (duckdb.Error, DebrieferError):
        return False


def main(arguments: list[str] | None = None) -> int:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.sql_parity")
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder a set")
    parser.add_argument("--set", default=",".join(SETS), help="sets to run, separated by commas")
    parser.add_argument("--failures", action="store_true", help="list every query that fails")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    results = list(run(cases(options.data, tuple(options.set.split(",")))))
    if not results:
        print("no query was found", file=sys.stderr)
        return 1
    failed = [result for result in results if not result.right]
    if options.failures:
        for result in failed:
            print(f"{result.case.identifier}: {result.reason}\n    {result.case.sql}", file=sys.stderr)
    reasons = Counter(_class(result.reason) for result in failed)
    print_table(("failing", "why"), [(count, reason) for reason, count in reasons.most_common()], file=sys.stderr)
    metrics: dict[str, Any] = {"parity": 1 - len(failed) / len(results)}
    for name in dict.fromkeys(result.case.set_name for result in results):
        own = [result for result in results if result.case.set_name == name]
        metrics[name] = sum(result.right for result in own) / len(own)
    changed = [result for result in results if result.right_without_door and result.rewritten]
    metrics["changed_though_right"] = len(changed)
    metrics["broken_by_door"] = sum(result.right_without_door and not result.right for result in results)
    metrics["without_door"] = sum(result.right_without_door for result in results) / len(results)
    emit("sql_parity", len(results), metrics, options.json)
    return 0


def _class(reason: str) -> str:
    """Return a reason without the names in it."""
    return "`…`".join(part for i, part in enumerate(reason.split("`")) if i % 2 == 0)


if __name__ == "__main__":
    sys.exit(main())
