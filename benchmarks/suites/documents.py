"""Measures the reading of documents.

`python -m benchmarks.suites.documents --generated [--json]`: generated documents with exact gold, Chinese and English,
Markdown and PDF, without a model and with scripted ones; `--development` measures the wordings that development looks
at instead, `--without-models` leaves the scripted models out.

`python -m benchmarks.suites.documents --data DIR [--json]`: tables of real PDFs against the gold of ICDAR 2013, by
adjacency relations, beside camelot and pdfplumber. DIR is the folder `pdf` of the shared data, or one around it. Where
DIR is or holds `tatqa`, its pairs of a table and a text are loaded, and the share of gold values that can be found in
them is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.documents import assisted, generated, tables, tatqa
from benchmarks.documents.wordings_development import WORDINGS as DEVELOPMENT
from benchmarks.documents.wordings_test import WORDINGS as TEST
from benchmarks.report import emit


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", type=Path, help="folder with PDFs and their gold")
    what.add_argument("--generated", action="store_true", help="generated documents with exact gold")
    parser.add_argument("--development", action="store_true", help="with --generated: development's own wordings")
    parser.add_argument("--without-models", action="store_true", help="with --generated: no scripted models")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--verbose", action="store_true", help="print each document's figures on stderr")
    options = parser.parse_args(argv)
    if options.generated:
        number, figures = generated.measure(development=options.development, verbose=options.verbose)
        if not options.without_models:
            wordings = DEVELOPMENT if options.development else TEST
            figures["with_model"] = assisted.measure(wordings, verbose=options.verbose)
    else:
        number, figures = _on_data(options.data, verbose=options.verbose)
    emit("documents", number, figures, options.json)
    return 0


def _on_data(data: Path, *, verbose: bool) -> tuple[int, dict[str, Any]]:
    """Return the figures of the sets that there are below a folder."""
    pairs = tatqa.measure(data, verbose=verbose)
    if pairs and not tables.gold_pairs(data):
        return int(pairs["tatqa_pairs"]), pairs
    number, figures = tables.measure(data, verbose=verbose)
    return number, {**figures, **pairs}


if __name__ == "__main__":
    raise SystemExit(main())
