"""A document with a model: SEGMENT, SCHEMA, EXTRACT, VALIDATE, so that whatever stays doubtful is flagged and NULL."""

from __future__ import annotations

import contextvars
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from debriefer.documents.anchors import segment
from debriefer.documents.assisted.anchoring import anchor_of, anchor_request, is_clear
from debriefer.documents.assisted.asking import Asker, Cost
from debriefer.documents.assisted.blocks import BlockRead, read_block
from debriefer.documents.assisted.evidence import View
from debriefer.documents.assisted.passages import Passage, by_block, passages
from debriefer.documents.assisted.planning import planned, schema_request
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.assisted.settling import EXAMPLES, Settled, settle
from debriefer.documents.assisted.typed import told_of
from debriefer.documents.extraction import Extraction, assembled, extract, prose_lines
from debriefer.documents.model import Document
from debriefer.documents.notes import FieldNote
from debriefer.documents.reader_port import (
    DocumentReader,
    PlannedColumn,
    ReaderStoppedError,
    SchemaRequest,
    UnreadableReplyError,
)
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
    *,
    name: str | None = None,
) -> Assisted:
    """Take the tables out of a document with a model's help.

    The model names the columns from a few samples and reads a first chunk of each block. What it read becomes patterns
    that read the other records; only those that no pattern explains, or in which something is taken back, are sent.
    Each value needs its quote in its own text and something beside the model's word; cells that lack it are asked for
    again and, where that does not settle them, are flagged and NULL.

    Where the model gives no schema, or not one chunk of it, the document is read without it. Where too much of what can
    be checked is wrong, all that it read is flagged.

    Args:
        document: The document as it was read.
        source: Its path, relative to the task's `context/`.
        reader: The model.
        notes: What the task's notes say of its fields.
        settings: How much may be asked.
        name: What its tables are called; its file's stem where `None`.
    """
    settings = settings or AssistedSettings()
    lines = prose_lines(document)
    cost = Cost(document_tokens=sum(map(count_tokens, lines)))
    parts = _parts(document.name, lines, reader, cost)
    if parts.anchor is None:
        return Assisted(_noted(extract(document, source, notes, name), cost, ""), cost)
    vocabulary = Vocabulary()
    found = passages(lines, parts, sentences(lines, parts, vocabulary))
    blocks = by_block(found)
    request = schema_request(document.name, lines, parts, blocks, notes, settings)
    columns, failure = _schema(request, blocks, reader, settings, cost)
    if not columns:
        reason = f"read without a model: {failure}"
        return Assisted(_noted(extract(document, source, notes, name), cost, reason), cost)
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
    read = _read(blocks, askers, settings.jobs)
    if not any(block.readings for block in read.values()):
        reason = f"read without a model: {cost.stopped or 'none of its replies could be read'}"
        return Assisted(_noted(extract(document, source, notes, name), cost, reason), cost)
    views = {
        number: View({column.name: column for column in askers[number].columns}, block.patterns, lines)
        for number, block in read.items()
    }
    settled = settle(document.name, read, views, reader, settings, cost)
    told = checked(told_of(parts, columns, settled, lines), lines)
    told.flags[:0] = _flags(read, settled, cost)
    told.residual = sorted({record.line for block in read.values() for one in block.unread for record in one.places})
    extraction = assembled(document, source, lines, told, name)
    return Assisted(_noted(extraction, cost, ""), cost, tuple(columns))


def _parts(name: str, lines: tuple[str, ...], reader: DocumentReader, cost: Cost) -> Segmented:
    """Return the document's parts; where no rule tells its records' marks, a model is asked for them."""
    mined = segment(lines)
    if is_clear(lines, mined):
        return mined
    request = anchor_request(name, lines)
    cost.asked([text for _, text in request.lines])
    try:
        anchor = anchor_of(reader.pick_anchor(request), lines)
    except UnreadableReplyError:
        return mined
    except ReaderStoppedError as error:
        cost.stop(error.message)
        return mined
    picked = mined if anchor is None else segment(lines, anchor)
    return picked if _spoken(picked) > _spoken(mined) else mined


def _spoken(parts: Segmented) -> int:
    return len({record.line for block in parts.blocks for record in block.records})


def _schema(
    request: SchemaRequest,
    blocks: Mapping[int, Sequence[Passage]],
    reader: DocumentReader,
    settings: AssistedSettings,
    cost: Cost,
) -> tuple[list[PlannedColumn], str]:
    """Return the columns that a model finds, or none and why."""
    failure = cost.stopped
    for attempt in range(1 + settings.retries):
        if cost.stopped:
            break
        if attempt:
            cost.add("retried")
        cost.asked([*request.context, *(record.text for block in request.blocks for record in block.records)])
        try:
            columns = planned(reader.infer_schema(request), blocks, request.notes)
        except UnreadableReplyError as error:
            failure = error.message
        except ReaderStoppedError as error:
            cost.stop(error.message)
            failure = error.message
        else:
            if columns:
                return columns, ""
            failure = "it named no columns"
    return [], failure


def _read(blocks: Mapping[int, Sequence[Passage]], askers: Mapping[int, Asker], jobs: int) -> dict[int, BlockRead]:
    if jobs == 1 or len(askers) == 1:
        return {number: read_block(blocks[number], asker) for number, asker in askers.items()}
    with ThreadPoolExecutor(jobs, thread_name_prefix="blocks") as pool:
        # Models and meters live in the context of the thread that asks.
        futures = {
            number: pool.submit(contextvars.copy_context().run, read_block, blocks[number], asker)
            for number, asker in askers.items()
        }
        return {number: future.result() for number, future in futures.items()}


def _flags(read: Mapping[int, BlockRead], settled: Settled, cost: Cost) -> list[str]:
    found: list[str] = []
    unread = sum(len(block.unread) for block in read.values())
    if unread:
        found.append(f"what is said of {unread} records in a block was not read: their cells there are NULL")
    found += [f"`{name}` is not relied on: {EXAMPLES}" for _, name in settled.distrusted]
    if not settled.believed:
        found.append(f"{settled.wrong} of {settled.checked} values that can be checked are wrong: none is relied on")
    if cost.stopped:
        found.append(f"the model was not asked to the end: {cost.stopped}")
    return found


def _noted(extraction: Extraction, cost: Cost, flag: str) -> Extraction:
    """Return an extraction whose tables from prose know what was sent for them."""
    flags = (flag,) if flag else ()
    relations = tuple(
        replace(one, tokens=(cost.document_tokens, cost.sent_tokens), flags=(*flags, *one.flags))
        if one.origin == "prose"
        else one
        for one in extraction.relations
    )
    return replace(extraction, relations=relations, flags=(*flags, *extraction.flags))
