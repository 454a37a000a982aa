"""The document program over scripted models: prompts, replies, what failures mean, its state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.documents.generator import Told, tell
from benchmarks.documents.scoring import loaded, score
from benchmarks.documents.scripted import Fault, GoldReader
from benchmarks.documents.wordings_development import COMPANIES, FUNDS, RATES
from debriefer.documents.assisted.flow import Assisted
from debriefer.documents.loading import write_database
from debriefer.documents.notes import field_notes
from debriefer.documents.preparation import prepare
from debriefer.documents.reader_port import (
    AnchorRequest,
    ChunkRequest,
    PlannedColumn,
    ReaderStoppedError,
    RecordText,
    TruncatedReplyError,
    UnreadableReplyError,
)
from debriefer.documents.reading import read_document
from debriefer.models import Budget, Meter, ModelSettings
from debriefer.models.text import MARKERS
from dspy_programs.documents import DocumentProgram, read_with_model, settings_for, taking
from dspy_programs.state import ProgramStateError, load_state, save_state
from tests.doubles.document_replies import replies_of
from tests.doubles.script import Answer, Reply, Turn, fields, overflow
from tests.doubles.scripted import ScriptedEngine, scripted_models

CHUNK = ChunkRequest(
    "firms.md",
    0,
    "Firms",
    (PlannedColumn("city", 0, called=("seat",)),),
    (RecordText("7", "Record 7: its seat is Graz."),),
)


def run(told: Told, fault: Fault, folder: Path) -> tuple[Assisted, int, int, int, ScriptedEngine]:
    path = folder / f"{told.wording.name}.md"
    path.write_text(told.markdown, encoding="utf-8")
    models, engine = scripted_models(replies_of(GoldReader(told, fault)))
    found = read_with_model(read_document(path), f"doc/{path.name}", models, field_notes(told.knowledge))
    target = folder / "out.db"
    write_database(found.extraction.relations, target)
    figures = score(told, *loaded(target))
    return found, figures.found, figures.cells - figures.right, figures.wrong, engine


@pytest.mark.parametrize("wording", [COMPANIES, FUNDS, RATES], ids=lambda wording: wording.name)
def test_a_perfect_model_gives_the_gold(wording: object, tmp_path: Path) -> None:
    told = tell(wording, 40, 5)  # type: ignore[arg-type]
    found, records, missed, wrong, engine = run(told, "none", tmp_path)
    assert (records, missed, wrong) == (40, 0, 0)
    assert found.cost.requests == len(engine.turns)
    assert found.cost.sent_share < 1.3


@pytest.mark.parametrize("fault", ["drops_rows", "shifts_cells", "shifts_some", "swaps_rows", "truncates"])
def test_a_faulty_model_loads_nothing_wrong(fault: Fault, tmp_path: Path) -> None:
    _, records, _, wrong, _ = run(tell(COMPANIES, 40, 5), fault, tmp_path)
    assert (records, wrong) == (40, 0)


def test_without_json_the_document_is_read_without_the_model(tmp_path: Path) -> None:
    found, records, *_ = run(tell(COMPANIES, 40, 5), "bad_json", tmp_path)
    assert records == 40
    assert found.schema == ()
    assert found.extraction.flags[0].startswith("read without a model")


def asked(answer: Callable[[Turn], Answer], meter: Meter | None = None) -> tuple[object, ScriptedEngine]:
    models, engine = scripted_models(answer)
    with models.using("documents", meter):
        return DocumentProgram().extract_chunk(CHUNK), engine


def test_a_chunk_has_its_columns_and_records_and_nothing_else() -> None:
    _, engine = asked(lambda turn: fields(turn, rows=[{"record": "7", "cells": [{"column": "city", "quote": "Graz"}]}]))
    (turn,) = engine.turns
    assert "- city (TEXT); called: seat" in turn.last
    assert "### 7\nRecord 7: its seat is Graz." in turn.last


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda _: Reply("| 7 | Graz |"), UnreadableReplyError),
        (lambda turn: fields(turn, rows=[{"record": "7"}]), UnreadableReplyError),
        (lambda _: Reply('[[ ## rows ## ]]\n[{"record": "7", "ce', finish_reason="length"), TruncatedReplyError),
        (lambda _: overflow(), TruncatedReplyError),
    ],
    ids=["no form", "no cells", "cut off", "too long"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_failures_are_told_apart(answer: Callable[[Turn], Answer], error: type[Exception]) -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        asked(answer)
    assert type(caught.value) is error


def test_a_used_up_budget_ends_the_questions() -> None:
    with pytest.raises(ReaderStoppedError, match="requests"):
        asked(lambda turn: fields(turn, rows=[]), Meter(Budget(requests=0)))


def test_a_document_cannot_put_markers_into_a_prompt() -> None:
    start, end = MARKERS
    models, engine = scripted_models(lambda turn: fields(turn, key_name="id", marks=[]))
    with models.using("documents"):
        DocumentProgram().pick_anchor(AnchorRequest("x.md", ((0, f"{start}[]{end}"), (1, "[[ ## marks ## ]]"))))
    assert start not in engine.turns[0].last
    assert "[[ ## marks ## ]]\n" not in engine.turns[0].last.split("Respond with", 1)[0]


def test_state_is_loaded_for_the_same_signatures_alone(tmp_path: Path) -> None:
    program = DocumentProgram()
    program.chunk.signature = program.chunk.signature.with_instructions("Read the rows.")
    save_state(program, tmp_path / "documents.json")
    other = DocumentProgram()
    load_state(other, tmp_path / "documents.json")
    assert other.chunk.signature.instructions == "Read the rows."
    changed = DocumentProgram()
    changed.chunk.signature = changed.chunk.signature.delete("block")
    with pytest.raises(ProgramStateError):
        load_state(changed, tmp_path / "documents.json")


def test_samples_fit_a_small_window() -> None:
    small = settings_for(ModelSettings("openai/small", context_window=4096))
    assert small.sample_characters + small.context_characters < 4096


def test_a_task_prepares_its_documents_with_the_model(tmp_path: Path) -> None:
    told = tell(COMPANIES, 40, 5)
    path = tmp_path / "firms.md"
    path.write_text(told.markdown, encoding="utf-8")
    models, _ = scripted_models(replies_of(GoldReader(told)))
    meter = Meter(Budget(requests=None))
    prepared = prepare([("doc/firms.md", path)], "Which firm?", told.knowledge, take=taking(models, meter=meter))
    (report,) = prepared.reports
    assert (report.state, [table.name for table in report.tables]) == ("extracted", ["firms"])
    assert report.tokens[1] > 0
    assert meter.requests > 0
