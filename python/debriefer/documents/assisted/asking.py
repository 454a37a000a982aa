"""Asks a model for chunks of records: bounded retries, splits, the exact set of ids; a chunk that fails fails alone."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from debriefer.documents.assisted.passages import Passage, Quote, located
from debriefer.documents.assisted.patterns import Reading
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.entries import Key
from debriefer.documents.normalising import is_nothing
from debriefer.documents.reader_port import (
    ChunkReply,
    ChunkRequest,
    DocumentReader,
    PlannedColumn,
    QuotedCell,
    ReaderStoppedError,
    RecordText,
    TruncatedReplyError,
    UnreadableReplyError,
)
from debriefer.models import count_tokens

# Requests for a block: so many for each of its chunks, and so many beside.
_FOR_EACH_CHUNK, _BESIDE = 3, 6
# So many unreadable replies and no other, and the model is not asked any more: one record that spoils every reply has
# been found by then, by halves of a chunk of 18 that are each asked for twice.
_HOPELESS = 12


@dataclass(slots=True)
class Cost:
    """What a document cost, and what came of it. Safe to add to from several threads.

    Attributes:
        document_tokens: Estimated tokens of the document's lines.
        sent_tokens: Estimated tokens of the document's text that was sent, each time that it was.
        requests: Questions that were asked.
        chunks: Chunks of records among them, without retries.
        retried: Questions that were asked again.
        split: Chunks that were divided, because a reply was cut off or stayed unreadable.
        failed_records: Records of chunks that failed for good.
        left_out: Rows for records that were not asked for, or that came twice, and were not taken.
        doubted: Cells that a check did not pass at first.
        repaired: Those that a second reading settled.
        unreadable: Replies for chunks that could not be read.
        readable: Whether one could.
        stopped: Why no more was asked, empty where all was.
    """

    document_tokens: int = 0
    sent_tokens: int = 0
    requests: int = 0
    chunks: int = 0
    retried: int = 0
    split: int = 0
    failed_records: int = 0
    left_out: int = 0
    doubted: int = 0
    repaired: int = 0
    unreadable: int = 0
    readable: bool = False
    stopped: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def sent_share(self) -> float:
        """Tokens of the document that were sent, divided by its tokens."""
        return self.sent_tokens / self.document_tokens if self.document_tokens else 0.0

    def asked(self, texts: Sequence[str]) -> None:
        """Count one question and the document's text in it."""
        tokens = sum(map(count_tokens, texts))
        with self._lock:
            self.requests += 1
            self.sent_tokens += tokens

    def add(self, name: str, number: int = 1) -> None:
        """Add to one of the counts."""
        with self._lock:
            setattr(self, name, getattr(self, name) + number)

    def unreadable_reply(self) -> None:
        """Count an unreadable chunk; a model of which none could be read is not asked for ever."""
        self.add("unreadable")
        if not self.readable and self.unreadable >= _HOPELESS:
            self.stop("none of its replies could be read")

    def stop(self, reason: str) -> None:
        """Note that no more is asked."""
        with self._lock:
            self.stopped = self.stopped or reason


@dataclass(slots=True)
class Asker:
    """Asks for the chunks of one block.

    Attributes:
        reader: The model.
        document: The document's name.
        lines: Its lines.
        columns: The block's columns.
        title: What stands above the block.
        settings: How much may be asked.
        cost: Where it is counted.
        allowed: Requests that the block has left.
    """

    reader: DocumentReader
    document: str
    lines: Sequence[str]
    columns: tuple[PlannedColumn, ...]
    title: str
    settings: AssistedSettings
    cost: Cost
    allowed: int = 0

    def allow(self, records: int) -> None:
        """Set the bound on the block's requests from its number of records."""
        self.allowed = _FOR_EACH_CHUNK * -(-records // self.settings.chunk) + _BESIDE

    def read(self, wanted: Sequence[Passage]) -> list[Reading]:
        """Return what a model reads in a chunk; records for which it gives no row that can be taken have none."""
        self.cost.add("chunks")
        found = self._ask(list(wanted))
        for _ in range(self.settings.retries):
            rest = [passage for passage in wanted if passage.key not in found]
            if not found or not rest:
                break
            self.cost.add("retried")
            found |= self._ask(rest)
        self.cost.add("failed_records", sum(passage.key not in found for passage in wanted))
        return [found[passage.key] for passage in wanted if passage.key in found]

    def _ask(self, wanted: Sequence[Passage]) -> dict[Key, Reading]:
        reply = self._reply(wanted)
        if reply is not None:
            return self._taken(reply, wanted)
        if len(wanted) == 1 or self.cost.stopped or self.allowed <= 0:
            return {}
        self.cost.add("split")
        half = len(wanted) // 2
        return self._ask(wanted[:half]) | self._ask(wanted[half:])

    def _reply(self, wanted: Sequence[Passage]) -> ChunkReply | None:
        records = tuple(RecordText(passage.record, passage.text) for passage in wanted)
        request = ChunkRequest(self.document, wanted[0].block, self.title, self.columns, records)
        for attempt in range(1 + self.settings.retries):
            if self.cost.stopped or self.allowed <= 0:
                return None
            self.allowed -= 1
            self.cost.asked([record.text for record in records])
            if attempt:
                self.cost.add("retried")
            try:
                reply = self.reader.extract_chunk(request)
            except TruncatedReplyError:
                return None
            except UnreadableReplyError:
                self.cost.unreadable_reply()
                continue
            except ReaderStoppedError as error:
                self.cost.stop(error.message)
            else:
                self.cost.readable = True
                return reply
        return None

    def _taken(self, reply: ChunkReply, wanted: Sequence[Passage]) -> dict[Key, Reading]:
        """Return the rows that were asked for, each by its key; of rows that come twice neither is taken."""
        counts = Counter(reply.records)
        asked = {passage.record: passage for passage in wanted}
        once = {record for record, count in counts.items() if count == 1 and record in asked}
        self.cost.add("left_out", sum(counts.values()) - len(once))
        cells: dict[str, list[QuotedCell]] = {record: [] for record in once}
        for cell in reply.cells:
            if cell.record in once:
                cells[cell.record].append(cell)
        names = {column.name for column in self.columns}
        return {
            asked[record].key: reading_of(asked[record], [cell for cell in own if cell.column in names], self.lines)
            for record, own in cells.items()
        }


def reading_of(passage: Passage, cells: Sequence[QuotedCell], lines: Sequence[str]) -> Reading:
    """Return cells of one record with their places; a column with two different quotes is lost."""
    reading = Reading(passage)
    for cell in cells:
        if cell.column in reading.options or cell.column in reading.lost:
            known = reading.options.pop(cell.column, [])
            if [one.raw for one in known[:1]] != [cell.quote.strip()]:
                reading.lost[cell.column] = cell.quote
                continue
            reading.options[cell.column] = known
            continue
        if cell.missing or (cell.quote.strip() and is_nothing(cell.quote)):
            reading.missing.add(cell.column)
        places = located(passage, cell.quote, lines)
        if cell.missing:
            # Of words that say so none is a slot of a pattern.
            places = [place for place in places if _says_nothing(place, passage)]
        if places:
            reading.options[cell.column] = places
        elif cell.quote.strip() and not cell.missing:
            reading.lost[cell.column] = cell.quote
    _choose(reading)
    return reading


def _says_nothing(quote: Quote, passage: Passage) -> bool:
    row = passage.sentences[quote.sentence].tokens
    return all(row[place].kind == "nothing" for place in range(*quote.tokens))


def _choose(reading: Reading) -> None:
    """Choose a place for each value: the only one, else the first that no other column has."""
    reading.quotes = {name: places[0] for name, places in reading.options.items() if len(places) == 1}
    for name, places in reading.options.items():
        if len(places) > 1:
            taken = list(reading.quotes.values())
            reading.quotes[name] = next((one for one in places if not _taken(one, taken)), places[0])


def _taken(quote: Quote, others: Sequence[Quote]) -> bool:
    return any(quote.overlaps(other) for other in others)
