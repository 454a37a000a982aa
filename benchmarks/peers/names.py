"""Canonical names beside pyjanitor's `clean_names`, on 10^4 names, call cost included.

`names_over_pyjanitor` is the time of pyjanitor ÷ ours. pyjanitor renames the columns of a data frame, so it is given
one without rows; building that frame is not timed.
"""

from __future__ import annotations

import random

import janitor  # noqa: F401  # adds the method `clean_names` to pandas
import pandas as pd

from benchmarks.peers import main
from benchmarks.report import paired
from debriefer import _core

NAMES = 10_000
WORDS = ("Sales", "Members", "公司名单", "金额(万元)", "Région", "Q1", "2024", "％", "final", "（备注）", "_id", "A/B")


def measure() -> dict[str, float]:
    names = stems()
    frame = pd.DataFrame(columns=pd.Index(names))
    result = paired(lambda: _core.canonical_names(names), frame.clean_names)
    return {"names_over_pyjanitor": result.ratio, "names_microseconds_each": result.ours / NAMES * 1e6}


def stems() -> list[str]:
    """Return 10^4 different names: a third with letters beyond ASCII, most with something to replace."""
    dice = random.Random(20260101)  # noqa: S311  # a fixed seed, no secret
    plain = [word for word in WORDS if word.isascii()]
    return [" ".join([*dice.choices(WORDS if number % 2 else plain, k=2), str(number)]) for number in range(NAMES)]


if __name__ == "__main__":
    main("names", measure)
