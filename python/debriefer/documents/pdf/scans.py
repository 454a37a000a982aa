"""Pages without a text layer, read by the OCR of the video work."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from debriefer.documents.pdf.ink import Area, PageInk
from debriefer.documents.pdf.lines import Line, Word, line_height
from debriefer.documents.pdf.table import PageTable, TableCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from debriefer.media.layout import Table
    from debriefer.media.tree import Ocr, TextLine

# Dots an inch: text of 8 points is then 17 pixels high, which the recogniser reads without a slip.
DOTS_PER_INCH = 150.0
# Less letters than this and pictures over at least this share of the page make a scan.
_FEW_LETTERS = 12
_PICTURED = 0.3
# Below this mean confidence, or where most lines are taller than wide, the page is tried turned.
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What OCR found on a page.

    Attributes:
        lines: Lines outside of tables, top to bottom.
        tables: Tables.
        turned: Quarters counter-clockwise that the picture was turned by to be read.
        confidence: Mean confidence of its lines in [0, 1]; 0 where there are none.
    """

    lines: tuple[Line, ...]
    tables: tuple[PageTable, ...]
    turned: int
    confidence: float


def is_scan(ink: PageInk) -> bool:
    """Whether a page is a picture of text: next to no letters, and pictures over much of it."""
    letters = sum(not glyph.text.isspace() for glyph in ink.glyphs)
    largest = max((picture.width * picture.height for picture in ink.pictures), default=0.0)
    return letters < _FEW_LETTERS and largest >= _PICTURED * ink.width * ink.height


def reader() -> Ocr | None:
    """Return the OCR of the extra `video`, or `None` where it is not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("rapidocr", "onnxruntime", "cv2")):
        return None
    from debriefer.media.layout import RapidOcr  # noqa: PLC0415 -- the extra `video`

    return RapidOcr()


def read_scan(number: int, picture: NDArray[np.uint8], ocr: Ocr) -> ScannedPage:
    """Return the lines and tables of a picture of a page.

    Args:
        number: Page number, from 1.
        picture: RGB picture of shape (height, width, 3), at `DOTS_PER_INCH`.
        ocr: Reader of its text.

    Raises:
        MediaError: The OCR models cannot be loaded.
    """
    import numpy  # noqa: ICN001, PLC0415 -- the extra `video`

    from debriefer.media.layout import find_tables, tree_of  # noqa: PLC0415 -- the extra `video`

    turn, found = 0, ocr.read(picture)
    if not _is_upright(found):
        for quarters in (1, 3, 2):
            turned = numpy.ascontiguousarray(numpy.rot90(picture, quarters))
            other = ocr.read(turned)
            if _weight(other) > _weight(found):
                turn, found = quarters, other
    upright = numpy.ascontiguousarray(numpy.rot90(picture, turn)) if turn else picture
    tables = find_tables(tree_of(upright, found)) if found else ()
    kept = [_page_table(number, table) for table in tables if table.box is not None]
    lines = [line for line in _lines(found) if not any(table.area.holds(*line.area.middle) for table in kept)]
    sure = sum(line.confidence for line in found) / len(found) if found else 0.0
    return ScannedPage(tuple(lines), tuple(kept), turn, sure)


def _weight(lines: Sequence[TextLine]) -> float:
    """Return how much text was read with confidence."""
    wide = [line for line in lines if line.box.right - line.box.left >= line.box.bottom - line.box.top]
    return sum(len(line.text) * line.confidence**4 for line in wide)


def _is_upright(lines: Sequence[TextLine]) -> bool:
    if not lines:
        return False
    tall = sum(line.box.bottom - line.box.top > line.box.right - line.box.left and len(line.text) > 1 for line in lines)
    return tall * 2 <= len(lines) and sum(line.confidence for line in lines) / len(lines) >= _SURE


def _points(pixels: float) -> float:
    return pixels * 72 / DOTS_PER_INCH


def _lines(found: Sequence[TextLine]) -> list[Line]:
    """Return what was read as lines of words; pieces beside each other are one line."""
    words = [
        Word(
            line.text,
            area := Area(*map(_points, (line.box.left, line.box.top, line.box.right, line.box.bottom))),
            area.bottom - 0.2 * area.height,
            area.height,
            False,
            order,
            True,
        )
        for order, line in enumerate(found)
    ]
    groups: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.baseline, word.area.left)):
        if groups and abs(groups[-1][0].baseline - word.baseline) < 0.4 * word.size:
            groups[-1].append(word)
        else:
            groups.append([word])
    lines = [Line(tuple(sorted(group, key=lambda word: word.area.left))) for group in groups]
    # Boxes fit the ink, so that a line without tall letters is lower; all lines of a page get the common height.
    common = line_height(lines)
    return [
        Line(tuple(_sized(word, common) if 0.7 < word.size / common < 1.3 else word for word in line.words))  # noqa: PLR2004
        for line in lines
    ]


def _sized(word: Word, size: float) -> Word:
    return Word(word.text, word.area, word.baseline, size, word.bold, word.order, word.spaced)


def _page_table(number: int, table: Table) -> PageTable:
    """Return a table of a layout tree as one of a page."""
    rows = [table.columns, *table.rows] if table.columns else list(table.rows)
    columns = max(map(len, rows), default=0)
    box = table.box
    area = Area(0, 0, 0, 0) if box is None else Area(*map(_points, (box.left, box.top, box.right, box.bottom)))
    step = area.width / columns if columns else 0.0
    return PageTable(
        page=number,
        area=area,
        cells=tuple(
            TableCell(text, row, column, row, column)
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
            if text
        ),
        rows=len(rows),
        columns=columns,
        header_rows=1 if table.columns else 0,
        ruled=True,
        edges=tuple(area.left + step * column for column in range(columns + 1)),
    )
