"""What changed between two results: every figure, its change, and whether it is more than noise.

    python -m benchmarks.compare OLD NEW [--noise 0.10] [--all] [--json]

`OLD` and `NEW` are files of what a command printed with `--json`: one line, a whole log whose last line is the result,
or several results one a line, of which the last of each suite counts; or what `pytest --benchmark-json` wrote. A figure
has bounds: the smallest and the largest of its rounds where the result holds them, else ±10 % (`--noise`). It changed
beyond noise where the two ranges have nothing in common. Which direction is better is not said: a ratio and a time want
different ones.

It measures and never asserts: the exit code is 0 whatever changed, and 2 only where a file cannot be read.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import flat, print_table

NOISE = 0.10


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its bounds.

    Attributes:
        value: The figure.
        low: Smallest round, or the figure less the noise that is taken for granted.
        high: Largest round, or the figure and that noise.
        measured: Whether the bounds come from rounds.
    """

    value: float
    low: float
    high: float
    measured: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of both results, or of one where the other is `None`."""

    name: str
    old: Figure | None
    new: Figure | None

    @property
    def ratio(self) -> float | None:
        """New over old; `None` where a side is missing or the old one is 0."""
        if self.old is None or self.new is None or self.old.value == 0:
            return None
        return self.new.value / self.old.value

    @property
    def beyond_noise(self) -> bool:
        """Whether the two ranges have nothing in common."""
        if self.old is None or self.new is None:
            return False
        return self.new.low > self.old.high or self.new.high < self.old.low


def results(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last result of each suite in a file, by the suite's name; lines that hold none are passed over.

    Raises:
        OSError: The file cannot be read.
        ValueError: It holds no result.
    """
    found: dict[str, dict[str, Any]] = {}
    text = path.read_text(encoding="utf-8")
    if (micro := _of_pytest(text)) is not None:
        return {"micro": micro}
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("metrics"), dict) and isinstance(value.get("suite"), str):
            found[value["suite"]] = value
    if not found:
        message = f"`{path}` holds no result of a benchmark"
        raise ValueError(message)
    return found


def _of_pytest(text: str) -> dict[str, Any] | None:
    """Return what pytest-benchmark wrote as a result of the suite `micro`: medians in seconds between the quartiles."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("benchmarks"), list):
        return None
    stats = {one["name"]: one["stats"] for one in value["benchmarks"]}
    return {
        "suite": "micro",
        "metrics": {name: one["median"] for name, one in stats.items()},
        "spread": {name: (one["q1"], one["q3"]) for name, one in stats.items()},
        "date": value.get("datetime"),
    }


def figures(result: Mapping[str, Any], noise: float = NOISE) -> dict[str, Figure]:
    """Return the numbers of a result with their bounds, by their names; texts, truth values and lists are left out."""
    spread: Mapping[str, Sequence[float]] = result.get("spread") or {}
    found: dict[str, Figure] = {}
    for name, value in flat(result["metrics"]):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            continue
        if name in spread:
            low, high = spread[name]
            found[name] = Figure(value, min(low, value), max(high, value), measured=True)
        else:
            found[name] = Figure(value, value - abs(value) * noise, value + abs(value) * noise, measured=False)
    return found


def changes(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]], noise: float = NOISE
) -> list[Change]:
    """Return every figure of either side, suite after suite, in the order of the new result."""
    found: list[Change] = []
    for suite in [*new, *(suite for suite in old if suite not in new)]:
        before = figures(old[suite], noise) if suite in old else {}
        after = figures(new[suite], noise) if suite in new else {}
        names = [*after, *(name for name in before if name not in after)]
        found += [Change(f"{suite}: {name}", before.get(name), after.get(name)) for name in names]
    return found


def differences(old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what differs between the machines, one line each: figures of two machines compare two machines."""
    found: dict[str, None] = {}
    for suite in new:
        if suite not in old:
            continue
        before, after = (dict(flat(side[suite].get("machine") or {})) for side in (old, new))
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                found[f"{name}: {before.get(name)} → {after.get(name)}"] = None
    return list(found)


def _shown(figure: Figure | None) -> tuple[str, str]:
    if figure is None:
        return "-", ""
    return f"{figure.value:.4g}", f"{figure.low:.4g} to {figure.high:.4g}" + ("" if figure.measured else " (assumed)")


def _row(change: Change) -> tuple[str, ...]:
    if change.old is None or change.new is None:
        said = "new" if change.old is None else "gone"
    elif change.ratio is None:
        said = "" if change.new.value == 0 else "from 0"
    else:
        said = f"{(change.ratio - 1) * 100:+.1f} %"
    return (change.name, *_shown(change.old), *_shown(change.new), said, "beyond noise" if change.beyond_noise else "")


def _dates(side: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({str(result.get("date") or "no date") for result in side}))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the changes; return 0 whatever they are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("old", type=Path, help="result before")
    parser.add_argument("new", type=Path, help="result after")
    parser.add_argument("--noise", type=float, default=NOISE, help="share that a figure without rounds may move")
    parser.add_argument("--all", action="store_true", help="list every figure, not only those beyond noise")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    try:
        old, new = results(options.old), results(options.new)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    found = changes(old, new, options.noise)
    marked = [change for change in found if change.beyond_noise]
    listed = [change for change in found if options.all or change.beyond_noise or None in {change.old, change.new}]
    out = sys.stderr if options.json else sys.stdout
    print(f"old: {_dates(old.values())}\nnew: {_dates(new.values())}", file=out)
    for line in differences(old, new):
        print(f"not the same: {line}", file=out)
    both = sum(change.old is not None and change.new is not None for change in found)
    title = f"{len(marked)} of {both} figures changed beyond noise (±{options.noise:.0%} where no rounds are known)"
    header = ("figure", "old", "bounds", "new", "bounds", "change", "")
    if listed:
        print_table(header, map(_row, listed), title=title, file=out)
    else:
        print(title, file=out)
    if options.json:
        sys.stderr.flush()
        report = {
            "figures": both,
            "beyond_noise": {c.name: c.ratio for c in marked},
            "differences": differences(old, new),
        }
        print(json.dumps(report, ensure_ascii=False, allow_nan=False), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
