"""Canonical names beside what else renames columns, on 10^4 names, call cost included.

Each figure is the time of the peer ÷ ours:

- `names_over_pyjanitor`: `clean_names`. It renames the columns of a data frame, so it is given one without rows;
  building that frame is not timed. It joins repeated underscores and leaves a leading digit.
- `names_over_pandas`, `names_over_polars`: the rule as expressions over a series that is there already, to a list.
- `names_over_duckdb`: `read_csv(…, normalize_names = true)` of a file that is one header, the reading of it included
  (`names_over_duckdb_plain`: the same without normalising). It keeps ASCII only and joins underscores.

`names_same.PEER` is the share of names on which the peer agrees with us.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import janitor  # noqa: F401  # adds the method `clean_names` to pandas
import pandas as pd
import polars as pl

from benchmarks.inputs import NAMES, stems
from benchmarks.peers import main, with_ratios
from benchmarks.report import paired
from debriefer import _core

# DuckDB takes seconds for a table of 10^4 columns.
DUCKDB_NAMES = 1_000


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Return the ratios and the shares of equal names; `quick` takes five rounds instead of nine."""
    rounds = 5 if quick else 9
    names = stems()
    frame = pd.DataFrame(columns=pd.Index(names))
    series, column = pd.Series(names), pl.Series(names)
    peers: dict[str, Callable[[], Sequence[str]]] = {
        "pyjanitor": lambda: list(frame.clean_names().columns),
        "pandas": lambda: by_pandas(series),
        "polars": lambda: by_polars(column),
    }
    right = _core.canonical_names(names)
    runs = {
        f"names_over_{peer}": paired(lambda: _core.canonical_names(names), run, rounds) for peer, run in peers.items()
    }
    same = {f"names_same.{peer}": share(run(), right) for peer, run in peers.items()}
    fewer = names[:DUCKDB_NAMES]
    with tempfile.TemporaryDirectory(prefix="debriefer-bench-") as folder:
        path = Path(folder) / "header.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([fewer, ["x"] * len(fewer)])
        for peer, normalize in (("duckdb", True), ("duckdb_plain", False)):
            runs[f"names_over_{peer}"] = paired(
                lambda: _core.canonical_names(fewer), partial(by_duckdb, path, normalize=normalize), 5
            )
        same["names_same.duckdb"] = share(by_duckdb(path, normalize=True), right[:DUCKDB_NAMES])
    each = runs["names_over_pyjanitor"].ours / NAMES * 1e6
    return with_ratios(runs, names_microseconds_each=each, **same)


def by_pandas(names: pd.Series) -> list[str]:
    """Return the names by pandas' string methods."""
    plain = names.str.normalize("NFKC").str.replace(r"\W", "_", regex=True).str.lower()
    found: list[str] = plain.str.replace(r"^(?=\d|$)", "t_", regex=True).tolist()
    return found


def by_polars(names: pl.Series) -> list[str]:
    """Return the names by Polars' string expressions."""
    plain = names.str.normalize("NFKC").str.replace_all(r"\W", "_").str.to_lowercase()
    return plain.str.replace(r"^(\d|$)", "t_${1}").to_list()


def by_duckdb(path: Path, *, normalize: bool) -> list[str]:
    """Return the names that DuckDB gives the columns of a file."""
    options = f"normalize_names = {str(normalize).lower()}, header = true, all_varchar = true, delim = ','"
    relation: Any = duckdb.sql(f"SELECT * FROM read_csv('{path}', {options})")
    return list(relation.columns)


def share(given: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of names that are equal."""
    return sum(one == other for one, other in zip(given, right, strict=True)) / len(right)


if __name__ == "__main__":
    main("names", measure)
