"""Reads every messy file and database of the real data sets, and compares cells where a set has the right reading.

`python -m benchmarks.suites.messy_files --data DIR [--json]`, DIR laid out like `../shared/data`: every file of
`messycsv` whose kind has a reader, and every SQLite file of `spider_databases`. Each file is read in a worker process
with a time limit and brought into DuckDB in full, so that a crash or a hang costs one file.

Files that are Git LFS pointers hold no table: they are refused, and left out of both shares.
`read_share_outside_errors` also leaves out the folders that their owners made of errors on purpose (`ERROR_FOLDERS`).
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import multiprocessing
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.report import emit, print_table
from debriefer import _core
from debriefer.errors import DebrieferError

TIMEOUT_SECONDS = 60.0
# DuckDB's own names for folders of input that its tests expect to be rejected, and fuzzers' output.
ERROR_FOLDERS = ("duckdb/rejects", "duckdb/error", "duckdb/afl", "duckdb/fuzzing")
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
KINDS = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".json": "json",
    ".jsonl": "json",
    ".xlsx": "workbook",
    ".xls": "workbook",
    ".ods": "workbook",
}
Grid = list[list[Any]]


@dataclass
class Outcome:
    """What became of one file.

    Attributes:
        status: `read`, `refused`, `crashed`, `hung` or `skipped` (no reader for its kind).
        message: Why it was refused or how it crashed.
        seconds: Wall time of reading and loading into DuckDB.
        tables: Number of tables.
        rows: Number of rows of all tables.
        codes: Codes of the readers' notes.
    """

    status: str
    message: str = ""
    seconds: float = 0.0
    tables: int = 0
    rows: int = 0
    codes: list[str] = field(default_factory=list)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder laid out like ../shared/data")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--verbose", action="store_true", help="list refused files and differing cells on stderr")
    options = parser.parse_args(argv)
    emit("messy_files", *measure(options.data, verbose=options.verbose), options.json)
    return 0


def measure(data: Path, *, verbose: bool = False) -> tuple[int, dict[str, Any]]:
    """Read all files below `data` and return how many there were, and the metrics."""
    messy = data / "messycsv"
    files = sorted(path for path in messy.rglob("*") if path.is_file() and path.suffix.lower() in KINDS)
    files = [path for path in files if not _is_gold(path.relative_to(messy))]
    databases = sorted(path for path in (data / "spider_databases").rglob("*.sqlite") if path.is_file())
    for absent in (folder for folder, found in (("messycsv", files), ("spider_databases", databases)) if not found):
        print(f"{absent}: not in {data}, skipped", file=sys.stderr)
    pointers = {path for path in files if path.read_bytes().startswith(LFS_POINTER)}
    outcomes = dict(_read_all(files + databases))
    totals = Counter(outcome.status for outcome in outcomes.values())
    real = [path for path in files if path not in pointers]
    sound = [path for path in real if not _in_error_folder(path.relative_to(messy))]
    slowest = max(outcomes, key=lambda path: outcomes[path].seconds, default=None)
    metrics: dict[str, Any] = {
        "read": totals["read"],
        "refused": totals["refused"],
        "crashed": totals["crashed"] + totals["hung"],
        "skipped_kinds": totals["skipped"],
        "lfs_pointers": len(pointers),
        "read_share": _share(outcomes[path].status == "read" for path in real),
        "read_share_outside_errors": _share(outcomes[path].status == "read" for path in sound),
        "databases_read": sum(outcomes[path].status == "read" for path in databases),
        "databases": len(databases),
        "seconds": round(sum(outcome.seconds for outcome in outcomes.values()), 2),
        "slowest_seconds": round(outcomes[slowest].seconds, 3) if slowest else 0.0,
        **_dialects(messy, verbose=verbose),
        **_cells(messy, verbose=verbose),
    }
    _print_folders(data, outcomes, pointers)
    if slowest:
        print(f"slowest file: {slowest.relative_to(data)}", file=sys.stderr)
    if verbose:
        for path, outcome in outcomes.items():
            if outcome.status not in {"read", "skipped"} and path not in pointers:
                print(f"{outcome.status}: {path.relative_to(data)}: {outcome.message}", file=sys.stderr)
    return len(outcomes), metrics


def _is_gold(relative: Path) -> bool:
    """Tell the right readings and settings from the files to read."""
    gold = relative.parts[0] == "csv-spectrum" and relative.parts[1] == "json"
    return gold or "parameters" in relative.parts or relative.name == "pollock_survey_dialects.jsonl"


def _in_error_folder(relative: Path) -> bool:
    return relative.as_posix().startswith(tuple(f"{folder}/" for folder in ERROR_FOLDERS))


def _share(values: Iterator[bool]) -> float | None:
    hits = list(values)
    return round(sum(hits) / len(hits), 4) if hits else None


# --- reading, one file at a time, in a process that may die ---


def _read_all(files: Sequence[Path]) -> Iterator[tuple[Path, Outcome]]:
    worker = _Worker()
    try:
        for path in files:
            yield path, worker.read(path)
    finally:
        worker.stop()


class _Worker:
    """A process that reads files; it is replaced when it dies or hangs."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._ours, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def read(self, path: Path) -> Outcome:
        self._ours.send(path)
        if not self._ours.poll(TIMEOUT_SECONDS):
            self.stop()
            self._start()
            return Outcome("hung", f"no answer after {TIMEOUT_SECONDS:g} s", TIMEOUT_SECONDS)
        try:
            outcome: Outcome = self._ours.recv()
        except EOFError:
            self.stop()
            self._start()
            return Outcome("crashed", "the process died")
        return outcome

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(connection: Connection) -> None:
    while True:
        try:
            path = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        connection.send(_outcome(path))


def _outcome(path: Path) -> Outcome:
    start = time.perf_counter()
    outcome = Outcome("read")
    try:
        with duckdb.connect() as con:
            for table in _tables(path):
                outcome.tables += 1
                outcome.codes += [note[0] for note in table.notes]
                con.register("incoming", table)
                con.execute(f"CREATE TABLE t{outcome.tables} AS SELECT * FROM incoming")
                outcome.rows += con.execute(f"SELECT count(*) FROM t{outcome.tables}").fetchall()[0][0]
    except NotImplementedError as error:
        outcome = Outcome("skipped", str(error))
    except DebrieferError as error:
        outcome = Outcome("refused", error.message)
    except Exception as error:  # noqa: BLE001  # whatever else escapes is the crash that is counted
        outcome = Outcome("crashed", f"{type(error).__name__}: {error}")
    outcome.seconds = time.perf_counter() - start
    return outcome


def _tables(path: Path) -> Iterator[Any]:
    """Yield the tables of a file, by whatever reader claims it."""
    detect = getattr(_core, "detect_kind", None)
    kind = detect(str(path)) if detect else None
    if kind is None or kind == "document":
        kind = "sqlite" if path.suffix == ".sqlite" else KINDS.get(path.suffix.lower(), "none")
    if kind == "delimited":
        yield from _core.read_delimited(path)
        return
    name = {"sqlite": "open_sqlite", "json": "read_json", "jsonl": "read_json", "workbook": "read_workbook"}.get(kind)
    reader = getattr(_core, name, None) if name else None
    if reader is None:
        message = f"no reader for {kind}"
        raise NotImplementedError(message)
    source = reader(str(path))
    if kind == "sqlite":
        for table, _ in source.tables:
            yield source.read(table)
    else:
        yield from source


# --- dialects ---


def _dialects(messy: Path, *, verbose: bool) -> dict[str, Any]:
    """Compare delimiter and quote with the annotations of the survey, and of the survey's sample.

    A quote character that does not occur in the file has no right answer: any counts as agreement in
    `pollock_dialect_agreement`, only the annotated one in `pollock_dialect_agreement_strict`.
    """
    annotated: list[tuple[Path, str, str]] = []
    gold = messy / "pollock_survey_dialects.jsonl"
    if gold.is_file():
        for line in gold.read_text("utf-8").splitlines():
            entry = json.loads(line)
            annotated.append((messy / entry["file"], entry["delimiter"], entry["quotechar"].strip()))
    survey = [entry for entry in annotated if entry[0].is_file() and not _is_pointer(entry[0])]
    sample: list[tuple[Path, str, str]] = []
    for parameters in sorted((messy / "pollock_survey_sample" / "parameters").glob("*.json")):
        path = messy / "pollock_survey_sample" / "csv" / parameters.name.removesuffix("_parameters.json")
        if path.is_file():
            entry = json.loads(parameters.read_text("utf-8"))
            sample.append((path, entry["delimiter"], entry["quotechar"]))
    agreed = {"survey": [_agrees(*entry) for entry in survey], "sample": [_agrees(*entry) for entry in sample]}
    if verbose:
        for path, delimiter, quote in survey + sample:
            if not _agrees(path, delimiter, quote)[0]:
                print(f"dialect: {path.relative_to(messy)}: annotated {delimiter!r} {quote!r}", file=sys.stderr)
    both = agreed["survey"] + agreed["sample"]
    return {
        "pollock_dialect_agreement": _share(lenient for lenient, _ in both),
        "pollock_dialect_agreement_strict": _share(strict for _, strict in both),
        "pollock_dialect_n": len(both),
        "pollock_dialect_survey_n": len(agreed["survey"]),
        "pollock_dialect_survey_pointers": len(annotated) - len(survey),
    }


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(LFS_POINTER)) == LFS_POINTER


def _agrees(path: Path, delimiter: str, quote: str) -> tuple[bool, bool]:
    try:
        found = _core.sniff_dialect(path)
    except DebrieferError:
        return False, False
    raw = path.read_bytes()
    # An annotation that is no character of the file (a line break, say) stands for "one column".
    same = found.delimiter == delimiter or (
        delimiter in {"", "\r", "\n", "\r\n"} and found.delimiter.encode() not in raw
    )
    occurs = bool(quote) and quote.encode() in raw
    return same and (not occurs or found.quotechar == quote), same and found.quotechar == (quote or None)


# --- cells ---


def _cells(messy: Path, *, verbose: bool) -> dict[str, Any]:
    """Compare cells with the clean side of each set that has one."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    pairs = 0
    for name, path, gold, has_header in _pairs(messy):
        pairs += 1
        try:
            equal, all_cells = _equal_cells(_grid(path), gold, has_header=has_header)
        except DebrieferError:
            equal, all_cells = 0, sum(len(row) for row in gold)
        counts[name][0] += equal
        counts[name][1] += all_cells
        if verbose and equal < all_cells:
            print(f"cells: {path.relative_to(messy)}: {equal} of {all_cells}", file=sys.stderr)
    shares = {name: round(equal / all_cells, 4) for name, (equal, all_cells) in counts.items() if all_cells}
    equal, all_cells = (sum(count[i] for count in counts.values()) for i in (0, 1))
    return {
        "cells_equal": round(equal / all_cells, 4) if all_cells else None,
        "cells_equal_by_set": shares,
        "cells_compared": all_cells,
        "files_compared": pairs,
    }


def _pairs(messy: Path) -> Iterator[tuple[str, Path, Grid, bool]]:
    """Yield set, messy file, right table with its header, and whether the header is the file's own."""
    spectrum = messy / "csv-spectrum"
    for path in sorted((spectrum / "csvs").glob("*.csv")):
        gold = spectrum / "json" / f"{path.stem}.json"
        if gold.is_file():
            records = json.loads(gold.read_text("utf-8"))
            yield "csv-spectrum", path, [list(records[0]), *(list(record.values()) for record in records)], True
    for name in ("pollock_polluted", "pollock_survey_sample"):
        for path in sorted((messy / name / "csv").iterdir() if (messy / name / "csv").is_dir() else []):
            clean = messy / name / "clean" / path.name
            parameters = messy / name / "parameters" / f"{path.name}_parameters.json"
            if clean.is_file():
                lines = json.loads(parameters.read_text("utf-8")).get("header_lines") if parameters.is_file() else 1
                text = clean.read_bytes().decode("utf-8-sig", errors="replace")
                rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
                yield name, path, rows, int(lines or 0) > 0


def _grid(path: Path) -> Grid:
    table = _core.read_delimited(path)[0]
    with duckdb.connect() as con:
        con.register("incoming", table)
        rows = con.execute("SELECT * FROM incoming").fetchall()
    return [[name for name, _ in table.columns], *(list(row) for row in rows)]


def _equal_cells(ours: Grid, gold: Grid, *, has_header: bool) -> tuple[int, int]:
    """Count equal cells, position by position, over the larger of both tables."""
    ours, gold = _without_bare_columns(ours), _without_bare_columns(gold)
    if has_header:
        names = [*gold[0], *[""] * (max(map(len, gold)) - len(gold[0]))]
        gold = [_core.unique_columns([str(name) for name in names]), *gold[1:]]
    else:
        ours = ours[1:]
    height = max(len(ours), len(gold))
    width = max((len(row) for row in (*ours, *gold)), default=0)
    equal = sum(
        _same(mine, right)
        for our_row, gold_row in zip(ours, gold, strict=False)
        for mine, right in zip(our_row, gold_row, strict=False)
    )
    # A gold row that is shorter than the table ends in empty cells.
    equal += sum(
        sum(value is None for value in our_row[len(gold_row) :]) for our_row, gold_row in zip(ours, gold, strict=False)
    )
    return equal, height * width


def _without_bare_columns(grid: Grid) -> Grid:
    """Cut columns at the right that have neither a name nor a value: what a trailing delimiter leaves."""
    width = max((len(row) for row in grid), default=0)
    while width > 1 and all(len(row) < width or row[width - 1] in {"", None} for row in grid):
        width -= 1
    return [row[:width] for row in grid]


def _same(mine: object, right: str) -> bool:  # noqa: PLR0911  # one line a type
    if mine is None:
        return right.strip() == "" or right.strip() in {"NA", "N/A", "NULL", "null", "NaN", "nan", "-"}
    if isinstance(mine, bool):
        return right == str(mine).lower()
    try:
        if isinstance(mine, float):
            return math.isclose(mine, float(right), rel_tol=0, abs_tol=0) or mine == float(right)
        if isinstance(mine, int | Decimal):
            return Decimal(right.strip()) == mine
        if isinstance(mine, datetime):
            return datetime.fromisoformat(right.strip()) == mine
        if isinstance(mine, date):
            return date.fromisoformat(right.strip()) == mine
    except (ValueError, ArithmeticError):
        return False
    # A line break inside a cell is one, however it is written.
    return str(mine).replace("\r\n", "\n") == right.replace("\r\n", "\n")


def _print_folders(data: Path, outcomes: dict[Path, Outcome], pointers: set[Path]) -> None:
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    for path, outcome in outcomes.items():
        parts = path.relative_to(data).parts
        folder = "/".join(parts[: 2 if parts[0] == "messycsv" else 1])
        folders[folder]["pointer" if path in pointers else outcome.status] += 1
        seconds[folder] += int(outcome.seconds * 1000)
    names = ("read", "refused", "crashed", "hung", "skipped", "pointer")
    rows = [
        (folder, *(str(counts[name]) for name in names), f"{seconds[folder] / 1000:.2f}")
        for folder, counts in sorted(folders.items())
    ]
    print_table(("folder", *names, "s"), rows, title="messy files by folder", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
