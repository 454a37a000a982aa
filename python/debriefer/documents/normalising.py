"""Columns of written values in one form: a closed set of operations, all or none of a column; the rules are Rust."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from debriefer import _core

# How a document says that there is no value, in lower case; the spellings of programs are `_core.null_tokens`.
NOTHING = frozenset(
    {
        *("not recorded", "not available", "not disclosed", "not stated", "not given", "not reported", "not known"),
        *("unknown", "unspecified", "undisclosed", "unrecorded", "missing", "blank", "no value", "no data", "none"),
        *(
            "未披露",
            "未知",
            "暂无",
            "无",
            "不详",
            "缺失",
            "未记录",
            "未提供",
            "空缺",
            "未公布",
            "暂缺",
            "没有记录",
            "尚未披露",
        ),
    }
)
# The same in other words.
_SAID_NOTHING = re.compile(
    r"(?:尚|暂|目前|至今|均)?(?:未|无|没有|没)(?:有|予|曾|经|作|能|可|对外)?"
    r"(?:披露|公布|公开|发布|提供|记录|记载|说明|填报|填写|列示|列明|获取|获得|统计|登记|明确|公示|注明|数据|资料|可查)"
    r"|not\s(?:yet\s|been\s|yet\sbeen\s)?(?:recorded|available|disclosed|stated|given|reported|known|provided|published"
    r"|announced|noted|listed|entered|measured|supplied|released|specified|applicable)"
    r"|(?:left\s)?(?:blank|unstated|unreported|unpublished|unavailable|withheld|undetermined)",
)
_TOKENS = frozenset(token.casefold() for token in _core.null_tokens())


class Normalised(NamedTuple):
    """A column in one form.

    Attributes:
        operations: What was done: `full_width`, `thousands`, `scale`, `strip_percent`, `cjk_numerals`, `number_words`,
            `unit`, `date`, `verbal_date`, `number`; or `verbatim` alone.
        sql_type: `INTEGER`, `REAL`, `DATE`, `TIMESTAMP` or `TEXT`.
        unit: Unit of the values, empty for none.
        written: Units and scales that are written, the most frequent first.
        values: One for each that was given.
    """

    operations: list[str]
    sql_type: str
    unit: str
    written: list[str]
    values: list[str]

    @property
    def verbatim(self) -> bool:
        """Whether the values stayed as they are written."""
        return self.operations == ["verbatim"]


_MOST_ENUM, _ENUM_REPEATS = 12, 3


def enumeration(done: Normalised) -> tuple[str, ...]:
    """Return the texts of a column in order where they are few and come back; empty where they do not."""
    distinct = sorted(set(done.values)) if done.sql_type == "TEXT" else []
    few = 0 < len(distinct) <= _MOST_ENUM and len(distinct) * _ENUM_REPEATS <= len(done.values)
    return tuple(distinct) if few else ()


def normalise_column(values: Sequence[str], unit: str | None = None, *, first_day: bool = False) -> Normalised:
    """Bring written values to one form; where one of them does not fit, all stay as they are written.

    Percent signs go, scale words (万, 亿, thousand, million) and metric units are multiplied in, thousands separators,
    full width and Chinese numerals are read, dates become ISO. Vague days have a convention: early is the 5th, mid the
    15th, late the 25th, the end of a quarter its last day. Codes with leading zeros, letters set apart and dates whose
    order nothing tells stay text.

    Args:
        values: The values; repeated ones cost no more than their comparison.
        unit: Unit that the values shall have, where they can be converted to it, such as `万元` or `kg`.
        first_day: Whether a year or month alone among dates stands for its first day.

    >>> normalise_column(["3.2万元", "1,500元"]).values
    ['32000', '1500']
    >>> normalise_column(["000021", "600519"]).sql_type
    'TEXT'
    """
    distinct = list(dict.fromkeys(values))
    operations, sql_type, found, written, done = _core.normalise_column(distinct, unit, first_day=first_day)
    by_text = dict(zip(distinct, done, strict=True))
    return Normalised(operations, sql_type, found, written, [by_text[value] for value in values])


def is_nothing(text: str) -> bool:
    """Return whether a text says that there is no value.

    >>> [is_nothing(text) for text in ("Not recorded", "未披露", "N/A", "0")]
    [True, True, True, False]
    """
    plain = " ".join(text.strip(" .。,，;；\"'“”").casefold().split())
    if _SAID_NOTHING.fullmatch(plain) is not None:
        return True
    return not plain or plain in NOTHING or plain in _TOKENS or not any(letter.isalnum() for letter in plain)
