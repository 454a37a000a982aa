"""The flow with a model, with readers that answer from a document's gold: what holds is loaded, what does not is NULL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from debriefer.documents.assisted.flow import Assisted, extract_assisted
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.model import Document, DocumentLine
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

FIRMS = ("Alder Mills", "Cobalt Freight", "Kestrel Air", "Fenwick Glass")
CITIES = ("Leeds", "Porto", "Graz", "Turku", "Lyon")
# What each record says in the end, by id.
GOLD = {
    str(number): {"firm": FIRMS[number % 4], "city": CITIES[number % 5], "staff": str(100 + 7 * number)}
    for number in range(1, 41)
}
COLUMNS = (
    PlannedColumn("firm", 0, meaning="name of the firm", called=("firm",), examples=(Example("1", "Cobalt Freight"),)),
    PlannedColumn("city", 0, meaning="its seat", called=("city",), examples=(Example("1", "Porto"),)),
    PlannedColumn("staff", 0, "INTEGER", meaning="headcount", called=("headcount",), examples=(Example("1", "107"),)),
)
Chunk = Callable[[ChunkRequest], ChunkReply]


def line(record: str, *, wrong: str = "", behind: str = "") -> str:
    own = GOLD[record]
    city = wrong or own["city"]
    if int(record) % 3:
        return (
            f"Record {record} belongs to {own['firm']}, seated in {city}, with a headcount of {own['staff']}.{behind}"
        )
    return f"The firm of record {record} is {own['firm']}; it employs {own['staff']} people in {city}.{behind}"


def document(*texts: str) -> Document:
    return Document("firms.md", Path("firms.md"), tuple(DocumentLine(text) for text in texts))


def lines(**changed: str) -> list[str]:
    return [changed.get(f"r{record}", line(record)) for record in GOLD]


def gold_rows(request: ChunkRequest) -> ChunkReply:
    cells = [QuotedCell(one.record, name, quote) for one in request.records for name, quote in GOLD[one.record].items()]
    return ChunkReply(tuple(one.record for one in request.records), tuple(cells))


@dataclass
class Reader:
    """A reader with the right schema; `chunk` is how it reads."""

    chunk: Chunk = gold_rows
    columns: tuple[PlannedColumn, ...] = COLUMNS
    requests: int = 0

    def pick_anchor(self, request: AnchorRequest) -> AnchorReply:
        return AnchorReply(tuple(AnchorMark(number, "no such key") for number, _ in request.lines))

    def infer_schema(self, request: SchemaRequest) -> SchemaReply:
        assert request.blocks
        return SchemaReply(self.columns)

    def extract_chunk(self, request: ChunkRequest) -> ChunkReply:
        self.requests += 1
        return self.chunk(request)

    def repair_cells(self, request: RepairRequest) -> RepairReply:
        cells = self.chunk(ChunkRequest("", 0, "", request.columns, tuple(request.cells))).cells  # type: ignore[arg-type]
        return RepairReply(cells)


def read(texts: list[str], reader: Reader) -> Assisted:
    return extract_assisted(document(*texts), "doc/firms.md", reader, settings=AssistedSettings(jobs=1))


def values(found: Assisted) -> dict[str, dict[str, str | None]]:
    relation = found.extraction.relations[0]
    names = [column.name for column in relation.columns]
    table: dict[str, dict[str, str | None]] = {}
    for key in relation.records:
        cells = {name: relation.cells.get((key, name)) for name in names}
        table[key[0]] = {name: None if cell is None else cell.value for name, cell in cells.items()}
    return table


def wrong(found: Assisted) -> list[tuple[str, str, str]]:
    table = values(found)
    return [
        (record, name, value)
        for record, row in table.items()
        for name, value in row.items()
        if value is not None and value != GOLD[record].get(name, value)
    ]


def test_a_right_reader_gives_every_cell_and_is_not_asked_for_what_repeats() -> None:
    reader = Reader()
    found = read(lines(), reader)
    assert values(found) == GOLD
    assert reader.requests == 1
    assert 0.3 < found.cost.sent_share < 0.8
    assert found.extraction.relations[0].tokens == (found.cost.document_tokens, found.cost.sent_tokens)


def test_types_come_from_the_values_and_places_from_the_lines() -> None:
    relation = read(lines(), Reader()).extraction.relations[0]
    assert [(column.name, column.dtype) for column in relation.columns] == [
        ("firm", "TEXT"),
        ("city", "TEXT"),
        ("staff", "INTEGER"),
    ]
    cell = relation.cells[("7",), "city"]
    assert line("7")[slice(*cell.span)] == "Graz"


@pytest.mark.parametrize(
    "behind",
    [" Correction: the city is {}.", " The city was transcribed in haste; the original slip says {}."],
)
def test_the_value_that_holds_in_the_end_is_taken(behind: str) -> None:
    text = line("8", wrong="Bergen", behind=behind.format(GOLD["8"]["city"]))
    found = read(lines(r8=text), Reader())
    assert values(found) == GOLD
    cell = found.extraction.relations[0].cells[("8",), "city"]
    assert text[: cell.span[0]].count("Bergen") == 1


@pytest.mark.parametrize(
    "behind",
    [" Correction: the city is {}.", " The city was transcribed in haste; the original slip says {}."],
)
def test_a_value_before_its_correction_is_not_loaded(behind: str) -> None:
    def first_value(request: ChunkRequest) -> ChunkReply:
        reply = gold_rows(request)
        cells = [replace(c, quote="Bergen") if (c.record, c.column) == ("8", "city") else c for c in reply.cells]
        return ChunkReply(reply.records, tuple(cells))

    text = line("8", wrong="Bergen", behind=behind.format(GOLD["8"]["city"]))
    found = read(lines(r8=text), Reader(first_value))
    assert values(found)["8"]["city"] is None
    assert found.extraction.relations[0].cells[("8",), "city"].status == "flagged"
    assert wrong(found) == []


def shifted(request: ChunkRequest, some: Callable[[str], bool]) -> ChunkReply:
    reply = gold_rows(request)
    names = [column.name for column in request.columns]
    return ChunkReply(
        reply.records,
        tuple(
            replace(cell, column=names[(names.index(cell.column) + 1) % len(names)]) if some(cell.record) else cell
            for cell in reply.cells
        ),
    )


FAULTS: dict[str, Chunk] = {
    "all cells are shifted": lambda request: shifted(request, lambda _: True),
    "cells of some records are shifted": lambda request: shifted(request, lambda record: int(record) % 4 == 0),
    "cells of one record are shifted": lambda request: shifted(request, lambda record: record == "1"),
    "rows are swapped": lambda request: ChunkReply(
        gold_rows(request).records,
        tuple(replace(c, record=str(1 + int(c.record) % 40)) for c in gold_rows(request).cells),
    ),
    "rows come twice": lambda request: ChunkReply(
        gold_rows(request).records * 2, gold_rows(request).cells + shifted(request, lambda _: True).cells
    ),
    "texts are cut": lambda request: ChunkReply(
        gold_rows(request).records, tuple(replace(c, quote=c.quote.split()[0][:3]) for c in gold_rows(request).cells)
    ),
    "values are invented": lambda request: ChunkReply(
        gold_rows(request).records, tuple(replace(c, quote="Atlantis") for c in gold_rows(request).cells)
    ),
    "ids are invented": lambda request: ChunkReply(
        tuple(f"9{one.record}" for one in request.records),
        tuple(replace(c, record=f"9{c.record}") for c in gold_rows(request).cells),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_reader_loads_nothing_wrong(fault: str) -> None:
    found = read(lines(), Reader(FAULTS[fault]))
    assert wrong(found) == []
    assert list(values(found)) == list(GOLD)


def test_rows_that_are_left_out_are_asked_for_again_and_then_read_by_patterns() -> None:
    def drops(request: ChunkRequest) -> ChunkReply:
        reply = gold_rows(request)
        kept = tuple(record for record in reply.records if int(record) % 5)
        return ChunkReply(kept, tuple(cell for cell in reply.cells if cell.record in kept))

    found = read(lines(), Reader(drops))
    assert values(found) == GOLD
    assert found.cost.retried > 0


def test_a_chunk_that_is_cut_off_is_divided() -> None:
    def short(request: ChunkRequest) -> ChunkReply:
        if len(request.records) > 5:
            message = "cut off"
            raise TruncatedReplyError(message)
        return gold_rows(request)

    found = read(lines(), Reader(short))
    assert values(found) == GOLD
    assert found.cost.split == 3


def test_one_chunk_that_fails_for_good_costs_its_records_alone() -> None:
    def poisoned(request: ChunkRequest) -> ChunkReply:
        if any(one.record == "1" for one in request.records):
            message = "no JSON"
            raise UnreadableReplyError(message)
        return gold_rows(request)

    text = "Of record 1 it must be told quite otherwise that Cobalt Freight has 107 people at work in Porto."
    found = read(lines(r1=text), Reader(poisoned))
    table = values(found)
    assert table.pop("1") == {"firm": None, "city": None, "staff": None}
    assert table == {record: row for record, row in GOLD.items() if record != "1"}
    assert any("1 records" in flag for flag in found.extraction.flags)


def unreadable(_: ChunkRequest) -> ChunkReply:
    message = "no JSON"
    raise UnreadableReplyError(message)


def stopped(_: ChunkRequest) -> ChunkReply:
    message = "the budget of 3 requests is used up"
    raise ReaderStoppedError(message)


@pytest.mark.parametrize("chunk", [unreadable, stopped])
def test_without_one_readable_reply_the_document_is_read_without_a_model(chunk: Chunk) -> None:
    reader = Reader(chunk)
    found = read(lines(), reader)
    assert found.extraction.flags[0].startswith("read without a model: ")
    assert len(found.extraction.relations[0].records) == 40
    assert found.schema == ()
    assert reader.requests <= 12


def test_without_columns_the_document_is_read_without_a_model() -> None:
    found = read(lines(), Reader(columns=()))
    assert found.extraction.flags[0] == "read without a model: it named no columns"


def test_a_model_is_asked_how_records_are_marked_where_no_rule_tells() -> None:
    # Before every key stands another word, so that nothing repeats.
    names = [f"{first}{second}" for first in ("Al", "Bo", "Ca", "Do", "Em") for second in "ntrlmpsk"]
    texts = [f"{name} number {key} lies in {GOLD[key]['city']}." for name, key in zip(names, GOLD, strict=True)]
    assert not read(texts, Reader(columns=COLUMNS[1:2])).extraction.relations

    class Marking(Reader):
        def pick_anchor(self, request: AnchorRequest) -> AnchorReply:
            marks = tuple(AnchorMark(number, text.split()[2], "number") for number, text in request.lines)
            return AnchorReply(marks, "place")

    found = read(texts, Marking(columns=COLUMNS[1:2]))
    assert [row["city"] for row in values(found).values()] == [row["city"] for row in GOLD.values()]


def test_the_same_document_gives_the_same_tables() -> None:
    one = read(lines(), Reader())
    other = extract_assisted(document(*lines()), "doc/firms.md", Reader(), settings=AssistedSettings(jobs=4))
    assert one.extraction == other.extraction
