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
from benchmarks.peers import main, with_ratios
from benchmarks.report import paired

TABLES = {
    "基金经理": ["姓名", "在任基金数(只)", "公司", "年份"],
    "orders": ["id", "customer_id", "amount", "status", "created at", "region"],
    "customers": ["id", "name", "city", "joined"],
}

SHORT = (
    "SELECT o.`amount`, c.name, COUNT(*) FROM orders AS o JOIN customers c ON o.customer_id = c.id "
    'WHERE c.city = "Paris" AND o.amount > 10.5 GROUP BY 1, 2 LIMIT 5'
)

_STEP = """
step_{i} AS (
    -- what customer's region {i} spent
    SELECT o.region, c.name AS `customer name`, SUM(o.amount) AS total, MAX(o."created at") AS last_order,
           CASE WHEN o.status = "paid" THEN 'it''s paid' ELSE 'open' END AS state
    FROM orders AS o
    LEFT JOIN customers AS c ON c.id = o.customer_id AND c.city IN ('Paris', "Berlin", 'München')
    WHERE o.amount BETWEEN {i} AND {i}00 AND o.status <> 'void' /* not cancelled */
      AND (c.joined LIKE '20{i:02d}%' OR o.id IN (SELECT id FROM customers WHERE city = "Oslo"))
    GROUP BY o.region, c.name, o.status
    HAVING COUNT(*) > {i}
)"""


def long_statement(size: int = 10_000) -> str:
    """Return a statement of common table expressions of about `size` bytes."""
    steps: list[str] = []
    while sum(map(len, steps)) < size:
        steps.append(_STEP.format(i=len(steps) + 1))
    last = f"step_{len(steps)}"
    return f"WITH {','.join(steps)}\nSELECT region, `customer name`, total FROM {last} ORDER BY total DESC LIMIT 10"


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
