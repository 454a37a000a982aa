"""Takes the tables out of a task's documents: read all, extract those that a question needs most, let others wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from debriefer.catalog.names import canonical_name
from debriefer.documents.evidence import Part, add_extraction, write_evidence
from debriefer.documents.extraction import Extraction, extract
from debriefer.documents.library import Ranked, ranked
from debriefer.documents.loading import free_stem, write_database
from debriefer.documents.model import Document
from debriefer.documents.notes import FieldNote, field_notes
from debriefer.documents.reading import read_document
from debriefer.documents.report import DocumentReport, table_report
from debriefer.errors import DebrieferError, DocumentError
from debriefer.models import count_tokens

DATABASES = "db"
# Beyond so many letters of text together, documents wait until they are asked for; the likeliest are taken first.
MOST_LETTERS = 4_000_000

Extract = Callable[[Document, str, Sequence[FieldNote], str], Extraction]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What became of the documents of a task.

    Attributes:
        reports: One for each document, the one that shares most with the question first.
        parts: What was read and taken, in the same order.
    """

    reports: tuple[DocumentReport, ...]
    parts: tuple[Part, ...]


def prepare(
    files: Sequence[tuple[str, Path]],
    question: str,
    knowledge: str | None,
    taken: Collection[str] = (),
    *,
    take: Extract = extract,
    most_letters: int = MOST_LETTERS,
) -> Prepared:
    """Read documents and take the tables out of those that a question is likeliest to need.

    A document that cannot be read or taken apart is reported, and the others stay.

    Args:
        files: Path relative to `context/` and place of each document.
        question: The question.
        knowledge: The task's notes.
        taken: Names of other sources, in lower case, which no table gets.
        take: How tables are taken out of a document.
        most_letters: Letters of text beyond which documents wait; the first in rank is always taken.
    """
    read: list[tuple[str, Document]] = []
    failed: list[DocumentReport] = []
    for source, path in sorted(files):
        try:
            read.append((source, read_document(path)))
        except DebrieferError as error:
            message = error.message.replace(str(path), source)
            failed.append(DocumentReport(source, "failed", reason=message, hint=error.hint or ""))
    notes = field_notes(knowledge)
    names = {name.casefold() for name in taken}
    texts = {_stem(source) for source, document in read if not _is_pdf(document)}
    reports: list[DocumentReport] = []
    parts: list[Part] = []
    letters = 0
    for one in ranked(read, question):
        report = _report(one)
        size = sum(len(line.text) for line in one.document.lines)
        extraction: Extraction | None = None
        if _is_pdf(one.document) and _stem(one.source) in texts:
            report = replace(report, state="waiting", reason="a text of the same name stands beside it")
        elif letters and letters + size > most_letters:
            report = replace(report, state="waiting", reason="others are likelier, and there is much to read")
        else:
            letters += size
            name = free_stem(canonical_name(_stem(one.source)), names)
            report, extraction = _taken(one, report, notes, name, take)
            names |= {table.name.casefold() for table in report.tables} | {name.casefold()}
        reports.append(report)
        parts.append(Part(one.source, one.document, extraction))
    return Prepared((*reports, *failed), tuple(parts))


def _taken(
    one: Ranked, report: DocumentReport, notes: Sequence[FieldNote], name: str, take: Extract
) -> tuple[DocumentReport, Extraction | None]:
    try:
        extraction = take(one.document, one.source, notes, name)
    except DebrieferError as error:
        return replace(report, state="failed", reason=error.message, hint=error.hint or ""), None
    database = f"context/{DATABASES}/{name}.db"
    tables = tuple(table_report(relation, database) for relation in extraction.relations)
    found = replace(
        report,
        state="extracted" if tables else "no table",
        tables=tables,
        residual=len(extraction.residual),
        tokens=(report.tokens[0], max((relation.tokens[1] for relation in extraction.relations), default=0)),
    )
    return found, extraction


def _report(one: Ranked) -> DocumentReport:
    lines = one.document.lines
    pages = max((line.page or 0 for line in lines), default=0)
    tokens = sum(count_tokens(line.text) for line in lines)
    return DocumentReport(
        source=one.source,
        state="no table",
        score=one.score,
        lines=len(lines),
        pages=max(pages, max((table.page or 0 for table in one.document.tables), default=0)),
        shown=len(one.document.tables),
        tokens=(tokens, 0),
        notes=tuple(note.message for note in one.document.notes),
    )


def _is_pdf(document: Document) -> bool:
    return document.name.lower().endswith(".pdf")


def _stem(source: str) -> str:
    return PurePosixPath(source).stem


def write_prepared(prepared: Prepared, databases: Path, evidence: Path, report: Path) -> None:
    """Write a SQLite file for each document that has tables, the side file of evidence, and the report.

    Raises:
        DocumentError: A file cannot be written.
    """
    try:
        evidence.parent.mkdir(parents=True, exist_ok=True)
        for one, part in zip(prepared.reports, prepared.parts, strict=False):
            if one.tables and part.extraction is not None:
                write_database(part.extraction.relations, databases / PurePosixPath(one.tables[0].database).name)
        write_evidence(prepared.parts, evidence)
        write_report(prepared.reports, report)
    except FileExistsError as error:
        raise DocumentError(str(error), hint="name a folder that does not hold tables of documents yet") from error
    except OSError as error:
        message = f"`{databases}` cannot take the tables of documents: {error.strerror or error}"
        raise DocumentError(message, hint="check the folder's permissions and the free space") from error


def write_report(reports: Sequence[DocumentReport], path: Path) -> None:
    """Write the reports of a task's documents as JSON."""
    text = json.dumps([report.to_dict() for report in reports], ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read_report(path: Path) -> tuple[DocumentReport, ...]:
    """Return the reports of a task's documents; nothing where none were made."""
    if not path.is_file():
        return ()
    return tuple(map(DocumentReport.from_dict, json.loads(path.read_text(encoding="utf-8"))))


def extract_waiting(
    work: Path, source: str, evidence: Path, report: Path, knowledge: str | None, taken: Collection[str]
) -> DocumentReport:
    """Take the tables out of one document that was left waiting, and add them to the side file and the report.

    Args:
        work: The working copy.
        source: The document's path, relative to `context/`.
        evidence: The side file; nothing may have it open in this process.
        report: The report.
        knowledge: The task's notes.
        taken: Names of all tables that there are.

    Raises:
        DocumentError: It cannot be read, or the files cannot be written.
    """
    reports = list(read_report(report))
    place = next(number for number, one in enumerate(reports) if one.source == source)
    document = read_document(work / "context" / source)
    one = Ranked(source, document, reports[place].score)
    name = free_stem(canonical_name(_stem(source)), {other.casefold() for other in taken})
    found, extraction = _taken(one, _report(one), field_notes(knowledge), name, extract)
    tables = tuple(replace(table, database="") for table in found.tables)
    reports[place] = replace(found, tables=tables)
    try:
        add_extraction(Part(source, document, extraction), evidence)
        write_report(reports, report)
    except OSError as error:
        message = f"`{evidence}` cannot be written: {error.strerror or error}"
        raise DocumentError(message, hint="check the folder's permissions and the free space") from error
    return reports[place]
