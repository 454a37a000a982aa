"""Writing a result as `prediction.csv`."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from debriefer.catalog.far_times import far_as_text
from debriefer.errors import WorkbenchError
from debriefer.workbench.cells import cell_text, positional

_AS_POLARS_WRITES = (pl.String, pl.Boolean, pl.Categorical, pl.Enum, pl.Date)
# A fraction of 3, 6 or 9 digits, and none where it is zero.
_CLOCK = "%H:%M:%S%.f"
_MOMENT = f"%Y-%m-%d {_CLOCK}"
_RESULT_HINT = 'assign what `run_sql` returns: result = run_sql("SELECT …")'


def write_prediction(result: object, path: str | Path) -> None:
    """Write a result as `prediction.csv`: UTF-8, one header row, an empty cell for NULL.

    Every value is written in full, as `debriefer.workbench.cells.cell_text` says. In a table of one column NULL is
    `""`, because a blank line would be no row. The file appears only when it is complete.

    Args:
        result: A Polars frame, or any table that offers Arrow's C stream (a DuckDB relation, a pandas frame).
        path: The file to write; replaced if it exists.

    Raises:
        WorkbenchError: `result` is no table, has no column, or the file cannot be written.

    Source: output contract of the KDD Cup 2026 Data Agents track.
    """
    path = Path(path)
    text = _all_text(as_frame(result))
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        text.write_csv(partial, quote_style="necessary", line_terminator="\n")
        partial.replace(path)
    except OSError as error:
        message = f"`{path}` cannot be written: {error.strerror or error}"
        raise WorkbenchError(message, hint="check the folder's permissions and the free space") from error
    finally:
        partial.unlink(missing_ok=True)


def prediction_text(result: object) -> str:
    r"""Return what `write_prediction` would write.

    >>> prediction_text(pl.DataFrame({"n": [1, None]}))
    'n\n1\n""\n'
    """
    return _all_text(as_frame(result)).write_csv(quote_style="necessary", line_terminator="\n")


def as_frame(result: object) -> pl.DataFrame:
    """Return a table as a Polars frame.

    Raises:
        WorkbenchError: `result` is no table, or a table without a column.
    """
    frame: pl.DataFrame | None = None
    if isinstance(result, pl.DataFrame):
        frame = result
    elif isinstance(result, pl.LazyFrame):
        frame = result.collect()
    elif isinstance(result, pl.Series):
        frame = result.to_frame()
    elif hasattr(result, "__arrow_c_stream__"):
        try:
            frame = pl.DataFrame(result)
        except (ImportError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            message = f"`result` is a `{type(result).__name__}` that cannot be read as a table: {error}"
            raise WorkbenchError(message, hint=_RESULT_HINT) from error
    if frame is None:
        message = f"`result` is a `{type(result).__name__}`, not a table"
        raise WorkbenchError(message, hint=_RESULT_HINT)
    if frame.width == 0:
        message = "`result` has no columns"
        raise WorkbenchError(message, hint=_RESULT_HINT)
    return frame


def _all_text(frame: pl.DataFrame) -> pl.DataFrame:
    text = pl.DataFrame([_text_column(column) for column in far_as_text(frame).get_columns()])
    return text.fill_null("") if frame.width == 1 else text


def _text_column(column: pl.Series) -> pl.Series:
    """Return a column with each value as `cell_text` writes it, computed by Polars where it writes the same."""
    kind = column.dtype
    if kind.is_integer() or kind.is_decimal() or kind in _AS_POLARS_WRITES:
        return column.cast(pl.String)
    if kind.is_float():
        text = column.cast(pl.String)
        if not text.str.contains("e", literal=True).any():
            return text
        return pl.Series(column.name, [None if t is None else positional(t) for t in text], pl.String)
    if isinstance(kind, pl.Datetime):
        zoned = kind.time_zone is not None
        return (column.dt.convert_time_zone("UTC") if zoned else column).dt.to_string(
            f"{_MOMENT}+00:00" if zoned else _MOMENT
        )
    if kind == pl.Time:
        return column.dt.to_string(_CLOCK)
    # Nested values, bytes and intervals.
    return pl.Series(column.name, [cell_text(value) for value in column.to_list()], pl.String)
