"""When two cells say the same: numbers by value, text by NFKC."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

Table = tuple[tuple[str, ...], ...]

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
_SPACE = re.compile(r"\s+")


def normal(cell: str) -> str:
    """Return the form in which equal cells are equal.

    A code such as `000021` is text; a share keeps its percent sign, since 12 and 12 % are not the same.

    >>> normal("1,280.50"), normal("１２ %"), normal("000021"), normal("  North   East ")
    ('1280.5', '12%', '000021', 'north east')
    """
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", cell)).strip().casefold().replace("−", "-")
    value = number(text)
    return text if value is None else value


def number(text: str) -> str | None:
    """Return a plain number in its shortest form, `None` for what is none or is a code with leading zeros.

    >>> number("1,280.50"), number("0.70%"), number("007"), number("12 万")
    ('1280.5', '0.7%', None, None)
    """
    compact = text.replace(" %", "%")
    if _NUMBER.fullmatch(compact) is None:
        return None
    digits = compact.lstrip("+-")
    if digits.startswith("0") and len(digits) > 1 and digits[1].isdigit():
        return None
    try:
        value = Decimal(compact.replace(",", "").removesuffix("%"))
    except InvalidOperation:
        return None
    plain = format(value.normalize() + 0, "f")
    return plain + ("%" if compact.endswith("%") else "")


def normal_table(rows: Sequence[Sequence[str]]) -> Table:
    """Return a table's normal form, its rows in their order."""
    return tuple(tuple(normal(cell) for cell in row) for row in rows)
