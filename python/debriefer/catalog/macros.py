"""Functions of SQLite, MySQL and T-SQL that have one exact meaning, as macros that every catalog holds.

A macro never takes the name of a function that DuckDB has with the same number of arguments, so a statement that was
right before means the same with them.
"""

from __future__ import annotations

__all__ = ["MACROS"]

# A macro's argument is copied to every place where it is used, and nested calls would multiply it: a list of one value
# and a lambda give it a name instead.

# A day beyond the month's end runs into the next month, as it does in SQLite's arithmetic and, since 3.46, in all its
# functions of time: 30 February 2024 is 1 March.
_OVERFLOW = r"""
CREATE MACRO sqlite_overflow(v) AS CASE WHEN substr(v, 9, 2) IN ('29', '30', '31')
    THEN TRY_CAST(left(v, 8) || '01' || substr(v, 11) AS TIMESTAMP) + to_days(CAST(substr(v, 9, 2) AS INTEGER) - 1) END
"""

# SQLite reads text, times and Julian day numbers; what it cannot read is NULL.
_MOMENT = r"""
CREATE MACRO sqlite_moment(x) AS list_transform([CAST(x AS VARCHAR)], lambda v:
    CASE WHEN lower(trim(v)) = 'now' THEN CAST(now() AT TIME ZONE 'UTC' AS TIMESTAMP)
    ELSE coalesce(
        CASE WHEN regexp_full_match(v, '\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d([.]\d+)?)?)?')
        THEN coalesce(TRY_CAST(v AS TIMESTAMP), sqlite_overflow(v)) END,
        CASE WHEN regexp_full_match(v, '\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d([.]\d+)?)? *(Z|[+-]\d\d(:\d\d)?)')
        THEN CAST(TRY_CAST(v AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS TIMESTAMP) END,
        CASE WHEN regexp_full_match(v, '\d\d:\d\d(:\d\d([.]\d+)?)?')
        THEN TRY_CAST('2000-01-01 ' || v AS TIMESTAMP) END,
        CASE WHEN TRY_CAST(v AS DOUBLE) BETWEEN 0 AND 5373484.5
        THEN make_timestamp(CAST(round((TRY_CAST(v AS DOUBLE) - 2440587.5) * 86400000) * 1000 AS BIGINT)) END)
    END)[1]
"""

# The same for a column, which costs nothing to name four times.
_READ = r"""
CREATE MACRO sqlite_read(x) AS CASE
    WHEN regexp_full_match(CAST(x AS VARCHAR), '\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d([.]\d+)?)?)?')
    THEN coalesce(TRY_CAST(CAST(x AS VARCHAR) AS TIMESTAMP), sqlite_overflow(CAST(x AS VARCHAR)))
    WHEN x IS NOT NULL THEN sqlite_moment(x) END
"""

# Months are added to the month and days beyond its end run into the next one, as in SQLite (31 January plus one month
# is 2 or 3 March); DuckDB's own interval stops at the month's end.
_MODIFY = r"""
CREATE MACRO sqlite_modify(x, modifier) AS list_transform([{'t': x, 'm': lower(trim(modifier))}], lambda s:
    CASE
    WHEN s.m = 'start of month' THEN date_trunc('month', s.t)
    WHEN s.m = 'start of year' THEN date_trunc('year', s.t)
    WHEN s.m = 'start of day' THEN date_trunc('day', s.t)
    WHEN s.m IN ('utc', 'subsec', 'subsecond', 'auto') THEN s.t
    WHEN s.m = 'localtime' THEN CAST((s.t AT TIME ZONE 'UTC') AS TIMESTAMP)
    WHEN regexp_full_match(s.m, '[+-]?[0-9]+ *(month|year)s?') THEN
        date_trunc('month', s.t)
        + to_months(CAST(regexp_extract(s.m, '[+-]?[0-9]+') AS INTEGER)
            * CASE WHEN contains(s.m, 'year') THEN 12 ELSE 1 END)
        + (s.t - date_trunc('month', s.t))
    WHEN regexp_full_match(s.m, '[+-]?[0-9]+([.][0-9]*)? *(day|hour|minute|second)s?') THEN
        s.t + to_microseconds(CAST(round(CAST(regexp_extract(s.m, '[+-]?[0-9]+([.][0-9]*)?') AS DOUBLE)
            * CASE WHEN contains(s.m, 'day') THEN 86400000 WHEN contains(s.m, 'hour') THEN 3600000
              WHEN contains(s.m, 'minute') THEN 60000 ELSE 1000 END) * 1000 AS BIGINT))
    WHEN regexp_full_match(s.m, 'weekday [0-6]') THEN
        s.t + to_days(CAST((CAST(right(s.m, 1) AS INTEGER) - dayofweek(s.t) + 7) % 7 AS INTEGER))
    WHEN regexp_full_match(s.m, '[+-][0-9][0-9]:[0-9][0-9](:[0-9][0-9])?') THEN
        s.t + to_seconds((CASE WHEN left(s.m, 1) = '-' THEN -1 ELSE 1 END)
            * (CAST(substr(s.m, 2, 2) AS INTEGER) * 3600 + CAST(substr(s.m, 5, 2) AS INTEGER) * 60
               + CAST(coalesce(nullif(substr(s.m, 8, 2), ''), '0') AS INTEGER)))
    END)[1]
"""

# `unixepoch` is the only modifier that says how the value itself is read.
_MOMENT_MODIFIED = """
CREATE MACRO sqlite_moment_modified(x, modifier) AS
    CASE WHEN lower(trim(modifier)) = 'unixepoch'
    THEN make_timestamp(CAST(round(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE) * 1000) * 1000 AS BIGINT))
    ELSE sqlite_modify(sqlite_moment(x), modifier) END
"""


def _for_modifiers(name: str, template: str) -> str:
    """Return one macro for no to four modifiers; `{t}` in the template is the moment."""
    overloads = []
    for count in range(5):
        names = [f"m{i}" for i in range(1, count + 1)]
        moment = "sqlite_moment(x)" if count == 0 else "sqlite_moment_modified(x, m1)"
        for modifier in names[1:]:
            moment = f"sqlite_modify({moment}, {modifier})"
        overloads.append(f"({', '.join(['x', *names])}) AS {template.format(t=moment)}")
    return f"CREATE MACRO {name} {', '.join(overloads)}"


_SQLITE = """
CREATE MACRO iif(condition, a) AS CASE WHEN condition THEN a END,
    (condition, a, b) AS CASE WHEN condition THEN a ELSE b END;
CREATE MACRO total(x) AS coalesce(CAST(sum(x) AS DOUBLE), 0.0::DOUBLE);
CREATE MACRO likely(x) AS x;
CREATE MACRO unlikely(x) AS x;
CREATE MACRO sqlite_glob(pattern, x) AS x GLOB pattern;
CREATE MACRO quote(x) AS CASE WHEN x IS NULL THEN 'NULL'
    WHEN typeof(x) IN ('VARCHAR', 'DATE', 'TIME', 'TIMESTAMP')
    THEN chr(39) || replace(CAST(x AS VARCHAR), chr(39), chr(39) || chr(39)) || chr(39) ELSE CAST(x AS VARCHAR) END;
"""

_MYSQL = """
CREATE MACRO mysql_datediff(a, b) AS date_diff('day',
    CAST(TRY_CAST(CAST(b AS VARCHAR) AS TIMESTAMP) AS DATE), CAST(TRY_CAST(CAST(a AS VARCHAR) AS TIMESTAMP) AS DATE));
CREATE MACRO curdate() AS current_date;
CREATE MACRO locate(part, x) AS instr(x, part),
    (part, x, start) AS CASE WHEN start < 1 OR instr(substr(x, start), part) = 0 THEN 0
        ELSE instr(substr(x, start), part) + start - 1 END;
CREATE MACRO find_in_set(x, list) AS CASE WHEN x IS NULL OR list IS NULL THEN NULL
    ELSE coalesce(list_position(string_split(list, ','), x), 0) END;
CREATE MACRO substring_index(x, mark, n) AS CASE WHEN n = 0 THEN ''
    WHEN n > 0 THEN array_to_string(string_split(x, mark)[1:n], mark)
    ELSE array_to_string(string_split(x, mark)[greatest(len(string_split(x, mark)) + n + 1, 1):], mark) END;
CREATE MACRO space(n) AS repeat(' ', n);
CREATE MACRO mid(x, start) AS substr(x, start), (x, start, length) AS substr(x, start, length);
CREATE MACRO "truncate"(x, digits) AS trunc(x, digits);
"""

_TSQL = """
CREATE MACRO nvl(x, other) AS coalesce(x, other);
CREATE MACRO "isnull"(x, other) AS coalesce(x, other);
CREATE MACRO tsql_whole(x) AS CASE
    WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR starts_with(typeof(x), 'DECIMAL')
    THEN CAST(trunc(CAST(x AS DOUBLE)) AS BIGINT)
    WHEN typeof(x) = 'VARCHAR' AND NOT regexp_full_match(CAST(x AS VARCHAR), ' *[+-]?[0-9]* *')
    THEN error('convert: ' || CAST(x AS VARCHAR) || ' is no whole number') ELSE CAST(x AS BIGINT) END;
CREATE MACRO tsql_try_whole(x) AS CASE
    WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR starts_with(typeof(x), 'DECIMAL')
    THEN TRY_CAST(trunc(TRY_CAST(x AS DOUBLE)) AS BIGINT)
    WHEN typeof(x) = 'VARCHAR' AND NOT regexp_full_match(CAST(x AS VARCHAR), ' *[+-]?[0-9]* *')
    THEN NULL ELSE TRY_CAST(x AS BIGINT) END;
CREATE MACRO tsql_text(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT', 'DATE', 'TIMESTAMP', 'TIME', 'BOOLEAN')
    THEN error('convert: ' || typeof(x) || ' has another text in each dialect; write CAST(x AS VARCHAR) or strftime')
    ELSE CAST(x AS VARCHAR) END;
CREATE MACRO tsql_style(x, format) AS CASE WHEN typeof(x) IN ('DATE', 'TIMESTAMP')
    THEN strftime(TRY_CAST(CAST(x AS VARCHAR) AS TIMESTAMP), format) ELSE CAST(x AS VARCHAR) END;
CREATE MACRO getdate() AS CAST(now() AS TIMESTAMP);
CREATE MACRO charindex(part, x) AS instr(x, part),
    (part, x, start) AS CASE WHEN instr(substr(x, greatest(start, 1)), part) = 0 THEN 0
        ELSE instr(substr(x, greatest(start, 1)), part) + greatest(start, 1) - 1 END;
CREATE MACRO replicate(x, n) AS repeat(x, n);
CREATE MACRO stuff(x, start, length, other) AS
    CASE WHEN start BETWEEN 1 AND length(x) AND length >= 0
    THEN left(x, start - 1) || coalesce(other, '') || substr(x, start + length) END;
CREATE MACRO square(x) AS x * x;
CREATE MACRO eomonth(x) AS last_day(CAST(x AS TIMESTAMP));
CREATE MACRO dateadd(part, n, x) AS CAST(x AS TIMESTAMP) + CASE lower(part)
    WHEN 'year' THEN to_years(CAST(trunc(n) AS INTEGER)) WHEN 'quarter' THEN to_months(CAST(3 * trunc(n) AS INTEGER))
    WHEN 'month' THEN to_months(CAST(trunc(n) AS INTEGER)) WHEN 'week' THEN to_days(CAST(7 * trunc(n) AS INTEGER))
    WHEN 'day' THEN to_days(CAST(trunc(n) AS INTEGER)) WHEN 'hour' THEN to_hours(CAST(trunc(n) AS BIGINT))
    WHEN 'minute' THEN to_minutes(CAST(trunc(n) AS BIGINT)) WHEN 'second' THEN to_seconds(CAST(trunc(n) AS BIGINT))
    ELSE error('dateadd: the unit is one of year, quarter, month, week, day, hour, minute, second') END;
CREATE MACRO datename(part, x) AS CASE lower(part) WHEN 'month' THEN monthname(CAST(x AS TIMESTAMP))
    WHEN 'weekday' THEN dayname(CAST(x AS TIMESTAMP))
    ELSE CAST(date_part(part, CAST(x AS TIMESTAMP)) AS VARCHAR) END;
"""


def _for_lists(name: str, template: str) -> str:
    """Return one macro for one to eight values behind the first argument; `{list}` in the template is the values."""
    overloads = []
    for count in range(1, 9):
        names = [f"v{i}" for i in range(1, count + 1)]
        overloads.append(f"({', '.join(['x', *names])}) AS {template.format(list='[' + ', '.join(names) + ']')}")
    return f"CREATE MACRO {name} {', '.join(overloads)}"


def _statements(text: str) -> tuple[str, ...]:
    return tuple(statement.strip() for statement in text.split(";\n") if statement.strip())


MACROS: tuple[str, ...] = (
    _OVERFLOW.strip(),
    _MOMENT.strip(),
    _READ.strip(),
    _MODIFY.strip(),
    _MOMENT_MODIFIED.strip(),
    _for_modifiers("datetime", "strftime({t}, '%Y-%m-%d %H:%M:%S')"),
    _for_modifiers("sqlite_date", "strftime({t}, '%Y-%m-%d')"),
    _for_modifiers("sqlite_time", "strftime({t}, '%H:%M:%S')"),
    _for_modifiers("julianday", "(epoch({t}) / 86400.0 + 2440587.5)"),
    _for_modifiers("unixepoch", "CAST(floor(epoch({t})) AS BIGINT)"),
    _for_lists("field", "coalesce(list_position({list}, x), 0)"),
    _for_lists("choose", "CASE WHEN x >= 1 THEN ({list})[CAST(trunc(x) AS BIGINT)] END"),
    *_statements(_SQLITE),
    *_statements(_MYSQL),
    *_statements(_TSQL),
)
