"""Generated documents with scripted models: one that answers from the gold, and ones that fail in a given way."""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.documents.generated import documents
from benchmarks.documents.generator import Told
from benchmarks.documents.scoring import Score, loaded, score
from benchmarks.documents.scripted import FAULTS, GoldReader
from benchmarks.documents.wording import Wording
from benchmarks.report import print_table
from debriefer.documents.assisted.flow import Assisted
from debriefer.documents.loading import write_database
from debriefer.documents.notes import field_notes
from debriefer.documents.reading import read_document
from debriefer.models import Budget, Meter
from dspy_programs.documents import read_with_model
from tests.doubles.document_replies import replies_of
from tests.doubles.scripted import scripted_models

# Few documents, since every model reads every one of them.
SIZES, SEEDS = (60,), (11,)


def measure(wordings: Sequence[Wording], *, verbose: bool = False) -> dict[str, Any]:
    """Return the figures of each scripted model, over the whole way from prompts to the loaded table.

    `sent_per_document_token` counts the document's own text, each time that it is sent; `prompt_per_document_token`
    also the instructions and columns around it. `read_without_model` counts documents of which no reply was of use.
    """
    logging.getLogger("dspy").setLevel(logging.ERROR)
    figures: dict[str, Any] = {}
    told = list(documents(wordings, SIZES, SEEDS))
    with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
        for name in FAULTS:
            runs = [_run(one, name, Path(folder)) for one in told]
            figures[name] = _summary(runs)
    if verbose:
        rows = [(name, *(figure for figure in own.values())) for name, own in figures.items()]
        print_table(("model", *next(iter(figures.values()))), rows, file=sys.stderr)
    return figures


def _run(told: Told, name: str, folder: Path) -> tuple[Score, Assisted, int]:
    path = folder / f"{told.wording.name}.md"
    path.write_text(told.markdown, encoding="utf-8")
    models, _ = scripted_models(replies_of(GoldReader(told, FAULTS[name])))
    meter = Meter(Budget(requests=None))
    notes = field_notes(told.knowledge)
    assisted = read_with_model(read_document(path), f"doc/{path.name}", models, notes, meter=meter)
    target = folder / f"{told.wording.name}.db"
    if assisted.extraction.relations:
        write_database(assisted.extraction.relations, target)
    found = score(told, *loaded(target))
    target.unlink(missing_ok=True)
    return found, assisted, meter.totals().input_tokens


def _summary(runs: Sequence[tuple[Score, Assisted, int]]) -> dict[str, float | int]:
    scores = [found for found, _, _ in runs]
    costs = [assisted.cost for _, assisted, _ in runs]
    document = sum(cost.document_tokens for cost in costs)
    return {
        "record_recall": sum(one.found for one in scores) / sum(one.records for one in scores),
        "cell_accuracy": sum(one.right for one in scores) / sum(one.cells for one in scores),
        "cells_wrong_loaded_as_right": sum(one.wrong for one in scores),
        "cells": sum(one.cells for one in scores),
        "sent_per_document_token": sum(cost.sent_tokens for cost in costs) / document,
        "prompt_per_document_token": sum(tokens for _, _, tokens in runs) / document,
        "requests_per_document": sum(cost.requests for cost in costs) / len(costs),
        "read_without_model": sum(not assisted.schema for _, assisted, _ in runs),
    }
