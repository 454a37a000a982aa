"""Times of a video as people and models write them."""

from __future__ import annotations

import math
import re

_CLOCK = re.compile(r"^(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:[.,]\d+)?)\s*s?$")
_SIXTY = 60


def clock(seconds: float) -> str:
    """Return a time as `HH:MM:SS.cc`, rounded to hundredths; negative ones are 0.

    >>> clock(67.36)
    '00:01:07.36'
    >>> clock(3599.999)
    '01:00:00.00'
    """
    hundredths = round(max(0.0, seconds) * 100)
    minutes, rest = divmod(hundredths, 6_000)
    hours, minutes = divmod(minutes, _SIXTY)
    return f"{hours:02d}:{minutes:02d}:{rest // 100:02d}.{rest % 100:02d}"


def seconds_of(value: object) -> float:
    """Return the seconds of a number, of `SS`, `MM:SS` or `HH:MM:SS`, each with an optional fraction.

    Raises:
        ValueError: It is no time, or not a finite one.

    >>> seconds_of("00:15:32,500"), seconds_of("03:21"), seconds_of("7.5 s"), seconds_of(12)
    (932.5, 201.0, 7.5, 12.0)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value) or value < 0:
            message = f"`{value}` is no time in a video"
            raise ValueError(message)
        return float(value)
    match = _CLOCK.match(str(value).strip().strip("[]"))
    if match is None:
        message = f"`{str(value)[:40]}` is no time in a video"
        raise ValueError(message)
    hours, minutes, seconds = match.groups()
    whole = float(seconds.replace(",", "."))
    if minutes is not None and (whole >= _SIXTY or (hours is not None and int(minutes) >= _SIXTY)):
        message = f"`{value}` has more than 59 minutes or seconds"
        raise ValueError(message)
    return int(hours or 0) * 3_600 + int(minutes or 0) * _SIXTY + whole


def shown_span(begin: float, end: float) -> str:
    """Return a stretch of time as text.

    >>> shown_span(0, 12.5)
    '00:00:00.00-00:00:12.50'
    """
    return f"{clock(begin)}-{clock(end)}"
