"""What is said about the tables of a task: verdicts, rounds, and which tables are folded in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pydantic


class Needs(pydantic.BaseModel):
    """What a question needs of the data.

    Attributes:
        filters: Fields that filter or compute.
        outputs: Columns of the answer.
    """

    model_config = pydantic.ConfigDict(extra="ignore")

    filters: list[str] = []
    outputs: list[str] = []


class TableVerdict(pydantic.BaseModel):
    """What one round says of one table; the reason stands before the verdict, so that it is not made up for it.

    Attributes:
        table: Its name.
        reason: Which needed field or key it has, or that it has none.
        relevant: Whether it is kept.
    """

    model_config = pydantic.ConfigDict(extra="ignore")

    table: str
    reason: str = ""
    relevant: bool


@dataclass(frozen=True, slots=True)
class Round:
    """What one request gave.

    Attributes:
        number: Counts the requests of a task from 1.
        needs: What the question needs, by the model.
        verdicts: By canonical name of the table; invented names are not in it.
        invented: Names that no table has.
        error: Why there is no verdict, else empty.
    """

    number: int
    needs: Needs | None = None
    verdicts: Mapping[str, TableVerdict] = field(default_factory=dict)
    invented: tuple[str, ...] = ()
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the round counts."""
        return not self.error

    def to_dict(self) -> dict[str, Any]:
        """Return the round as JSON values."""
        return {
            "number": self.number,
            "needs": None if self.needs is None else self.needs.model_dump(),
            "verdicts": [verdict.model_dump() for verdict in self.verdicts.values()],
            "invented": list(self.invented),
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class TableRelevance:
    """Whether a table is described to the Solver.

    Attributes:
        table: Its canonical name.
        relevant: Whether it is; a folded one keeps a line and stays queryable.
        yes: Rounds that keep it.
        votes: Rounds that speak of it.
        reason: Why, for a person.
    """

    table: str
    relevant: bool
    yes: int
    votes: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Relevance:
    """Which tables of a task are relevant.

    Attributes:
        tables: Every table that was judged, by name.
        rounds: The rounds, by number.
        note: What went wrong as a whole, else empty.
    """

    tables: tuple[TableRelevance, ...]
    rounds: tuple[Round, ...] = ()
    note: str = ""

    @property
    def folded(self) -> frozenset[str]:
        """Names of the tables that are not described."""
        return frozenset(table.table for table in self.tables if not table.relevant)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "tables": [table.to_dict() for table in self.tables],
            "rounds": [one.to_dict() for one in self.rounds],
            "note": self.note,
        }
