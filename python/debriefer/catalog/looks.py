"""What the values of a column are, beyond their type: identifiers, codes, dates, amounts or ratios, and their unit."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Looks = Literal["id", "code", "date", "amount", "ratio"]

# A text cell that is a code: capital letters alone, or digits with a few letters before or after them.
CODE_CELL = r"[A-Z]{2,6}|[A-Za-z]{0,5}[-_.]?\d+(?:[-_.]?[A-Za-z]{1,5})?"
_FLOAT = re.compile(r"^(?:DOUBLE|FLOAT|REAL|DECIMAL\(\d+,[1-9]\d*\))")
_INTEGER = re.compile(r"^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,0\))")
_MOMENT = re.compile(r"^(?:DATE|TIMESTAMP)")
_ID_NAME = re.compile(r"(?:^|[^A-Za-z])(?:id|uuid|guid|uid|key)$|(?:编号|序号)$", re.IGNORECASE)
_ID_CAMEL = re.compile(r"[a-z](?:ID|Id)$")
_CODE_NAME = re.compile(
    r"(?:^|[_ ])(?:code|zip|zipcode|postcode|postal[_ ]code|phone|isbn|sku|iata|iso)$|[a-z]Code$|"
    r"(?:代码|编码|邮编|电话|号码)$"
)
_YEAR_NAME = re.compile(r"(?:^|[_ ])(?:year|yr)(?:$|[_ ])|[a-z]Year$|(?:年份|年度)$", re.IGNORECASE)
_YEARS = (1000.0, 2999.0)
_RATIO_NAME = re.compile(
    r"(?:^|[_ ])(?:ratio|rate|share|percent|percentage|pct|proportion)(?:$|[_ ])|(?:率|占比|比例|比重|百分比)$",
    re.IGNORECASE,
)
# Beyond this a number called a rate is one of something else: an exchange rate, a price.
_LARGEST_RATIO = 1000.0
_AMOUNT_NAME = re.compile(
    r"(?:^|[_ ])(?:amount|amt|price|cost|fee|revenue|sales|salary|income|profit|budget|balance|payment|total|value|"
    r"worth|expense|spent|paid)(?:$|[_ ])|"
    r"(?:金额|价格|单价|售价|费用|收入|利润|工资|薪资|成本|余额|总额|销售额|净值|预算)$",
    re.IGNORECASE,
)
_PARENTHESES = re.compile(r"[(\[]([^()\[\]]{1,16})[)\]]\s*$")
_UNIT_WORD = re.compile(
    r"(?:^|[_ ])(usd|eur|gbp|cny|rmb|dollars?|euros?|km2?|sqkm|km|cm|mm|kg|mg|mb|gb|tb|kwh|mwh|mwe?|kw|hz|percent|pct|"
    r"millions?|billions?|thousands?|sqft|sqm|miles?|feet|ft|metres?|meters?|seconds|minutes|hours|days|ms)$",
    re.IGNORECASE,
)


def unit_of(name: str) -> str | None:
    """Return the unit that a column's name ends on, as it is written, or `None`.

    >>> unit_of("营业收入（万元）"), unit_of("weight_kg"), unit_of("name")
    ('万元', 'kg', None)
    """
    text = unicodedata.normalize("NFKC", name).strip()
    found = _PARENTHESES.search(text) or _UNIT_WORD.search(text)
    return found[1].strip() if found is not None else None


def looks_like(  # noqa: PLR0911 -- one return for each answer, in the order of the questions
    name: str,
    sql_type: str,
    *,
    unique: bool,
    minimum: str | None,
    maximum: str | None,
    text_form: str | None,
    codes: bool,
) -> Looks | None:
    """Return what a column's values are, from its name, its type and what all of its cells have in common.

    Args:
        name: Column name.
        sql_type: DuckDB type.
        unique: Whether no value occurs twice and none is missing.
        minimum: Smallest value as text, or `None` where there is no value.
        maximum: Largest value as text, or `None`.
        text_form: The profile's `text_form`.
        codes: Whether every text cell is spelt like a code (`CODE_CELL`).

    Returns:
        `id` for what tells rows apart, here or in another table; `code` for digits or letters that are no number;
        `date` for dates, moments and years; `ratio` for shares and percentages; `amount` for measured or counted money
        and other numbers with a fraction or a unit; `None` for anything else.
    """
    name = unicodedata.normalize("NFKC", name).strip()
    if minimum is None or maximum is None:
        return None
    if _MOMENT.match(sql_type) or text_form == "date":
        return "date"
    integer, number = bool(_INTEGER.match(sql_type)), bool(_FLOAT.match(sql_type))
    if (integer or sql_type == "VARCHAR") and (_ID_CAMEL.search(name) or _ID_NAME.search(name)):
        return "id"
    if text_form == "codes with leading zeros" or (not number and _CODE_NAME.search(name)):
        return "code"
    low, high = _value(minimum), _value(maximum)
    if integer and _YEAR_NAME.search(name) and _YEARS[0] <= low <= high <= _YEARS[1]:
        return "date"
    as_number = text_form is not None
    if _is_ratio(name, text_form, low, high, number=number, numeric=integer or number):
        return "ratio"
    if number or ((integer or as_number) and (unit_of(name) is not None or _AMOUNT_NAME.search(name))):
        return "amount"
    if as_number:
        return "amount"
    if sql_type == "VARCHAR" and codes:
        return "id" if unique else "code"
    return None


def _is_ratio(name: str, text_form: str | None, low: float, high: float, *, number: bool, numeric: bool) -> bool:
    if text_form == "percentage":
        return True
    if not numeric or max(abs(low), abs(high)) > _LARGEST_RATIO:
        return False
    if _RATIO_NAME.search(name) or unit_of(name) in {"%", "percent", "pct", "Percent"}:
        return True
    return number and 0 <= low < high <= 1


def _value(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
