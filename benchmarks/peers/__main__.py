"""Run every peer that is there; one that fails is reported and stops none of the others."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import traceback
from typing import Any

import benchmarks.peers
from benchmarks.peers import Spread, split
from benchmarks.report import emit


def names() -> list[str]:
    """Return the peers' module names in order."""
    found = (module.name for module in pkgutil.iter_modules(benchmarks.peers.__path__))
    return sorted(name for name in found if not name.startswith("_"))


def run(selected: list[str], *, quick: bool = False) -> tuple[dict[str, Any], Spread, dict[str, str]]:
    """Return the ratios of all peers that could be measured, their spread, and a reason for each that could not."""
    metrics: dict[str, Any] = {}
    spread: Spread = {}
    failed: dict[str, str] = {}
    for name in selected:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        try:
            measured = importlib.import_module(f"benchmarks.peers.{name}").measure(quick=quick)
        except Exception as error:  # noqa: BLE001  a peer is somebody else's code and may raise anything
            traceback.print_exc()
            failed[name] = f"{type(error).__name__}: {error}"
        else:
            ratios, bounds = split(measured)
            metrics |= ratios
            spread |= bounds
    return metrics, spread, failed


def main() -> int:
    """Measure, print, and return 1 where a peer failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--only", help="peers to run, separated by commas", default=",".join(names()))
    parser.add_argument("--quick", action="store_true", help="take small inputs, two minutes for all")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    arguments = parser.parse_args()
    selected = [name for name in arguments.only.split(",") if name]
    unknown = sorted(set(selected) - set(names()))
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)} (there are: {', '.join(names())})")
    metrics, spread, failed = run(selected, quick=arguments.quick)
    measured = len(metrics)
    if failed:
        metrics["failed"] = failed
    emit("peers", measured, metrics, arguments.json, spread=spread)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
