"""One document of a task read with the model of the role `documents`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from debriefer.documents.assisted.flow import Assisted, extract_assisted
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.extraction import Extraction, extract
from debriefer.documents.model import Document
from debriefer.documents.notes import FieldNote
from debriefer.models import Meter, Models, ModelSettings
from dspy_programs.documents.program import DocumentProgram

# Characters of a prompt token, at worst: Chinese letters are one each.
_CHARACTERS = 1
# A text of fewer lines without records is no table that is told.
_LEAST_LINES = 12
# Share of the window for samples; instructions, notes and the reply need the rest.
_SAMPLE_SHARE, _CONTEXT_SHARE = 0.4, 0.08


def settings_for(model: ModelSettings, *, jobs: int = 4) -> AssistedSettings:
    """Return how much a model may be asked about a document, so that samples fit its window.

    Args:
        model: The model of the role `documents`.
        jobs: Chunks that are asked for at once; the models' limiter bounds them too.
    """
    plain = AssistedSettings()
    return AssistedSettings(
        sample_characters=min(plain.sample_characters, int(model.context_window * _SAMPLE_SHARE) * _CHARACTERS),
        context_characters=min(plain.context_characters, int(model.context_window * _CONTEXT_SHARE) * _CHARACTERS),
        jobs=jobs,
    )


def read_with_model(
    document: Document,
    source: str,
    models: Models,
    notes: Sequence[FieldNote] = (),
    *,
    program: DocumentProgram | None = None,
    meter: Meter | None = None,
    settings: AssistedSettings | None = None,
    name: str | None = None,
) -> Assisted:
    """Take the tables out of a document with the model of the role `documents`.

    Never raises for what a model or an endpoint does wrong: the document is then read without it, and says so.

    Args:
        document: The document as it was read.
        source: Its path, relative to the task's `context/`.
        models: The role `documents` is asked.
        notes: What the task's notes say of its fields.
        program: The program, where it has learned something.
        meter: Counts the document's requests.
        settings: How much may be asked; what fits the model where none are given.
        name: What its tables are called; its file's stem where `None`.
    """
    settings = settings or settings_for(models.settings("documents"))
    with models.using("documents", meter):
        return extract_assisted(document, source, program or DocumentProgram(), notes, settings, name=name)


def taking(
    models: Models, *, most: int | None = None, program: DocumentProgram | None = None, meter: Meter | None = None
) -> Callable[[Document, str, Sequence[FieldNote], str], Extraction]:
    """Return how `debriefer.documents.preparation.prepare` takes tables out of documents with a model.

    With `most`, rules read first, and a model only where they left something open: a column with gaps, a line with
    values that no template explains, a cell that is flagged, or a text in which no records were found. The documents
    come in the order of their rank.

    Args:
        models: The role `documents` is asked.
        most: Documents that the model may read; `None` to show it all of them, whatever rules found.
        program: The program, where it has learned something.
        meter: Counts the requests of all documents.
    """
    read = 0

    def take(document: Document, source: str, notes: Sequence[FieldNote], name: str) -> Extraction:
        nonlocal read
        if most is not None:
            plain = extract(document, source, notes, name)
            if read >= most or not _is_open(plain):
                return plain
            read += 1
        return read_with_model(document, source, models, notes, program=program, meter=meter, name=name).extraction

    return take


def _is_open(extraction: Extraction) -> bool:
    if extraction.flags or extraction.residual or any(relation.flags for relation in extraction.relations):
        return True
    told = any(relation.origin == "prose" for relation in extraction.relations)
    return not told and sum(bool(line) for line in extraction.lines) >= _LEAST_LINES
