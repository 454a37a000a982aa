"""Tables of a layout tree as rows of text, fit to be queried."""

from __future__ import annotations

from dataclasses import dataclass

from debriefer.media.slide import Box
from debriefer.media.tree import Node, Tag


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is shown.

    Attributes:
        title: The nearest heading above it, else empty.
        caption: The text right before it, if that is no heading, else empty: a unit, a date, a name of its own.
        columns: Names of the columns as they are printed; empty where the table has no header.
        rows: The cells' texts, equally many in each row; a blank cell is an empty text.
        states: For each row what can be seen of its state (`selected`, `highlighted`, …), else empty.
        box: Where it stands, or `None`.
        confidence: The least of its cells' confidences, or `None`.
    """

    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    states: tuple[tuple[str, ...], ...]
    box: Box | None
    confidence: float | None


def tables(node: Node) -> tuple[Table, ...]:
    """Return the tables of a tree in reading order; rows are filled up to equal length."""
    found: list[Table] = []
    title = caption = ""
    for inner in node.walk():
        if inner.tag in {Tag.HEADING_1, Tag.HEADING_2, Tag.HEADING_3}:
            title, caption = inner.text, ""
        elif inner.tag == Tag.TABLE:
            found.append(_table(inner, title, caption))
        elif inner.tag in {Tag.CARD, Tag.COLUMN, Tag.TABLE_HEADER, Tag.TABLE_CELL}:
            # What stands in another container or table says nothing about this one.
            caption = ""
        elif inner.text:
            caption = inner.text
    return tuple(found)


def _table(node: Node, title: str, caption: str) -> Table:
    rows = [row for row in node.children if row.tag == Tag.TABLE_ROW]
    width = max((len(row.children) for row in rows), default=0)
    header = bool(rows) and bool(rows[0].children) and all(cell.tag == Tag.TABLE_HEADER for cell in rows[0].children)
    body = rows[1:] if header else rows
    confidences = [inner.confidence for inner in node.walk() if inner.confidence is not None]
    return Table(
        title=title,
        caption=caption,
        columns=_texts(rows[0], width) if header else (),
        rows=tuple(_texts(row, width) for row in body),
        states=tuple(_states(row) for row in body),
        box=node.box,
        confidence=min(confidences, default=None),
    )


def _texts(row: Node, width: int) -> tuple[str, ...]:
    texts = [" ".join(inner.text for inner in cell.walk() if inner.text) for cell in row.children]
    return (*texts, *[""] * (width - len(texts)))


def _states(row: Node) -> tuple[str, ...]:
    seen = {key for inner in row.walk() for key, value in inner.attributes.items() if value == "true"}
    # How a text was read says nothing about its row.
    return tuple(sorted(seen - {"uncertain"}))
