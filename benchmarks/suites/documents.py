"""Measures the reading of documents.

`python -m benchmarks.suites.documents --generated [--json]`: generated documents with exact gold, Chinese and English,
Markdown and PDF, without a model; `--development` measures the wordings that development looks at instead.

`python -m benchmarks.suites.documents --data DIR [--json]`: tables of real PDFs against the gold of ICDAR 2013, by
adjacency relations, beside camelot and pdfplumber. DIR is the folder `pdf` of the shared data, or one around it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.documents import generated, tables
from benchmarks.report import emit


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", type=Path, help="folder with PDFs and their gold")
    what.add_argument("--generated", action="store_true", help="generated documents with exact gold")
    parser.add_argument("--development", action="store_true", help="with --generated: development's own wordings")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--verbose", action="store_true", help="print each document's figures on stderr")
    options = parser.parse_args(argv)
    if options.generated:
        measured = generated.measure(development=options.development, verbose=options.verbose)
    else:
        measured = tables.measure(options.data, verbose=options.verbose)
    emit("documents", *measured, options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
