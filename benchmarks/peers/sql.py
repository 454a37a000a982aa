"""The SQL door beside sqlglot's compiled transpiler and beside one regular expression in Python.

`sql_over_sqlglot_short` and `sql_over_sqlglot_long`: time of `sqlglot.transpile(read="sqlite", write="duckdb")` over
that of `debriefer.normalize_sql`, on a statement of about 150 bytes and on one of about 10 KB; `sql_over_sqlglot` is
the smaller of the two. `sql_over_regex`: the same with one master expression on 10 KB, which replaces backticks,
brackets, full-width marks and double-quoted values outside strings and comments. It looks a name up in one set for
all tables: it knows no scope, restores nothing and tells no list from a name, so it does less. sqlglot parses the
statement into a tree and writes DuckDB's dialect; it is given no names, so it quotes and converts but checks and
restores no column. `sql_over_sqlparse`: sqlparse's lexer and the same replacements over its tokens, 10 KB.
`sql_same.PEER` is 1 where the peer's text of the 10 KB is ours, character by character (white space aside for sqlglot).
Each call goes from a Python string to a Python string, names included: the mapping of tables is handed over, and
compared with the last one, every time. Each timing holds enough calls that the first one, which finds the caches full
of the peer's data, does not weigh.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import sqlglot
import sqlparse
import sqlparse.lexer

import debriefer
from benchmarks.inputs import SHORT, TABLES, long_statement
from benchmarks.peers import main, with_ratios
from benchmarks.report import paired

_KNOWN = {name.casefold() for table, columns in TABLES.items() for name in (table, *columns)}
_MARKS = dict(zip("，；（）＝＞＜％", ",;()=><%", strict=True))
_MASTER = re.compile(
    r"""(?P<keep>[eE]?'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\2\$)|`(?P<tick>(?:[^`]|``)*)`|"""
    r"""(?<![\w\])])\[(?P<bracket>[^\],'"\d][^\],'"]*)\]|"(?P<double>(?:[^"]|"")*)"|(?P<mark>[，；（）＝＞＜％])""",
    re.DOTALL,
)


def regex_normalize(sql: str) -> str:
    """Do with one expression what one expression can do: quotes, marks, and strings by a set of all known names."""

    def replace(found: re.Match[str]) -> str:
        kind = found.lastgroup
        text = found[0]
        if kind == "mark":
            return _MARKS[text]
        if kind == "tick":
            return '"' + found["tick"].replace("``", "`").replace('"', '""') + '"'
        if kind == "bracket":
            return '"' + found["bracket"].replace('"', '""') + '"' if found["bracket"].casefold() in _KNOWN else text
        if kind == "double" and found["double"].casefold() not in _KNOWN:
            return "'" + found["double"].replace('""', '"').replace("'", "''") + "'"
        return text

    return _MASTER.sub(replace, sql)


def sqlparse_normalize(sql: str) -> str:
    """Replace quotes token by token, as `regex_normalize` does, over sqlparse's lexer."""
    parts: list[str] = []
    tokens: Any = sqlparse.lexer
    for _, text in tokens.tokenize(sql):
        if len(text) > 1 and text[0] == text[-1] == "`":
            parts.append('"' + text[1:-1].replace('"', '""') + '"')
        elif len(text) > 1 and text[0] == text[-1] == '"' and text[1:-1].casefold() not in _KNOWN:
            parts.append("'" + text[1:-1].replace('""', '"').replace("'", "''") + "'")
        else:
            parts.append(text)
    return "".join(parts)


def same(peer: Callable[[str], str], sql: str, *, spaces: bool = True) -> float:
    """Return 1 where a peer's statement is ours, else 0; without `spaces` white space does not count."""
    one, other = peer(sql), debriefer.normalize_sql(sql, TABLES).sql
    return float(one == other if spaces else "".join(one.split()) == "".join(other.split()))


def transpile(sql: str) -> str:
    """Return sqlglot's statement for DuckDB."""
    return str(sqlglot.transpile(sql, read="sqlite", write="duckdb")[0])


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Return the ratios and the times behind them in microseconds."""
    long = long_statement()
    rounds = 5 if quick else 9

    def ours_short() -> str:
        return debriefer.normalize_sql(SHORT, TABLES).sql

    def ours_long() -> str:
        return debriefer.normalize_sql(long, TABLES).sql

    short_run = paired(ours_short, lambda: transpile(SHORT), rounds, number=100 if quick else 400)
    long_run = paired(ours_long, lambda: transpile(long), rounds, number=5 if quick else 20)
    regex_run = paired(ours_long, lambda: regex_normalize(long), rounds, number=40)
    sqlparse_run = paired(ours_long, lambda: sqlparse_normalize(long), rounds, number=2)
    size = len(long.encode())
    runs = {
        "sql_over_sqlglot": min(short_run, long_run, key=lambda run: run.ratio),
        "sql_over_sqlglot_short": short_run,
        "sql_over_sqlglot_long": long_run,
        "sql_over_regex": regex_run,
        "sql_over_sqlparse": sqlparse_run,
    }
    figures = {
        "sql_same.sqlglot": same(transpile, long, spaces=False),
        "sql_same.regex": same(regex_normalize, long),
        "sql_same.sqlparse": same(sqlparse_normalize, long),
        "sql_megabytes_per_second": size / long_run.ours / 1e6,
        "sql_short_us": short_run.ours * 1e6,
        "sql_long_us": long_run.ours * 1e6,
        "sql_long_bytes": float(size),
    }
    return with_ratios(runs, **figures)


if __name__ == "__main__":
    main("sql", measure)
