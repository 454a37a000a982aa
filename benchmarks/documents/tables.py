"""Tables of real PDFs against gold, beside camelot and pdfplumber on the same files in the same run."""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.documents.adjacency import Cell, Counts, Summary, counts, gold_tables, summary
from benchmarks.documents.peers import Reader, peers
from benchmarks.report import print_table
from debriefer.documents.pdf import Pdf, page_parts
from debriefer.errors import DebrieferError

OURS = "debriefer"


def measure(data: Path, *, verbose: bool = False) -> tuple[int, dict[str, Any]]:
    """Score the tables of all PDFs below `data` that have an ICDAR 2013 `-str.xml` file beside them.

    Args:
        data: The folder `pdf` of the shared data, one above it, or one below.
        verbose: Print precision and recall of each document on standard error.

    Returns:
        Number of documents, and the figures. `f1` is the competition's: the harmonic mean of precision and recall,
        each the mean over documents. `tuned` and `held_out` are the two halves by the hash of a file's name: the
        rules were made while looking at the failures of the first alone.

    Raises:
        FileNotFoundError: There is no such file with gold.
    """
    pairs = gold_pairs(data)
    if not pairs:
        message = f"no PDF with a `-str.xml` file beside it below `{data}`"
        raise FileNotFoundError(message)
    readers, absent = peers()
    logging.disable(logging.CRITICAL)
    scores: dict[str, list[Counts]] = {}
    seconds: dict[str, float] = {}
    failures: dict[str, int] = {}
    for name, reader in ({OURS: read} | readers).items():
        start = time.perf_counter()
        scores[name], failures[name] = _scored(reader, pairs)
        seconds[name] = time.perf_counter() - start
    if verbose:
        rows = [
            (pdf.stem, "tuned" if is_tuned(pdf.stem) else "held out", score.precision, score.recall)
            for (pdf, _), score in zip(pairs, scores[OURS], strict=True)
        ]
        print_table(("document", "half", "precision", "recall"), rows, file=sys.stderr)
    return len(pairs), _figures(pairs, scores, seconds, failures, absent)


def gold_pairs(data: Path) -> list[tuple[Path, Path]]:
    """Return the PDFs that have gold, with it, by name."""
    found = ((pdf, pdf.with_name(f"{pdf.stem}-str.xml")) for pdf in data.rglob("*.pdf"))
    return sorted((pdf, gold) for pdf, gold in found if gold.is_file())


def is_tuned(stem: str) -> bool:
    """Whether a file is of the half whose failures were looked at."""
    return hashlib.sha256(stem.encode()).digest()[0] % 2 == 0


def read(path: Path) -> list[list[Cell]]:
    """Return the tables that this package finds, page by page."""
    with Pdf(path) as pdf:
        return [
            [Cell(cell.text, cell.row, cell.column, cell.last_row, cell.last_column) for cell in table.cells]
            for ink in pdf.inks()
            for table in page_parts(ink).tables
        ]


def _scored(reader: Reader, pairs: list[tuple[Path, Path]]) -> tuple[list[Counts], int]:
    found: list[Counts] = []
    failures = 0
    for pdf, gold in pairs:
        try:
            tables = reader(pdf)
        except DebrieferError:
            tables, failures = [], failures + 1
        except Exception:  # noqa: BLE001 -- a peer that fails on a file has found nothing in it
            tables, failures = [], failures + 1
        found.append(counts(gold_tables(gold), tables))
    return found, failures


def _figures(
    pairs: list[tuple[Path, Path]],
    scores: Mapping[str, list[Counts]],
    seconds: Mapping[str, float],
    failures: Mapping[str, int],
    absent: list[str],
) -> dict[str, Any]:
    ours = summary(scores[OURS])
    others = {name: summary(found) for name, found in scores.items() if name != OURS}
    best = max(others, key=lambda name: others[name].f1, default=None)
    halves = {
        name: [score for (pdf, _), score in zip(pairs, scores[OURS], strict=True) if is_tuned(pdf.stem) == tuned]
        for name, tuned in (("tuned", True), ("held_out", False))
    }
    figures: dict[str, Any] = {"f1": ours.f1, "precision": ours.precision, "recall": ours.recall}
    figures |= {"pooled_f1": ours.pooled_f1, "seconds": round(seconds[OURS], 2), "failures": failures[OURS]}
    figures |= {name: _named(summary(part)) for name, part in halves.items() if part}
    if best is not None:
        figures |= {"best_peer": best, "best_peer_f1": others[best].f1}
        figures["f1_margin_over_best_peer"] = ours.f1 - others[best].f1
        figures["pooled_f1_margin"] = ours.pooled_f1 - max(other.pooled_f1 for other in others.values())
    figures["peers"] = {
        name: _named(other) | {"seconds": round(seconds[name], 2), "failures": failures[name]}
        for name, other in others.items()
    }
    figures["peers_absent"] = ", ".join(absent) or "none"
    return figures


def _named(found: Summary) -> dict[str, float]:
    return asdict(found)
