"""What was taken out of documents, as JSON values: for the Solver's hints, `debriefer docs` and later requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from debriefer.documents.loading import RECORD_ID
from debriefer.documents.relation import Column, Relation

# `extracted`: its tables are loaded. `no table`: it was read, and shows and tells none. `waiting`: it can be extracted
# when it is asked for. `failed`: it cannot be read.
State = Literal["extracted", "no table", "waiting", "failed"]
_SAMPLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """A column of a table that was taken from a document.

    Attributes:
        name: Its name.
        dtype: Its type.
        unit: Unit of its values, empty for none.
        doc_unit: Units that the document writes.
        meaning: What it says.
        nulls: Rows without a value.
        flagged: How many of these hold something that is not to be trusted.
        sample: Its value in the first row that is filled best; `None` where that has none.
        enum: Its values, where they are few.
        literal_format: How values are written, where that must stay.
        operations: What brought the written values to these.
    """

    name: str
    dtype: str
    unit: str = ""
    doc_unit: str = ""
    meaning: str = ""
    nulls: int = 0
    flagged: int = 0
    sample: str | None = None
    enum: tuple[str, ...] = ()
    literal_format: str = ""
    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableReport:
    """A table that was taken from a document.

    Attributes:
        name: What it is called, and registered as where no other source has the name.
        database: Path of its database, relative to the task folder; empty for one that was asked for later.
        origin: `prose` or `table`.
        rows: Number of rows.
        key: Names of the key columns: `record_id` alone, or also the parts of a longer key.
        columns: The columns without the key.
        statuses: How many cells have which status.
        flags: What is not to be relied on.
    """

    name: str
    database: str
    origin: str
    rows: int
    key: tuple[str, ...]
    columns: tuple[ColumnReport, ...]
    statuses: Mapping[str, int]
    flags: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the report that `asdict` gave."""
        columns = tuple(
            ColumnReport(**{**column, "enum": tuple(column["enum"]), "operations": tuple(column["operations"])})
            for column in values["columns"]
        )
        return cls(**{**values, "columns": columns, "key": tuple(values["key"]), "flags": tuple(values["flags"])})


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """What became of a document.

    Attributes:
        source: Its path, relative to `context/`.
        state: What became of it.
        score: How much of the question it shares.
        reason: Why it is waiting or failed, else empty.
        hint: What helps, else empty.
        lines: Lines of text.
        pages: Pages, 0 where the format has none.
        shown: Tables that it shows.
        tables: The tables that were taken.
        residual: Lines that hold values which no template explains.
        tokens: Estimated tokens of the document, and of what was sent to a model for it.
        notes: What was decided or left out while it was read.
    """

    source: str
    state: State
    score: float = 0.0
    reason: str = ""
    hint: str = ""
    lines: int = 0
    pages: int = 0
    shown: int = 0
    tables: tuple[TableReport, ...] = ()
    residual: int = 0
    tokens: tuple[int, int] = (0, 0)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the report that `to_dict` gave."""
        tables = tuple(map(TableReport.from_dict, values["tables"]))
        document, sent = values["tokens"]
        return cls(**{**values, "tables": tables, "notes": tuple(values["notes"]), "tokens": (document, sent)})


def table_report(relation: Relation, database: str) -> TableReport:
    """Return the report on a relation."""
    sample = _fullest(relation)
    key = (RECORD_ID,) if len(relation.key) <= 1 else (RECORD_ID, *relation.key)
    return TableReport(
        name=relation.name,
        database=database,
        origin=relation.origin,
        rows=len(relation.records),
        key=key,
        columns=tuple(_column_report(relation, column, sample) for column in relation.columns),
        statuses=dict(sorted(Counter(cell.status for cell in relation.cells.values()).items())),
        flags=relation.flags,
    )


def _fullest(relation: Relation) -> tuple[str, ...] | None:
    filled = Counter(cell.record for cell in relation.cells.values() if cell.value is not None)
    # Of equal ones the first in the order of the text.
    return max(relation.records, key=lambda key: filled[key], default=None)


def _column_report(relation: Relation, column: Column, sample: tuple[str, ...] | None) -> ColumnReport:
    cells = [relation.cells.get((key, column.name)) for key in relation.records]
    shown = relation.cells.get((sample, column.name)) if sample is not None else None
    value = None if shown is None else shown.value
    return ColumnReport(
        name=column.name,
        dtype=column.dtype,
        unit=column.target_unit,
        doc_unit=column.doc_unit,
        meaning=column.meaning,
        nulls=sum(cell is None or cell.value is None for cell in cells),
        flagged=sum(cell is not None and cell.status == "flagged" for cell in cells),
        sample=None if value is None else value[:_SAMPLE_CHARACTERS],
        enum=column.enum,
        literal_format=column.literal_format,
        operations=column.operations,
    )


def find_table(reports: Sequence[DocumentReport], name: str) -> tuple[DocumentReport, TableReport] | None:
    """Return the table of a name, whatever its case, and its document."""
    wanted = name.casefold()
    return next(
        ((report, table) for report in reports for table in report.tables if table.name.casefold() == wanted), None
    )
