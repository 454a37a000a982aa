"""The four questions about a document as one DSPy module, and how its failures are told apart."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from debriefer.documents.reader_port import (
    AnchorMark,
    AnchorReply,
    AnchorRequest,
    ChunkReply,
    ChunkRequest,
    Example,
    PlannedColumn,
    QuotedCell,
    ReaderStoppedError,
    RepairReply,
    RepairRequest,
    SchemaReply,
    SchemaRequest,
    TruncatedReplyError,
    UnreadableReplyError,
)
from debriefer.errors import BudgetExceededError, ModelError
from debriefer.models import Budget, Meter, budget_error, metered
from dspy_programs.documents.rendering import anchor_inputs, chunk_inputs, repair_inputs, schema_inputs
from dspy_programs.documents.signatures import ExtractChunk, InferSchema, PickAnchor, RepairCells

# What a model, an endpoint or a bound does; anything else is a fault of ours and is raised.
_FAILURES = (LMError, AdapterParseError, ValueError, BudgetExceededError, ModelError)


class DocumentProgram(dspy.Module):
    """Answers what `debriefer.documents.reader_port.DocumentReader` asks; each of its four predictors can be compiled.

    The language model is DSPy's current one (`with models.using("documents", meter): ...`). One request a question:
    what cannot be read is an error that the flow decides about.
    """

    def __init__(self) -> None:
        super().__init__()
        self.anchor = dspy.Predict(PickAnchor)
        self.schema = dspy.Predict(InferSchema)
        self.chunk = dspy.Predict(ExtractChunk)
        self.repair = dspy.Predict(RepairCells)

    def forward(self, request: AnchorRequest | SchemaRequest | ChunkRequest | RepairRequest) -> dspy.Prediction:
        """Ask one question; the prediction has the fields of the question's signature.

        Raises:
            TruncatedReplyError: The reply was cut off.
            UnreadableReplyError: The reply has no form that can be read.
            ReaderStoppedError: A budget is used up, or the endpoint does not answer.
        """
        if isinstance(request, AnchorRequest):
            return _asked(self.anchor, anchor_inputs(request))
        if isinstance(request, SchemaRequest):
            return _asked(self.schema, schema_inputs(request))
        if isinstance(request, ChunkRequest):
            return _asked(self.chunk, chunk_inputs(request))
        return _asked(self.repair, repair_inputs(request))

    def pick_anchor(self, request: AnchorRequest) -> AnchorReply:
        """Say how lines mark their records."""
        reply = self(request=request)
        marks = tuple(AnchorMark(mark.line, mark.key, mark.before) for mark in reply.marks)
        return AnchorReply(marks, str(reply.key_name))

    def infer_schema(self, request: SchemaRequest) -> SchemaReply:
        """Say which columns each block tells."""
        return SchemaReply(
            tuple(
                PlannedColumn(
                    name=column.name,
                    block=column.block,
                    dtype=column.dtype,
                    doc_unit=column.doc_unit,
                    target_unit=column.target_unit,
                    enum=tuple(column.enum),
                    literal_format=column.literal_format,
                    meaning=column.meaning,
                    called=tuple(column.called),
                    examples=tuple(Example(one.record, one.quote) for one in column.examples),
                )
                for column in self(request=request).columns
            )
        )

    def extract_chunk(self, request: ChunkRequest) -> ChunkReply:
        """Read some records of a block."""
        rows = self(request=request).rows
        cells = (QuotedCell(row.record, cell.column, cell.quote, cell.missing) for row in rows for cell in row.cells)
        return ChunkReply(tuple(row.record for row in rows), tuple(cells))

    def repair_cells(self, request: RepairRequest) -> RepairReply:
        """Read doubtful cells again."""
        cells = self(request=request).cells
        return RepairReply([QuotedCell(cell.record, cell.column, cell.quote, cell.missing) for cell in cells])


def _asked(predictor: dspy.Predict, inputs: dict[str, Any]) -> dspy.Prediction:
    own = Meter(Budget(requests=None))
    # DSPy would ask again in JSON behind a reply that it cannot read; here the flow decides.
    adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
    try:
        with metered(own), dspy.context(adapter=adapter):
            reply = predictor(**inputs)
    except _FAILURES as error:
        raise _told_apart(error, own) from error
    if own.ledger.calls and own.ledger.calls[-1].finish_reason == "length":
        # What was cut off may still parse: the last rows are then not there.
        message = "the reply was cut off"
        raise TruncatedReplyError(message)
    return reply


def _told_apart(error: Exception, own: Meter) -> UnreadableReplyError | ReaderStoppedError:
    """Return what a failure means to the flow: a smaller chunk, another try, or the end."""
    spent = budget_error(error)
    if spent is not None:
        return ReaderStoppedError(spent.message)
    last = own.ledger.calls[-1] if own.ledger.calls else None
    if last is not None and (last.finish_reason == "length" or last.status == "overflow"):
        return TruncatedReplyError("the reply was cut off, or the request was too long")
    if isinstance(error, (AdapterParseError, ValueError)) and (last is None or last.status == "ok"):
        return UnreadableReplyError("the reply has no form that can be read")
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return ReaderStoppedError(f"the model does not answer: {first}")
