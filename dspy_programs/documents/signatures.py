"""What a model is asked about a document. The docstrings are the instructions, and an optimiser may rewrite them.

What must always hold is code: `debriefer.documents.assisted` checks ids, quotes, types, corrections and agreement.
"""

from __future__ import annotations

import dspy
import pydantic

from debriefer.documents.reader_port import DataType


class MarkedLine(pydantic.BaseModel):
    """Where a line names its record."""

    line: int
    key: str
    before: str = ""


class ColumnExample(pydantic.BaseModel):
    """A value of a column as a sample has it."""

    record: str
    quote: str


class SchemaColumn(pydantic.BaseModel):
    """A column of one block."""

    name: str
    block: int
    dtype: DataType = "TEXT"
    doc_unit: str = ""
    target_unit: str = ""
    enum: list[str] = []
    literal_format: str = ""
    meaning: str = ""
    called: list[str] = []
    examples: list[ColumnExample] = []


class RowCell(pydantic.BaseModel):
    """A cell of a row."""

    column: str
    quote: str
    missing: bool = False


class RecordRow(pydantic.BaseModel):
    """What a text says of one record."""

    record: str
    cells: list[RowCell]


class RepairedCell(pydantic.BaseModel):
    """A cell that was read again."""

    record: str
    column: str
    quote: str
    missing: bool = False


class PickAnchor(dspy.Signature):
    """Say how the lines of a document mark the record that each one tells of.

    The document is a table retold as prose. A line names its record by a key: a number, a code, an identifier, often
    behind a word ("file 12", "档案12号"). The key comes back wherever the record is spoken of again; a measure or a
    date of the record is no key. Give for each line that tells of a record its number, the key letter by letter, and
    the one or two words that stand before it, empty where it opens the line. Leave out lines that tell of no record.
    """

    document: str = dspy.InputField(desc="name of the document")
    lines: str = dspy.InputField(desc="some of its lines, each behind its number in brackets")
    key_name: str = dspy.OutputField(desc="what the key is called, in one or two words")
    marks: list[MarkedLine] = dspy.OutputField()


class InferSchema(dspy.Signature):
    """Name the columns of the table that a document retells, block by block.

    Each block tells one group of attributes of every record; the samples are from its head, middle and tail. Give every
    attribute that the samples of a block tell, and none that is not there: not the record's own key, not remarks that a
    few lines make. Each form of a name or code is a column of its own.

    `name`: the notes' name for the field where they have one, else snake_case in the document's language. `block`: the
    block's number. `dtype`: INTEGER, REAL, DATE, TIMESTAMP, or TEXT for names, codes and whatever must stay as it is
    written (leading zeros, letters set apart; say so in `literal_format`). `doc_unit`: what the document writes or
    states for all; `target_unit`: what the notes ask for, else empty. `enum`: only values that the text says are all.
    `meaning`: a few words. `called`: the words by which the document names it, corrections included. `examples`: for
    up to three samples the record and the value, letter by letter, with its unit; of a corrected value the last one.
    """

    document: str = dspy.InputField(desc="name of the document")
    context: str = dspy.InputField(desc="lines that belong to no record: titles, units that hold for all")
    samples: str = dspy.InputField(desc="blocks with samples of their records")
    field_notes: str = dspy.InputField(desc="what the task's notes say of fields")
    columns: list[SchemaColumn] = dspy.OutputField()


class ExtractChunk(dspy.Signature):
    """Read the values of some columns out of what a document says of some records.

    Give one row for every record, in the order given, with its id exactly as it stands behind "###". For each column
    quote the value letter by letter, whole, with its unit or scale, and nothing around it: nothing converted, nothing
    completed. Where the text takes a value back ("no, it was …", "corrected to …", "应为…"), quote the value that
    holds in the end. Where it says that there is none ("not recorded", "未披露"), quote those words and set `missing`.
    Leave a column out where the text is silent on it. Remarks on clerks, stamps and pages are no values.
    """

    document: str = dspy.InputField(desc="name of the document")
    block: str = dspy.InputField(desc="number and title of the block")
    columns: str = dspy.InputField(desc="the columns that the block tells")
    records: str = dspy.InputField(desc="each record's id behind ###, then what the block says of it")
    rows: list[RecordRow] = dspy.OutputField()


class RepairCells(dspy.Signature):
    """Read some cells again that a check did not pass.

    Each has the record's text, what was read first and why it is doubted. Look at the text alone: quote the value of
    the column letter by letter, whole, with its unit; where something is taken back, the value that holds in the end.
    Where the first reading is right, repeat it. Where the text says that there is no value, quote those words and set
    `missing`; where it is silent, give an empty quote. Answer for every cell, with record and column as given.
    """

    document: str = dspy.InputField(desc="name of the document")
    columns: str = dspy.InputField(desc="the columns")
    doubtful: str = dspy.InputField(desc="the cells: record and column, what was read, why it is doubted, the text")
    cells: list[RepairedCell] = dspy.OutputField()
