"""A line of prose as tokens: amounts and dates as one piece each, words, Chinese letters one by one, marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["amount", "date", "code", "nothing", "word", "mark"]

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_QUARTER = r"(?:Q[1-4]|(?:the\s)?(?:first|second|third|fourth)\squarter)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_VAGUE = r"(?:early|mid|late|(?:the\s)?(?:end|start|beginning)\sof)"
_HAN_NUMBER = r"[\d零〇一二三四五六七八九十]{1,3}"
_HAN_DATE = (
    r"(?:\d{4}|[零〇一二三四五六七八九]{4})\s?年"
    r"(?:年底|年末|年初|底|末|初|度"
    r"|\s?(?:第?[一二三四1-4]季度|Q[1-4])(?:末|底|初)?"
    rf"|\s?{_HAN_NUMBER}\s?月(?:份)?(?:\s?{_HAN_NUMBER}\s?[日号]|上旬|中旬|下旬|月底|月末|初|底|末)?)?"
)
_DATE = "|".join(
    (
        r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?(?!\d)",
        r"(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d)",
        rf"(?:{_VAGUE}[-\s])?{_MONTH}\s{_DAY},?\s\d{{4}}\b",
        rf"{_DAY}(?:\sof)?\s{_MONTH},?\s\d{{4}}\b",
        rf"(?:{_VAGUE}[-\s])?{_MONTH}(?:\sof)?\s\d{{4}}\b",
        rf"(?:{_VAGUE}\s)?{_QUARTER}(?:\send)?(?:\sof|,)?\s\d{{4}}\b",
        r"(?:year-end|(?:the\s)?end\sof|(?:the\s)?(?:start|beginning)\sof)\s\d{4}\b",
        _HAN_DATE,
    )
)
_CURRENCY = r"(?:US\$|HK\$|RMB\s?|CNY\s?|USD\s?|EUR\s?|GBP\s?|人民币|[$¥￥€£])"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|mn|bn)\b)"
# Units that an amount is written in by turns; others, and rates such as `g/l`, are words beside it.
_UNITS = (
    r"(?:\s?(?:%|％|‰|percentage\spoints?\b|per\s?cent\b|yuan\b|RMB\b|CNY\b|USD\b|dollars?\b|euros?\b|EUR\b"
    r"|(?:kilo|milli|centi)?met(?:re|er)s?\b|(?:kilo|milli)?grams?\b|tonnes?\b|(?:milli)?lit(?:re|er)s?\b"
    r"|mm\b|cm\b|km\b|m\b|mg\b|kg\b|g\b|t\b|ml\b|l\b"
    r"|个百分点|元人民币|元|美元|欧元|港元|日元|毫米|厘米|公里|千米|米|千克|公斤|毫克|克|吨|毫升|升)(?!\s?/\s?\w))"
)
# Before these it is part of a unit: 千瓦, 百帕.
_HAN_SCALE = r"[十百千万亿]+(?![瓦帕卡伏赫焦牛安])"
_HAN_AMOUNT = r"[零〇一二三四五六七八九十百千万亿两点壹贰叁肆伍陆柒捌玖拾佰仟]"
_SMALL = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
)
_SAID = rf"\b{_SMALL}(?:[-\s](?:and\s)?(?:{_SMALL}|hundred|thousand|million|billion))+\b"
_LONE = r"\b(?:eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)\b"
# A blank that does not break divides thousands; `1,50` has a decimal comma.
_DIGITS = (
    r"(?:\d{1,3}(?:[\u00a0\u202f]\d{3})+|\d{1,3}(?:,\d{3})+|"
    r"\d+,\d{1,2}(?![\d,])|\d{1,3}(?:，\d{3})+|\d+|[０-９]+(?:，[０-９]{3})*)(?:[.．][\d０-９]+)?"
)
_AMOUNT = "|".join(
    (
        rf"{_CURRENCY}?(?<![\w.])[-−+]?{_DIGITS}(?:{_HAN_SCALE}(?:\d+[十百千万]+)?|{_SCALE})?{_UNITS}?(?![A-Za-z\d])",
        rf"{_CURRENCY}[-−]?{_DIGITS}(?:{_HAN_SCALE}|{_SCALE})?{_UNITS}?",
        rf"(?<=[^\x00-\x7f])[-−+]?{_DIGITS}(?:{_HAN_SCALE}(?:\d+[十百千万]+)?)?{_UNITS}?(?![A-Za-z\d])",
        rf"负?百分之(?:{_HAN_AMOUNT}+|{_DIGITS})",
        rf"负?{_HAN_AMOUNT}{{2,}}{_UNITS}?",
        rf"{_HAN_AMOUNT}{_UNITS}",
        rf"(?:{_SAID}|{_LONE}){_UNITS}?",
    )
)
# Letters of Chinese and Japanese, without their marks.
_HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
_CODE = r"(?<![A-Za-z\d])(?=[A-Za-z\d_./#-]*\d)[A-Za-z\d]+(?:[_./#-]?[A-Za-z\d]+)*"
# What stands where others have a value; of the words that are often used otherwise none.
_NOTHING = (
    r"\bnot\s(?:recorded|available|disclosed|stated|given|reported|known|provided)\b"
    r"|\b(?:unknown|undisclosed|unrecorded|unspecified|n/a)\b"
    r"|未披露|尚未披露|未知|暂无|不详|未记录|未提供|未公布|暂缺|没有记录"
)
# A point behind a lone capital before a name is the name's.
_INITIAL = r"(?-i:\b[A-Z]\.(?=\s?[A-Z][\w.]))"
# Words that stand before a date or an amount by turns and are no part of it.
_BEFORE_DATE = r"(?:(?:on|at|in|by|around|as\sof)\s)?(?:the\s)?"
_BEFORE_AMOUNT = r"(?:(?:about|approximately|roughly|around)\s|大约|约)?"
_TOKEN = re.compile(
    rf"(?P<date>{_BEFORE_DATE}(?P<date_value>{_DATE}))"
    rf"|(?P<amount>{_BEFORE_AMOUNT}(?P<amount_value>{_AMOUNT}))"
    rf"|(?P<code>{_CODE})"
    rf"|(?P<nothing>{_NOTHING})"
    rf"|(?P<word>{_INITIAL}|[^\W\d_{_HAN}]+(?:['’][^\W\d_]+)?|[{_HAN}]|\w)"
    r"|(?P<mark>\S)",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(r"\d+")
_HAN_LETTER = re.compile(rf"[{_HAN}]")


_KINDS: dict[str, Kind] = {"code": "code", "nothing": "nothing", "word": "word", "mark": "mark"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a line.

    Attributes:
        kind: What it is.
        text: The value for amounts and dates, without words that stand before them.
        start: Where it begins in the line, with the words that stand before it.
        end: Behind its last letter.
        value_start: Where `text` begins.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value_start: int

    @property
    def is_value(self) -> bool:
        """Whether it is an amount, a date, a code, or says that there is none."""
        return self.kind in ("amount", "date", "code", "nothing")

    @property
    def is_number(self) -> bool:
        """Whether it is digits and nothing else, as keys are."""
        return self.kind == "amount" and _PLAIN_NUMBER.fullmatch(self.text) is not None


def tokens(line: str) -> list[Token]:
    """Return the tokens of a line in order; blanks are none.

    >>> [token.text for token in tokens("Revenue was 3.2 million yuan in mid-March 2024.")]
    ['Revenue', 'was', '3.2 million yuan', 'mid-March 2024', '.']
    >>> [token.text for token in tokens("营收为3.2万元，同比增长百分之五。")]
    ['营', '收', '为', '3.2万元', '，', '同', '比', '增', '长', '百分之五', '。']
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(line):
        if match["date"] is not None:
            found.append(Token("date", match["date_value"], *match.span(), match.start("date_value")))
        elif match["amount"] is not None:
            found.append(Token("amount", match["amount_value"], *match.span(), match.start("amount_value")))
        else:
            found.append(Token(_KINDS[match.lastgroup or ""], match[0], *match.span(), match.start()))
    return found


def is_han(text: str) -> bool:
    """Return whether a text has a Chinese letter."""
    return _HAN_LETTER.search(text) is not None
