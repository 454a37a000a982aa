"""What a reading of a question is made of, and what `read_question` gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

Aggregate = Literal["count", "avg", "sum", "min", "max"]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "between", "in", "not in", "contains", "starts", "ends"]
Scalar = str | int | float


@dataclass(frozen=True, slots=True)
class Link:
    """A span of the question and what it was taken for.

    Attributes:
        start: Offset of the span's first character in the question.
        end: Offset after its last character.
        text: The span.
        kind: `table`, `column`, `value`, `number`, `cue` or `unread`.
        target: `table`, `table.column`, `table.column = value`, or the name of the cue; empty for `unread`.
        score: How well the span fits the target, from 0 to 1.
        reason: One phrase for a person.
    """

    start: int
    end: int
    text: str
    kind: str
    target: str
    score: float
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the link as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement that answers the question as it was read.

    Attributes:
        sql: One read-only statement for the catalog.
        confidence: From 0 to 1; `read_question` lets through what reaches its threshold.
        kind: `record look-up`, `entity list`, `count`, `aggregate`, `group`, `top-n` or `difference`.
        links: What each span of the question was taken for.
        explanation: One sentence for a person.
    """

    sql: str
    confidence: float
    kind: str
    links: tuple[Link, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class Abstention:
    """No reading that may be trusted.

    Attributes:
        reason: One sentence without a full stop that names what could not be read.
        links: What was understood all the same.
    """

    reason: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """A column in a join tree.

    Attributes:
        table: Canonical name.
        column: Name of the column.
        role: Column of the referring table by which `table` is joined; `None` where any join will do.
    """

    table: str
    column: str
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: a plain column, an aggregate of one, or a count of a table's rows.

    Attributes:
        ref: The column, or `None` for a count of rows.
        aggregate: The function, or `None`.
        distinct: Whether the function sees each value once.
        table: Table whose rows are counted where `ref` is `None`.
    """

    ref: Ref | None
    aggregate: Aggregate | None = None
    distinct: bool = False
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with constants, or with an aggregate of the whole column.

    Attributes:
        ref: The column.
        operator: The comparison.
        values: The constants; empty where `aggregate` is given.
        aggregate: Function over all rows of the column's table.
    """

    ref: Ref
    operator: Operator
    values: tuple[Scalar, ...]
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Having:
    """A comparison of an aggregate of each group with a number."""

    what: Output
    operator: Operator
    number: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first `limit` rows by a value, ties included; every row, in order, where `limit` is `None`."""

    what: Output
    descending: bool
    limit: int | None


@dataclass(frozen=True, slots=True)
class Absence:
    """Rows of the entity without a related row of `table` that meets the conditions.

    Attributes:
        table: The related table.
        where: The conditions.
        by: Column whose values are left out if any row with them has such a related row; `None` for single rows.
    """

    table: str
    where: tuple[Condition, ...] = ()
    by: Ref | None = None


@dataclass(slots=True)
class Query:
    """A reading before it is written as SQL.

    Attributes:
        entity: Table whose rows the question is on.
        outputs: Columns of the answer, in the asked order.
        where: Alternatives that must hold, one of each inner tuple.
        group: Columns that make the groups; empty for none.
        having: Conditions on groups.
        rankings: Order of the answer.
        absences: Related rows that must not exist.
        presences: Conditions that must each hold for some related row (`both A and B`).
        related: Tables that must have a row for each row of the answer.
        distinct: Whether equal rows are given once.
        per_row: Whether groups are rows of the entity, even where two of them have the same name.
    """

    entity: str | None = None
    outputs: list[Output] = field(default_factory=list)
    where: list[tuple[Condition, ...]] = field(default_factory=list)
    group: list[Ref] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    presences: list[tuple[Condition, ...]] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    distinct: bool = False
    per_row: bool = False

    @property
    def figures(self) -> list[Output]:
        """Everything that is computed: outputs, and what rows or groups are ordered and compared by."""
        return [*self.outputs, *(r.what for r in self.rankings), *(h.what for h in self.having)]

    @property
    def refs(self) -> set[Ref]:
        """Every column that the reading names."""
        refs = {output.ref for output in self.figures if output.ref is not None} | set(self.group)
        conditions = chain(*self.where, *self.presences, *(a.where for a in self.absences))
        return refs | {condition.ref for condition in conditions}
