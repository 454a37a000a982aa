"""Tables that a document shows as such, as typed relations."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.catalog.names import canonical_names, unique_columns
from debriefer.documents.model import DocumentTable
from debriefer.documents.normalising import enumeration, is_nothing, normalise_column
from debriefer.documents.relation import Cell, Column, Relation, Status

_RAGGED = "its row has more or fewer cells than the header"


def shown_table(table: DocumentTable, name: str, document: str) -> Relation | None:
    """Return a table as a relation, its rows counted from 1; `None` where it has no row below its header.

    The cells of several header rows are put together. Cells that say that there is nothing are NULL; a column gets a
    type if all its other cells fit it. The line of a cell is its row in the table, from 0.

    Args:
        table: The table.
        name: What it shall be called.
        document: Path of the document.
    """
    header_rows = table.header_rows or int(_looks_like_header(table.rows))
    header = table.rows[:header_rows]
    body = [(line, row) for line, row in enumerate(table.rows) if line >= header_rows and any(map(str.strip, row))]
    if not body:
        return None
    width = len(table.rows[0])
    doubtful = frozenset(table.ragged)
    names = unique_columns(["record_id", *canonical_names(_headings(header, width))])[1:]
    records = tuple((str(number),) for number in range(1, len(body) + 1))
    columns: list[Column] = []
    cells: dict[tuple[tuple[str, ...], str], Cell] = {}
    for place, column_name in enumerate(names):
        raws = [row[place].strip() for _, row in body]
        if not any(raws) and not _heading(header, place):
            continue
        kept = [raw for (line, _), raw in zip(body, raws, strict=True) if not is_nothing(raw) and line not in doubtful]
        done = normalise_column(kept)
        values = iter(done.values)
        for record, (line, _), raw in zip(records, body, raws, strict=True):
            nothing, open_ = is_nothing(raw), line in doubtful
            status: Status = "flagged" if open_ else "missing" if nothing else "ok"
            value = None if nothing or open_ else next(values)
            reason = _RAGGED if open_ else ""
            if raw:
                cells[record, column_name] = Cell(record, column_name, raw, value, line, (0, len(raw)), status, reason)
        columns.append(
            Column(
                name=column_name,
                dtype=done.sql_type,
                doc_unit=" / ".join(written for written in done.written if written),
                target_unit=done.unit,
                enum=enumeration(done),
                meaning=_heading(header, place),
                operations=tuple(done.operations),
            )
        )
    flags = (f"{len(doubtful)} rows have more or fewer cells than the header: they are NULL",) if doubtful else ()
    return Relation(name, document, (), tuple(columns), records, cells, origin="table", flags=flags)


def _looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names what stands below: it is full, and has no number where others have."""
    if len(rows) < 2 or not all(cell.strip() for cell in rows[0]):  # noqa: PLR2004 -- a header and a row
        return False
    return not any(_is_number(cell) for cell in rows[0]) and any(_is_number(cell) for row in rows[1:] for cell in row)


def _is_number(text: str) -> bool:
    return not is_nothing(text) and normalise_column([text]).sql_type in ("INTEGER", "REAL")


def _headings(header: Sequence[Sequence[str]], width: int) -> list[str]:
    return [_heading(header, place) or f"column_{place + 1}" for place in range(width)]


def _heading(header: Sequence[Sequence[str]], place: int) -> str:
    return " ".join(dict.fromkeys(row[place].strip() for row in header if row[place].strip()))
