"""A document with a model: SEGMENT, SCHEMA, EXTRACT, VALIDATE, so that whatever stays doubtful is flagged and NULL."""

from __future__ import annotations

import contextvars
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from debriefer.catalog.names import canonical_name
from debriefer.documents.anchors import segment
from debriefer.documents.assisted.anchoring import anchor_of, anchor_request
from debriefer.documents.assisted.asking import Asker, Cost
from debriefer.documents.assisted.blocks import BlockRead, read_block
from debriefer.documents.assisted.evidence import View
from debriefer.documents.assisted.passages import Passage, by_block, passages
from debriefer.documents.assisted.planning import planned, schema_request
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.assisted.settling import Settled, settle
from debriefer.documents.assisted.typed import told_of
from debriefer.documents.extraction import Extraction, extract, prose_lines, prose_relation
from debriefer.documents.model import Document
from debriefer.documents.notes import FieldNote
from debriefer.documents.reader_port import DocumentReader, PlannedColumn, ReaderStoppedError, UnreadableReplyError
from debriefer.documents.relation import Segmented
from debriefer.documents.sentences import Vocabulary, sentences
from debriefer.documents.validation import checked
from debriefer.models import count_tokens


@dataclass(frozen=True, slots=True)
class Assisted:
    """What was taken from a document with a model.

    Attributes:
        extraction: The tables.
        cost: What was asked, and what came of it.
        schema: The columns that the model found; empty where the document was read without it.
    """

    extraction: Extraction
    cost: Cost
    schema: tuple[PlannedColumn, ...] = ()


def extract_assisted(
    document: Document,
    source: str,
    reader: DocumentReader,
    notes: Sequence[FieldNote] = (),
    settings: AssistedSettings | None = None,
) -> Assisted:
    """Take the tables out of a document with a model's help.

    The model names the columns from a few samples and reads a first chunk of each block. What it read becomes patterns
    that read the other records; only those that no pattern explains, or in which something is taken back, are sent. Each
    value needs its quote in its own text and something beside the model's word; cells that lack it are asked for once
    more and, where that does not settle them, are flagged and NULL.

    Where the model gives no schema, or not one chunk of it, the document is read without it.

    Args:
        document: The document as it was read.
        source: Its path, relative to the task's `context/`.
        reader: The model.
        notes: What the task's notes say of its fields.
        settings: How much may be asked.
    """
    settings = settings or AssistedSettings()
    lines = prose_lines(document)
    cost = Cost(document_tokens=sum(map(count_tokens, lines)))
    parts = _parts(document.name, lines, reader, cost)
    if parts.anchor is None:
        return Assisted(_noted(extract(document, source, notes), cost, ""), cost)
    vocabulary = Vocabulary()
    found = passages(lines, parts, sentences(lines, parts, vocabulary))
    blocks = by_block(found)
    columns, failure = _schema(document.name, lines, parts, blocks, notes, reader, settings, cost)
    if not columns:
        reason = f"read without a model: {failure or 'it named no columns'}"
        return Assisted(_noted(extract(document, source, notes), cost, reason), cost)
    titles = {block.number: block.title for block in parts.blocks}
    askers = {
        number: Asker(
            reader,
            document.name,
            lines,
            tuple(column for column in columns if column.block == number),
            titles.get(number, ""),
            settings,
            cost,
        )
        for number in blocks
        if any(column.block == number for column in columns)
    }
    read = _read(blocks, askers, settings)
    if not any(block.readings for block in read.values()):
        reason = f"read without a model: {cost.stopped or 'none of its replies could be read'}"
        return Assisted(_noted(extract(document, source, notes), cost, reason), cost)
    views = {
        number: View({column.name: column for column in askers[number].columns}, block.patterns, lines)
        for number, block in read.items()
    }
    settled = settle(document.name, read, views, reader, settings, cost)
    told = checked(told_of(parts, columns, settled, _positions(found)), lines)
    told.flags[:0] = _flags(read, settled, cost)
    told.residual = sorted({record.line for block in read.values() for one in block.unread for record in one.places})
    bare = extract(replace(document, lines=()), source, notes)
    relation = prose_relation(told, canonical_name(PurePosixPath(source).stem), source)
    extraction = Extraction(
        document=source,
        relations=(relation, *bare.relations),
        parts=parts,
        lines=lines,
        flags=tuple(told.flags),
        residual=tuple(told.residual),
    )
    return Assisted(_noted(extraction, cost, ""), cost, tuple(columns))
