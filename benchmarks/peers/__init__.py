"""One module a peer: `measure()` times it beside this package and returns ratios by name.

A ratio called `a_over_b` says how many times faster `a` is than `b`, unless the module says otherwise.
Run all with `python -m benchmarks.peers [--json]`, one with `python -m benchmarks.peers.NAME`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from benchmarks.report import emit


def main(suite: str, measure: Callable[[], Mapping[str, float]]) -> None:
    """Run one peer as a command: print its ratios, with `--json` as one JSON line."""
    parser = argparse.ArgumentParser(description=f"Time {suite} beside this package")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    arguments = parser.parse_args()
    metrics = measure()
    emit(suite, len(metrics), metrics, arguments.json)
