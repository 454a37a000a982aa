"""When two cells say the same: numbers by value, text by NFKC."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

Table = tuple[tuple[str, ...], ...]

_NUMBER = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]+))?(%?)")
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

    All digits count, however many there are. `0,123` is none: no thousands are grouped like that, and where the comma
    is the decimal mark it is 0.123.

    >>> number("1,280.50"), number("0.70%"), number("007"), number("12 万")
    ('1280.5', '0.7%', None, None)
    """
    found = _NUMBER.fullmatch(text.replace(" %", "%"))
    if found is None:
        return None
    sign, grouped, fraction, percent = found.groups()
    whole, fraction = grouped.replace(",", ""), (fraction or "").rstrip("0")
    if whole.startswith("0") and len(whole) > 1:
        return None
    plain = f"{whole}.{fraction}" if fraction else whole
    return ("-" if sign == "-" and plain != "0" else "") + plain + percent


def normal_table(rows: Sequence[Sequence[str]]) -> Table:
    """Return a table's normal form, its rows in their order."""
    return tuple(tuple(normal(cell) for cell in row) for row in rows)
