"""A catalog of generated cells: how large its index is, how fast it is built, opened and asked."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
from rapidfuzz import fuzz, process

from debriefer.catalog import Catalog
from debriefer.catalog.values import ValueIndex

_COLUMNS = 5
_ASKED = 25
_ROUNDS = 7
# Questions that rapidfuzz is asked too: one takes it seconds.
_PEER_ASKED = 5
# Beyond so many cells rapidfuzz would hold them all in memory for minutes.
_PEER_MOST = 2_000_000
# Names with blanks, codes with zeros, moments, amounts and Chinese names; hashes make them repeatable.
_CELLS = """
COPY (SELECT
    'Customer ' || upper(chr(97 + (i % 26)::INT)) || lower(hex(hash(i) % 1000003)) || ' '
        || lower(hex(hash(i * 7) % 99991)) AS name,
    lpad((i * 37 % 100000000)::VARCHAR, 8, '0') AS code,
    (DATE '1900-01-01' + (i % 40000)::INT)::VARCHAR || ' ' || lpad((i % 24)::VARCHAR, 2, '0') || ':'
        || lpad((i // 24 % 60)::VARCHAR, 2, '0') || ':' || lpad((i // 1440 % 60)::VARCHAR, 2, '0') AS moment,
    (hash(i) % 100000000000) / 100.0 AS amount,
    chr((19968 + hash(i) % 3000)::INT) || chr((19968 + hash(i * 3) % 3000)::INT)
        || chr((19968 + hash(i * 5) % 3000)::INT) || chr((19968 + hash(i * 11) % 3000)::INT) || '公司' AS firm
FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)
"""
_BUILD = (
    "import resource, sys, time; from debriefer.catalog import Catalog; start = time.perf_counter(); "
    "catalog = Catalog.open(sys.argv[1]); cells = len(catalog.values); seconds = time.perf_counter() - start; "
    "used = resource.getrusage(resource.RUSAGE_SELF); print(); "
    "print(cells, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)"
)


def measure_index(cells: int, folder: Path, *, peers: bool) -> dict[str, float | int]:
    """Build, open and ask an index of generated cells.

    Args:
        cells: About how many distinct cells.
        folder: Where the files may be written.
        peers: Whether to ask rapidfuzz the same of the same texts.

    Returns:
        Figures by name: `cells`, `build_seconds`, `build_cpu_seconds` and `build_bytes` (time of the clock and of both
        cores, and peak memory of a process that does nothing else), `file_bytes`, `open_ms`, `question_ms` and
        `worst_question_ms` (each question at its best of several calls), and `over_rapidfuzz`, how many
        times faster a question is answered than by `rapidfuzz.process.extract` over all cells.
    """
    source, path = folder / "cells.parquet", folder / "cells.duckdb"
    duckdb.execute("SET enable_progress_bar = false")
    duckdb.sql(_CELLS.format(rows=cells // _COLUMNS, path=source))
    with Catalog.from_files(source, path) as catalog:
        rows = catalog.preview("FROM cells OFFSET 1000 LIMIT 5", _COLUMNS).rows
        questions = [question for row in rows for question in _questions(row)][:_ASKED]
    built = subprocess.run([sys.executable, "-c", _BUILD, str(path)], capture_output=True, text=True, check=True)
    # A progress bar of the engine may stand before.
    cells_built, build_seconds, build_cpu_seconds, build_bytes = built.stdout.splitlines()[-1].split()
    figures: dict[str, float | int] = {
        "cells": int(cells_built),
        "build_seconds": float(build_seconds),
        "build_cpu_seconds": float(build_cpu_seconds),
        "build_bytes": int(build_bytes),
        "file_bytes": path.with_suffix(".values").stat().st_size,
    }
    opened = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        index = ValueIndex.open(path.with_suffix(".values"))
        opened.append(time.perf_counter() - start)
    figures["open_ms"] = statistics.median(opened) * 1000
    seconds = [min(_seconds_of(index, question) for _ in range(_ROUNDS)) for question in questions]
    figures["question_ms"] = statistics.median(seconds) * 1000
    figures["worst_question_ms"] = max(seconds) * 1000
    if peers and cells <= _PEER_MOST:
        figures["over_rapidfuzz"] = _over_rapidfuzz(path, index, questions[:: len(questions) // _PEER_ASKED])
    return figures


def _questions(row: Sequence[object]) -> list[str]:
    """Return questions that spell cells of a row exactly, in part, misspelt and otherwise."""
    name, code, moment, amount, firm = map(str, row)
    return [
        f"What is the amount of {name} in 2005?",
        f"How many orders does code {code} have on {moment[:10]}?",
        f"{firm[1:]}的金额是多少？",
        f"Which custmer named {name[:-1]} has the largest amount above 1,000?",
        f"List the names of all customers whose amount is {amount} and sort them by code",
    ]


def _seconds_of(index: ValueIndex, question: str) -> float:
    start = time.perf_counter()
    index.find(question)
    return time.perf_counter() - start


def _over_rapidfuzz(path: Path, index: ValueIndex, questions: Sequence[str]) -> float:
    """Return the median over questions of rapidfuzz's time by ours, each pair taken side by side."""
    texts: list[str] = []
    with Catalog.open(path) as catalog:
        for column in ("name", "code", "moment", "amount", "firm"):
            found = catalog.preview(f"SELECT DISTINCT {column}::VARCHAR AS v FROM cells ORDER BY v", _PEER_MOST)
            texts += [cell.casefold() for (cell,) in found.rows]
    ratios = []
    for question in questions:
        ours = _seconds_of(index, question)
        start = time.perf_counter()
        process.extract(question.casefold(), texts, scorer=fuzz.partial_ratio, score_cutoff=90, limit=20)
        ratios.append((time.perf_counter() - start) / ours)
    return statistics.median(ratios)
