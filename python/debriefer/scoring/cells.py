"""The canonical cell of the column-signature score.

Source: the competition's rules, section 6.5. Where they are silent (thousands separators, percent signs, currency,
dates written otherwise) a cell is text and stays as it is, so that no score is better here than it would be there.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import polars as pl

from debriefer.scoring.decimals import parse_decimal, two_decimals

NULL_WORDS = frozenset({"", "null", "none", "nan", "nat", "<na>"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ZONED = re.compile(
    r"(?P<start>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?)(?:\.(?P<fraction>\d+))?(?P<zone>[Zz]|[+-]\d{2}:?\d{2})"
)
# The four patterns of `canonical_cells`, for polars: decimals that 38 digits hold with room for a carry; what may be a
# number of another form or a moment; dates and moments without a zone, which stay as they are; the null words.
_SCALE = 18
_ORDINARY_NUMBER = r"^-?[0-9]{1,15}(?:\.[0-9]{1,18})?$"
_MAYBE_ODD = r"^[0-9+\-.]"
_UNZONED = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]*)?$"
_NULL = r"(?i)^(?:null|none|nan|nat|<na>)?$"
# What `str.strip` takes away; polars alone would leave U+001C to U+001F.
_WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_DATE_LIKE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]|$)"


def canonical_cell(cell: str) -> str:
    """Return the form of a cell in which the column-signature score compares it.

    White space at both ends goes. Then the first that fits: a null word in any case gives the empty string; a decimal
    number in ASCII digits gets two decimals, halves away from zero, and −0 is 0; a date and time with a zone becomes
    UTC and ends in `Z`; anything else, dates included, stays as it is, case and all.

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


def canonical_cells(cells: pl.Series) -> pl.Series:
    """Return `canonical_cell` of every cell of a text column, most of them without a Python call.

    Ordinary decimals are rounded as 128-bit decimals, which hold them exactly; what may be anything but ordinary text
    goes through `canonical_cell` itself.
    """
    stripped = cells.str.strip_chars(_WHITE_SPACE)
    text = pl.lit(stripped)
    number = text.cast(pl.Decimal(38, _SCALE), strict=False).round(2, mode="half_away_from_zero")
    ordinary = text.str.contains(_ORDINARY_NUMBER)
    done = pl.select(
        cell=pl.when(ordinary)
        .then(number.cast(pl.Decimal(38, 2)).cast(pl.String))
        .when(text.str.contains(_NULL))
        .then(pl.lit(""))
        .otherwise(text),
        odd=text.str.contains(_MAYBE_ODD) & ~ordinary & ~text.str.contains(_UNZONED),
    )
    canonical, odd = done["cell"], done["odd"]
    if not odd.any():
        return canonical
    return canonical.scatter(odd.arg_true(), [canonical_cell(cell) for cell in stripped.filter(odd)])


def are_words(canonical: pl.Series) -> bool:
    """Tell whether canonical cells can be parts of persons' names: neither numbers nor dates, and not all NULL."""
    number_or_date = pl.lit(canonical).str.contains(f"^(?:{_NUMBER.pattern})$|{_DATE_LIKE}")
    return bool((canonical != "").any()) and not pl.select(number_or_date.any()).item()


def _utc(zoned: re.Match[str]) -> str | None:
    """Return the moment in UTC with all its fractional digits, or `None` where the calendar has no such moment."""
    zone = "+00:00" if zoned["zone"] in "Zz" else zoned["zone"]
    try:
        moment = datetime.fromisoformat(zoned["start"] + zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    fraction = (zoned["fraction"] or "").rstrip("0")
    return moment.replace(tzinfo=None).isoformat() + (f".{fraction}" if fraction else "") + "Z"
