"""Headers, footers and page numbers: what repeats at the edge of the pages. Nothing is deleted, it is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.pdf.paragraphs import Kind

# Shares of the page's height that headers and footers stand in, and lines from either edge that are looked at.
_EDGE = 0.12
_LINES = 4
# A text that repeats in the same place, give or take these points, on this many pages (and this share of them).
_PLACE = 8.0
_PAGES = 3
_SHARE = 0.3
_DIGITS = re.compile(r"\d+")
_PAGE = re.compile(
    r"^[\W_]*(?:page|seite|p\.|pg\.?|第)?\s*([A-Z]{1,2}-)?(\d{1,4}|[ivxlc]{1,7})\s*(?:页|頁)?"
    r"(?:\s*(?:of|von|de|/|共)\s*\d{1,4}\s*(?:页|頁)?)?[\W_]*$",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line near the upper or lower edge of a page.

    Attributes:
        page: Page number, from 1.
        text: What it says.
        top: Its distance from the upper edge, as a share of the page's height.
        at: The same in points.
        upper: Whether it stands near the upper edge.
    """

    page: int
    text: str
    top: float
    at: float
    upper: bool


def edge_lines(page: int, height: float, lines: Sequence[tuple[str, float]]) -> list[EdgeLine]:
    """Return the lines near the edges of a page.

    Args:
        page: Page number, from 1.
        height: Of the page in points.
        lines: Text and y of the middle of each line.
    """
    ordered = sorted(lines, key=lambda line: line[1])
    found: list[EdgeLine] = []
    for upper, part in ((True, ordered[:_LINES]), (False, ordered[-_LINES:])):
        for text, at in part:
            share = at / height if height else 0.5
            if (share <= _EDGE) if upper else (share >= 1 - _EDGE):
                found.append(EdgeLine(page, text, share, at, upper))
    return found


def furniture(lines: Sequence[EdgeLine], pages: int) -> Mapping[tuple[int, str, int], Kind]:
    """Return which edge lines are headers, footers or page numbers, by page, text and rounded place.

    A text counts as repeated if it is the same, or its numbers count the pages; a lone number is a page number only if
    it does. So what is data at the end of a page stays where it is.

    Args:
        lines: Edge lines of all pages.
        pages: Number of pages.
    """
    kinds: dict[tuple[int, str, int], Kind] = {}
    groups: dict[tuple[str, bool], list[EdgeLine]] = {}
    for line in lines:
        groups.setdefault((_DIGITS.sub("#", line.text.casefold()), line.upper), []).append(line)
    for line in lines:
        if _number(line.text) is not None:
            same = _counting(line, lines)
            if same >= 2:  # noqa: PLR2004 -- two pages make a count
                kinds[key(line.page, line.text, line.at)] = Kind.PAGE_NUMBER
            continue
        group = groups[_DIGITS.sub("#", line.text.casefold()), line.upper]
        near = {other.page for other in group if abs(other.at - line.at) <= _PLACE and _repeats(line, other)}
        if len(near) >= _PAGES or (len(near) > 1 and len(near) >= max(2, _SHARE * pages)):
            kinds[key(line.page, line.text, line.at)] = Kind.HEADER if line.upper else Kind.FOOTER
    return kinds


def _repeats(line: EdgeLine, other: EdgeLine) -> bool:
    """Whether two texts are the same but for numbers that count the pages."""
    first, second = _DIGITS.findall(line.text), _DIGITS.findall(other.text)
    return len(first) == len(second) and all(
        one == two or int(two) - int(one) == other.page - line.page for one, two in zip(first, second, strict=True)
    )


def key(page: int, text: str, at: float) -> tuple[int, str, int]:
    """Return what names a line in `furniture`."""
    return page, text, round(at)


def _counting(line: EdgeLine, lines: Sequence[EdgeLine]) -> int:
    """Return on how many pages a number stands in that place with the same distance to the number of the page."""
    own = _number(line.text)
    pages = {
        other.page
        for other in lines
        if other.upper == line.upper
        and (number := _number(other.text)) is not None
        and own is not None
        and number[0] == own[0]
        and number[1] - other.page == own[1] - line.page
        and abs(other.at - line.at) <= 2 * _PLACE
    }
    return len(pages)


def _number(text: str) -> tuple[str, int] | None:
    """Return a page number's prefix and value, or `None`."""
    match = _PAGE.match(text)
    if match is None:
        return None
    value = match.group(2)
    return (match.group(1) or "", int(value) if value.isdecimal() else _roman(value.casefold()))


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-value if value < max(values[number:]) else value for number, value in enumerate(values))
