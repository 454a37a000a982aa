"""A table as it stands on one page."""

from __future__ import annotations

from dataclasses import dataclass

from debriefer.documents.pdf.ink import Area
from debriefer.documents.pdf.lines import run_on


@dataclass(frozen=True, slots=True)
class TableCell:
    r"""A cell and the grid positions that it covers.

    Attributes:
        text: Its lines, with `\\n` between them.
        row: First row, from 0.
        column: First column, from 0.
        last_row: Last row, included.
        last_column: Last column, included.
        bold: Whether its text is bold.
    """

    text: str
    row: int
    column: int
    last_row: int
    last_column: int
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on one page.

    Attributes:
        page: Page number, from 1.
        area: Where it stands.
        cells: Cells with text, by row and column.
        rows: Number of rows.
        columns: Number of columns.
        header_rows: Leading rows that name the columns.
        ruled: Whether drawn lines part its columns.
        edges: x of the edges of its columns, one more than there are columns.
        title: Text within its frame above the header.
        notes: Text within its frame below the rows.
    """

    page: int
    area: Area
    cells: tuple[TableCell, ...]
    rows: int
    columns: int
    header_rows: int
    ruled: bool
    edges: tuple[float, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

    def grid(self, *, spread: bool = True) -> list[list[str]]:
        """Return the cells' texts by row and column, with a space for a line break within a cell.

        Args:
            spread: Give a merged cell's text at each of its places; else only at the first.
        """
        lines = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            text = ""
            for part in cell.text.split("\n"):
                text = run_on(text, part)
            for row in range(cell.row, cell.last_row + 1 if spread else cell.row + 1):
                for column in range(cell.column, cell.last_column + 1 if spread else cell.column + 1):
                    lines[row][column] = text
        return lines
