"""`debriefer docs`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.errors import DocumentError, MissingFileError
from debriefer.pipeline import DocumentsSettings, ModelChoice
from debriefer.side_names import DOCUMENTS_FILE, DOCUMENTS_REPORT
from debriefer.task import Task, files_below, is_task_folder

if TYPE_CHECKING:
    from debriefer.documents.preparation import Extract
    from debriefer.documents.report import DocumentReport, TableReport
    from debriefer.models import Meter, Models


_DEFAULTS = DocumentsSettings()


def docs(
    target: Annotated[Path, typer.Argument(help="Task folder, another folder of documents, or one document.")],
    write: Annotated[
        Path | None, typer.Option("--write", "-w", help="Folder for the tables as SQLite files; none is written over.")
    ] = None,
    lm: options.Lm = None,
    offline: options.Offline = False,
    documents_asked: options.DocumentsAsked = _DEFAULTS.asked,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as one JSON array.")] = False,
) -> None:
    """Show what a task's documents hold: which tables were found and taken, what is doubtful, and what it cost.

    Markdown, text, HTML and PDF are read. Tables that a document shows are taken directly, and prose that retells a
    table is read back by the templates that its sentences follow; where that leaves something open a model is asked, if
    there is one. What cannot be trusted is NULL and counted here.
    """
    from debriefer.documents.library import documents_of, names_taken  # noqa: PLC0415 -- loads Polars
    from debriefer.documents.preparation import prepare, write_prepared  # noqa: PLC0415 -- as above

    question, knowledge, root, files = _asked(target)
    found = documents_of(files)
    if not found:
        message = f"`{target}` holds no documents"
        raise DocumentError(message, hint="documents are Markdown, text, HTML and PDF files; notes are not taken apart")
    began = time.perf_counter()
    pairs = [(path.relative_to(root).as_posix(), path) for path in found]
    with console.messages.status(f"reading {len(pairs)} documents"):
        take, meter = _take(None if offline else ModelChoice(lm).load(), DocumentsSettings(asked=documents_asked))
        prepared = prepare(pairs, question, knowledge, names_taken(files, found), take=take)
    seconds = time.perf_counter() - began
    if write is not None:
        write_prepared(prepared, write, write / DOCUMENTS_FILE, write / DOCUMENTS_REPORT)
        console.messages.print(Text(f"wrote {write}"), soft_wrap=True)
    if as_json:
        console.data_json([report.to_dict() for report in prepared.reports])
    else:
        _show(prepared.reports, seconds, meter)
    if all(report.state == "failed" for report in prepared.reports):
        raise typer.Exit(exit_codes.FAILED)


def _take(models: Models | None, settings: DocumentsSettings) -> tuple[Extract, Meter | None]:
    """Return how tables are taken, and what counts the requests of a model."""
    from debriefer.documents.extraction import extract  # noqa: PLC0415 -- loads Polars

    if models is None or not settings.asked:
        return extract, None
    from debriefer.models import Meter  # noqa: PLC0415 -- only runs with a model need it
    from dspy_programs.documents import taking  # noqa: PLC0415 -- loads DSPy

    meter = Meter(settings.budget())
    return taking(models, most=settings.asked, meter=meter), meter


def _asked(target: Path) -> tuple[str, str | None, Path, Sequence[Path]]:
    """Return the question, the notes, the folder that sources are relative to, and the files."""
    if target.is_file():
        return "", None, target.parent, [target]
    if not target.is_dir():
        message = f"`{target}` does not exist"
        raise MissingFileError(message, hint="name a task folder, a folder of documents, or one document")
    if is_task_folder(target):
        task = Task.open(target)
        return task.question, task.knowledge, task.context, task.files()
    notes = target / "knowledge.md"
    knowledge = notes.read_text(encoding="utf-8", errors="replace") if notes.is_file() else None
    return "", knowledge, target, files_below(target)


def _show(reports: Sequence[DocumentReport], seconds: float, meter: Meter | None) -> None:
    grid = Grid(box=box.SIMPLE)
    counted = ("corrected", "repaired", "flagged")
    for name in ("document", "lines", "pages", "tables", "records", "cells", *counted, "NULL", "unread"):
        grid.add_column(name, justify="left" if name == "document" else "right")
    for report in reports:
        grid.add_row(Text(report.source), *_counts(report))
    console.data_table(grid)
    for report in reports:
        for table in report.tables:
            console.data(f"{table.name}  ({table.rows} rows from {report.source}, by {_origin(table)})")
            console.data_table(_columns(table))
            for flag in table.flags:
                console.data(f"  ! {flag}")
        if report.state != "extracted":
            told = report.reason or "it tells no table; its lines can be searched as text"
            console.messages.print(Text(f"{report.source}: {report.state}: {told}"), style="yellow", soft_wrap=True)
            if report.hint:
                console.messages.print(Text(f"  hint: {report.hint}"), soft_wrap=True)
        for note in report.notes:
            console.messages.print(Text(f"{report.source}: {note}"), soft_wrap=True)
    tokens, sent = (sum(report.tokens[place] for report in reports) for place in (0, 1))
    share = f"{sent / tokens:.2f} times the documents' {tokens:,}" if sent else f"the documents have {tokens:,}"
    console.data(f"{seconds:.1f} s; {sent:,} tokens of text sent to a model ({share})")
    if meter is not None:
        used = meter.totals()
        cost = "" if used.cost is None else f", cost {used.cost:.4f}"
        console.data(f"{used.requests} requests, {used.input_tokens:,} tokens in, {used.output_tokens:,} out{cost}")


def _origin(table: TableReport) -> str:
    return "its prose" if table.origin == "prose" else "a table that it shows"


def _counts(report: DocumentReport) -> list[str]:
    if report.state != "extracted":
        return [str(report.lines), str(report.pages or ""), report.state, *[""] * 7]
    statuses = [table.statuses for table in report.tables]
    rows = sum(table.rows for table in report.tables)
    nulls = sum(column.nulls for table in report.tables for column in table.columns)
    cells = sum(table.rows * len(table.columns) for table in report.tables)
    counted = [sum(one.get(name, 0) for one in statuses) for name in ("corrected", "repaired", "flagged")]
    numbers = (report.lines, report.pages or "", len(report.tables), rows, cells, *counted, nulls, report.residual)
    return [f"{number:,}" if isinstance(number, int) else number for number in numbers]


def _columns(table: TableReport) -> Grid:
    grid = Grid(box=box.SIMPLE)
    for name in ("column", "type", "unit", "written in", "NULL", "flagged", "sample", "meaning"):
        grid.add_column(name, justify="right" if name in ("NULL", "flagged") else "left")
    for column in table.columns:
        grid.add_row(
            Text(column.name),
            column.dtype,
            Text(column.unit),
            Text(column.doc_unit if column.doc_unit != column.unit else ""),
            str(column.nulls or ""),
            str(column.flagged or ""),
            Text(column.sample or ""),
            Text(column.meaning if column.meaning != column.name else ""),
        )
    return grid
