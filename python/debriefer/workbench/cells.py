"""One way to write a value as text, for `prediction.csv` and for what a model is shown."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from collections.abc import Mapping
from typing import Any

_MICROSECONDS_A_DAY = 86_400_000_000


def cell_text(value: object) -> str | None:  # noqa: C901, PLR0911 -- one line a type
    r"""Return `value` as the text of a cell; `None` for NULL.

    Numbers keep every digit and are never written with an exponent; a double of integral value keeps its `.0`.
    Dates and times are ISO with a space between them and a fraction only where there is one; a moment with a zone
    is written in UTC. Nested values are JSON, bytes hexadecimal, intervals as DuckDB writes them.

    Args:
        value: A Python value as DuckDB or Polars hands it out.

    >>> [cell_text(value) for value in (True, 4.0, 1e20, 0.1, [1, None, "é"], b"\xff")]
    ['true', '4.0', '100000000000000000000.0', '0.1', '[1,null,"é"]', 'ff']
    """
    match value:
        case None:
            return None
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case float():
            return positional(repr(value))
        case decimal.Decimal():
            return format(value, "f")
        case dt.datetime():
            utc = value if value.tzinfo is None else value.astimezone(dt.UTC)
            return utc.isoformat(" ", _precision(value.microsecond))
        case dt.time():
            return value.isoformat(_precision(value.microsecond))
        case dt.date():
            return value.isoformat()
        case dt.timedelta():
            return _interval(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case list() | tuple() | set() | frozenset() | Mapping():
            return _json(value)
        case _:
            return str(value)


def positional(number: str) -> str:
    """Return a floating-point number written without an exponent, digit for digit the same value.

    Args:
        number: The shortest text that reads back as the number, such as `1e-07`, `1e+20`, `0.1`, `nan`.

    >>> positional("1.5e-07"), positional("1e+20"), positional("nan")
    ('0.00000015', '100000000000000000000.0', 'NaN')
    """
    if "n" in number.lower():
        return "NaN" if "a" in number.lower() else number.lower()
    if "e" not in number.lower():
        return number
    plain = format(decimal.Decimal(number), "f")
    return plain if "." in plain else plain + ".0"


def shortened(text: str, most: int) -> str:
    r"""Return `text` on one line and at most `most` characters long; `…` marks what was cut.

    >>> shortened("a\nb" + "c" * 9, 5)
    'a\\nb…'
    """
    flat = text.replace("\\", "\\\\") if "\n" in text or "\r" in text else text
    flat = flat.replace("\r", "\\r").replace("\n", "\\n")
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _precision(microsecond: int) -> str:
    if microsecond == 0:
        return "seconds"
    return "microseconds" if microsecond % 1000 else "milliseconds"


def _interval(value: dt.timedelta) -> str:
    """Write an interval in DuckDB's manner: `3 days -01:00:00.5` has a sign of its own in each part."""
    micros = value // dt.timedelta(microseconds=1)
    sign = "-" if micros < 0 else ""
    days, rest = divmod(abs(micros), _MICROSECONDS_A_DAY)
    parts = [f"{sign}{days} day{'' if days == 1 else 's'}"] if days else []
    if rest or not days:
        seconds, fraction = divmod(rest, 1_000_000)
        clock = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        parts.append(f"{clock}.{fraction:06}".rstrip("0") if fraction else clock)
    return " ".join(parts)


def _json(value: Any) -> str:  # noqa: ANN401, PLR0911 -- one line a type
    match value:
        case None:
            return "null"
        case bool() | int():
            return json.dumps(value)
        case float() | decimal.Decimal() if value == value and abs(value) != float("inf"):  # noqa: PLR0124
            return cell_text(value) or ""
        case list() | tuple():
            return "[" + ",".join(_json(item) for item in value) + "]"
        case set() | frozenset():
            return "[" + ",".join(sorted(_json(item) for item in value)) + "]"
        case Mapping():
            items = (f"{json.dumps(cell_text(key), ensure_ascii=False)}:{_json(item)}" for key, item in value.items())
            return "{" + ",".join(items) + "}"
        case _:
            return json.dumps(cell_text(value), ensure_ascii=False)
