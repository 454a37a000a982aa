"""Numbers that stand as text: the forms in which people write them, and the macros that read them.

A column keeps its text; the profile says which form all of it has, and which macro reads it. The forms are those that
the readers' notes name (`rust/tables/src/readings.rs`).
"""

from __future__ import annotations

__all__ = ["NUMBER_BEGINNING", "NUMBER_FORMS", "NUMBER_MACROS", "NumberForm"]

from dataclasses import dataclass

# As text stands in an SQL string, `''` is one apostrophe.
_CURRENCY = r"(?:US[$]|[$￥¥€£₹₩]|RMB|CNY|USD|美元|元)"
_SCALES = (("万亿", "1e12"), ("百万", "1e6"), ("千万", "1e7"), ("亿", "1e8"), ("万", "1e4"), ("萬", "1e4"))
_SCALE = f"(?:{'|'.join(scale for scale, _ in _SCALES)})"
_SIGN = r"[-+−]?\s*"
# Groups of three digits, or of two and four as in India and China; the last has three; the first starts with no
# zero.
_GROUPED = r"[1-9]\d{0,2}(?:[,，\x{a0} '']\d{2,4})*[,，\x{a0} '']\d{3}"
_POINT = rf"(?:(?:{_GROUPED}|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
# A comma that divides no group of three is a decimal comma; so is one behind a zero (`0,125`).
_COMMA = r"(?:[1-9]\d{0,2}(?:\.\d{3})+,\d+|0\d*,\d+|\d+,(?:\d{1,2}|\d{4,}))"
# The same where it is known that the comma is the decimal mark.
_ANY_COMMA = r"(?:(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?)"


def _written(number: str) -> str:
    """Return the pattern of a number with sign, currency, scale and percent sign, in brackets where it is a loss."""
    body = rf"{_SIGN}{_CURRENCY}?\s*{_SIGN}{number}\s*{_SCALE}?\s*(?:{_CURRENCY}|[%％])?"
    return rf"(?:{body}|[(]\s*{body}\s*[)])"


@dataclass(frozen=True, slots=True)
class NumberForm:
    """A form in which a number may stand as text.

    Attributes:
        name: As the profile says it.
        pattern: Regular expression for a whole cell without blanks around it, quoted for an SQL string.
        reads: SQL that reads a column of it, with `{}` for the column.
        longest_at_least: Characters that the longest cell of the column has, or more.
    """

    name: str
    pattern: str
    reads: str = "to_number({})"
    longest_at_least: int = 0


# How every form begins, and every date: cells that begin otherwise need not be compared with any.
NUMBER_BEGINNING = rf"^[(]?\s*{_SIGN}{_CURRENCY}?\s*{_SIGN}\.?[0-9]"

# In this order: a column gets the first that fits all of it.
NUMBER_FORMS: tuple[NumberForm, ...] = (
    NumberForm("integers of more than 15 digits", r"[-+−]?\d{1,38}", "to_integer({})", 16),
    NumberForm("numbers", r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"),
    NumberForm("percentage", rf"{_SIGN}{_CURRENCY}?\s*{_POINT}\s*[%％]"),
    NumberForm("thousands separators", rf"{_SIGN}(?:{_GROUPED}(?:\.\d*)?|\d{{1,3}}(?:\.\d*)?)"),
    NumberForm("decimal comma", rf"{_SIGN}{_ANY_COMMA}", "to_number({}, ',')"),
    NumberForm("losses in brackets", rf"(?:{_SIGN}{_POINT}|[(]\s*{_POINT}\s*[)])"),
    NumberForm("scale or currency", _written(_POINT)),
    NumberForm("decimal comma with scale, currency or percent sign", _written(_ANY_COMMA), "to_number({}, ',')"),
)

_FACTOR = " ".join(f"WHEN contains(t, '{scale}') THEN {factor}" for scale, factor in _SCALES)
# What is left of a number without its marks; the sign stays, wherever it stood.
_BARE = r"regexp_replace({}, '[^0-9.eE+-]', '', 'g')"


def _macro(parameters: str, value: str) -> str:
    # A list of one value and a lambda name the text, so that the argument stands in the statement once.
    text = "replace(trim(CAST(value AS VARCHAR)), '−', '-')"
    return f"({parameters}) AS list_transform([{text}], lambda t: {value})[1]"


def _signed(number: str) -> str:
    # A loss in brackets may have its sign too.
    return f"CASE WHEN starts_with(t, '(') THEN -abs({number}) ELSE {number} END"


def _double(digits: str) -> str:
    bare = _signed(f"TRY_CAST({_BARE.format(digits)} AS DOUBLE)")
    return f"({bare}) * CASE WHEN regexp_matches(t, '[百千万亿萬]') THEN CASE {_FACTOR} ELSE 1 END ELSE 1 END"


_PLAIN = r"WHEN regexp_full_match(t, '[-+]?\d+(?:\.\d+)?') THEN CAST(t AS DOUBLE)"
_WITH_POINT = f"WHEN regexp_full_match(t, '{_written(_POINT)}') THEN {_double('t')}"
_WITH_COMMA = "WHEN regexp_full_match(t, '{}') THEN " + _double("replace(replace(t, '.', ''), ',', '.')")

NUMBER_MACROS: tuple[str, ...] = (
    # `to_number('(1,234.5)')` is -1234.5, `'12.5%'` is 12.5, `'￥3.2亿'` is 3.2e8, `'1.234,5'` is 1234.5; with the
    # decimal mark, `to_number('1,234', ',')` is 1.234.
    "CREATE MACRO to_number"
    + _macro("value", f"CASE {_PLAIN} {_WITH_POINT} {_WITH_COMMA.format(_written(_COMMA))} END")
    + ", "
    + _macro(
        "value, mark",
        f"CASE WHEN mark = '.' THEN CASE {_PLAIN} {_WITH_POINT} END "
        f"WHEN mark = ',' THEN CASE {_WITH_COMMA.format(_written(_ANY_COMMA))} END END",
    ),
    # All digits of an integer; NULL for what is none. A DOUBLE is sure of 15.
    "CREATE MACRO to_integer"
    + _macro(
        "value",
        rf"CASE WHEN regexp_full_match(t, '{_SIGN}(?:{_GROUPED}|\d+)|[(]\s*(?:{_GROUPED}|\d+)\s*[)]') "
        f"THEN {_signed('TRY_CAST(' + _BARE.format('t') + ' AS HUGEINT)')} END",
    ),
)
