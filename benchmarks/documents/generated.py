"""Generated documents through the reading, the extraction and the loading, against their exact gold."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.documents.generator import Told, tell, write_pdf
from benchmarks.documents.scoring import Score, loaded, score
from benchmarks.documents.wording import Wording
from benchmarks.documents.wordings_development import WORDINGS as DEVELOPMENT
from benchmarks.documents.wordings_test import WORDINGS as TEST
from benchmarks.report import print_table
from debriefer.documents.extraction import Extraction, extract
from debriefer.documents.loading import write_database
from debriefer.documents.notes import field_notes
from debriefer.documents.reading import read_document

SIZES = (30, 200)
SEEDS = (11, 12, 13)
FORMATS = ("markdown", "pdf")


def documents(
    wordings: Sequence[Wording], sizes: Sequence[int] = SIZES, seeds: Sequence[int] = SEEDS
) -> Iterator[Told]:
    """Yield the documents of some wordings, every size and seed of each."""
    for wording in wordings:
        for size in sizes:
            for seed in seeds:
                yield tell(wording, size, seed)


def taken(told: Told, kind: str, folder: Path) -> tuple[Extraction, Score]:
    """Write a document, take its table out, load that, and compare it with the gold."""
    path = folder / f"{told.wording.name}.{'pdf' if kind == 'pdf' else 'md'}"
    if kind == "pdf":
        write_pdf(told, path)
    else:
        path.write_text(told.markdown, encoding="utf-8")
    extraction = extract(read_document(path), f"doc/{path.name}", field_notes(told.knowledge))
    target = folder / f"{told.wording.name}.db"
    if extraction.relations:
        write_database(extraction.relations, target)
    units = {column.name: column.target_unit for relation in extraction.relations[:1] for column in relation.columns}
    found = score(told, *loaded(target), units)
    target.unlink(missing_ok=True)
    return extraction, found


def measure(*, development: bool = False, verbose: bool = False) -> tuple[int, dict[str, Any]]:
    """Return how many documents were measured, and the figures."""
    wordings = DEVELOPMENT if development else TEST
    rows: list[tuple[Any, ...]] = []
    by_group: dict[str, list[Score]] = {"all": []}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        for told in documents(wordings):
            for kind in FORMATS:
                extraction, found = taken(told, kind, Path(folder))
                for group in ("all", kind, told.wording.language, f"{len(told.keys)} records"):
                    by_group.setdefault(group, []).append(found)
                counts = (len(told.keys), kind, found.found, found.right / found.cells, found.wrong, found.empty)
                rows.append((told.wording.name, *counts, len(extraction.flags)))
    if verbose:
        header = ("document", "records", "format", "found", "cells right", "wrong", "empty", "flags")
        print_table(header, rows, file=sys.stderr)
    scores = by_group.pop("all")
    figures: dict[str, Any] = {**summary(scores), "extra_records": sum(one.extra for one in scores)}
    figures["by_group"] = {name: summary(group) for name, group in sorted(by_group.items())}
    figures["seconds_per_document"] = (time.perf_counter() - began) / len(scores)
    return len(scores), figures


def summary(scores: Sequence[Score]) -> Mapping[str, float | int]:
    """Return the figures of some documents together."""
    return {
        "record_recall": sum(one.found for one in scores) / sum(one.records for one in scores),
        "cell_accuracy": sum(one.right for one in scores) / sum(one.cells for one in scores),
        "cells_wrong_loaded_as_right": sum(one.wrong for one in scores),
        "cells": sum(one.cells for one in scores),
    }
