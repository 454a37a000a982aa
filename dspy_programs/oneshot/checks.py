"""Running a statement and looking at its result by rule."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from debriefer.catalog import Catalog
from debriefer.errors import DebrieferError
from debriefer.models import neutralise
from debriefer.workbench.explore import stopped_after
from debriefer.workbench.writing import prediction_text

_ROWS_SHOWN = 5
_CELL_CHARACTERS = 60
_SECONDS = 30.0
_MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a statement.

    Attributes:
        sql: The statement.
        csv: The result as `prediction.csv` holds it; `None` where the statement failed.
        problem: The error, or what is wrong with the result by rule; empty where nothing is.
        shown: The result's first rows as text.
    """

    sql: str
    csv: str | None
    problem: str
    shown: str


def run_statement(catalog: Catalog, sql: str) -> Ran:
    """Run a statement through the SQL door and check its result; never raises for what a model can get wrong."""
    if not sql.strip():
        return Ran(sql, None, "There is no statement.", "")
    try:
        with stopped_after(catalog, _SECONDS):
            frame = catalog.sql(sql)
        if frame.height > _MOST_ROWS:
            return Ran(sql, None, f"The result has {frame.height} rows; a join lacks its key.", "")
        csv = prediction_text(frame)
    except DebrieferError as error:
        return Ran(sql, None, neutralise(error.render()), "")
    return Ran(sql, csv, _problem(frame), neutralise(_shown(frame)))


def _problem(frame: pl.DataFrame) -> str:
    if frame.height == 0:
        return "The result has no rows. Is every value that is compared spelled as it is stored? Is a filter too much?"
    if all(frame.get_column(name).null_count() == frame.height for name in frame.columns):
        return "Every cell of the result is NULL. Nothing met the conditions, or the wrong column was read."
    return ""


def _shown(frame: pl.DataFrame) -> str:
    lines = [" | ".join(frame.columns)]
    lines += [" | ".join(_cell(value) for value in row) for row in frame.head(_ROWS_SHOWN).rows()]
    return "\n".join([*lines, f"({frame.height} rows)"])


def _cell(value: object) -> str:
    text = "NULL" if value is None else " ".join(str(value).split())
    return text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"
