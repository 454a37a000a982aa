"""Pieces of a line that wide gaps part: what may be the cells of a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from debriefer.documents.pdf.ink import Area, around
from debriefer.documents.pdf.lines import Line, Word, joined

# Gaps between columns as shares of the font's height: between words, and between two figures, which prose has not.
WORDS_APART = 1.0
FIGURES_APART = 0.45
_FIGURE = re.compile(
    r"^[(\[<>≤≥~±+\-–—−$€£¥]*\d[\d,.'’ /:%–\-]*[)\]%*†‡§¹²³a-c]*$|^[-–—−†‡#*.…]+$|^[(\[]?(n\.?[as]\.?|n/a|\.\.)[)\]]?$",
    re.IGNORECASE,
)
# Three dots or more that lead the eye to the next column.
_LEADER = re.compile(r"[.·•_…‥⋅]{3,}|(?:[.·…] ){3,}[.·…]?")

_TAIL = re.compile(r"\s*(?:[.·…‥⋅_]\s?){4,}$")


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of a line without a wide gap between them."""

    words: tuple[Word, ...]

    @property
    def area(self) -> Area:
        """Where it stands."""
        return around([word.area for word in self.words])

    @property
    def text(self) -> str:
        """What it says."""
        return joined(self.words)


def is_figure(text: str) -> bool:
    """Whether a text is a number, a range, or a sign that stands for one (`—`, `n.a.`).

    >>> [is_figure(text) for text in ("1,269", "(4.7)", "—", "2007–08", "$9,600", "May 2", "No.")]
    [True, True, True, True, True, False, False]
    """
    return bool(_FIGURE.match(text))


def is_leader(text: str) -> bool:
    """Whether a text is nothing but dots that lead to the next column.

    >>> is_leader("....."), is_leader("0.5")
    (True, False)
    """
    return bool(_LEADER.fullmatch(text))


def without_leader(text: str) -> str:
    """Return a text without the dots after it.

    >>> without_leader("Robbery. . . . . ."), without_leader("Total ......"), without_leader("etc.")
    ('Robbery', 'Total', 'etc.')
    """
    return _TAIL.sub("", text)


def segments(line: Line) -> list[Segment]:
    """Return the pieces of a line, left to right."""
    found: list[list[Word]] = []
    before: Word | None = None
    for word in line.words:
        if is_leader(word.text):
            before = None
            continue
        if before is None or _apart(before, word):
            found.append([])
        found[-1].append(word)
        before = word
    return [Segment(tuple(words)) for words in found]


def _apart(left: Word, right: Word) -> bool:
    gap = right.area.left - left.area.right
    size = max(left.size, right.size)
    if is_figure(left.text) and is_figure(right.text):
        return gap > FIGURES_APART * size
    return gap > WORDS_APART * size


def lines_within(lines: Sequence[Line], area: Area, slack: float = 1.0) -> list[Line]:
    """Return what of lines stands in an area: the words whose middles do."""
    found: list[Line] = []
    for line in lines:
        words = tuple(word for word in line.words if area.holds(*word.area.middle, slack))
        if words:
            found.append(Line(words))
    return found
