"""Text that runs in another direction than that of its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debriefer.documents.pdf.ink import Area, Glyph, around
from debriefer.documents.pdf.lines import lines_of


def turned_lines(glyphs: Iterable[Glyph]) -> list[tuple[str, Area]]:
    """Return the lines of letters that are not upright, each read along its own direction, with the place it takes.

    Letters at a slant (a watermark) are taken as one line in the file's order.
    """
    own = [glyph for glyph in glyphs if glyph.turn != 0]
    found: list[tuple[str, Area]] = []
    for turn in (1, 2, 3):
        found.extend(_along([glyph for glyph in own if glyph.turn == turn], turn))
    slanted = [glyph for glyph in own if glyph.turn is None]
    text = " ".join("".join(glyph.text for glyph in slanted).split())
    if text:
        found.append((text, around([glyph.area for glyph in slanted])))
    return found


def _along(glyphs: Sequence[Glyph], turn: int) -> list[tuple[str, Area]]:
    laid = lines_of(_laid(glyph, turn) for glyph in glyphs)
    return [(line.text, _back(line.area, turn)) for line in laid]


def _laid(glyph: Glyph, turn: int) -> Glyph:
    """Return a letter as it stands after a turn that makes it upright."""
    area = glyph.area
    laid = {
        1: Area(-area.bottom, area.left, -area.top, area.right),
        2: Area(-area.right, -area.bottom, -area.left, -area.top),
        3: Area(area.top, -area.right, area.bottom, -area.left),
    }[turn]
    return Glyph(glyph.text, laid, laid.bottom - 0.2 * glyph.size, glyph.size, glyph.bold, 0, glyph.order)


def _back(area: Area, turn: int) -> Area:
    """Return where an area stood before `_laid` turned it."""
    return {
        1: Area(area.top, -area.right, area.bottom, -area.left),
        2: Area(-area.right, -area.bottom, -area.left, -area.top),
        3: Area(-area.bottom, area.left, -area.top, area.right),
    }[turn]
