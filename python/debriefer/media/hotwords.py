"""Terms that a narrator will speak, by rule from the question and the knowledge: they help a model to spell."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# The terms stand in the prompt of every window, of which Whisper gives them 223 tokens at most; more than about half
# of that makes small models repeat the prompt where nothing is said.
MOST_TOKENS = 100
_LONGEST_TERM = 24
_SHORTEST_LATIN = 3
_LONGEST_CJK_RUN = 8

_QUOTED = re.compile(
    r"“([^”]+)”|「([^」]+)」|『([^』]+)』|《([^》]+)》|【([^】]+)】|`([^`]+)`|\"([^\"]+)\"|\*\*([^*]+)\*\*"
)
_UNITS = re.compile(
    r"百分点|个百分点|亿元|万元|千元|美元|港元|欧元|亿股|万股|万人|万吨|平方米|公里|千克|"
    r"\b(?:billion|million|thousand|percent|percentage points?|basis points?|USD|EUR|RMB|CNY|HKD|GBP|kWh|kg|km)\b"
)
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
# Words that join terms and are none themselves.
_JOINTS = re.compile(
    r"请问|请|哪些|哪个|哪家|哪几|什么|多少|几个|分别|按照|根据|其中|以及|并且|或者|如果|所有|全部|列出|给出|返回|查询|统计|"
    r"计算|找出|求出|显示|输出|属于|对应|满足|超过|大于|小于|等于|不少于|不超过|至少|至多|最高|最低|最大|最小|最多|最少|之间|"
    r"以上|以下|表示|即为|是否|不是|没有|包括|包含|排除|需要|可以|应当|的|了|和|与|及|或|是|在|有|为|从|到|由|被|把|将|按|对|"
    r"且|并|个|中|等|时|每|各|这|那|其|该|于|前|后"
)
_PROPER = re.compile(r"(?<![\w`])(?:[A-Z][A-Za-z0-9&'’-]+(?: (?:[A-Z][A-Za-z0-9&'’-]+|of|de|and))*|[A-Z]{2,}[0-9]*)")
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？:：]\s*|\n[\s#*\-\d.]*)$")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
_IDENTIFIER = re.compile(r"^[a-z0-9]+(?:_[a-z0-9]+)+$|^[a-z]+(?:[A-Z][a-z0-9]*)+$")
_TRAILING = re.compile(r"[ ,.;:!?、，。；：！？]+$")


def hotwords(question: str, knowledge: str | None = None, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return terms to expect in the narration, the question's before the knowledge's, each once.

    Taken are quoted and proper names, units, Chinese terms between words that join terms, and of the knowledge only
    what it quotes or names as a column. Identifiers (`net_profit`) are nothing that is spoken and left out.

    Args:
        question: The question.
        knowledge: Text of `knowledge.md`; it supplies spellings.
        names: Names of columns and tables, where they are known.

    Returns:
        Terms within `MOST_TOKENS` by estimate (`token_estimate`); a model may cut further.

    >>> hotwords("“净值”超过 5 亿元的基金有哪些?", "**单位净值** 是每份基金的净资产")
    ('净值', '亿元', '基金', '单位净值')
    """
    terms: dict[str, None] = {}
    for term in (
        *_quoted(question),
        *_UNITS.findall(question),
        *_cjk_terms(question),
        *_proper(question),
        *_spoken_names(names, question),
        *_quoted(knowledge or ""),
        *_UNITS.findall(knowledge or ""),
    ):
        if (cleaned := _cleaned(term)) is not None:
            terms.setdefault(cleaned)
    return within(terms, MOST_TOKENS)


def within(terms: Iterable[str], tokens: int) -> tuple[str, ...]:
    """Return the first terms that together fit a number of tokens, by estimate; a term that does not fit is skipped."""
    kept, used = [], 0
    for term in terms:
        size = token_estimate(term) + 1
        if used + size <= tokens:
            kept.append(term)
            used += size
    return tuple(kept)


def for_language(terms: Iterable[str], language: str | None) -> tuple[str, ...]:
    """Return the terms that can be spoken in a language: no Hanzi outside Chinese and Japanese.

    >>> for_language(("净值", "Vanguard"), "en")
    ('Vanguard',)
    """
    return tuple(term for term in terms if language in {"zh", "yue", "ja", None} or not _CJK.search(term))


def token_estimate(text: str) -> int:
    """Return about how many tokens Whisper's vocabulary needs: two a Hanzi, one for three other characters."""
    wide = sum(len(run) for run in _CJK.findall(text))
    return 2 * wide + -(-(len(text) - wide) // 3)


def _quoted(text: str) -> list[str]:
    return [next(filter(None, groups)) for groups in _QUOTED.findall(text)]


def _cjk_terms(text: str) -> list[str]:
    """Return runs of Hanzi between joints; a longer run is a clause, not a term."""
    rest = _QUOTED.sub(" ", text)
    runs = [part for run in _CJK.findall(rest) for part in _JOINTS.split(run)]
    return [run for run in runs if 2 <= len(run) <= _LONGEST_CJK_RUN]  # noqa: PLR2004 -- one Hanzi is no term


def _proper(text: str) -> list[str]:
    """Return names in Latin letters: capitalised, and not only because a sentence begins."""
    rest = _QUOTED.sub(" ", text)
    found = []
    for match in _PROPER.finditer(rest):
        name = match[0]
        if " " not in name and _SENTENCE_START.search(rest[: match.start()]) and not name.isupper():
            continue
        if " " in name and _SENTENCE_START.search(rest[: match.start()]):
            # "Which Vanguard Funds": the sentence's first word is capitalised for being first.
            name = name.split(" ", 1)[1]
        found.append(name)
    return found


def _spoken_names(names: Iterable[str], question: str) -> list[str]:
    """Return names of columns and tables as they are spoken, those that share a word with the question first."""
    spoken = [name.replace("_", " ").strip() if _LATIN_LETTER.search(name) else name for name in names]
    asked = question.casefold()
    near = [name for name in spoken if any(part in asked for part in name.casefold().split() if len(part) > 1)]
    return [*near, *(name for name in spoken if name not in near and _CJK.search(name))]


def _cleaned(term: str) -> str | None:
    """Return the term in one line without marks at its ends, or `None` if it is none."""
    text = _TRAILING.sub("", " ".join(unicodedata.normalize("NFKC", term).split()))
    letters = sum(character.isalpha() for character in text)
    if not letters or len(text) > _LONGEST_TERM or _IDENTIFIER.match(text):
        return None
    if not _CJK.search(text) and letters < _SHORTEST_LATIN and not text.isupper():
        return None
    return text
