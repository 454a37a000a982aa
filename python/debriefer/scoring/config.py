"""What Task Accuracy compares each column as: a task's frozen configuration, or a careful guess from the gold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring.cells import NULL_WORDS
from debriefer.scoring.table import Table
from debriefer.scoring.typed_cells import PLAIN_NUMBER, CellError, parse_moment

ColumnType = Literal["text", "number", "date", "datetime", "boolean"]
Mode = Literal["integer", "decimal_places", "significant_digits"]
Unit = Literal["plain", "percentage_points", "fraction"]

SCHEMA_VERSION = "1.0"
MAX_DIGITS = 30
# Sums of doubles taken in another order differ in the last of their 15 to 17 digits and never in the first 12.
_INFERRED_DIGITS = 12
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
# More than a lone zero before the point: a code such as 000021, or a year written 07.
_PADDED = re.compile(r"[+-]?0\d.*")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How numbers are rounded, half up, before they are compared.

    Attributes:
        mode: `integer` refuses fractions; `decimal_places` and `significant_digits` round to `digits`.
        digits: 0 to 30; not looked at for `integer`.
    """

    mode: Mode = "integer"
    digits: int = 0


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """What one gold column holds.

    Attributes:
        type: How cells are read.
        comparison: Rounding, for numbers only.
        unit: For numbers only; with `fraction` a percent sign divides by 100.
        allow_percent_sign: Whether a number may end in `%`.
    """

    type: ColumnType
    comparison: Comparison = Comparison()
    unit: Unit = "plain"
    allow_percent_sign: bool = False


@dataclass(frozen=True, slots=True)
class ExactConfig:
    """How one task is compared.

    Attributes:
        columns: One specification for each gold column, in the gold's order.
        order_sensitive: Whether rows are compared as a sequence and not as a multiset.
        inferred: Whether it was guessed from the gold and not frozen by the task's author.
    """

    columns: tuple[ColumnSpec, ...]
    order_sensitive: bool = False
    inferred: bool = False


def load_config(path: Path) -> ExactConfig:
    """Read a frozen configuration.

    The file is the final benchmark's own: `order_sensitive`, and `columns`, a list in the gold's order of objects with
    `type` and, for numbers, `comparison` (`mode`, `digits`), `unit` and `allow_percent_sign`. `gold_index` is checked
    where it is given, `schema_version` must be `1.0` where it is given, other keys are ignored.

    Raises:
        MissingFileError: There is no such file.
        ScoringError: It is no valid configuration.

    Source: the final benchmark's configuration schema 1.0.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        message = f"`{path}` does not exist"
        raise MissingFileError(message) from error
    except (OSError, ValueError, RecursionError) as error:
        message = f"`{path}` cannot be read as JSON: {error}"
        raise ScoringError(message) from error
    try:
        return _config(document)
    except (_InvalidError, KeyError) as error:
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
        message = f"`{path}` is no valid configuration: {what}"
        raise ScoringError(message, hint="it needs `order_sensitive` and `columns`") from error


def infer_config(gold: Table, *, order_sensitive: bool = False) -> ExactConfig:
    """Guess a configuration from a gold table, so that a wrong answer is rather refused than let through.

    A column is a number where every cell that is not NULL is a plain number and none has a leading zero (codes are
    text); it is compared as an integer where all cells are whole, else at 12 significant digits, which no rounding by
    an author gets past. It is a date or a date and time where every cell is one in ISO form, a boolean where every cell
    is `true` or `false`, and text else, as is a column of NULLs alone. Rows are a multiset unless told.
    """
    columns = tuple(_infer_column(set(column)) for column in gold.columns)
    return ExactConfig(columns, order_sensitive=order_sensitive, inferred=True)


class _InvalidError(ValueError):
    """A part of a configuration is not what it must be."""


def _config(document: Any) -> ExactConfig:  # noqa: ANN401  any JSON value
    if not isinstance(document, dict):
        message = "it is not an object"
        raise _InvalidError(message)
    _one_of("schema_version", document.get("schema_version", SCHEMA_VERSION), (SCHEMA_VERSION,))
    columns = document["columns"]
    if not isinstance(columns, list) or not columns:
        message = "`columns` is not a list of at least one object"
        raise _InvalidError(message)
    return ExactConfig(
        tuple(_column(index, column) for index, column in enumerate(columns)),
        order_sensitive=_one_of("order_sensitive", document["order_sensitive"], (True, False)),
    )


def _column(index: int, column: Any) -> ColumnSpec:  # noqa: ANN401  any JSON value
    if not isinstance(column, dict):
        message = f"column {index} is not an object"
        raise _InvalidError(message)
    if column.get("gold_index", index) != index:
        message = f"column {index} has the `gold_index` {column['gold_index']}"
        raise _InvalidError(message)
    kind: ColumnType = _one_of("type", column["type"], get_args(ColumnType))
    if kind != "number":
        return ColumnSpec(kind)
    return ColumnSpec(
        kind,
        _comparison(column["comparison"]),
        _one_of("unit", column.get("unit", "plain"), get_args(Unit)),
        _one_of("allow_percent_sign", column.get("allow_percent_sign", False), (True, False)),
    )


def _comparison(comparison: Any) -> Comparison:  # noqa: ANN401  any JSON value
    if not isinstance(comparison, dict):
        message = "`comparison` is not an object"
        raise _InvalidError(message)
    mode: Mode = _one_of("mode", comparison["mode"], get_args(Mode))
    if mode == "integer":
        return Comparison(mode)
    digits = comparison["digits"]
    if type(digits) is not int or not 0 <= digits <= MAX_DIGITS:
        message = f"`digits` is {json.dumps(digits)}, not a whole number from 0 to {MAX_DIGITS}"
        raise _InvalidError(message)
    return Comparison(mode, digits)


def _one_of(key: str, value: Any, allowed: Sequence[Any]) -> Any:  # noqa: ANN401  any JSON value
    """Return `value` if it is one of `allowed`, in type as well as in value."""
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        choices = ", ".join(json.dumps(choice) for choice in allowed)
        message = f"`{key}` is {json.dumps(value)}, not one of {choices}"
        raise _InvalidError(message)
    return value


def _infer_column(cells: set[str]) -> ColumnSpec:
    values = {text for cell in cells if (text := cell.strip()).casefold() not in NULL_WORDS}
    if not values:
        return ColumnSpec("text")
    if all(PLAIN_NUMBER.fullmatch(text) and not _PADDED.match(text) for text in values):
        return ColumnSpec("number", _infer_comparison(values))
    if all(value in {"true", "false"} for value in map(str.casefold, values)):
        return ColumnSpec("boolean")
    if _moments(_DATE, values):
        return ColumnSpec("date")
    if _moments(_DATETIME, values):
        return ColumnSpec("datetime")
    return ColumnSpec("text")


def _infer_comparison(values: Iterable[str]) -> Comparison:
    if all(text.lstrip("+-").isdecimal() for text in values):
        return Comparison("integer")
    return Comparison("significant_digits", _INFERRED_DIGITS)


def _moments(form: re.Pattern[str], values: Iterable[str]) -> bool:
    """Tell whether all values have the form and are days of the calendar."""
    for text in values:
        if not form.fullmatch(text):
            return False
        try:
            parse_moment(text)
        except CellError:
            return False
    return True
