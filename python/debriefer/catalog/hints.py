"""Short explanations of DuckDB's errors: what is wrong, the nearest real names, what to do about it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from debriefer import _core

__all__ = ["explain"]

_LISTED = 3
_LONGEST = 300
# Likeness of two names, 1 for the same: `to_date` and `to_days` are just near, `frobnicate` and `from_binary` are not.
_NEAR = 0.7

_NUMERIC = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "FLOAT", "DOUBLE", "INTEGER_LITERAL")
)
_CALCULATES = frozenset(
    ("sum", "avg", "+", "-", "*", "/", "%", "//", "round", "abs", "median", "stddev", "floor", "ceil")
)
# What `debriefer.catalog.numbers` defines; a plain cast would lose `1,234.5`, `(12)` and `5%` without a word.
_TO_NUMBER = "`to_number(x)` also reads `1,234.5`, `(12)` and `5%` (NULL for what is no number)"
_READS_TIMES = frozenset(
    (
        *("year", "month", "day", "hour", "minute", "second", "quarter", "week", "dayofweek", "weekday", "dayofyear"),
        *("date_part", "datepart", "date_trunc", "datediff", "date_diff", "date_sub", "datesub", "extract", "age"),
        *("dayname", "monthname", "last_day"),
    )
)


@dataclass(frozen=True, slots=True)
class _Context:
    sql: str
    tables: Mapping[str, Sequence[str]]
    aliases: Mapping[str, str]

    def in_scope(self) -> list[str]:
        """Return the tables that the statement names, in its order, or none."""
        known = {name.casefold(): name for name in self.tables}
        known |= {alias.casefold(): table for alias, table in self.aliases.items()}
        raw = self.sql.encode()
        found: dict[str, None] = {}
        for kind, start, end in _core.tokenize_sql(self.sql):
            if kind in ("ident", "quoted"):
                name = raw[start:end].decode().strip('"').casefold()
                if name in known:
                    found[known[name]] = None
        return list(found)

    def nearest_column(self, name: str) -> list[str]:
        tables = self.in_scope() or list(self.tables)
        near = _core.nearest_names(name, [column for table in tables for column in self.tables.get(table, ())], _LISTED)
        if near:
            return near
        return _core.nearest_names(name, [column for columns in self.tables.values() for column in columns], _LISTED)

    def nearest_table(self, name: str) -> list[str]:
        return _core.nearest_names(name, list(self.tables), _LISTED)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _column(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    name = found["name"]
    tables = context.in_scope()
    where = f"no column of {_listed(tables[:4])}" if tables else "no column here"
    hints = []
    near = context.nearest_column(name)
    if near:
        homes = [table for table in context.tables if table not in tables and near[0] in context.tables[table]]
        here = any(near[0] in context.tables[table] for table in tables)
        hints.append(f"nearest: {_listed(near)}" + (f" (in {_listed(homes[:2])})" if homes and not here else ""))
    if f'"{name}"' in context.sql:
        hints.append("text is written in single quotes")
    if name.casefold() in ("year", "month", "day", "hour") and "(" in context.sql:
        hints.append(f"a unit of time is written as text: `'{name.lower()}'`")
    return f"`{name}` names {where}", "; ".join(hints) or "the schema of a table lists its columns"


def _qualifier(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    candidates = re.findall(r'"([^"]+)"', found["rest"])
    hint = f"FROM holds {_listed(candidates[:4])}; a table with an alias is called by the alias" if candidates else None
    del context
    return f"`{found['name']}` names no table or alias of this FROM", hint


def _missing_column(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    candidates = re.findall(r'"([^"]+)"', found["rest"]) or context.nearest_column(found["name"])
    return (
        f"`{found['table']}` has no column `{found['name']}`",
        f"nearest: {_listed(candidates[:_LISTED])}" if candidates else None,
    )


def _table(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    near, known = context.nearest_table(found["name"]), list(context.tables)[:_LISTED]
    hint = f"nearest: {_listed(near)}" if near else f"there are: {_listed(known)}" if known else "no table is loaded"
    if not near and len(context.tables) > _LISTED:
        hint += f" and {len(context.tables) - _LISTED} more"
    return f"there is no table `{found['name']}`", hint


def _function(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    similar = re.search(r'Did you mean "([^"]+)"', found["rest"])
    # The engine always names its best candidate, however far off.
    near = similar and difflib.SequenceMatcher(None, found["name"], similar[1]).ratio() >= _NEAR
    return f"there is no function `{found['name']}`", f"did you mean `{similar[1]}`?" if similar and near else None


def _arguments(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    name, types = found["name"], [part.strip() for part in found["types"].split(", ")]
    shown = ", ".join(part.removesuffix("_LITERAL").replace("STRING", "text") for part in types)
    message = f"`{name}` takes no ({shown})"
    text = any(part in ("VARCHAR", "STRING_LITERAL") for part in types)
    if name in ("strftime", "strptime") and text:
        hint = "the time comes first and must be one: `strftime(TRY_CAST(x AS TIMESTAMP), '%Y')`"
    elif name == "-" and "DATE" in " ".join(types) and text:
        hint = "make both sides dates: `CAST(x AS DATE)`"
    elif name in _READS_TIMES and text:
        hint = "the column holds text: `CAST(x AS DATE)`, or `TRY_CAST` where some values are no dates"
    elif name in _CALCULATES and text:
        hint = f"the column holds text: {_TO_NUMBER}"
    elif name in ("~~", "!~~", "~~*", "!~~*", "~~~"):
        hint = "LIKE compares text: `CAST(x AS VARCHAR) LIKE …`"
    elif any(part in _NUMERIC or part in ("DATE", "TIMESTAMP") for part in types) and "VARCHAR" in found["rest"]:
        hint = "the function reads text: `CAST(x AS VARCHAR)`"
    elif name == "count":
        hint = "`count` takes one expression: `count(DISTINCT (a, b))` counts pairs"
    else:
        hint = "cast the argument to a type that the function takes"
    del context
    return message, hint


def _grouped(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    name = found["name"]
    return (
        f"`{name}` is neither grouped nor aggregated",
        (
            f"add it to GROUP BY, or say which of the group's values is meant: `max({name})`, `arg_max({name}, x)`, "
            f"`any_value({name})`"
        ),
    )


def _compared(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    left, right = found["left"], found["right"].removesuffix(" -")
    kinds = {left, right}
    if kinds & _NUMERIC or any(kind.startswith("DECIMAL") for kind in kinds):
        hint = f"make the text a number: {_TO_NUMBER}; or write the number as text in single quotes"
    elif any(kind.startswith(("DATE", "TIMESTAMP")) for kind in kinds):
        hint = "make both sides dates: `CAST(x AS DATE)`"
    else:
        hint = "cast one side: `CAST(x AS …)`"
    return f"{left} and {right} cannot be compared or mixed".replace("_LITERAL", ""), hint


def _conversion(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    value, kind = found["value"], found["kind"]
    source = re.search(r"from source column (\S+)", found["rest"])
    where = f" of `{source[1]}`" if source else ""
    if source and (kind.startswith("DECIMAL") or _public(kind) in _NUMERIC):
        hint = (
            f"`to_number({source[1]})` also reads `1,234.5`, `(12)` and `5%`, `TRY_CAST` plain numbers only (NULL for "
            "others); or compare with text in single quotes"
        )
    elif source:
        hint = f"`TRY_CAST({source[1]} AS {_public(kind)})` gives NULL for it; or compare with text in single quotes"
    else:
        hint = f"a value that is compared with {_public(kind)} must be one; `CAST(x AS VARCHAR)` compares as text"
    return f"the text `{value}`{where} is no {_public(kind)}", hint


def _public(kind: str) -> str:
    names = {"INT8": "TINYINT", "INT16": "SMALLINT", "INT32": "INTEGER", "INT64": "BIGINT", "INT128": "HUGEINT"}
    return names.get(kind, kind)


def _time_value(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    hint = "`TRY_CAST(x AS DATE)` gives NULL for it; `strptime(x, '%d.%m.%Y')` reads another format"
    return f"the text `{found['value']}` is no valid {found['kind']}", hint


def _ambiguous(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    del context
    return (
        f"`{found['name']}` is a column of more than one table here",
        f"say which: {found['use'].replace(chr(39), '`')}",
    )


def _syntax(found: re.Match[str], context: _Context) -> tuple[str, str | None]:
    near = found["near"]
    line = re.search(r"LINE (\d+)", found["rest"])
    place = f" in line {line[1]}" if line and "\n" in context.sql.strip() else ""
    known = {
        "regexp": "`regexp_matches(x, 'pattern')` finds a pattern",
        "rlike": "`regexp_matches(x, 'pattern')` finds a pattern",
        "separator": "`string_agg(x, ',')` takes the separator as an argument",
        "top": "`LIMIT n` stands at the end",
        "[": "a name with special characters is written in double quotes",
        "percent": "`LIMIT 10%` at the end",
    }
    return f"syntax error at or near `{near}`{place}", known.get(near.casefold()) or _foreign(context.sql)


def _foreign(sql: str) -> str | None:
    """Return what stands for a clause or call of another dialect that cannot be rewritten exactly."""
    if re.search(r"\bWITH\s+TIES\b", sql, re.IGNORECASE):
        return "`QUALIFY rank() OVER (ORDER BY x) <= n` keeps ties"
    if re.search(r"\bTOP\b.*\bPERCENT\b", sql, re.IGNORECASE | re.DOTALL):
        return "`LIMIT 10%` at the end"
    if re.search(r"\bDIV\b", sql, re.IGNORECASE):
        return "`CAST(trunc(a / b) AS BIGINT)` divides like DIV"
    called = _called_types(sql)
    if "char" in called:
        return "`chr(65)` gives the character of a number"
    if "time" in called:
        return "`CAST(x AS TIME)` gives the time of day"
    return None


def _called_types(sql: str) -> set[str]:
    """Return the words that stand before a bracket as if they were functions, where no type is expected."""
    raw = sql.encode()
    tokens = [
        raw[start:end].decode().casefold()
        for kind, start, end in _core.tokenize_sql(sql)
        if kind not in ("space", "comment")
    ]
    return {
        word
        for before, word, behind in zip(["", *tokens], tokens, tokens[1:], strict=False)
        if behind == "(" and before not in ("as", "::")
    }


_Explanation = tuple[str, str | None]

# Pattern of DuckDB's message, what is wrong, what to do.
_FIXED: tuple[tuple[str, str, str], ...] = (
    ("syntax error at end of input", "the statement ends too early", "a clause or a closing parenthesis is missing"),
    (
        "WHERE clause cannot contain aggregates",
        "WHERE cannot hold an aggregate",
        "put the condition into HAVING, or compare with a subquery",
    ),
    (
        "WHERE clause cannot contain window functions",
        "WHERE cannot hold a window function",
        "put the condition into QUALIFY",
    ),
    (
        "aggregate function calls cannot be nested",
        "an aggregate cannot stand inside an aggregate",
        "aggregate in a subquery first",
    ),
    (
        "Division by zero",
        "a division by zero",
        "`a // nullif(b, 0)` gives NULL there",
    ),
    (
        "Failed to parse format specifier|Unrecognized format for strftime",
        "the format of `strftime` holds a directive that DuckDB does not know",
        "`%Y-%m-%d` instead of `%F`, `%-d` instead of `%e`, `julianday(x)` instead of `%J`",
    ),
    ("lambda arrow", "`x -> …` is no lambda here", "write `lambda x: …`"),
    (
        "More than one row returned by a subquery",
        "a subquery gives more than one row where one value is needed",
        "use IN, aggregate, or add ORDER BY with LIMIT 1",
    ),
    (
        "same number of result columns",
        "the sides of a set operation differ in their number of columns",
        "select as many columns on both sides",
    ),
    (
        "external access|file system operations are disabled|has been disabled by configuration",
        "files cannot be read from SQL here",
        "every file of the task is a table already: list the tables",
    ),
    (
        "read-only mode|read-only database",
        "only statements that read run here",
        "what must be kept for later belongs into a WITH clause",
    ),
    (
        "INTERRUPT|Interrupted",
        "the statement was stopped before it ended",
        "aggregate or filter before joining, or ask for less",
    ),
    ("LIMIT/OFFSET cannot be negative", "LIMIT and OFFSET cannot be negative", "leave LIMIT out to get all rows"),
    (
        "[Mm]ax expression depth",
        "the statement is nested too deeply",
        "simplify it: fewer brackets, or a WITH clause for each part",
    ),
    ("UNNEST not supported here", "UNNEST cannot stand here", "UNNEST in the SELECT list or in FROM of a subquery"),
    (
        "SELECT clause without selection list",
        "SELECT names no column",
        "write what is selected between SELECT and FROM, `*` for all columns",
    ),
    ("Out of Memory", "the statement needs more memory than it may use", "aggregate or filter before joining"),
)

_MIXED = r"Cannot (?:compare|mix) values of type (?P<left>.*?) and (?:type )?(?P<right>[^ ]+(?:\([^)]*\))?)"
_CONVERTED = r"Could not convert string ['\"](?P<value>.*?)['\"] to (?P<kind>[A-Z0-9_]+(?:\([^)]*\))?)(?P<rest>.*)"
_PARSED: tuple[tuple[str, Callable[[re.Match[str], _Context], _Explanation]], ...] = (
    (r'Referenced column "(?P<name>.*?)" (?:not found|was not found)(?P<rest>.*)', _column),
    (r'Referenced table "(?P<name>.*?)" not found!(?P<rest>.*)', _qualifier),
    (r'Table "(?P<table>.*?)" does not have a column named "(?P<name>.*?)"(?P<rest>.*)', _missing_column),
    (r"Table with name (?P<name>.*?) does not exist!(?P<rest>.*)", _table),
    (r'Catalog "(?P<name>.*?)" does not exist!(?P<rest>.*)', _table),
    (r'Function with name "?(?P<name>.*?)"? (?:does not exist|is not in the catalog)(?P<rest>.*)', _function),
    (r"given name and argument types '(?P<name>[^(]+)\((?P<types>.*?)\)'(?P<rest>.*)", _arguments),
    (r'for the function call "(?P<name>[^(]+)\((?P<types>.*?)\)"(?P<rest>.*)', _arguments),
    (r'column "?(?P<name>.*?)"? must appear in the GROUP BY clause', _grouped),
    (_MIXED, _compared),
    (_CONVERTED, _conversion),
    (r'invalid (?P<kind>date|timestamp|time) field format: "(?P<value>.*?)"', _time_value),
    (r'(?P<kind>date|timestamp|time) field value out of range: "(?P<value>.*?)"', _time_value),
    (r'Ambiguous reference to column name "(?P<name>.*?)" \(use: (?P<use>.*?)\)', _ambiguous),
    (r'syntax error at or near "(?P<near>.*?)"(?P<rest>.*)', _syntax),
)
_RULES = tuple((re.compile(pattern, re.DOTALL), build) for pattern, build in _PARSED)


def explain(
    error: str, sql: str, tables: Mapping[str, Sequence[str]], aliases: Mapping[str, str]
) -> tuple[str, str | None]:
    """Return one sentence about `error` and a hint.

    Args:
        error: DuckDB's own words.
        sql: The statement that failed.
        tables: Column names by table name.
        aliases: Table name by other name.

    >>> explain('Binder Error: Referenced column "amout" not found in FROM clause!', "SELECT amout FROM t",
    ...         {"t": ["id", "amount"]}, {})
    ('`amout` names no column of `t`', 'nearest: `amount`')
    """
    context = _Context(sql, tables, aliases)
    for pattern, build in _RULES:
        found = pattern.search(error)
        if found is not None:
            message, hint = build(found, context)
            return message[:_LONGEST], hint
    for fixed, message, hint in _FIXED:
        if re.search(fixed, error):
            return message, hint
    first = error.strip().split("\n", maxsplit=1)[0]
    first = re.sub(r"^(?:[A-Z][A-Za-z]+ )+Error: ", "", first).rstrip(".! ")
    if not first[1:2].isupper():
        first = first[:1].lower() + first[1:]
    return first[:_LONGEST] or "the statement failed", None
