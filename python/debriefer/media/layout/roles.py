"""What a text of one container is for: heading, label, value, button, tag, or plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from debriefer.media.layout.geometry import Area, contains, holds
from debriefer.media.layout.grid import Grid, lines_of, numeric
from debriefer.media.layout.state import SEEN, Colour, Look, difference
from debriefer.media.slide import Box
from debriefer.media.tree import Tag

# A heading is larger than the common text by this factor; sizes that differ by less than the second are one size.
_HEADING = 1.22
_ONE_SIZE = 1.13
_LONGEST_HEADING = 90
# A label above its value is smaller by this factor and stands within so many em of it.
_LABEL = 1.18
_LABEL_GAP = 1.3
# A label beside its value ends in a colon and stands within so many em of it.
_SIDE_GAP = 14.0
# A button is at most so high and so much wider than its text, in em; a tag is lower than a button.
_BUTTON_HIGH, _BUTTON_WIDE, _TAG_HIGH = 3.4, 5.5, 2.05
# Sides that differ by less are one line, in pixels; texts of a column share an edge or the middle within so many em.
_EDGE = 6
_ALIGNED = 0.45
_HEADINGS = (Tag.HEADING_1, Tag.HEADING_2, Tag.HEADING_3)
# Label and value of a list differ by so many levels of their colour.
_TOLD_APART = 60


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle that says something about the texts on it.

    Attributes:
        area: The rectangle.
        tag: `CARD` for a container, `BUTTON` or `TAG` around one text, `VALUE` for an outlined field around one,
            `ROW` for what lies behind a whole line: a banner, a table's header, a selected entry.
    """

    area: Area
    tag: Tag


def frames(found: Sequence[Area], looks: Sequence[Look], page: Box, backdrop: Colour) -> list[Frame]:
    """Return what the rectangles of a page are, the largest first; those without text are left out."""
    result: list[Frame] = []
    seen: list[frozenset[int]] = [frozenset(range(len(looks)))]
    for area in found:
        inside = [number for number, look in enumerate(looks) if holds(area.box, look.box)]
        # The hole of a letter lies within its line.
        if not inside or any(contains(looks[number].box, area.box, 2) for number in inside):
            continue
        own = [looks[number] for number in inside]
        if len(own) == 1:
            parents = [frame for frame in result if frame.tag == Tag.CARD and contains(frame.area.box, area.box)]
            tag = _around_one(area, own[0], parents[-1].area.colour if parents else backdrop)
            # Of an outline and the fill within it the outer one is kept.
            if tag is not None and not any(
                frame.tag != Tag.CARD and holds(frame.area.box, own[0].box) and contains(frame.area.box, area.box)
                for frame in result
            ):
                result.append(Frame(area, tag))
            continue
        height = area.box.bottom - area.box.top
        if len(lines_of(own)) == 1 and height <= _BUTTON_HIGH * max(look.size for look in own):
            result.append(Frame(area, Tag.ROW))
            continue
        key = frozenset(inside)
        if key not in seen and not _is_section(area.box, page):
            seen.append(key)
            result.append(Frame(area, Tag.CARD))
    bands = [frame.area.box for frame in result if frame.tag == Tag.ROW]
    return [frame for frame in result if frame.tag != Tag.CARD or not _striped(frame.area.box, bands, looks)]


def _striped(box: Box, bands: Sequence[Box], looks: Sequence[Look]) -> bool:
    """Return whether a rectangle is several rows of a table, of stripes too pale to tell apart, rather than a card.

    It is as wide as a band of the same table, and its lines stand in columns with the texts on that.
    """
    lines = lines_of([look for look in looks if holds(box, look.box)])
    for band in bands:
        if abs(band.left - box.left) > _EDGE or abs(band.right - box.right) > _EDGE or contains(box, band):
            continue
        names = [look for look in looks if holds(band, look.box)]
        if len(names) > 1 and all(sum(_in_column(look, names) for look in line) > 1 for line in lines):
            return True
    return False


def _in_column(look: Look, others: Sequence[Look]) -> bool:
    def edges(box: Box) -> tuple[float, float, float]:
        return box.left, box.right, (box.left + box.right) / 2

    return any(
        abs(one - two) <= _ALIGNED * look.size
        for other in others
        for one, two in zip(edges(look.box), edges(other.box), strict=True)
    )


def is_heading(look: Look, body: float) -> bool:
    """Return whether a text without another role is a heading: larger than the common size, and no figure."""
    return look.size >= _HEADING * body and len(look.text) <= _LONGEST_HEADING and not numeric(look.text)


def headings(looks: Sequence[Look], page: Box) -> dict[Box, Tag]:
    """Return the level of each heading, by its box: the sizes of all, in their order.

    Args:
        looks: The headings of a page.
        page: The page; a first heading stands in its upper part, else the largest ones are second headings.
    """
    steps: list[float] = []
    for look in sorted(looks, key=lambda look: -look.size):
        if not steps or look.size * _ONE_SIZE < steps[-1]:
            steps.append(look.size)
    top = page.top + 0.4 * (page.bottom - page.top)
    titled = any(look.box.top < top and look.size * _ONE_SIZE >= steps[0] for look in looks)
    result: dict[Box, Tag] = {}
    for look in looks:
        level = next(place for place, size in enumerate(steps) if look.size * _ONE_SIZE >= size)
        result[look.box] = _HEADINGS[min(level + (not titled), 2)]
    return result


def pairs(looks: Sequence[Look], fields: Sequence[Frame]) -> list[tuple[Look, Look]]:
    """Return labels with their values: a small text above or below a large one, a text with a colon before another."""
    result: list[tuple[Look, Look]] = []
    used: set[int] = set()

    def take(label: Look, value: Look) -> None:
        result.append((label, value))
        used.update((id(label), id(value)))

    for value in looks:
        field = next((frame for frame in fields if holds(frame.area.box, value.box)), None)
        label = _above(value, looks, field)
        if label is not None and id(label) not in used and id(value) not in used:
            take(label, value)
    for value in looks:
        if id(value) in used or not numeric(value.text):
            continue
        label = _below(value, looks)
        if label is not None and id(label) not in used:
            take(label, value)
    for line in lines_of(looks):
        for label, value in pairwise(line):
            near = value.box.left - label.box.right <= _SIDE_GAP * label.size
            if near and label.text.endswith((":", "：")) and id(label) not in used and id(value) not in used:
                take(label, value)
    return result


def is_list(grid: Grid) -> bool:
    """Return whether a table of two columns without a header is a list of labels with their values."""
    if grid.header or len(grid.rows[0]) != 2 or any(not cell.looks for row in grid.rows for cell in row):  # noqa: PLR2004
        return False
    rows = [(row[0].looks[0], row[1].looks[0]) for row in grid.rows]
    colons = all(label.text.endswith((":", "：")) for label, _ in rows)
    # A value among its siblings may be emphasised; labels look alike.
    told = all(difference(label.foreground, rows[0][0].foreground) < _TOLD_APART for label, _ in rows) and all(
        difference(label.foreground, value.foreground) >= _TOLD_APART or value.size > _LABEL * label.size
        for label, value in rows
    )
    return colons or told


def _around_one(area: Area, look: Look, behind: Colour) -> Tag | None:
    """Return what a rectangle around one text is, or `None` if it says nothing."""
    height, width = area.box.bottom - area.box.top, area.box.right - area.box.left
    if height > _BUTTON_HIGH * look.size:
        return Tag.CARD if height > 2 * look.size and difference(area.colour, behind) > SEEN else None
    filled = difference(area.colour, behind) > SEEN
    wide = width - (look.box.right - look.box.left) > _BUTTON_WIDE * look.size
    if wide:
        return Tag.ROW if filled else Tag.VALUE
    if height < _TAG_HIGH * look.size:
        return Tag.TAG
    return Tag.BUTTON


def _above(value: Look, looks: Sequence[Look], field: Frame | None) -> Look | None:
    """Return the label above a value: the nearest text there, if it is smaller or the value stands in a field."""
    top = value.box.top if field is None else field.area.box.top
    best: Look | None = None
    for look in looks:
        gap = top - look.box.bottom
        if look is value or not -0.3 * look.size <= gap <= _LABEL_GAP * max(value.size, look.size):
            continue
        if not _in_line(look.box, value.box if field is None else field.area.box, 0.8 * value.size):
            continue
        if best is None or look.box.bottom > best.box.bottom:
            best = look
    if best is None or best.size > value.size * (1.5 if value.masked else 1.05 if field is not None else 1 / _LABEL):
        return None
    return best


def _below(value: Look, looks: Sequence[Look]) -> Look | None:
    near = [
        look
        for look in looks
        if look is not value
        and look.size * _LABEL <= value.size
        and 0 <= look.box.top - value.box.bottom <= value.size
        and _in_line(look.box, value.box, 0.8 * value.size)
        and not numeric(look.text)
    ]
    return min(near, key=lambda look: (look.box.top, look.box.left), default=None)


def _in_line(one: Box, other: Box, tolerance: float) -> bool:
    middles = abs(one.left + one.right - other.left - other.right) / 2
    return min(abs(one.left - other.left), middles, abs(one.right - other.right)) <= tolerance


def _is_section(box: Box, page: Box) -> bool:
    """Return whether a rectangle is the page, or what a banner leaves of it: as wide and nearly as high."""
    wide = box.right - box.left >= 0.97 * (page.right - page.left)
    return wide and box.bottom - box.top >= 0.6 * (page.bottom - page.top)
