"""The SQL door beside sqlglot's compiled transpiler and beside one regular expression in Python.

`sql_over_sqlglot_short` and `sql_over_sqlglot_long`: time of `sqlglot.transpile(read="sqlite", write="duckdb")` over
that of `debriefer.normalize_sql`, on a statement of about 150 bytes and on one of about 10 KB; `sql_over_sqlglot` is
the smaller of the two. `sql_over_regex`: the same with one master expression on 10 KB, which replaces backticks,
brackets, full-width marks and double-quoted values outside strings and comments. It looks a name up in one set for
all tables: it knows no scope, restores nothing and tells no list from a name, so it does less. sqlglot parses the
statement into a tree and writes DuckDB's dialect; it is given no names, so it quotes and converts but checks and
restores no column.
Each call goes from a Python string to a Python string, names included: the mapping of tables is handed over, and
compared with the last one, every time. Each timing holds enough calls that the first one, which finds the caches full
of the peer's data, does not weigh.
"""

from __future__ import annotations

import json
import re

import sqlglot

import debriefer
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


def measure() -> dict[str, float]:
    """Return the ratios and the times behind them in microseconds."""
    long = long_statement()

    def ours_short() -> str:
        return debriefer.normalize_sql(SHORT, TABLES).sql

    def ours_long() -> str:
        return debriefer.normalize_sql(long, TABLES).sql

    short_run = paired(ours_short, lambda: sqlglot.transpile(SHORT, read="sqlite", write="duckdb"), 9, number=400)
    long_run = paired(ours_long, lambda: sqlglot.transpile(long, read="sqlite", write="duckdb"), 9, number=20)
    regex_run = paired(ours_long, lambda: regex_normalize(long), 9, number=40)
    return {
        "sql_over_sqlglot": min(short_run.ratio, long_run.ratio),
        "sql_over_sqlglot_short": short_run.ratio,
        "sql_over_sqlglot_long": long_run.ratio,
        "sql_over_regex": regex_run.ratio,
        "sql_short_us": short_run.ours * 1e6,
        "sql_long_us": long_run.ours * 1e6,
        "sql_long_bytes": float(len(long.encode())),
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
