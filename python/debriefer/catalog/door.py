"""The SQL door (INTERIM: no repair yet; the interface is final)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from debriefer.errors import SqlError

SESSION_SETTINGS: tuple[str, ...] = ()


@dataclass(frozen=True)
class NormalizedSql:
    """A statement as it runs, and what was rewritten."""

    sql: str
    rewrites: tuple[object, ...] = ()


class SqlDoor:
    """Repairs form, never meaning; lets one read-only statement through."""

    def __init__(self, tables: Mapping[str, Sequence[str]], aliases: Mapping[str, str] | None = None) -> None:
        self._tables = tables

    def prepare(self, sql: str) -> NormalizedSql:
        """Return `sql` normalised; refuse what is not one read-only statement."""
        try:
            statements = duckdb.extract_statements(sql)
        except duckdb.Error as error:
            raise self.explain_error(error, sql) from error
        if len(statements) != 1 or statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
            raise SqlError("only one read-only statement runs")
        return NormalizedSql(sql)

    def explain_error(self, error: duckdb.Error, sql: str) -> SqlError:
        """Return a short error for a person or a model."""
        return SqlError(str(error).splitlines()[0])
