"""A whole PDF as one document: pages in order, tables over pages, headers and footers set apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from debriefer.documents.model import Document, DocumentLine, DocumentNote, DocumentTable
from debriefer.documents.pdf.continued import goes_on
from debriefer.documents.pdf.engine import Pdf
from debriefer.documents.pdf.furniture import EdgeLine, edge_lines, furniture, key
from debriefer.documents.pdf.ink import Area, PageInk
from debriefer.documents.pdf.lines import Line
from debriefer.documents.pdf.paragraphs import Kind, Paragraph, PrintedLine, body_size, joined_over, paragraphs
from debriefer.documents.pdf.regions import names_table
from debriefer.documents.pdf.scans import DOTS_PER_INCH, is_scan, read_scan, reader
from debriefer.documents.pdf.table import PageTable
from debriefer.documents.pdf.tables import page_parts
from debriefer.errors import DocumentError

if TYPE_CHECKING:
    from debriefer.media.tree import Ocr

OCR_HINT = "pip install 'debriefer[video]' for the OCR, or give a PDF with a text layer"
# Pages from which a note says how long the reading takes; about this many are read in a second.
_LONG = 300
_PAGES_A_SECOND = 10
# Pages that a note names at most.
_NAMED = 10
_WORD = re.compile(r"[^\W\d_]{3,}")
Item = PrintedLine | PageTable


@dataclass(slots=True)
class _Page:
    """What is kept of a page: text without its words, and tables."""

    number: int
    height: float
    blocks: list[list[Item]]
    turned: list[tuple[str, Area]]


@dataclass(slots=True)
class _Tally:
    """What is noted, by code: how many, and on which pages."""

    counts: Counter[str] = field(default_factory=Counter)
    pages: dict[str, list[int]] = field(default_factory=dict)

    def add(self, code: str, page: int, count: int = 1) -> None:
        """Count something on a page; nothing where `count` is 0."""
        if count:
            self.counts[code] += count
            self.pages.setdefault(code, []).append(page)

    def notes(self) -> tuple[DocumentNote, ...]:
        """Return the notes in the order of `_MESSAGES`."""
        return tuple(
            DocumentNote(
                code, message.format(count=self.counts[code]), self.counts[code], tuple(self.pages[code][:_NAMED])
            )
            for code, message in _MESSAGES.items()
            if code in self.counts
        )


_MESSAGES = {
    "long": "{count} pages are read, at about 10 a second",
    "scan": "{count} pages have no text layer and were read by OCR",
    "scan-unread": "{count} pages have no text layer and were not read: no OCR is installed",
    "unsure": "{count} scanned pages were read with a mean confidence below 0.9",
    "blank": "{count} pages hold neither text nor pictures",
    "turned": "{count} pages have text that runs upwards or downwards and were turned",
    "unmapped": "{count} letters have fonts that do not say what they stand for",
    "hidden": "{count} letters stand outside of the visible page and were left out",
    "doubled": "{count} letters are printed over themselves and were taken once",
    "furniture": "{count} lines are headers, footers or page numbers and were set apart",
    "continued": "{count} tables go on from the page before and were joined",
}


def read_pdf(path: Path, *, ocr: Ocr | None = None) -> Document:
    """Read a PDF into lines and tables.

    Paragraphs are joined over lines, columns and pages, tables over pages. What repeats at the edges of the pages is
    given its kind and stays. The same file gives the same document.

    Pages are read one at a time; what is kept of each is its text and tables. A page of text takes about 0.1 s, a
    scanned one some seconds.

    Args:
        path: The file.
        ocr: Reader for pages without a text layer; the one of the extra `video` unless told, where it is installed.

    Raises:
        MissingFileError: There is no such file.
        DocumentError: It is no PDF, empty, damaged, locked by a password, or a scan without an OCR at hand; or the
            extra `documents` is not installed.
        MediaError: The OCR models cannot be loaded.
    """
    path = Path(path)
    tally = _Tally()
    with Pdf(path) as pdf:
        if pdf.pages >= _LONG:
            tally.add("long", 1, pdf.pages)
        pages = _pages(pdf, ocr, tally)
    lines, tables = _assembled(pages, tally)
    return Document(path.name, path, lines, tables, tally.notes())


def _pages(pdf: Pdf, ocr: Ocr | None, tally: _Tally) -> list[_Page]:
    pages: list[_Page] = []
    unread = 0
    for ink in pdf.inks():
        _count(ink, tally)
        if not is_scan(ink):
            pages.append(_text_page(ink))
            continue
        ocr = ocr or reader()
        if ocr is None:
            unread += 1
            tally.add("scan-unread", ink.number)
            pages.append(_Page(ink.number, ink.height, [], []))
        else:
            pages.append(_scanned_page(pdf, ink, ocr, tally))
    if unread and not any(page.blocks for page in pages):
        message = f"`{pdf.path.name}` is a scan: its {pdf.pages} pages have no text layer"
        raise DocumentError(message, hint=OCR_HINT)
    return pages


def _count(ink: PageInk, tally: _Tally) -> None:
    tally.add("unmapped", ink.number, ink.unmapped)
    tally.add("hidden", ink.number, ink.hidden)
    tally.add("doubled", ink.number, ink.doubled)
    tally.add("turned", ink.number, int(ink.turned != 0))
    tally.add("blank", ink.number, int(not ink.glyphs and not ink.pictures and not ink.rules))


def _text_page(ink: PageInk) -> _Page:
    parts = page_parts(ink)
    blocks = [[PrintedLine.of(item) if isinstance(item, Line) else item for item in block] for block in parts.blocks]
    return _Page(ink.number, ink.height, blocks, list(parts.turned))


def _scanned_page(pdf: Pdf, ink: PageInk, ocr: Ocr, tally: _Tally) -> _Page:
    found = read_scan(ink.number, pdf.picture(ink.number, DOTS_PER_INCH), ocr)
    tally.add("scan", ink.number)
    tally.add("unsure", ink.number, int(bool(found.lines) and found.confidence < 0.9))  # noqa: PLR2004 -- as the message says
    tally.add("turned", ink.number, int(found.turned != 0))
    items: list[Item] = [*(PrintedLine.of(line) for line in found.lines), *found.tables]
    items.sort(key=lambda item: (item.area.top, item.area.left))
    return _Page(ink.number, ink.height, [items] if items else [], [])


def _assembled(pages: Sequence[_Page], tally: _Tally) -> tuple[tuple[DocumentLine, ...], tuple[DocumentTable, ...]]:
    """Return the lines and tables of all pages in reading order."""
    kinds = furniture(_edges(pages), len(pages))
    printed = [item for page in pages for block in page.blocks for item in block if isinstance(item, PrintedLine)]
    body = body_size(printed)
    known = frozenset(word.casefold() for line in printed for word in _WORD.findall(line.text))
    flow = _Flow(tally, known)
    for page in pages:
        beside: list[Paragraph] = []
        for block in page.blocks:
            run: list[PrintedLine] = []
            for item in block:
                kind = None
                if isinstance(item, PrintedLine):
                    kind = kinds.get(key(page.number, item.text, item.area.middle[1]))
                    if kind is not None:
                        beside.append(Paragraph(item.text, page.number, item.area, kind, item.size))
                        tally.add("furniture", page.number)
                        continue
                    run.append(item)
                else:
                    flow.text(paragraphs(page.number, run, body, known))
                    run = []
                    flow.table(item)
            flow.text(paragraphs(page.number, run, body, known))
        flow.aside(beside)
        flow.aside([Paragraph(text, page.number, area, Kind.TURNED, 0.0) for text, area in page.turned])
    return flow.finished()


def _edges(pages: Sequence[_Page]) -> list[EdgeLine]:
    found: list[EdgeLine] = []
    for page in pages:
        lines = [
            (item.text, item.area.middle[1]) for block in page.blocks for item in block if isinstance(item, PrintedLine)
        ]
        found.extend(edge_lines(page.number, page.height, lines))
    return found


class _Flow:
    """The document as it grows: text, tables, and what stands beside them."""

    def __init__(self, tally: _Tally, known: frozenset[str]) -> None:
        self._tally = tally
        self._known = known
        self._items: list[Paragraph | list[PageTable]] = []
        # Where the last text or table of the running text is; what stands beside it lies after it.
        self._last: int | None = None

    def text(self, found: Sequence[Paragraph]) -> None:
        """Add paragraphs; the first may go on with the last one."""
        for number, paragraph in enumerate(found):
            last = None if self._last is None else self._items[self._last]
            if number == 0 and self._last is not None and isinstance(last, Paragraph):
                whole = joined_over(last, paragraph, self._known)
                if whole is not None:
                    self._items[self._last] = whole
                    continue
            self._items.append(paragraph)
            self._last = len(self._items) - 1

    def table(self, found: PageTable) -> None:
        """Add a table, or the rest of the last one."""
        last = None if self._last is None else self._items[self._last]
        if isinstance(last, list):
            rest = goes_on(last[-1], found)
            if rest is not None:
                last.append(rest)
                self._tally.add("continued", found.page)
                return
        self._items.append([found])
        self._last = len(self._items) - 1

    def aside(self, found: Sequence[Paragraph]) -> None:
        """Add what stands beside the text."""
        self._items.extend(found)

    def finished(self) -> tuple[tuple[DocumentLine, ...], tuple[DocumentTable, ...]]:
        """Return the lines and the tables."""
        lines: list[DocumentLine] = []
        tables: list[DocumentTable] = []
        for item in self._items:
            if isinstance(item, Paragraph):
                kind = Kind.CAPTION if item.kind in {Kind.TEXT, Kind.HEADING} and names_table(item.text) else item.kind
                lines.append(DocumentLine(item.text, item.page, _box(item.area), kind.value))
                continue
            first = item[0]
            if first.title:
                lines.append(DocumentLine(_flat(first.title), first.page, _box(first.area), Kind.CAPTION.value))
            tables.append(_table(item, lines))
            notes = [(part, note) for part in item for note in part.notes]
            lines.extend(DocumentLine(_flat(note), part.page, _box(part.area)) for part, note in notes)
        return tuple(lines), tuple(tables)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _box(area: Area) -> tuple[float, float, float, float]:
    return round(area.left, 2), round(area.top, 2), round(area.right, 2), round(area.bottom, 2)


def _table(parts: Sequence[PageTable], before: Sequence[DocumentLine]) -> DocumentTable:
    first = parts[0]
    grids = [part.grid() for part in parts]
    return DocumentTable(
        rows=tuple(tuple(row) for grid in grids for row in grid),
        header_rows=first.header_rows,
        caption=_flat(first.title) or _caption(first, before),
        page=first.page,
        box=_box(first.area),
        after=len(before),
        pages=tuple(part.page for part in parts),
        row_pages=tuple(part.page for part, grid in zip(parts, grids, strict=True) for _ in grid),
    )


def _caption(table: PageTable, before: Sequence[DocumentLine]) -> str:
    """Return the caption among the last lines before a table, or the heading right above it."""
    near = [line for line in before[-4:] if line.page == table.page and line.kind not in _BESIDE]
    for line in reversed(near):
        if line.kind == Kind.CAPTION.value:
            return line.text
    return near[-1].text if near and near[-1].kind == Kind.HEADING.value else ""


_BESIDE = frozenset({Kind.HEADER.value, Kind.FOOTER.value, Kind.PAGE_NUMBER.value, Kind.TURNED.value})
