"""Lines into headings and paragraphs, within a column and over its end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from statistics import median

from debriefer.documents.pdf.ink import Area
from debriefer.documents.pdf.lines import Line, run_on

# A heading's font is this much larger than the text's; a paragraph's lines differ by less than the second.
_HEADING = 1.15
_SAME_SIZE = 1.08
# A paragraph ends where baselines are further apart than this many common steps, or where a line is set in by this
# many heights of its font below one that ended short of the column by the last.
_NEW_STEP = 1.35
_INDENT = 0.8
_SHORT = 3.0
# A bold line of its own with at most this many words is a heading.
_HEADING_WORDS = 14
_BULLET = re.compile(
    r"^([•●◦○▪■□–—*·»►✓\uf0b7\uf0a7-]|\(?[0-9]{1,3}[.)、]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十]{1,3}[)）、.])\s*\S"
)
_END = re.compile(r"[.!?:;。！？：；…][\"'”’)\]）》」]*$")


class Kind(StrEnum):
    """What a piece of text is on its page."""

    TEXT = "text"
    HEADING = "heading"
    CAPTION = "caption"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page-number"
    TURNED = "turned"


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of text without its words.

    Attributes:
        text: What it says.
        area: Where it stands.
        baseline: y that most of it stands on.
        size: Height of the font of most of its letters in points; a large bullet does not count.
        bold: Whether most of it is bold.
    """

    text: str
    area: Area
    baseline: float
    size: float
    bold: bool

    @classmethod
    def of(cls, line: Line) -> PrintedLine:
        """Return a line of words without them."""
        sizes: dict[float, int] = {}
        for word in line.words:
            sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
        size = max(sizes, key=lambda height: (sizes[height], height))
        return cls(line.text, line.area, line.baseline, size, line.bold)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or heading.

    Attributes:
        text: Its lines as one.
        page: Page that it begins on, from 1.
        area: Where its first part stands.
        kind: What it is.
        size: Height of its font in points.
    """

    text: str
    page: int
    area: Area
    kind: Kind
    size: float


def body_size(lines: Sequence[PrintedLine]) -> float:
    """Return the height of the font that most letters have, in points; 0 where there is no text."""
    letters: dict[float, int] = {}
    for line in lines:
        size = round(line.size * 4) / 4
        letters[size] = letters.get(size, 0) + len(line.text)
    return max(letters, key=lambda size: (letters[size], -size), default=0.0)


def common_step(lines: Sequence[PrintedLine]) -> float:
    """Return the common distance of baselines of neighbouring lines, in heights of the font."""
    steps = [
        (after.baseline - before.baseline) / before.size
        for before, after in pairwise(lines)
        if 0 < after.baseline - before.baseline < 3 * before.size and after.size < _SAME_SIZE * before.size
    ]
    return median(steps) if steps else 1.2


def paragraphs(
    page: int, lines: Sequence[PrintedLine], body: float, known: frozenset[str] = frozenset()
) -> list[Paragraph]:
    """Return the paragraphs of one column of a page.

    Args:
        page: Page number, from 1.
        lines: Its lines, top to bottom.
        body: Height of the document's common font; 0 where unknown.
        known: Words of the document, case-folded, to tell a word parted by a line break from two words.
    """
    if not lines:
        return []
    step = min(common_step(lines), 2.2)
    right = max(line.area.right for line in lines)
    groups: list[list[PrintedLine]] = []
    for line in lines:
        if groups and _goes_on(groups[-1], line, step, right, body):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_paragraph(page, group, body, known) for group in groups]


def _goes_on(group: Sequence[PrintedLine], line: PrintedLine, step: float, right: float, body: float) -> bool:
    before = group[-1]
    distance = line.baseline - before.baseline
    if distance <= 0.2 * line.size:
        # A piece further right on the same baseline.
        return abs(distance) <= 0.2 * line.size and line.area.left >= before.area.right
    if distance > _NEW_STEP * step * max(before.size, line.size):
        return False
    if not 1 / _SAME_SIZE <= line.size / before.size <= _SAME_SIZE or line.bold != before.bold:
        return False
    if _BULLET.match(line.text) and not _is_heading([before], body):
        return False
    short = before.area.right < right - _SHORT * before.size
    deeper = line.area.left > min(one.area.left for one in group[-2:]) + _INDENT * line.size
    hangs = bool(_BULLET.match(group[0].text))
    if short and _END.search(before.text):
        return False
    return not (deeper and not hangs and (short or _END.search(before.text) is not None))


def _words(text: str) -> int:
    """Return about how many words a text has; two ideographs count as one."""
    return len(text.split()) + sum(map(_is_wide, text)) // 2


def _is_heading(group: Sequence[PrintedLine], body: float) -> bool:
    words = sum(_words(line.text) for line in group)
    if body and group[0].size >= _HEADING * body and words <= 3 * _HEADING_WORDS:
        return True
    text = group[-1].text
    return all(line.bold for line in group) and words <= _HEADING_WORDS and not text.endswith((".", "。", ",", "，"))


def _paragraph(page: int, group: Sequence[PrintedLine], body: float, known: frozenset[str]) -> Paragraph:
    text = ""
    area = group[0].area
    for line in group:
        text = run_on(text, line.text, known=known)
        area = area.with_(line.area)
    kind = Kind.HEADING if _is_heading(group, body) else Kind.TEXT
    return Paragraph(text, page, area, kind, group[0].size)


def joined_over(before: Paragraph, after: Paragraph, known: frozenset[str]) -> Paragraph | None:
    """Return two paragraphs as one where a column or page ends within a sentence, else `None`."""
    if before.kind != Kind.TEXT or after.kind != Kind.TEXT:
        return None
    if _END.search(before.text) or _BULLET.match(after.text):
        return None
    if not 1 / _SAME_SIZE <= after.size / before.size <= _SAME_SIZE:
        return None
    begins = after.text[:1]
    if not (begins.islower() or _is_wide(begins)):
        return None
    return replace(before, text=run_on(before.text, after.text, known=known))


def _is_wide(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff" or letter in "，、；："
