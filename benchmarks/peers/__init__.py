"""One module a peer: `measure()` times it beside this package and returns ratios by name.

A ratio called `a_over_b` says how many times faster `a` is than `b`, unless the module says otherwise. `WHAT_same.PEER`
is the share of results in which a peer agrees with this package: below 1 it does something else, and its ratio says
only what that costs. `measure(quick=True)` takes small inputs; among the figures, `spread` holds the smallest and the
largest round of each ratio.
Run all with `python -m benchmarks.peers [--quick] [--json]`, one with `python -m benchmarks.peers.NAME`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Protocol

from benchmarks.report import Paired, emit

Spread = dict[str, tuple[float, float]]


class Measure(Protocol):
    """What each peer's module offers as `measure`."""

    def __call__(self, *, quick: bool = False) -> Mapping[str, Any]:
        """Return figures by name."""


def split(measured: Mapping[str, Any]) -> tuple[dict[str, Any], Spread]:
    """Return the figures and, apart, their `spread`."""
    return {name: value for name, value in measured.items() if name != "spread"}, dict(measured.get("spread", {}))


def with_ratios(runs: Mapping[str, Paired], **others: float) -> dict[str, Any]:
    """Return the ratio of each run by its name, with its spread, and other figures beside them."""
    ratios: dict[str, Any] = {name: run.ratio for name, run in runs.items()}
    return ratios | others | {"spread": {name: run.spread for name, run in runs.items()}}


def main(suite: str, measure: Measure) -> None:
    """Run one peer as a command: print its ratios, with `--json` as one JSON line."""
    parser = argparse.ArgumentParser(description=f"Time {suite} beside this package")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--quick", action="store_true", help="take small inputs")
    arguments = parser.parse_args()
    metrics, spread = split(measure(quick=arguments.quick))
    emit(suite, len(metrics), metrics, arguments.json, spread=spread)
