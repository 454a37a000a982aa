"""Markdown and HTML into lines and real tables, by the standard library alone."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from debriefer.documents.model import DocumentLine, DocumentTable

_RULE = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*")
_CELLS = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_TABLE_OPENS = re.compile(r"<table[\s>]", re.IGNORECASE)
_TABLE_CLOSES = re.compile(r"</table\s*>", re.IGNORECASE)
# Marks of emphasis and code around words; a lone `*` or `_` inside of one is a letter.
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1")
# Numbers before a line stay: they may be the key of a record.
_BULLET = re.compile(r"\A\s{0,6}[-*+•]\s+(?=\S)")
_CAPTION = re.compile(r"\s*(?:table|表)\s*\d*\s*[:：.]?\s*\S", re.IGNORECASE)
_MOST_SPAN = 1000


def read_markup(text: str) -> tuple[tuple[DocumentLine, ...], tuple[DocumentTable, ...]]:
    """Return the lines and tables of Markdown text, which may hold HTML tables.

    Every physical line that says something is a line; rows of tables are none. A table is rows of cells between
    `|` under a header with a rule below it, or a `<table>`. Text in code fences stays text.
    """
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines: list[DocumentLine] = []
    tables: list[DocumentTable] = []
    fenced = False
    at = 0
    while at < len(rows):
        row = rows[at]
        if _FENCE.match(row):
            fenced = not fenced
        elif not fenced and _TABLE_OPENS.search(row):
            taken = _html_extent(rows, at)
            tables.extend(_html_tables("\n".join(rows[at : at + taken]), lines))
            at += taken
            continue
        elif not fenced and (taken := _pipe_extent(rows, at)):
            tables.append(_pipe_table(rows[at : at + taken], lines))
            at += taken
            continue
        elif row.strip():
            lines.append(_line(row))
        at += 1
    return tuple(lines), tuple(tables)


def read_html(text: str) -> tuple[tuple[DocumentLine, ...], tuple[DocumentTable, ...]]:
    """Return the lines and tables of an HTML page; scripts, styles and the head are no text."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end_line()
    return tuple(page.lines), tuple(page.tables)


def _line(row: str) -> DocumentLine:
    heading = _HEADING.fullmatch(row)
    if heading is not None:
        return DocumentLine(_plain(heading[1]), kind="heading")
    return DocumentLine(_plain(_BULLET.sub("", row, count=1)))


def _plain(text: str) -> str:
    bare = _EMPHASIS.sub(r"\2", html.unescape(text))
    return " ".join(bare.replace("\\|", "|").split(" ")).strip()


def _pipe_extent(rows: Sequence[str], at: int) -> int:
    """Return how many rows a table that begins at `at` has; 0 where there is none."""
    if at + 1 >= len(rows) or "|" not in rows[at] or "-" not in rows[at + 1] or not _RULE.fullmatch(rows[at + 1]):
        return 0
    width = len(_cells(rows[at]))
    if width < 1 or len(_cells(rows[at + 1])) != width:
        return 0
    end = at + 2
    while end < len(rows) and "|" in rows[end] and rows[end].strip():
        end += 1
    return end - at


def _cells(row: str) -> list[str]:
    inner = row.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [_plain(cell.strip()) for cell in _CELLS.split(inner)]


def _pipe_table(rows: Sequence[str], lines: Sequence[DocumentLine]) -> DocumentTable:
    header = _cells(rows[0])
    body = [_cells(row) for row in rows[2:]]
    width = max([len(header), *(len(row) for row in body)])
    even = tuple((*row, *[""] * (width - len(row))) for row in (header, *body))
    named = any(header)
    shift = int(named)
    ragged = tuple(place + shift for place, row in enumerate(body) if len(row) != len(header))
    return DocumentTable(even if named else even[1:], shift, _caption(lines), after=len(lines), ragged=ragged)


def _caption(lines: Sequence[DocumentLine]) -> str:
    if lines and (lines[-1].kind in ("heading", "caption") or _CAPTION.match(lines[-1].text)):
        return lines[-1].text
    return ""


def _html_extent(rows: Sequence[str], at: int) -> int:
    depth = 0
    for number in range(at, len(rows)):
        depth += len(_TABLE_OPENS.findall(rows[number])) - len(_TABLE_CLOSES.findall(rows[number]))
        if depth <= 0:
            return number - at + 1
    return len(rows) - at


def _html_tables(text: str, lines: list[DocumentLine]) -> list[DocumentTable]:
    page = _Page(lines)
    page.feed(text)
    page.close()
    page.end_line()
    return page.tables


@dataclass(slots=True)
class _Grid:
    """A table while it is read: cells by place, with those that reach over several."""

    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    row: int = -1
    column: int = 0
    header_rows: int = 0
    head: bool = False
    all_header: bool = True
    caption: str = ""

    def open_row(self) -> None:
        self.close_row()
        self.row += 1
        self.column = 0
        self.all_header = True

    def close_row(self) -> None:
        if self.row >= 0 and self.row == self.header_rows and self.column and (self.head or self.all_header):
            self.header_rows += 1

    def put(self, text: str, rows: int, columns: int) -> None:
        if self.row < 0:
            self.open_row()
        while (self.row, self.column) in self.cells:
            self.column += 1
        for down in range(rows):
            for right in range(columns):
                self.cells[self.row + down, self.column + right] = text
        self.column += columns

    def table(self, after: int) -> DocumentTable | None:
        self.close_row()
        if not self.cells:
            return None
        rows, columns = (1 + max(place[axis] for place in self.cells) for axis in (0, 1))
        texts = tuple(tuple(self.cells.get((row, column), "") for column in range(columns)) for row in range(rows))
        header = self.header_rows if self.header_rows < rows else 1
        return DocumentTable(texts, min(header, rows), self.caption, after=after)


class _Page(HTMLParser):
    """Collects lines and tables; a table inside of a cell is text of that cell."""

    _BREAKS = frozenset({"p", "br", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article"})
    # What is struck out does not hold.
    _SILENT = frozenset({"script", "style", "head", "template", "del", "s", "strike"})

    def __init__(self, lines: list[DocumentLine] | None = None) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[DocumentLine] = [] if lines is None else lines
        self.tables: list[DocumentTable] = []
        self._text: list[str] = []
        self._kind = "text"
        self._grid: _Grid | None = None
        self._depth = 0
        self._cell: tuple[int, int] | None = None
        self._silent = 0
        self._caption = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._SILENT:
            self._silent += 1
        elif tag in ("sup", "sub"):
            # `7<sup>1</sup>` is not 71: a mark keeps it from being a number.
            self._text.append("^" if tag == "sup" else "_")
        elif tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.end_line()
                self._grid = _Grid()
        elif self._grid is not None and self._depth == 1:
            self._in_table(tag, dict(attrs))
        elif tag in self._BREAKS and self._grid is None:
            self.end_line()
            self._kind = "heading" if tag[0] == "h" else "text"

    def _in_table(self, tag: str, attributes: dict[str, str | None]) -> None:
        grid = self._grid
        if grid is None:
            return
        if tag == "br":
            self._text.append(" ")
        elif tag == "thead":
            grid.head = True
        elif tag == "tr":
            self._end_cell()
            grid.open_row()
        elif tag in ("td", "th"):
            self._end_cell()
            grid.all_header = grid.all_header and tag == "th"
            self._cell = (_span(attributes.get("rowspan")), _span(attributes.get("colspan")))
        elif tag == "caption":
            self._caption = True

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "table" and self._depth:
            self._depth -= 1
            if self._depth == 0 and self._grid is not None:
                self._end_cell()
                table = self._grid.table(len(self.lines))
                if table is not None:
                    self.tables.append(table)
                self._grid = None
                self._text.clear()
        elif self._grid is not None and self._depth == 1:
            if tag in ("td", "th", "tr"):
                self._end_cell()
            elif tag == "thead":
                self._grid.close_row()
                self._grid.head = False
            elif tag == "caption":
                self._grid.caption = self._taken()
                self._caption = False
        elif tag in self._BREAKS and self._grid is None:
            self.end_line()

    def handle_data(self, data: str) -> None:
        inside = self._grid is None or self._cell is not None or self._caption
        if inside and not self._silent:
            self._text.append(data)

    def end_line(self) -> None:
        text = self._taken()
        if text:
            self.lines.append(DocumentLine(text, kind=self._kind))
        self._kind = "text"

    def _end_cell(self) -> None:
        if self._cell is not None and self._grid is not None:
            self._grid.put(self._taken(), *self._cell)
            self._cell = None

    def _taken(self) -> str:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        return text


def _span(text: str | None) -> int:
    return min(max(int(text), 1), _MOST_SPAN) if text is not None and text.strip().isdecimal() else 1
