"""Full dates and months in a question: `on 2024-03-05`, `in March 2024`, `3月5日`.

A moment is written as ISO 8601 does, cut where the question says no more: `2024-03-05`, `2024-03`, and without a year
`--03-05` and `--03`. Years alone are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "(?P<name>" + "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + r"|sept)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
# No part of a longer number, code or name.
_APART, _ENDS = r"(?<![\w.-])", r"(?![\w-]|\.\d)"
_ISO = (
    rf"{_APART}{_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark){_DAY}{_ENDS}",
    rf"{_APART}{_YEAR}-(?P<month>\d{{2}}){_ENDS}",
)
_ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        *_ISO,
        rf"{_APART}{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?{_ENDS}",
        rf"{_APART}{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?{_ENDS}",
        rf"{_APART}{_MONTH},?\s+(?:of\s+)?{_YEAR}{_ENDS}",
    )
)
# `may` and `march` are words, too: alone, a month has a capital and a preposition.
_ALONE = re.compile(
    r"(?:(?<=\b[Ii]n )|(?<=\b[Dd]uring ))(?P<name>" + "|".join(n.title() for n in _MONTHS) + r")(?![\w-])"
)
_CHINESE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月份?(?:\s*(?P<day>\d{{1,2}})\s*[日号])?",
        r"(?<![\d年])(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        r"(?<![\d年.])(?P<month>\d{1,2})月份?(?![\d日号])",
        rf"(?<![0-9A-Za-z.-]){_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?![0-9A-Za-z-])",
    )
)
# The 29th of February exists.
_ANY_LEAP_YEAR = 2000


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or a month in a question.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        text: Cut ISO form.
    """

    start: int
    end: int
    text: str


def moments(question: str, *, chinese: bool = False) -> dict[int, Moment]:
    """Return the longest moment that begins at each offset of the question.

    >>> [m.text for m in moments("on March 5, 2024 or in June 2023").values()]
    ['2024-03-05', '2023-06']
    >>> [m.text for m in moments("2024年3月和3月5日", chinese=True).values()]
    ['2024-03', '--03-05']
    """
    found: dict[int, Moment] = {}
    taken = 0
    for moment in sorted(_all(question, chinese=chinese), key=lambda m: (m.start, -m.end)):
        if moment.start >= taken:
            found[moment.start] = moment
            taken = moment.end
    return found


def _all(question: str, *, chinese: bool) -> Iterator[Moment]:
    for pattern in _CHINESE if chinese else (*_ENGLISH, _ALONE):
        for match in pattern.finditer(question):
            parts = match.groupdict()
            name = parts.get("name")
            month = _month(name) if name else int(parts["month"])
            if re.fullmatch(r"\d{4}-\d{2}", match.group()) and month == (int(parts["year"]) + 1) % 100:
                # `2011-12` is more often a season than a month.
                continue
            text = _written(parts.get("year"), month, parts.get("day"))
            if text is not None:
                yield Moment(match.start(), match.end(), text)


def _month(name: str) -> int:
    return next(number for number, known in enumerate(_MONTHS, start=1) if known.startswith(name[:3].lower()))


def _written(year: str | None, month: int, day: str | None) -> str | None:
    """Return the cut ISO form, or `None` where the calendar has no such day."""
    try:
        exact = date(int(year) if year else _ANY_LEAP_YEAR, month, int(day) if day else 1)
    except ValueError:
        return None
    head = f"{exact.year:04}" if year else "-"
    return f"{head}-{month:02}" + (f"-{exact.day:02}" if day else "")


_MOMENT = re.compile(r"(?P<head>\d{4}|-)-\d\d(?P<day>-\d\d)?")


def compared(column: str, stored_as: str, values: tuple[object, ...]) -> str | None:
    """Return SQL that writes a column of dates as these moments are written, or `None` where they are none.

    Texts are dates where they begin with a year, a month and, for moments with a day, a day: `2024-03-05`, `2024/3/5`,
    `2024年3月5日`. What is no date is NULL.

    Args:
        column: Quoted name of the column.
        stored_as: Its DuckDB type.
        values: Constants of one condition.
    """
    matches = [_MOMENT.fullmatch(value) if isinstance(value, str) else None for value in values]
    if not matches or None in matches:
        return None
    forms = {(match["head"] == "-", match["day"] is None) for match in matches if match is not None}
    if len(forms) > 1:
        return None
    [(any_year, whole_month)] = forms
    form = ("--%m" if any_year else "%Y-%m") + ("" if whole_month else "-%d")
    if stored_as.upper().startswith(("DATE", "TIMESTAMP")):
        return f"strftime({column}, '{form}')"
    parts = r"^\d{4}[-/.年]\d{1,2}" + ("" if whole_month else r"[-/.月]\d{1,2}")
    first = " || '-1'" if whole_month else ""
    digits = f"regexp_replace(regexp_extract({column}::VARCHAR, '{parts}'), '[/.年月]', '-', 'g')"
    return f"strftime(TRY_CAST({digits}{first} AS DATE), '{form}')"
