r"""What a model may ask about documents: `\documents`, `\extract NAME`, `\evidence TABLE RECORD COLUMN`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from debriefer.catalog.catalog import Catalog
from debriefer.errors import CatalogError, DocumentError, SqlError
from debriefer.side_names import DOCUMENTS_FILE, DOCUMENTS_REPORT
from debriefer.workbench.cells import shortened

if TYPE_CHECKING:
    from debriefer.documents.report import DocumentReport, TableReport

COMMANDS = ("documents", "extract", "evidence")
_MOST_TEXT = 1_500
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|`([^`]*)`|(\S+)")


def command_of(query: str) -> tuple[str, str] | None:
    r"""Return the command on documents that a query is and what follows it, or `None`.

    >>> command_of("\\extract doc/report.md")
    ('extract', 'doc/report.md')
    """
    if not query.strip().startswith("\\"):
        return None
    word, _, rest = query.strip().lstrip("\\").partition(" ")
    word = word.rstrip(";").casefold()
    return (word, rest.strip().rstrip(";").strip()) if word in COMMANDS else None


class DocumentDesk:
    """Answers to what is asked about the documents of a working copy."""

    def __init__(self, work: Path, catalog: Callable[[], Catalog], close: Callable[[], None]) -> None:
        """Make the desk.

        Args:
            work: The working copy.
            catalog: Opens the catalog, or gives the open one.
            close: Closes it, so that files beside it may be replaced.
        """
        self._work = work
        self._catalog = catalog
        self._close = close

    @property
    def _report(self) -> Path:
        return self._work / "workdir" / DOCUMENTS_REPORT

    def answer(self, command: str, argument: str) -> str:
        """Return the answer to a command as text.

        Raises:
            DocumentError: There is no such document, or it cannot be read.
            CatalogError: There is no such table.
            SqlError: The command lacks a part.
        """
        from debriefer.documents.preparation import read_report  # noqa: PLC0415 -- most tasks have no documents

        reports = read_report(self._report)
        if not reports:
            message = "the task has no documents"
            raise DocumentError(message, hint="`\\tables` lists the tables")
        if command == "documents":
            return "\n".join(document_line(report) for report in reports)
        if not argument:
            usage = "`\\extract NAME`" if command == "extract" else "`\\evidence TABLE RECORD COLUMN`"
            message = f"`\\{command}` says not of what"
            raise SqlError(message, hint=f"ask with {usage}; `\\documents` lists the documents")
        return self._extract(reports, argument) if command == "extract" else self._evidence(reports, argument)

    def _extract(self, reports: Sequence[DocumentReport], name: str) -> str:
        from debriefer.documents.preparation import extract_waiting  # noqa: PLC0415 -- as above
        from debriefer.task import Task  # noqa: PLC0415 -- as above

        report = _document(reports, name.strip("\"'`"))
        if report.state == "waiting":
            taken = [alias for table in self._catalog().tables.values() for alias in (table.name, *table.aliases)]
            self._close()
            side = self._work / "workdir" / DOCUMENTS_FILE
            knowledge = Task.open(self._work).knowledge
            report = extract_waiting(self._work, report.source, side, self._report, knowledge, taken)
        lines = [document_line(report), *(line for table in report.tables for line in table_lines(table))]
        return "\n".join(lines)

    def _evidence(self, reports: Sequence[DocumentReport], argument: str) -> str:
        from debriefer.documents.evidence import evidence_query  # noqa: PLC0415 -- as above

        parts = [next(part for part in groups if part) for groups in _PART.findall(argument) if any(groups)]
        if len(parts) != 3:  # noqa: PLR2004 -- table, record and column
            message = f"`\\evidence` needs a table, a record and a column, and got {len(parts)} parts"
            raise SqlError(message, hint='`\\evidence TABLE RECORD COLUMN`; quote a part that has blanks: "record 7"')
        asked, record, column = parts
        report, table = self._table(reports, asked)
        known = [*table.key, *(one.name for one in table.columns)]
        if column.casefold() not in {name.casefold() for name in known}:
            near = difflib.get_close_matches(column, known, n=3, cutoff=0.4) or known
            message = f"`{table.name}` has no column `{column}`"
            raise CatalogError(message, hint="columns: " + ", ".join(f"`{name}`" for name in near))
        rows = self._catalog().preview(evidence_query(table.name, record, column), 5).rows
        if not rows:
            return (
                f"`{report.source}` says nothing of `{column}` for record `{record}`: the value is NULL. "
                f"If there is no such record, `SELECT record_id FROM {table.name}` lists them."
            )
        return "\n".join(_cell_lines(rows[0]))

    def _table(self, reports: Sequence[DocumentReport], asked: str) -> tuple[DocumentReport, TableReport]:
        from debriefer.documents.report import find_table  # noqa: PLC0415 -- as above

        found = find_table(reports, asked)
        if found is None:
            # Under the name that the catalog gave it, where that is another.
            table = self._catalog().table(asked)
            found = find_table(reports, table.source_name)
        if found is None:
            names = ", ".join(f"`{table.name}`" for report in reports for table in report.tables)
            message = f"`{asked}` was not taken from a document"
            raise CatalogError(message, hint=f"tables that were: {names}" if names else "`\\documents` lists them")
        return found


def _document(reports: Sequence[DocumentReport], name: str) -> DocumentReport:
    wanted = name.casefold().removeprefix("context/")

    def calls(report: DocumentReport) -> set[str]:
        path = PurePosixPath(report.source)
        return {report.source.casefold(), path.name.casefold(), path.stem.casefold()}

    found = [report for report in reports if wanted in calls(report)]
    exact = [report for report in found if report.source.casefold() == wanted] or found
    # Of a text and a PDF of one name the one that is waiting is asked for.
    waiting = [report for report in exact if report.state == "waiting"] or exact
    if len(waiting) == 1:
        return waiting[0]
    names = ", ".join(f"`{report.source}`" for report in (waiting or reports)[:10])
    message = f"`{name}` is {'more than one document' if waiting else 'no document of this task'}"
    raise DocumentError(message, hint=f"documents: {names}")


def document_line(report: DocumentReport) -> str:
    """Return what became of a document in one line."""
    extent = f"{report.lines} lines" + (f" on {report.pages} pages" if report.pages else "")
    if report.state == "extracted":
        tables = ", ".join(f"`{table.name}` ({table.rows} rows)" for table in report.tables)
        told = f"tables {tables}"
    elif report.state == "waiting":
        told = f"not extracted, {report.reason}; `\\extract {PurePosixPath(report.source).name}` does it"
    elif report.state == "failed":
        told = f"not readable: {report.reason}"
    else:
        told = "it tells no table; its text is in `documents.document_lines`"
    return shortened(f"{report.source}: {extent}; {told}", _MOST_TEXT)


def table_lines(table: TableReport) -> list[str]:
    """Return the columns of a table that was taken from a document, a line each."""
    lines = [f"{table.name}: {table.rows} rows, key {', '.join(table.key)}"]
    for column in table.columns:
        unit = f" [{column.unit}]" if column.unit else ""
        meaning = f": {column.meaning}" if column.meaning and column.meaning != column.name else ""
        nulls = f" ({column.nulls} NULL)" if column.nulls else ""
        lines.append(shortened(f"- {column.name} {column.dtype}{unit}{nulls}{meaning}", 200))
    lines.extend(f"! {shortened(flag, 200)}" for flag in table.flags)
    return lines


def _cell_lines(row: Sequence[object]) -> list[str]:
    raw, value, document, line, start, end, table_row, page, status, reason, text = row
    where = f"line {line}" if line is not None else f"row {table_row} of its table"
    where += f", page {page}" if page is not None else ""
    lines = [
        f"written: {raw}",
        f"loaded: {'NULL' if value is None else value} ({status}{f': {reason}' if reason else ''})",
        f"where: {document}, {where}",
    ]
    if isinstance(text, str) and isinstance(start, int) and isinstance(end, int):
        lines.append(f"text: {shortened(f'{text[:start]}»{text[start:end]}«{text[end:]}', _MOST_TEXT)}")
    return lines
