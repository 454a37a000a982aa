"""The normal form of a cell under a column's type, as Task Accuracy compares it.

Source: the final benchmark's evaluator, version 1.0.0, by its behaviour.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING

from debriefer.scoring.cells import NULL_WORDS
from debriefer.scoring.decimals import hundredth, parse_decimal, plain, round_half_up

if TYPE_CHECKING:
    from debriefer.scoring.config import ColumnSpec

PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_GROUPED_NUMBER = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TRUE = frozenset({"1", "true", "yes", "y", "是"})
_FALSE = frozenset({"0", "false", "no", "n", "否"})


class CellError(ValueError):
    """A cell is not what its column's type asks for."""


def normal_cell(spec: ColumnSpec) -> Callable[[str], str | None]:
    """Return the function that gives a cell's normal form under `spec`, `None` for NULL.

    The function raises `CellError` where the cell is not of the type. Two cells of one type are equal exactly where
    their normal forms are.
    """
    match spec.type:
        case "text":
            return _text
        case "number":
            return lambda cell: _number(cell, spec)
        case "date":
            return _date
        case "datetime":
            return _datetime
        case "boolean":
            return _boolean


def parse_moment(text: str) -> datetime:
    """Return an ISO date (its midnight) or date and time; it has a zone where `text` has one.

    Raises:
        CellError: It is none, or no day of the calendar.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is no ISO date or time"
        raise CellError(message) from error


def _text(cell: str) -> str | None:
    text = cell.replace("\r\n", "\n").replace("\r", "\n").strip()
    return unicodedata.normalize("NFC", text) or None


def _number(cell: str, spec: ColumnSpec) -> str | None:
    text = cell.strip()
    if text.casefold() in NULL_WORDS:
        return None
    percent = text.endswith("%")
    if percent:
        if not spec.allow_percent_sign:
            message = f"{cell!r} has a percent sign"
            raise CellError(message)
        text = text[:-1].strip()
    if _GROUPED_NUMBER.fullmatch(text):
        text = text.replace(",", "")
    value = parse_decimal(text) if PLAIN_NUMBER.fullmatch(text) else None
    if value is None:
        message = f"{cell!r} is no number"
        raise CellError(message)
    if percent and spec.unit == "fraction":
        value = hundredth(value)
    return plain(_rounded(value, spec))


def _rounded(value: Decimal, spec: ColumnSpec) -> Decimal:
    match spec.comparison.mode:
        case "integer":
            if value != value.to_integral_value():
                message = f"{value} is not whole"
                raise CellError(message)
            return value
        case "decimal_places":
            return round_half_up(value, spec.comparison.digits)
        case "significant_digits":
            return round_half_up(value, spec.comparison.digits - 1 - value.adjusted()) if value else value


def _date(cell: str) -> str | None:
    text = cell.strip()
    if text.casefold() in NULL_WORDS:
        return None
    moment = _to_utc(parse_moment(text))
    if moment.time() != time.min:
        message = f"{cell!r} is not at midnight"
        raise CellError(message)
    return moment.date().isoformat()


def _datetime(cell: str) -> str | None:
    text = cell.strip()
    if text.casefold() in NULL_WORDS:
        return None
    moment = parse_moment(text)
    if moment.tzinfo is None:
        return moment.isoformat()
    return _to_utc(moment).isoformat() + "Z"


def _to_utc(moment: datetime) -> datetime:
    """Return the moment in UTC without a zone; one without a zone is taken as it is."""
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError as error:
        message = f"{moment.isoformat()} is before or after the calendar"
        raise CellError(message) from error


def _boolean(cell: str) -> str | None:
    text = cell.strip().casefold()
    if text in NULL_WORDS:
        return None
    if text in _TRUE:
        return "true"
    if text in _FALSE:
        return "false"
    message = f"{cell!r} is no boolean"
    raise CellError(message)
