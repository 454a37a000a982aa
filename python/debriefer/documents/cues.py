"""Words by which a text takes back what it has just said."""

from __future__ import annotations

import re
from collections.abc import Container

# The right value follows the cue.
_ENGLISH = (
    r"\bno,|\bno:|\bnot? rather\b|\brather\b|\bcorrection\b|\bcorrected\b|\bcorrecting\b|\bcorrectly\b|\bamended\b"
    r"|\brevised\b|\bshould (?:be|read|have been|have read|say)\b|\bought to (?:be|read)\b|\bactually\b|\bin fact\b"
    r"|\binstead\b|\bmake that\b|\bscratch that\b|\bstrike that\b|\bsorry\b|\berrat(?:um|a)\b|\bmisstated\b"
    r"|\bmisread\b|\bmistaken(?:ly)?\b|\berroneous(?:ly)?\b|\bwrong(?:ly)?\b|\bin error\b|\brectified\b|\brestated\b"
    r"|\bupdated to\b|\bchanged to\b|\bi mean\b|\bon second thought\b|\bproved to be\b|\bturned out to be\b"
    r"|\bfirst (?:noted|recorded|written|given|entered|put)\b|\binitially\b|\boriginally\b"
)
_CHINESE = (
    r"更正|修正|订正|勘误|纠正|改正|校正|应为|应是|应当为|应当是|实为|实际为|实际是|实际应"
    r"|而非|而不是|并非|不对|有误|误记|误写|误为|误录|错记|错写|错误|改为|调整为|修订"
    r"|复核后|核实后|经核实|经复核|经核对|准确地说|确切地说|正确的|最终为|初记|原记|原写"
    r"|最初|起初|先前记"
)
CUE = re.compile(rf"{_ENGLISH}|{_CHINESE}", re.IGNORECASE)
# What may stand between a cue and the value, and behind the value.
_LINK = re.compile(
    r"(?:[\s:：,，、;；—–]|-(?=\s)|\b(?:it|that|this|the|is|was|are|were|to|be|read|reads|as|value|figure|entry|being"
    r"|has been|have been|been|should|must|now)\b|后(?=[为是应作])|为|是|作|成|至|到|该|其|值|应)*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:[\s)）\]】.。,，;；!！]|\binstead\b|\bthat is\b)*$", re.IGNORECASE)


def has_cue(text: str) -> bool:
    """Return whether a text takes something back, or may.

    >>> [has_cue(text) for text in ("180 cm, no, 185 cm", "应为三万元", "No. 12 is in Leeds")]
    [True, True, False]
    """
    return CUE.search(text) is not None


def behind_cue(text: str, known: Container[str] = ()) -> tuple[int, int] | None:
    """Return where in `text` stands what follows its last cue, without linking words; `None` without a cue.

    Args:
        text: The text.
        known: Values that are known: a linking word that one of them begins with is part of it.

    >>> text = "180 cm, no, it was 185 cm"
    >>> text[slice(*behind_cue(text))]
    '185 cm'
    >>> text = "苏州市（后更正为成都市）"
    >>> text[slice(*behind_cue(text, ["成都市"]))]
    '成都市'
    """
    last = None
    for match in CUE.finditer(text):
        last = match
    if last is None:
        return None
    start = last.end()
    link = _LINK.match(text, start)
    start = link.end() if link is not None else start
    tail = _TAIL.search(text, start)
    end = tail.start() if tail is not None else len(text)
    start = next((place for place in range(last.end(), start) if text[place:end] in known), start)
    return (start, end) if start < end else None
