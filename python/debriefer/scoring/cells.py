"""The canonical cell of the column-signature score.

Source: the competition's rules, section 6.5. Where they are silent (thousands separators, percent signs, currency,
dates written otherwise) a cell is text and stays as it is, so that no score is better here than it would be there.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from debriefer.scoring.decimals import parse_decimal, two_decimals

NULL_WORDS = frozenset({"", "null", "none", "nan", "nat", "<na>"})
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_ZONED = re.compile(
    r"(?P<start>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?)(?:\.(?P<fraction>\d+))?(?P<zone>[Zz]|[+-]\d{2}:?\d{2})"
)
_DATE_LIKE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")


def canonical_cell(cell: str) -> str:
    """Return the form of a cell in which the column-signature score compares it.

    White space at both ends goes. Then the first that fits: a null word in any case gives the empty string; a
    decimal number gets two decimals, halves away from zero, and −0 is 0; a date and time with a zone becomes UTC
    and ends in `Z`; anything else, dates included, stays as it is, case and all.

    Source: competition rules 6.5; exact decimals, so 0.005 gives 0.01.

    >>> [canonical_cell(cell) for cell in (" NULL ", "0.005", "000021", "1,000", "2024-3-1")]
    ['', '0.01', '21.00', '1,000', '2024-3-1']
    >>> canonical_cell("2024-03-01T08:00:00+08:00")
    '2024-03-01T00:00:00Z'
    """
    text = cell.strip()
    if _NUMBER.fullmatch(text):
        value = parse_decimal(text)
        return text if value is None else two_decimals(value)
    if text.lower() in NULL_WORDS:
        return ""
    if text.isascii() and (zoned := _ZONED.fullmatch(text)):
        return _utc(zoned) or text
    return text


def is_word(canonical: str) -> bool:
    """Tell whether a canonical cell can be part of a person's name: neither NULL, nor a number, nor a date."""
    return bool(canonical) and not _NUMBER.fullmatch(canonical) and not _DATE_LIKE.fullmatch(canonical)


def _utc(zoned: re.Match[str]) -> str | None:
    """Return the moment in UTC with all its fractional digits, or `None` where the calendar has no such moment."""
    zone = "+00:00" if zoned["zone"] in "Zz" else zoned["zone"]
    try:
        moment = datetime.fromisoformat(zoned["start"] + zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    fraction = (zoned["fraction"] or "").rstrip("0")
    return moment.replace(tzinfo=None).isoformat() + (f".{fraction}" if fraction else "") + "Z"
