"""What a question asks of a video, as far as it can be told without a model."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Form = Literal["figure", "ranking", "rules", "other"]

_HANZI = re.compile(r"[\u3400-\u9fff]")
_NUMERALS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_MOST = r"(?:largest|highest|biggest|greatest|most|best|top|smallest|lowest|least|fewest)"
_TOP = (
    re.compile(rf"\b(?:the|top|first)\s+(\d+|{'|'.join(_WORDS)})\b(?=[^.?]*\b{_MOST}\b)", re.IGNORECASE),
    re.compile(rf"\b(?:top|first)\s+(\d+|{'|'.join(_WORDS)})\b", re.IGNORECASE),
    re.compile(r"前\s*(\d+|[一二两三四五六七八九十])\s*(?:大|名|位|家|个|座|项|款|条|只|的)?"),
    re.compile(r"最(?:大|高|多|小|低|少)的?\s*(\d+|[一二两三四五六七八九十])\s*(?:名|位|家|个|座|项|款|条|只)"),
)
_RULES = re.compile(
    r"\b(?:meet|meets|satisf\w+|condition\w*|criteri\w+|threshold\w*|rule|rules|qualif\w+)\b|条件|规则|阈值|门槛|标准",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\b(?:total|sum|average|mean|how much|how many|what is|what was|overall|combined)\b|合计|总计|总额|总量|平均|多少",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|mean)\b|平均|均值|人均", re.IGNORECASE)
_ASCENDING = re.compile(r"\b(?:smallest|lowest|least|fewest)\b|最(?:小|低|少)", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\b(?:leav\w+ out|exclud\w+|except\w*|without|ignor\w+)\b[^.?]*\b(?:speaker|narrat\w+|spoken|said|briefing)\b"
    r"|(?:讲解|旁白|口头|主讲|发言|播报)[^。?？]*(?:排除|剔除|除外|不含|去掉)|(?:排除|剔除|除去|去掉)[^。?？]*(?:讲解|旁白|口头|主讲|发言)",
    re.IGNORECASE,
)
_WITH_VALUE = re.compile(
    r"\bwith (?:the|their|its)\b(?! (?:largest|highest|most|smallest|lowest))|\band (?:their|the|its)\b"
    r"|及其|以及|和其|及对应|并给出|并列出|及(?=\S)",
    re.IGNORECASE,
)
_UNIT_EN = re.compile(
    r"\bin ((?:(?:k|m|bn|thousand|million|billion) ?)?(?:EUR|USD|GBP|CNY|RMB|JPY|euros?|dollars?|pounds?|yuan)"
    r"|k|ML|GL|kL|m3|(?:k|M|G|T)Wh?|kg|tonnes?|tons?|t|%|percent|thousands?|millions?)(?![\w])"
)
_UNIT_ZH = re.compile(
    r"多少\s*((?:[千万亿百]+)?(?:元|美元|方|立方米|吨|度|千瓦时|户|人|家|次|台|辆|平方米|公里|米)|[万亿%％])|[（(]\s*([^（）()\s]{1,6})\s*[）)]"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        text: The question, NFKC.
        form: `figure` (one value), `ranking` (the first so many), `rules` (what meets conditions) or `other`.
        count: How many rows a ranking has.
        ascending: Whether it begins with the smallest.
        average: Whether an average is asked for.
        with_value: Whether a ranking gives its values too.
        excluding: Whether something that the speaker excludes is to be left out.
        unit: The unit asked for, empty where none is named.
    """

    text: str
    form: Form
    count: int | None = None
    ascending: bool = False
    average: bool = False
    with_value: bool = False
    excluding: bool = False
    unit: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The question's words in lower case without plural endings; Chinese is looked up by substring instead."""
        return frozenset(stem(word) for word in re.findall(r"[^\W_]+", self.text))

    def holds(self, piece: str) -> bool:
        """Return whether a piece of a slide's text stands in the question as a whole."""
        wanted = plain(piece).casefold()
        if not wanted:
            return False
        text = self.text.casefold()
        if _HANZI.search(wanted):
            return wanted in text
        return re.search(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", text) is not None


def plain(text: str) -> str:
    """Return a text in NFKC with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def stem(word: str) -> str:
    """Return an English word in lower case without its plural ending.

    >>> stem("Branches"), stem("stores"), stem("basis")
    ('branch', 'store', 'basis')
    """
    low = word.casefold()
    if len(low) > 4 and low.endswith(("ches", "shes", "xes", "sses")):  # noqa: PLR2004 -- `axes` is one word
        return low[:-2]
    if len(low) > 3 and low.endswith("ies"):  # noqa: PLR2004 -- `dies` stays
        return low[:-3] + "y"
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "is", "us")) else low  # noqa: PLR2004


def take_apart(question: str) -> Asked:
    """Take a question apart."""
    text = plain(question)
    count = _count(text)
    unit = _unit(text)
    form: Form = "other"
    if count is not None:
        form = "ranking"
    elif _RULES.search(text):
        form = "rules"
    elif _FIGURE.search(text):
        form = "figure"
    return Asked(
        text,
        form,
        count,
        ascending=_ASCENDING.search(text) is not None,
        average=_AVERAGE.search(text) is not None,
        with_value=_WITH_VALUE.search(text) is not None,
        excluding=_EXCEPT.search(text) is not None,
        unit=unit,
    )


def _count(text: str) -> int | None:
    for pattern in _TOP:
        found = pattern.search(text)
        if found:
            word = found[1].casefold()
            return int(word) if word.isdigit() else _NUMERALS.get(word) or _WORDS.get(word)
    return None


def _unit(text: str) -> str:
    found = _UNIT_EN.search(text) or _UNIT_ZH.search(text)
    return "" if found is None else next(group for group in found.groups() if group)
