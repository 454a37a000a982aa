"""What a document is once it has been read: lines of text and real tables, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Place = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A paragraph, heading or other piece of text.

    Attributes:
        text: What it says, on one line.
        page: Page that it begins on, from 1; `None` where the format has no pages.
        box: Left, top, right and bottom on that page in points, y down; `None` where unknown.
        kind: `text`, `heading`, `caption`, or what stands beside the text: `header`, `footer`, `page-number`, `turned`.
    """

    text: str
    page: int | None = None
    box: Place | None = None
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A table that the document shows as one.

    Attributes:
        rows: Texts of the cells, equally many in each row; a merged cell's text stands at each of its places.
        header_rows: Leading rows that name the columns.
        caption: The text that names the table, or empty.
        page: Page that it begins on, from 1; `None` where the format has no pages.
        box: Left, top, right and bottom on that page in points, y down; `None` where unknown.
        after: Number of the document's lines that come before it.
        pages: Pages that it stands on.
        row_pages: For each row the page that it stands on; empty where the format has no pages.
        ragged: Numbers of the rows that had more or fewer cells than the header: which cell is of which column is open.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 0
    caption: str = ""
    page: int | None = None
    box: Place | None = None
    after: int = 0
    pages: tuple[int, ...] = ()
    row_pages: tuple[int, ...] = ()
    ragged: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentNote:
    """Something that was decided or left out while a document was read.

    Attributes:
        code: Stable identifier, such as `scan` or `hidden-text`.
        message: One sentence for a person.
        count: Pages, letters or lines concerned.
        pages: At most ten of the pages concerned.
    """

    code: str
    message: str
    count: int = 0
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document as lines and tables.

    Attributes:
        name: Its file name.
        path: Where it was read from.
        lines: Its text in reading order.
        tables: Its tables in reading order.
        notes: What was decided or left out.
    """

    name: str
    path: Path
    lines: tuple[DocumentLine, ...]
    tables: tuple[DocumentTable, ...] = ()
    notes: tuple[DocumentNote, ...] = ()
