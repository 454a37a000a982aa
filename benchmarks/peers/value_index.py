"""The value index beside rapidfuzz over a list of the same texts, 10^5 cells.

`index_over_rapidfuzz`: time of `rapidfuzz.process.extract` (partial ratio, cut at 90, twenty best) over that of
`ValueIndex.find`, for questions that name a cell with a letter missing. `index_build_ms` is what the index costs once;
rapidfuzz has no index to build. `index_same.rapidfuzz`: share of questions for which both find the cell that is meant;
beside it `index_found` and `index_found.rapidfuzz`, how many each finds.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process

from benchmarks.growth import build_index, cells_of
from benchmarks.peers import main, with_ratios
from benchmarks.report import paired
from debriefer import _core

CELLS = 100_000
QUICK_CELLS = 10_000
ASKED = 5
ROUNDS = 5


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Build, ask both the same questions in turn, and compare what they find."""
    size = QUICK_CELLS if quick else CELLS
    cells = cells_of(size)
    texts: list[str] = cells["text"].to_list()
    lowered = [text.casefold() for text in texts]
    meant = [texts[size * number // ASKED + size // 7] for number in range(ASKED)]
    questions = [f"How many orders did {text[:-3]}{text[-2:]} place in Porto last year?" for text in meant]
    with tempfile.TemporaryDirectory(prefix="debriefer-bench-") as folder:
        path = Path(folder) / "cells.values"
        start = time.perf_counter()
        build_index(cells, path)
        build_seconds = time.perf_counter() - start
        index = _core.ValueIndex.open(path)

        def ours() -> list[set[str]]:
            return [{found[4] for found in index.find(question, 20)} for question in questions]

        def peer() -> list[set[str]]:
            found = [
                process.extract(question.casefold(), lowered, scorer=fuzz.partial_ratio, score_cutoff=90, limit=20)
                for question in questions
            ]
            return [{texts[at] for _, _, at in one} for one in found]

        run = paired(ours, peer, ROUNDS)
        our_hits = [text in found for text, found in zip(meant, ours(), strict=True)]
        peer_hits = [text in found for text, found in zip(meant, peer(), strict=True)]
    figures = {
        "index_found": sum(our_hits) / ASKED,
        "index_found.rapidfuzz": sum(peer_hits) / ASKED,
        "index_same.rapidfuzz": sum(a and b for a, b in zip(our_hits, peer_hits, strict=True)) / ASKED,
        "index_question_ms": run.ours / ASKED * 1000,
        "index_build_ms": build_seconds * 1000,
        "index_cells": float(size),
    }
    return with_ratios({"index_over_rapidfuzz": run}, **figures)


if __name__ == "__main__":
    main("value_index", measure)
