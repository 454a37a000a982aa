"""The floor: one call with schema and question, one answer in JSON, and no help."""

from __future__ import annotations

import threading
from pathlib import Path

import dspy
import duckdb
import polars as pl

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.catalog.connection import connect
from debriefer.catalog.results import result_frame
from debriefer.errors import DebrieferError, SqlError
from debriefer.models import neutralise
from debriefer.task import Task
from debriefer.workbench.writing import prediction_text
from dspy_programs.oneshot.asking import FAILURES, adapter, ending_of
from dspy_programs.oneshot.schema import describe_schema
from dspy_programs.oneshot.signatures import AnswerBySql
from dspy_programs.solver.evidence import Findings

# Stands by itself: a join without its key would otherwise hold a run for ever.
_SECONDS = 30.0


class RawCall(dspy.Module):
    """Schema and question in, one statement out, run as it is: what any program must beat.

    No links, no sample values, no notes, no repair of form by the SQL door, no second call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answer = dspy.Predict(AnswerBySql)

    def forward(self, work: str | Path, findings: Findings | None = None) -> dspy.Prediction:
        """Ask once.

        Args:
            work: Working copy of a task with its catalog.
            findings: Taken so that all Solvers are called alike; not looked at.

        Returns:
            A prediction with `sql`, `csv` (`None` where there is no result) and `reason`.
        """
        del findings
        task = Task.open(work)
        path = task.folder / "workdir" / CATALOG_FILE
        with Catalog.open(path) as catalog:
            tables = describe_schema(catalog, examples=False)
        try:
            with dspy.context(adapter=adapter()):
                sql = self.answer(tables=tables, question=neutralise(task.question)).sql or ""
        except FAILURES as error:
            reason, detail = ending_of(error)
            return dspy.Prediction(sql="", csv=None, reason=reason, detail=detail)
        try:
            csv = prediction_text(_run(path, sql))
        except (duckdb.Error, DebrieferError) as error:
            return dspy.Prediction(sql=sql, csv=None, reason="failed statement", detail=str(error).partition("\n")[0])
        return dspy.Prediction(sql=sql, csv=csv, reason="finished", detail="")


def _run(path: Path, sql: str) -> pl.DataFrame:
    """Run one SELECT on the read-only file without the door; the engine keeps it to reading."""
    connection = connect(path, None)
    watch = threading.Timer(_SECONDS, connection.interrupt)
    watch.start()
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            message = "the reply is not one SELECT statement"
            raise SqlError(message)
        return result_frame(connection, statements[0].query)
    finally:
        watch.cancel()
        connection.close()
