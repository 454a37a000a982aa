"""The stage that turns a task's documents into tables."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.pipeline.cache import PASSING
from debriefer.pipeline.content import file_digest
from debriefer.pipeline.files import link_or_copy
from debriefer.pipeline.settings import DocumentsSettings, model_identity
from debriefer.pipeline.stage import BaseStage, Inputs, Product
from debriefer.side_names import DOCUMENTS_FILE, DOCUMENTS_REPORT
from debriefer.task import Task

if TYPE_CHECKING:
    from debriefer.documents.preparation import Extract
    from debriefer.documents.report import DocumentReport, TableReport
    from dspy_programs.solver import Findings
    from dspy_programs.solver.evidence import DocumentTable

_DATABASES = "db"


@dataclass(frozen=True, slots=True)
class DocumentsStage(BaseStage):
    """Every document below `context/` (Markdown, text, HTML, PDF; not the notes): its tables as SQLite files.

    Laid are `context/db/<name>.db`, which the catalog reads as any other source and which never takes the place of
    one, `workdir/documents.duckdb` with where each value was read, and `workdir/documents.json`.

    Attributes:
        documents: How many documents a model may read, its budget and learned state.
    """

    name: str = "documents"
    version: int = 2
    heavy: bool = True
    documents: DocumentsSettings = field(default_factory=DocumentsSettings)

    def skipped(self, inputs: Inputs) -> str | None:
        """A task without documents."""
        workdir = inputs.task.folder / "workdir"
        # What an earlier run left in a working copy that was kept must not pass for this one's.
        for name in (DOCUMENTS_FILE, DOCUMENTS_REPORT):
            (workdir / name).unlink(missing_ok=True)
        return None if _documents(inputs.task) else "the task has no documents"

    def sources(self, task: Task) -> Sequence[Path]:
        """The documents and the notes."""
        return [*_documents(task), *(path for path in task.files() if path.name == "knowledge.md")]

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """The question, which ranks them, and the names of other sources, which no table gets."""
        from debriefer.documents.library import names_taken  # noqa: PLC0415 -- loads Polars; most tasks have no documents

        taken = names_taken(inputs.task.files(), _documents(inputs.task))
        values: dict[str, Any] = {"question": inputs.task.question, "taken": sorted(taken)}
        if inputs.models is not None and self.documents.asked:
            state = self.documents.state
            values["model"] = model_identity(inputs.models)
            values["asked"] = self.documents.asked
            values["state"] = None if state is None else file_digest(Path(state))
        return values

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Read all documents and take the tables out of those that the question is likeliest to need."""
        from debriefer.documents.library import names_taken  # noqa: PLC0415 -- as above
        from debriefer.documents.preparation import prepare, write_prepared  # noqa: PLC0415 -- as above

        task = inputs.task
        found = _documents(task)
        files = [(path.relative_to(task.context).as_posix(), path) for path in found]
        taken = names_taken(task.files(), found)
        prepared = prepare(files, task.question, task.knowledge, taken, take=self._take(inputs))
        write_prepared(prepared, folder / _DATABASES, folder / DOCUMENTS_FILE, folder / DOCUMENTS_REPORT)
        failed = [report for report in prepared.reports if report.state == "failed"]
        return {
            "documents": [report.to_dict() for report in prepared.reports],
            "refused": [f"{report.source}: {report.reason}" for report in failed],
            # A package that is absent today may be there tomorrow.
            PASSING: any("pip install" in report.hint for report in failed),
        }

    def _take(self, inputs: Inputs) -> Extract:
        """Return how tables are taken: by rule, and where that leaves something open with a model, if there is one."""
        from debriefer.documents.extraction import extract  # noqa: PLC0415 -- as above

        if inputs.models is None or not self.documents.asked:
            return extract
        from debriefer.models import Meter  # noqa: PLC0415 -- only runs with a model need it
        from dspy_programs.documents import DocumentProgram, taking  # noqa: PLC0415 -- loads DSPy
        from dspy_programs.state import load_state  # noqa: PLC0415 -- as above

        program = DocumentProgram()
        if self.documents.state is not None:
            load_state(program, self.documents.state)
        meter = Meter(self.documents.budget())
        return taking(inputs.models, most=self.documents.asked, program=program, meter=meter)

    def lay(self, product: Product, task: Task) -> None:
        """Put the tables beside the other sources, and their evidence beside the catalog."""
        target = task.context / _DATABASES
        for path in sorted((product.folder / _DATABASES).glob("*.db")):
            target.mkdir(parents=True, exist_ok=True)
            link_or_copy(path, target / path.name)
        # Written again where a document is asked for later, so that these are copies.
        for name in (DOCUMENTS_FILE, DOCUMENTS_REPORT):
            shutil.copyfile(product.folder / name, task.folder / "workdir" / name)

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Add the tables with their types, units and meanings, and a line on each other document."""
        from debriefer.documents.report import DocumentReport  # noqa: PLC0415 -- as above
        from debriefer.workbench.documents import document_line  # noqa: PLC0415 -- as above

        reports = [DocumentReport.from_dict(values) for values in product.value["documents"]]
        tables = tuple(_hint(report, table) for report in reports for table in report.tables)
        others = tuple(document_line(report) for report in reports if report.state != "extracted")
        return replace(findings, document_tables=tables, documents=others)


def _documents(task: Task) -> list[Path]:
    from debriefer.documents.reading import DOCUMENT_ENDINGS  # noqa: PLC0415 -- as above

    if not any(path.suffix.lower() in DOCUMENT_ENDINGS for path in task.files()):
        return []
    from debriefer.documents.library import documents_of  # noqa: PLC0415 -- as above

    return documents_of(task.files())


def _hint(report: DocumentReport, table: TableReport) -> DocumentTable:
    from dspy_programs.solver.evidence import DocumentColumn, DocumentTable  # noqa: PLC0415 -- loads DSPy

    columns = tuple(
        DocumentColumn(column.name, column.dtype, column.unit, column.meaning, column.nulls, column.sample)
        for column in table.columns
    )
    source = f"context/{report.source}"
    return DocumentTable(table.name, source, table.database, table.rows, columns, table.key[0], table.flags)
