"""Tables of a slide as cells, taken from its layout tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from debriefer.media.slide import Box
from debriefer.media.tree import Node, Tag


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table on a slide.

    Attributes:
        table: Counts the tables of a slide from 1, in reading order.
        row: Counts rows from 1, the header included.
        column: Counts columns from 1.
        text: What stands in it; empty for a blank cell.
        header: Whether it heads its column or row.
        state: What can be seen of it or of what holds it: `selected`, `highlighted`, `struck`, `masked`, …, sorted.
        confidence: Of the text, in [0, 1], or `None`.
        box: Where it stands, or `None`.
    """

    table: int
    row: int
    column: int
    text: str
    header: bool
    state: str
    confidence: float | None
    box: Box | None


def cells(tree: Node) -> tuple[Cell, ...]:
    """Return the cells of all tables of a layout tree, blank ones included, in reading order."""
    found: list[Cell] = []
    for number, (table, around) in enumerate(_tables(tree, frozenset()), start=1):
        rows = (child for child in table.children if child.tag is Tag.TABLE_ROW)
        for row_number, row in enumerate(rows, start=1):
            columns = (child for child in row.children if child.tag in {Tag.TABLE_CELL, Tag.TABLE_HEADER})
            for column, node in enumerate(columns, start=1):
                states = around | _own(row) | frozenset().union(*map(_own, node.walk()))
                found.append(
                    Cell(
                        table=number,
                        row=row_number,
                        column=column,
                        text=text_of(node),
                        header=node.tag is Tag.TABLE_HEADER,
                        state=" ".join(sorted(states)),
                        confidence=node.confidence,
                        box=node.box,
                    )
                )
    return tuple(found)


def leaves(tree: Node, around: frozenset[str] = frozenset()) -> Iterator[tuple[Node, str]]:
    """Iterate over the nodes that have text, in reading order, each with its states and those of the nodes around it.

    Args:
        tree: The tree.
        around: States of what holds it.
    """
    states = around | _own(tree)
    if tree.text.strip():
        yield tree, " ".join(sorted(states))
    for child in tree.children:
        yield from leaves(child, states)


def text_of(node: Node) -> str:
    """Return all text of a node and below it, in one line."""
    return " ".join(part for part in (" ".join(each.text.split()) for each in node.walk()) if part)


def _own(node: Node) -> frozenset[str]:
    return frozenset(name for name, value in node.attributes.items() if value == "true")


def _tables(tree: Node, around: frozenset[str]) -> Iterator[tuple[Node, frozenset[str]]]:
    states = around | _own(tree)
    if tree.tag is Tag.TABLE:
        yield tree, states
        return
    for child in tree.children:
        yield from _tables(child, states)
