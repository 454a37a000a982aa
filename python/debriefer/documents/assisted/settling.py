"""Readings of all blocks brought to entries: doubtful ones are asked for again, and flagged if that does not help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from debriefer.documents.assisted.asking import Cost, reading_of
from debriefer.documents.assisted.blocks import BlockRead, settled_places
from debriefer.documents.assisted.evidence import LOST, SILENT, UNSUPPORTED, View, doubts, expected
from debriefer.documents.assisted.passages import Passage, Quote, located
from debriefer.documents.assisted.patterns import Reading
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.entries import Entry, Key
from debriefer.documents.reader_port import (
    DocumentReader,
    DoubtfulCell,
    QuotedCell,
    ReaderStoppedError,
    RepairRequest,
    UnreadableReplyError,
)

# A model's word counts twice over only if next to nothing that could be checked was wrong.
_LEAST_CHECKED, _FOR_EACH_WRONG = 20, 50
# With more than one wrong value in so many, none is relied on.
_FOR_EACH_WRONG_AT_ALL = 12
NOT_BELIEVED = "too many values of this model are wrong"
EXAMPLES = "the values that were given as the column's examples stand elsewhere"

Place = tuple[int, Key, str]


@dataclass(slots=True)
class Settled:
    """The entries of all blocks.

    Attributes:
        entries: By block, key and column.
        distrusted: Columns of blocks, by number and name, none of whose values is relied on.
        checked: Values of the model that patterns, types or the text speak for or against.
        wrong: Those that they speak against.
    """

    entries: dict[Place, Entry] = field(default_factory=dict)
    distrusted: list[tuple[int, str]] = field(default_factory=list)
    checked: int = 0
    wrong: int = 0

    @property
    def believed(self) -> bool:
        """Whether the model is right often enough for its readings to be used at all."""
        return self.wrong * _FOR_EACH_WRONG_AT_ALL <= self.checked


def _measure(read: Mapping[int, BlockRead], views: Mapping[int, View], settled: Settled) -> None:
    """Count how many of the model's values hold, and settle what its word is worth."""
    for number, block in read.items():
        for reading in block.readings.values():
            doubts(reading, views[number])
    settled.checked = sum(view.agreed + view.opposed for view in views.values())
    settled.wrong = sum(view.opposed for view in views.values())
    reliable = settled.wrong * _FOR_EACH_WRONG <= settled.checked
    for view in views.values():
        view.reliable = reliable


@dataclass(slots=True)
class _Doubt:
    """A cell that a check did not pass."""

    reading: Reading
    reason: str


def settle(
    document: str,
    read: Mapping[int, BlockRead],
    views: Mapping[int, View],
    reader: DocumentReader,
    settings: AssistedSettings,
    cost: Cost,
) -> Settled:
    """Return the entries of what was read, doubtful ones flagged.

    A doubtful cell is read again. The second reading is taken if it passes the checks that the first did not; where
    nothing in the text speaks for or against a value, also if it is the first one's and all that could be checked of
    this model's readings was right.
    """
    settled = Settled()
    _measure(read, views, settled)
    doubtful = _first(read, views, settled)
    cost.add("doubted", len(doubtful))
    reliable = settled.checked >= _LEAST_CHECKED and all(view.reliable for view in views.values())
    repair = _Repair(document, reader, settings, cost, views, reliable=reliable)
    records = sum(len(block.readings) + len(block.explained) for block in read.values())
    for _ in range(settings.repair_rounds if settled.believed else 0):
        doubtful = repair.round(doubtful, settled, max(settings.chunk, round(settings.repair_share * records)))
        if not doubtful or cost.stopped:
            break
    _compare_examples(settled, read, views)
    if not settled.believed:
        for entry in settled.entries.values():
            if entry.trusted:
                entry.flag(NOT_BELIEVED)
    return settled


def _first(read: Mapping[int, BlockRead], views: Mapping[int, View], settled: Settled) -> dict[Place, _Doubt]:
    """Enter what was read, and return the cells that a check did not pass."""
    doubtful: dict[Place, _Doubt] = {}
    for number, block in read.items():
        for key, values in block.explained.items():
            for name, quote in values.items():
                settled.entries[number, key, name] = Entry(quote.raw, quote.line, quote.span)
        for key, reading in block.readings.items():
            reasons = doubts(reading, views[number])
            for name in reading.missing | reading.quotes.keys() | reasons.keys():
                settled.entries[number, key, name] = _entry(reading, name, reasons.get(name, ""), views[number])
            doubtful |= {(number, key, name): _Doubt(reading, reason) for name, reason in reasons.items()}
    return doubtful


def _entry(reading: Reading, name: str, reason: str, view: View) -> Entry:
    quote = reading.quotes.get(name)
    if reason:
        quote = quote or expected(reading, view).get(name)
        place = reading.passage.places[0]
        raw, line, span = (
            (reading.lost.get(name, ""), place.line, (place.extent[0], place.extent[0]))
            if quote is None or reason == LOST
            else (quote.raw, quote.line, quote.span)
        )
        return Entry(raw, line, span, "flagged", reason)
    if quote is None:
        place = reading.passage.places[0]
        return Entry("", place.line, (place.extent[0], place.extent[0]), "missing", "the text says that there is none")
    if name in reading.missing:
        return Entry(quote.raw, quote.line, quote.span, "missing", "the text says that there is none")
    cue = reading.passage.sentences[quote.sentence].cue
    return Entry(quote.raw, quote.line, quote.span, "corrected" if cue else "ok")


@dataclass(slots=True)
class _Repair:
    """Asks for doubtful cells again."""

    document: str
    reader: DocumentReader
    settings: AssistedSettings
    cost: Cost
    views: Mapping[int, View]
    reliable: bool

    def round(self, doubtful: Mapping[Place, _Doubt], settled: Settled, records: int) -> dict[Place, _Doubt]:
        """Ask once for the cells of so many records, and return what is still open."""
        by_record: dict[tuple[int, Key], list[Place]] = {}
        for place in sorted(doubtful, key=lambda place: place[0]):
            by_record.setdefault(place[:2], []).append(place)
        chosen = list(by_record)[:records]
        still: dict[Place, _Doubt] = {}
        for block in dict.fromkeys(number for number, _ in chosen):
            own = [record for record in chosen if record[0] == block]
            for start in range(0, len(own), self.settings.chunk):
                places = [place for record in own[start : start + self.settings.chunk] for place in by_record[record]]
                replies = self._ask(block, {place: doubtful[place] for place in places})
                for place in places:
                    if place in replies:
                        self._take(place, doubtful[place], replies, settled, still)
        return still

    def _ask(self, block: int, doubtful: Mapping[Place, _Doubt]) -> dict[Place, QuotedCell]:
        if self.cost.stopped:
            return {}
        cells = tuple(
            DoubtfulCell(one.reading.passage.record, name, one.reading.passage.text, self._said(one, name), one.reason)
            for (_, _, name), one in doubtful.items()
        )
        columns = tuple(self.views[block].columns.values())
        texts = {one.reading.passage.key: one.reading.passage.text for one in doubtful.values()}
        self.cost.asked(list(texts.values()))
        try:
            reply = self.reader.repair_cells(RepairRequest(self.document, columns, cells))
        except ReaderStoppedError as error:
            self.cost.stop(error.message)
            return {}
        except UnreadableReplyError:
            return {}
        wanted = {(one.reading.passage.record, place[2]): place for place, one in doubtful.items()}
        found: dict[Place, QuotedCell] = {}
        twice: set[Place] = set()
        for cell in reply.cells:
            place = wanted.get((cell.record, cell.column))
            if place is not None:
                twice |= {place} & found.keys()
                found[place] = cell
        return {place: cell for place, cell in found.items() if place not in twice}

    @staticmethod
    def _said(one: _Doubt, name: str) -> str:
        quote = one.reading.quotes.get(name)
        return quote.raw if quote is not None else one.reading.lost.get(name, "")

    def _take(
        self,
        place: Place,
        doubt: _Doubt,
        replies: Mapping[Place, QuotedCell],
        settled: Settled,
        still: dict[Place, _Doubt],
    ) -> None:
        """Take a second reading if it holds; the record's other cells that were asked for are read with it."""
        block, key, name = place
        view = self.views[block]
        again = _again(doubt.reading, {p[2]: cell for p, cell in replies.items() if p[:2] == (block, key)}, view)
        reason = doubts(again, view).get(name, "")
        first, second = doubt.reading.quotes.get(name), again.quotes.get(name)
        same = first is not None and second is not None and first.raw == second.raw
        if reason == UNSUPPORTED and same and self.reliable:
            reason = ""
        if reason or (second is None and name not in again.missing and doubt.reason == SILENT):
            if not same:
                still[place] = _Doubt(again, reason or doubt.reason)
            return
        entry = _entry(again, name, "", view)
        settled.entries[place] = replace(entry, status="repaired") if entry.trusted else entry
        self.cost.add("repaired")


def _again(reading: Reading, cells: Mapping[str, QuotedCell], view: View) -> Reading:
    """Return a reading with some of its columns as they were read the second time."""
    second = reading_of(reading.passage, list(cells.values()), view.lines)
    settled_places(second, view.patterns)
    kept: dict[str, Quote] = {name: quote for name, quote in reading.quotes.items() if name not in cells}
    return Reading(
        passage=reading.passage,
        quotes=kept | second.quotes,
        options=second.options,
        lost={name: text for name, text in reading.lost.items() if name not in cells} | second.lost,
        missing=(reading.missing - cells.keys()) | second.missing,
    )


def _compare_examples(settled: Settled, read: Mapping[int, BlockRead], views: Mapping[int, View]) -> None:
    """Flag all of a column whose examples, given with the schema, are mostly not what was read for their records."""
    for number, view in views.items():
        passages = {passage.record: passage for passage in _passages(read[number])}
        for name, column in view.columns.items():
            right = wrong = 0
            for example in column.examples:
                passage = passages.get(example.record)
                entry = None if passage is None else settled.entries.get((number, passage.key, name))
                if passage is None or entry is None or not entry.trusted:
                    continue
                texts = {quote.raw for quote in located(passage, example.quote, view.lines)}
                right += entry.raw in texts
                wrong += bool(texts) and entry.raw not in texts
            if wrong > right:
                settled.distrusted.append((number, name))
                for (block, _, column_name), entry in settled.entries.items():
                    if (block, column_name) == (number, name) and entry.trusted:
                        entry.flag(EXAMPLES)


def _passages(block: BlockRead) -> list[Passage]:
    return [reading.passage for reading in block.readings.values()] + list(block.texts.values())
