"""The SQL door: repairs the form of a statement, lets one read-only statement through, explains errors."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence

import duckdb

from debriefer import _core
from debriefer._core import NormalizedSql, Rewrite
from debriefer.catalog import hints
from debriefer.errors import SqlError

__all__ = [
    "ENGINE_SETTINGS",
    "NormalizedSql",
    "Rewrite",
    "SqlDoor",
    "normalize_sql",
    "tokenize_sql",
    "without_terminator",
]

# With what the engine is opened so that statements run as they are meant. What would let more SQLite through by
# changing what right statements mean (`old_implicit_casting`, `integer_division`, `default_null_order`,
# `scalar_subquery_error_on_multiple_rows`) is not among them.
ENGINE_SETTINGS: Mapping[str, str] = {
    # `x -> x + 1` is an error without it and has one meaning with it.
    "lambda_syntax": "ENABLE_SINGLE_ARROW",
    # A misspelt table is an error, never a variable of the calling Python code.
    "python_enable_replacements": "false",
}

# One parser a thread: opening an engine takes longer than parsing.
_parsers = threading.local()

_NO_TABLES = _core.SqlSchema()
# The tables of the last call and their compiled names; compared by value, so a changed mapping is compiled anew.
_last: tuple[dict[str, list[str]], _core.SqlSchema] = ({}, _NO_TABLES)


def normalize_sql(sql: str, tables: Mapping[str, Sequence[str]] | None = None) -> NormalizedSql:
    """Return `sql` with its form made right for DuckDB; its meaning is never changed.

    Backticks, brackets and typographic quotes become DuckDB's, a column that differs from one real column of the
    tables in scope in white space, width or case alone is restored, a double-quoted token that names nothing in scope
    and stands where a value is expected becomes a string, full-width marks become ASCII, words glued to names of
    another script are set apart, and functions and clauses of SQLite, MySQL and T-SQL that have one exact meaning
    are rewritten. Strings, comments, dollar quotes, lists, indexes and maps are not touched; a statement whose form is
    right comes back as the same object.

    Functions that exist under other names only (`julianday`, `iif`, …) are macros of every catalog
    (`debriefer.catalog.macros`), and rewritten calls may use them.

    Args:
        sql: One statement or more, of any length up to 16 MiB.
        tables: Column names by table name. Without it only repairs that need no names are made.

    Returns:
        The statement (`.sql`) and each rewrite (`.rewrites`) with its place in characters of the input.

    Raises:
        SqlError: A name may be two real ones, or a double-quoted name stands where no value can and names nothing;
            the message names the candidates.

    Source: the boundary of the unified data layer (DESIGN, section 3, decision 4).

    >>> normalize_sql("SELECT `在任基金数 (只)` FROM [基金经理]", {"基金经理": ["在任基金数(只)"]}).sql
    'SELECT "在任基金数(只)" FROM "基金经理"'
    """
    global _last  # noqa: PLW0603 -- one value, replaced as a whole
    if tables is None:
        return _NO_TABLES.normalize(sql)
    known, schema = _last
    if known != tables:
        known = {name: list(columns) for name, columns in tables.items()}
        schema = _core.SqlSchema(known)
        if all(isinstance(columns, list) for columns in tables.values()):
            _last = (known, schema)
    return schema.normalize(sql)


def tokenize_sql(sql: str) -> list[tuple[str, int, int]]:
    """Return kind, first byte and byte behind the last of each token of `sql`, white space and comments included.

    >>> tokenize_sql("a::int")
    [('ident', 0, 1), ('op', 1, 3), ('ident', 3, 6)]
    """
    return _core.tokenize_sql(sql)


def without_terminator(sql: str) -> str:
    """Return one statement without what may follow it: semicolons, white space and comments.

    >>> without_terminator("SELECT ';' /* one */; ; -- done")
    "SELECT ';'"
    """
    raw = sql.encode()
    end = len(raw)
    for kind, start, stop in reversed(_core.tokenize_sql(sql)):
        if kind not in ("space", "comment") and raw[start:stop] != b";":
            break
        end = start
    return raw[:end].decode()


class SqlDoor:
    """The door to one catalog: names are compiled once, so that a statement costs microseconds.

    Statements run where the catalog's macros are (`debriefer.catalog.macros`).

    Args:
        tables: Column names by table name.
        aliases: Table name by other name.
        temporal: Names of the columns with a date or time type, by table name: `strftime` reads those as they are.
        lists: Names of the columns with a list type, by table name: beside those `[name]` is a list.
        dates: Names of the columns of type DATE, by table name: `DATEADD` of those gives a DATE.
    """

    def __init__(
        self,
        tables: Mapping[str, Sequence[str]],
        aliases: Mapping[str, str] | None = None,
        temporal: Mapping[str, Sequence[str]] | None = None,
        lists: Mapping[str, Sequence[str]] | None = None,
        dates: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._tables = {name: list(columns) for name, columns in tables.items()}
        self._aliases = dict(aliases or {})
        self._schema = _core.SqlSchema(
            self._tables,
            self._aliases,
            _listed(temporal or {}),
            _listed(lists or {}),
            _listed(dates or {}),
            macros=True,
        )

    def prepare(self, sql: str, connection: duckdb.DuckDBPyConnection | None = None) -> NormalizedSql:
        """Return `sql` normalised, if it is one statement that only reads.

        Args:
            sql: The statement.
            connection: Whose parser to use; a thread needs one of its own. `None` uses one that the thread keeps.

        Raises:
            SqlError: The text holds no statement, more than one, or one that DuckDB's own parser classifies as
                anything but a query or `EXPLAIN` of a query; or it cannot be parsed; or see `normalize_sql`.
        """
        normalized = self._schema.normalize(sql)
        try:
            statements = _parse(normalized.sql, connection)
        except duckdb.Error as error:
            raise self.explain_error(error, normalized.sql) from error
        if not statements:
            message = "the text holds no SQL statement"
            raise SqlError(message, hint="write one SELECT")
        if len(statements) > 1:
            message = f"the text holds {len(statements)} statements, and one runs at a time"
            raise SqlError(message, hint="run them one after the other, or join them with UNION ALL or WITH")
        if not _reads(normalized.sql, statements[0], connection):
            message = f"only statements that read run here, and this is {_article(_name(statements[0].type))}"
            if statements[0].type == duckdb.StatementType.PRAGMA:
                raise SqlError(message, hint="`DESCRIBE t` lists the columns of a table, `SHOW TABLES` the tables")
            raise SqlError(message, hint="write a SELECT; what must be kept for later belongs into a WITH clause")
        return normalized

    def explain_error(self, error: duckdb.Error, sql: str) -> SqlError:
        """Return what DuckDB says about `sql`, short, with the nearest real names and what to do about it."""
        message, hint = hints.explain(str(error), sql, self._tables, self._aliases)
        return SqlError(message, hint=hint)


def _listed(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {table: list(names) for table, names in columns.items()}


def _parse(sql: str, connection: duckdb.DuckDBPyConnection | None) -> list[duckdb.Statement]:
    if connection is None:
        connection = getattr(_parsers, "connection", None)
        if connection is None:
            connection = _parsers.connection = duckdb.connect(config={"enable_external_access": "false"})
    return connection.extract_statements(sql)


def _name(kind: duckdb.StatementType) -> str:
    name = str(kind).rsplit(".", maxsplit=1)[-1].replace("_STATEMENT", "").replace("_", " ")
    return "statement that changes data" if name in ("SELECT", "EXPLAIN", "MULTI") else name


def _article(name: str) -> str:
    return f"an {name}" if name[:1] in "AEIOU" else f"a {name}"


_EXPLAIN = re.compile(r"\s*explain\s+(?:analyze\s+|analyse\s+|\((?:[^()]|\([^()]*\))*\)\s*)?", re.IGNORECASE)


def _explains_a_change(sql: str, connection: duckdb.DuckDBPyConnection | None) -> bool:
    """Whether an EXPLAIN holds anything but a query: `EXPLAIN ANALYZE` runs what it explains."""
    start = _first_token(sql)
    head = _EXPLAIN.match(sql, start)
    if head is None:
        return True
    try:
        inner = _parse(sql[head.end() :], connection)
    except duckdb.Error:
        return True
    return [statement.type for statement in inner] != [duckdb.StatementType.SELECT]


def _first_token(sql: str) -> int:
    """Return the index of the first character behind leading white space and comments."""
    offset = next((start for kind, start, _ in _core.tokenize_sql(sql) if kind not in ("space", "comment")), 0)
    return len(sql.encode()[:offset].decode())


def _words(sql: str) -> list[str]:
    """Return the unquoted words and the operators of `sql`, in lower case."""
    raw = sql.encode()
    kinds = ("ident", "op")
    return [raw[start:end].decode().lower() for kind, start, end in _core.tokenize_sql(sql) if kind in kinds]


def _reads(sql: str, statement: duckdb.Statement, connection: duckdb.DuckDBPyConnection | None) -> bool:
    """Whether a statement of this class only reads."""
    if statement.type == duckdb.StatementType.EXPLAIN:
        return not _explains_a_change(sql, connection)
    if statement.type == duckdb.StatementType.MULTI:
        # PIVOT without a list of values runs in steps; `CREATE TABLE … AS PIVOT` does too.
        return _words(sql)[:1] in (["pivot"], ["from"], ["with"], ["select"], ["("])
    if statement.type != duckdb.StatementType.SELECT:
        return False
    # DuckDB classifies `WITH x AS (INSERT …)` as a query. Nothing else may follow `AS (` with these two words.
    words = _words(sql)
    changes = (("insert", "into"), ("delete", "from"), ("merge", "into"))
    return not any(
        words[i] in ("as", "materialized")
        and words[i + 1] == "("
        and (tuple(words[i + 2 : i + 4]) in changes or _is_update(words[i + 2 : i + 5]))
        for i in range(len(words) - 3)
    )


def _is_update(words: list[str]) -> bool:
    return len(words) == 3 and words[0] == "update" and "set" in words[1:]  # noqa: PLR2004
