"""What links a question to a catalog: tables, columns, cells and join keys, each with a score and a reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# A link of this score is meant to be right; what scores less is a candidate.
ASSERTED = 0.5


@dataclass(frozen=True, slots=True)
class TableLink:
    """A table and how surely the question is about it.

    Attributes:
        table: Canonical name.
        score: From 0 to 1; from `ASSERTED` up it is meant to be right.
        reason: What speaks for it, for a person; empty where nothing does.
    """

    table: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """A column and how surely the question is about it.

    Attributes:
        table: Canonical name of its table.
        column: Name in the source's spelling.
        score: From 0 to 1; from `ASSERTED` up it is meant to be right.
        reason: What speaks for it, for a person; empty where nothing does.
    """

    table: str
    column: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class ValueLink:
    """A cell that a span of the question, or a definition that the question uses, stands for.

    Attributes:
        table: Canonical name of the cell's table.
        column: Name of the cell's column.
        value: The cell, as text.
        count: How often the column holds it.
        start: Offset of the span's first character in the question.
        end: Offset after its last character.
        kind: `exact`, `normalised`, `near`, `part` as in `ValueHit`, or `defined` where the task's knowledge says that
            the span means the cell, `candidate` where the question is about a column of a few kinds and may mean any.
        score: From 0 to 1; from `ASSERTED` up it is meant to be right.
        reason: What speaks for it, for a person.
    """

    table: str
    column: str
    value: str
    count: int
    start: int
    end: int
    kind: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class JoinKey:
    """`table.column` holds values of `to_table.to_column`.

    Attributes:
        table: Canonical name of the table that refers.
        column: Its column.
        to_table: Canonical name of the table that is referred to.
        to_column: Its column.
        inclusion: Share of the different values of `column` that occur in `to_column`, from 0 to 1.
        to_one: Whether the values of `to_column` are unique, so that a join adds no rows.
        declared: Whether the source declares the reference.
        score: From 0 to 1; from `ASSERTED` up it is meant to be right.
        reason: What speaks for it, for a person.
    """

    table: str
    column: str
    to_table: str
    to_column: str
    inclusion: float
    to_one: bool
    declared: bool
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Links:
    """Everything that a question was linked to.

    Attributes:
        tables: Every table, best first, ties by name.
        columns: Every column, best first, ties by table and place in it.
        values: Cells, best first, ties by span, table, column and cell.
        joins: Keys that connect the tables that the question is about, then others between tables that it may be about.
    """

    tables: tuple[TableLink, ...]
    columns: tuple[ColumnLink, ...]
    values: tuple[ValueLink, ...]
    joins: tuple[JoinKey, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the links as JSON values."""
        return {name: [asdict(link) for link in getattr(self, name)] for name in self.__slots__}
