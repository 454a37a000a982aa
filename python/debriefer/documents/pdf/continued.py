"""Tables that go on over pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from debriefer.documents.pdf.table import PageTable, TableCell

# Points by which the edges of columns of the two parts may differ.
_EDGES = 4.0


@dataclass(frozen=True, slots=True)
class WholeTable:
    """A table of one or more pages.

    Attributes:
        parts: What stands on each page, in order; the first has the header.
        caption: The text that names it, or empty.
    """

    parts: tuple[PageTable, ...]
    caption: str = ""

    def rows(self) -> list[list[str]]:
        """Return the cells' texts by row and column: the header once, then all rows."""
        found = self.parts[0].grid()
        for part in self.parts[1:]:
            found.extend(part.grid())
        return found


def goes_on(before: PageTable, after: PageTable) -> PageTable | None:
    """Return the part of a table that another page goes on with, without a repeated header; `None` if it does not.

    Args:
        before: The last thing on a page.
        after: The first thing on the next.
    """
    if after.page != before.page + 1 or before.columns != after.columns or before.ruled != after.ruled:
        return None
    top, head = before.grid(), after.grid()
    same = 0
    while same < before.header_rows and same < after.rows and _same(top[same], head[same]):
        same += 1
    if same and same >= min(before.header_rows, after.header_rows):
        return without_rows(after, same)
    aligned = all(abs(left - right) <= _EDGES for left, right in zip(before.edges, after.edges, strict=True))
    if aligned and (after.header_rows == 0 or (after.ruled and not same and not _names(after, before))):
        return replace(after, header_rows=0)
    return None


def _names(after: PageTable, before: PageTable) -> bool:
    """Whether the later part has a header of its own: bold, where the rows before it were not."""
    header = [cell for cell in after.cells if cell.row < after.header_rows]
    rows = [cell for cell in before.cells if cell.row >= before.header_rows]
    return bool(header) and all(cell.bold for cell in header) and not all(cell.bold for cell in rows)


def _same(one: list[str], other: list[str]) -> bool:
    return [" ".join(text.casefold().split()) for text in one] == [" ".join(text.casefold().split()) for text in other]


def without_rows(table: PageTable, count: int) -> PageTable | None:
    """Return a table without its first rows, or `None` where nothing is left."""
    cells = [
        TableCell(cell.text, cell.row - count, cell.column, cell.last_row - count, cell.last_column, cell.bold)
        for cell in table.cells
        if cell.row >= count
    ]
    if not cells:
        return None
    return replace(table, cells=tuple(cells), rows=table.rows - count, header_rows=max(0, table.header_rows - count))
