"""What a model may be asked about a document: four questions, plain values in and out, and how each may fail.

`dspy_programs.documents` answers them; the flow in `debriefer.documents.assisted` checks every answer. Nothing that
comes back is trusted for having been said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from debriefer.documents.notes import FieldNote
from debriefer.errors import DocumentError

DataType = Literal["INTEGER", "REAL", "DATE", "TIMESTAMP", "TEXT"]


class UnreadableReplyError(DocumentError):
    """A reply has no form that can be read; asking again may help."""


class TruncatedReplyError(UnreadableReplyError):
    """A reply was cut off, or the request was too long; a smaller chunk helps."""


class ReaderStoppedError(DocumentError):
    """No further answer will come: a budget is used up, or the endpoint is not there."""


@dataclass(frozen=True, slots=True)
class RecordText:
    """What a block says of one record.

    Attributes:
        record: The record's id: the parts of its key with `|` between them.
        text: The text, verbatim.
    """

    record: str
    text: str


@dataclass(frozen=True, slots=True)
class AnchorRequest:
    """Lines of a document whose records could not be told apart by rule.

    Attributes:
        document: Its name.
        lines: Number and text of some lines.
    """

    document: str
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class AnchorMark:
    """Where a line names its record.

    Attributes:
        line: Number of the line.
        key: The record's key as it is written there.
        before: The word or two that stand before it, empty for none.
    """

    line: int
    key: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class AnchorReply:
    """How the lines mark their records.

    Attributes:
        marks: For each line that tells of a record where it says which.
        name: What the key is called.
    """

    marks: tuple[AnchorMark, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class SampledBlock:
    """A block and what it says of some records: of the first ones, of some in the middle, of the last.

    Attributes:
        number: Its number.
        title: What stands above it, else empty.
        records: The samples.
    """

    number: int
    title: str
    records: tuple[RecordText, ...]


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What the columns of a document are to be told from.

    Attributes:
        document: Its name.
        context: Lines that belong to no record: titles, units that hold for all.
        blocks: The blocks with samples.
        notes: What the task's notes say of fields.
    """

    document: str
    context: tuple[str, ...]
    blocks: tuple[SampledBlock, ...]
    notes: tuple[FieldNote, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A value of a column as a sample has it.

    Attributes:
        record: The sample's record.
        quote: The value, verbatim.
    """

    record: str
    quote: str


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """A column of one block.

    Attributes:
        name: Its name.
        block: Number of the block that tells it.
        dtype: What its values are.
        doc_unit: Unit that the document writes or states for all.
        target_unit: Unit that the values shall have; empty to leave it.
        enum: The values that there can be, where the text says so.
        literal_format: How values are written where that must stay.
        meaning: What it says, in a few words.
        called: Words by which the document names it.
        examples: Values of samples.
    """

    name: str
    block: int
    dtype: DataType = "TEXT"
    doc_unit: str = ""
    target_unit: str = ""
    enum: tuple[str, ...] = ()
    literal_format: str = ""
    meaning: str = ""
    called: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaReply:
    """The columns of a document, block by block."""

    columns: tuple[PlannedColumn, ...]


@dataclass(frozen=True, slots=True)
class ChunkRequest:
    """Some records of one block, to be read.

    Attributes:
        document: The document's name.
        block: Number of the block.
        title: What stands above it.
        columns: The block's columns and no others.
        records: The records.
    """

    document: str
    block: int
    title: str
    columns: tuple[PlannedColumn, ...]
    records: tuple[RecordText, ...]


@dataclass(frozen=True, slots=True)
class QuotedCell:
    """A cell as a model read it.

    Attributes:
        record: The record's id.
        column: The column's name.
        quote: The value that holds, verbatim; empty where the text is silent.
        missing: Whether the text says that there is no value; `quote` is then how it says so.
    """

    record: str
    column: str
    quote: str
    missing: bool = False


@dataclass(frozen=True, slots=True)
class ChunkReply:
    """What a model read in a chunk.

    Attributes:
        records: Ids of the rows, in their order; one that comes twice stands here twice.
        cells: The cells.
    """

    records: tuple[str, ...]
    cells: tuple[QuotedCell, ...]


@dataclass(frozen=True, slots=True)
class DoubtfulCell:
    """A cell that a check did not pass.

    Attributes:
        record: The record's id.
        column: The column's name.
        text: What the block says of the record.
        quote: What was read, empty for nothing.
        reason: Why it is doubted.
    """

    record: str
    column: str
    text: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """Cells to be read again.

    Attributes:
        document: The document's name.
        columns: The columns that they are of.
        cells: The cells.
    """

    document: str
    columns: tuple[PlannedColumn, ...]
    cells: tuple[DoubtfulCell, ...]


@dataclass(frozen=True, slots=True)
class RepairReply:
    """The cells as they were read the second time."""

    cells: Sequence[QuotedCell]


class DocumentReader(Protocol):
    """A model as the flow sees it. Safe to be asked from several threads at once.

    Each question may raise `UnreadableReplyError`, `TruncatedReplyError` or `ReaderStoppedError`.
    """

    def pick_anchor(self, request: AnchorRequest) -> AnchorReply:
        """Say how lines mark their records."""
        ...

    def infer_schema(self, request: SchemaRequest) -> SchemaReply:
        """Say which columns each block tells."""
        ...

    def extract_chunk(self, request: ChunkRequest) -> ChunkReply:
        """Read some records of a block."""
        ...

    def repair_cells(self, request: RepairRequest) -> RepairReply:
        """Read doubtful cells again."""
        ...
