"""The door of a catalog: which statements pass, what errors say, and that foreign functions mean what they meant."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.catalog.door import SqlDoor
from debriefer.catalog.hints import explain
from debriefer.catalog.macros import MACROS
from debriefer.errors import SqlError

DOOR = SqlDoor({"orders": ["id", "amount", "day", "update"], "people": ["name"]}, {"df_orders": "orders"})


# The guard --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT update FROM orders",
        'SELECT id AS "insert into" FROM orders -- DROP TABLE orders',
        "WITH c AS (SELECT 1 AS x) SELECT x FROM c;",
        "FROM orders",
        "VALUES (1)",
        "(SELECT 1)",
        "DESCRIBE orders",
        "SUMMARIZE orders",
        "SHOW TABLES",
        "PIVOT orders ON day USING sum(amount)",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "/* a comment; with a semicolon */ SELECT ';'",
        "SELECT [id] FROM [orders]",
    ],
)
def test_statements_that_read_pass(sql: str) -> None:
    assert DOOR.prepare(sql).sql


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE orders",
        "CREATE TEMP TABLE x AS SELECT 1",
        "CREATE TABLE x AS PIVOT orders ON day USING sum(amount)",
        "INSERT INTO orders VALUES (1)",
        "UPDATE orders SET id = 1",
        "DELETE FROM orders",
        "COPY orders TO 'x.csv'",
        "ATTACH 'x.db'",
        "SET threads = 1",
        "PRAGMA threads = 1",
        "PRAGMA table_info('orders')",
        "EXPORT DATABASE 'x'",
        "LOAD httpfs",
        "BEGIN",
        "CALL pragma_version()",
        "EXPLAIN ANALYZE CREATE TABLE x (a INT)",
        "EXPLAIN (FORMAT json) DELETE FROM orders",
        "WITH x AS (INSERT INTO orders VALUES (1) RETURNING id) SELECT * FROM x",
        "WITH x AS MATERIALIZED (DELETE FROM orders RETURNING id) SELECT * FROM x",
        "WITH x AS (UPDATE orders SET id = 1 RETURNING id) SELECT * FROM x",
    ],
)
def test_statements_that_do_more_than_read_are_refused(sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        DOOR.prepare(sql)
    assert "read" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("sql", "says"), [("", "no SQL"), ("-- nothing", "no SQL"), ("SELECT 1; SELECT 2", "2 statements")]
)
def test_one_statement_runs_at_a_time(sql: str, says: str) -> None:
    with pytest.raises(SqlError, match=says):
        DOOR.prepare(sql)


# Errors -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("door")
    (folder / "orders.csv").write_text(
        "id,amount,code,day,place\n1,10.5,x1,2024-01-31,Paris\n2,20,000021,2024-02-29,Oslo\n", encoding="utf-8"
    )
    (folder / "texts.json").write_text('[{"moment": "2024-01-31 10:11:12", "word": "a"}]', encoding="utf-8")
    with Catalog.from_files(folder, folder / "catalog.duckdb") as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("SELECT amout FROM orders", "`amout` names no column of `orders`", "`amount`"),
        ("SELECT o.amout FROM orders AS o", "`amout`", "amount"),
        ("SELECT orders.id FROM orders AS o", "`orders` names no table or alias", "`o`"),
        ("SELECT 1 FROM ordrs", "no table `ordrs`", "`orders`"),
        ("SELECT substrng(place, 1) FROM orders", "no function `substrng`", "`substring`"),
        ("SELECT place, sum(amount) FROM orders", "neither grouped nor aggregated", "GROUP BY"),
        ("SELECT sum(code) FROM orders", "`sum` takes no (VARCHAR)", "to_number(x)"),
        ("SELECT id FROM orders WHERE code > 5", "VARCHAR and INTEGER", "to_number(x)"),
        ("SELECT id FROM orders WHERE code = 21", "`x1` of `code` is no", "to_number(code)"),
        ("SELECT id FROM orders WHERE day LIKE '2024%'", "`~~` takes no (DATE, text)", "CAST(x AS VARCHAR)"),
        ("SELECT strftime(upper(code), '%Y') FROM orders", "`strftime`", "the time comes first"),
        ("SELECT id FROM orders WHERE sum(amount) > 1", "aggregate", "HAVING"),
        ("SELECT id FROM orders WHERE row_number() OVER () = 1", "window", "QUALIFY"),
        ("SELECT id FROM orders AS a JOIN orders AS b USING (day)", "more than one table", "a.id"),
        ("SELECT id FROM WHERE", "syntax error", None),
        ("SELECT id FROM orders WHERE place REGEXP 'P'", "syntax error", "regexp_matches"),
        ("SELECT * FROM read_csv('/etc/hostname')", "files cannot be read", "table already"),
        ("SELECT DATE '2024-13-01'", "`2024-13-01`", "TRY_CAST"),
        ("SELECT id // 0 FROM orders", "division by zero", "nullif"),
        ("SELECT strftime(day, '%F') FROM orders", "strftime", "%Y-%m-%d"),
        ("SELECT TOP 1 WITH TIES id FROM orders", "syntax error", "QUALIFY"),
        ("SELECT TOP 50 PERCENT id FROM orders", "syntax error", "LIMIT 10%"),
        ("SELECT amount DIV 2 FROM orders", "syntax error", "trunc"),
        ("SELECT max(sum(amount)) FROM orders", "inside an aggregate", "subquery"),
        ("SELECT * FROM orders LIMIT -1", "LIMIT and OFFSET cannot be negative", "leave LIMIT out"),
        ("SELECT time('10:00:00')", "syntax error", "CAST(x AS TIME)"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "nested too deeply", "simplify"),
        ("SELECT id FROM orders WHERE unnest([1]) = 1", "UNNEST cannot stand here", "FROM"),
        ("SELECT FROM orders", "SELECT names no column", "`*`"),
    ],
)
def test_errors_are_short_and_say_what_to_do(catalog: Catalog, sql: str, message: str, hint: str | None) -> None:
    with pytest.raises(SqlError) as caught:
        catalog.sql(sql)
    error = caught.value
    assert message in error.message
    assert "\n" not in error.message
    assert len(error.message) <= 300
    assert not error.message.endswith(".")
    if hint is not None:
        assert hint in (error.hint or "")


@pytest.mark.parametrize("sql", ["SELECT frobnicate(id) FROM orders", "SELECT zzzfoo(id) FROM orders"])
def test_no_far_off_function_is_named(catalog: Catalog, sql: str) -> None:
    with pytest.raises(SqlError, match="there is no function") as caught:
        catalog.sql(sql)
    assert caught.value.hint is None


def test_no_far_off_table_is_called_near(catalog: Catalog) -> None:
    with pytest.raises(SqlError, match="no table `quite_another`") as caught:
        catalog.sql("SELECT * FROM quite_another")
    assert caught.value.hint == "there are: `orders`, `texts`"


def test_a_type_with_a_length_is_not_taken_for_a_call(catalog: Catalog) -> None:
    with pytest.raises(SqlError, match="syntax error") as caught:
        catalog.sql("SELECT CAST(id AS CHAR(10)) FROM orders WHERE WHERE")
    assert caught.value.hint is None


@pytest.mark.parametrize(
    ("said", "shown"),
    [("Binder Error: UPPER stays", "UPPER stays"), ("Binder Error: Lower does not", "lower does not")],
)
def test_a_word_in_capitals_keeps_its_first_letter(said: str, shown: str) -> None:
    assert explain(said, "SELECT 1", {}, {}) == (shown, None)


def test_a_misspelt_table_is_no_python_variable(catalog: Catalog) -> None:
    wordz = "a variable"
    with pytest.raises(SqlError, match="no table `wordz`"):
        catalog.sql("SELECT * FROM wordz")
    assert wordz


# Functions of other dialects --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor]]:
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    for macro in MACROS:
        duck.execute(macro)
    yield lite, duck, SqlDoor({"t": ["x"]}, {}, {"t": []})
    lite.close()
    duck.close()


_CALLS = [
    "datetime(x{})",
    "julianday(x{})",
    "unixepoch(x{})",
    "date(x, '+0 days'{})",
    "time(x, '+30 minutes'{})",
    "strftime('%Y-%m-%d %H:%M:%S', x{})",
    "strftime('%s', x{})",
    "strftime('%Y', x{}) + 1",
    "strftime('%j|%w', x{})",
]
_MOMENTS = ["2024-01-31", "2024-02-29 23:59:59", "1999-12-31T00:00:01", "10:11", "2459000.5", "junk", None]
_MODIFIERS = [
    *("+1 month", "-13 months", "+1 year", "-4 years", "+1.5 days", "-36 hours", "+90 minutes", "-1 second"),
    *("start of month", "start of year", "start of day", "weekday 0", "weekday 3", "+01:30", "-02:00:10", "nonsense"),
]


def _same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=0, abs_tol=1e-8)
    return left == right


@given(
    st.sampled_from(_CALLS),
    st.sampled_from(_MOMENTS),
    st.lists(st.sampled_from(_MODIFIERS), max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_times_are_sqlites(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor],
    call: str,
    moment: str | None,
    modifiers: list[str],
) -> None:
    lite, duck, door = engines
    value = "NULL" if moment is None else f"'{moment}'"
    expression = call.format("".join(f", '{modifier}'" for modifier in modifiers))
    sql = f"SELECT {expression} FROM (SELECT CAST({value} AS VARCHAR) AS x) AS t"
    expected = lite.execute(sql).fetchone()[0]
    got = duck.execute(door.prepare(sql).sql).fetchone()
    assert got is not None
    assert _same(got[0], expected), (sql, door.prepare(sql).sql, got[0], expected)


@pytest.mark.parametrize(
    "moment", ["2024-01-01 10:11:12+02:00", "infinity", "2024/01/02", "2024-1-1", "12:30", "2460000.5"]
)
@pytest.mark.parametrize("macro", ["sqlite_moment", "sqlite_read"])
def test_text_is_read_as_sqlite_reads_it(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor], macro: str, moment: str
) -> None:
    lite, duck, _ = engines
    expected = lite.execute("SELECT strftime('%Y-%m-%d %H:%M', ?)", [moment]).fetchone()
    assert duck.execute(f"SELECT strftime({macro}('{moment}'), '%Y-%m-%d %H:%M')").fetchone() == expected


@pytest.mark.parametrize(
    "moment", ["2024-02-30", "2023-02-29 10:11:12", "2024-04-31T23:00", "2024-02-32", "2024-13-01"]
)
@pytest.mark.parametrize(
    "call",
    ["julianday(x)", "unixepoch(x)", "datetime(x, '+1 day')", "time(x, '+30 minutes')", "strftime('%Y-%m-%d', x)"],
)
def test_a_day_beyond_the_end_of_its_month_runs_into_the_next(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor], call: str, moment: str
) -> None:
    lite, duck, door = engines
    sql = f"SELECT {call} FROM (SELECT CAST('{moment}' AS VARCHAR) AS x) AS t"
    # Without a modifier SQLite before 3.46 gives the day back as it was written.
    expected = lite.execute(sql.replace("', x)", "', x, '+0 days')")).fetchone()[0]
    got = duck.execute(door.prepare(sql).sql).fetchone()
    assert got is not None
    assert _same(got[0], expected)


_TOTALS = [
    "total(x)",
    "total(DISTINCT x)",
    "total(x) FILTER (WHERE x > 1)",
    "total(DISTINCT x) FILTER (WHERE x > 9)",
    "total(x) OVER (ORDER BY x NULLS LAST ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
]


@pytest.mark.parametrize("call", _TOTALS)
@pytest.mark.parametrize("rows", ["(1), (2), (2), (NULL)", "(NULL)"])
def test_total_is_sqlites(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor], call: str, rows: str
) -> None:
    lite, duck, door = engines
    sql = f"WITH t(x) AS (VALUES {rows}) SELECT {call} FROM t"
    got = duck.execute(door.prepare(sql).sql).fetchall()
    assert sorted(got) == sorted(lite.execute(sql).fetchall())
    assert all(isinstance(value, float) for (value,) in got)


def test_times_of_sqlite_compare_with_dates() -> None:
    duck = duckdb.connect()
    for macro in MACROS:
        duck.execute(macro)
    duck.execute("CREATE TABLE days AS SELECT DATE '2024-01-07' AS d, TIMESTAMP '2024-01-07 10:00:00' AS ts")
    door = SqlDoor({"days": ["d", "ts"]}, {}, {"days": ["d", "ts"]})
    for condition in (
        "d >= date('2024-01-06', '+1 day')",
        "d BETWEEN date('2024-01-06', '+1 day') AND date('2024-01-06', '+2 days')",
        "date('2024-01-06', '+1 day') = days.d",
        "ts > datetime('2024-01-06', '-1 day')",
        "strftime('%Y', d) - 2000 = 24",
    ):
        assert duck.execute(door.prepare(f"SELECT count(*) FROM days WHERE {condition}").sql).fetchone() == (1,)
    with pytest.raises(duckdb.Error, match="dateadd"):
        duck.execute("SELECT dateadd('weekday', 1, d) FROM days")
    duck.close()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("iif(1 > 2, 'a', 'b')", "b"),
        ("iif(1 > 2, 'a')", None),
        ("ifnull(NULL, 3)", 3),
        ("nvl(NULL, 3)", 3),
        ("isnull(NULL, 3)", 3),
        ("substring_index('a.b.c', '.', 2)", "a.b"),
        ("substring_index('a.b.c', '.', -2)", "b.c"),
        ("find_in_set('b', 'a,b')", 2),
        ("find_in_set('z', 'a,b')", 0),
        ("locate('b', 'abab', 3)", 4),
        ("charindex('z', 'ab')", 0),
        ("stuff('abcdef', 2, 3, 'x')", "axef"),
        ("stuff('abcdef', 0, 1, 'x')", None),
        ("stuff('abc', 9, 1, 'x')", None),
        ("CAST(dateadd('day', 1.9, '2024-01-30') AS VARCHAR)", "2024-01-31 00:00:00"),
        ("replicate('ab', 2) || space(2) || 'c'", "abab  c"),
        ("datename('month', '2024-03-05')", "March"),
        ("CAST(dateadd('month', 1, '2024-01-31') AS VARCHAR)", "2024-02-29 00:00:00"),
        ("CAST(eomonth('2024-02-03') AS VARCHAR)", "2024-02-29"),
        ("DATEDIFF('2024-03-01 10:00', '2024-02-01')", 29),
        ("DATE_FORMAT('2024-03-05 06:07:08', '%Y/%c/%e %H:%i:%s %M %W')", "2024/3/5 06:07:08 March Tuesday"),
        ("CAST(STR_TO_DATE('05.03.2024', '%d.%m.%Y') AS VARCHAR)", "2024-03-05 00:00:00"),
        ("STR_TO_DATE('bad', '%d.%m.%Y')", None),
        ("total(NULL)", 0.0),
    ],
)
def test_functions_have_their_meaning(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor], call: str, expected: object
) -> None:
    _, duck, door = engines
    got = duck.execute(door.prepare(f"SELECT {call}").sql).fetchone()
    assert got is not None
    assert _same(got[0], expected)


@pytest.mark.parametrize(
    "call",
    ["quote(x)", "glob('2*', x)", "char(65)", "likely(x)", "format('%05.1f|%s', 2.3, x)", "printf('%d', 7)"],
)
@pytest.mark.parametrize("value", ["2024", "it's"])
def test_functions_of_sqlite_give_what_sqlite_gives(
    engines: tuple[sqlite3.Connection, duckdb.DuckDBPyConnection, SqlDoor], call: str, value: str
) -> None:
    lite, duck, door = engines
    expected = lite.execute(f"WITH t(x) AS (SELECT ?) SELECT {call} FROM t", [value]).fetchone()
    got = duck.execute(door.prepare(f"WITH t(x) AS (SELECT ?) SELECT {call} FROM t").sql, [value]).fetchone()
    assert got == expected


# From the manuals: T-SQL's CAST and CONVERT (styles; whole numbers truncate), DATEADD (the type of its argument), STDEV,
# CHOOSE; MySQL's MID, FIELD and TRUNCATE.
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("CONVERT(int, 1.9)", 1),
        ("CONVERT(INT, -1.9)", -1),
        ("CONVERT(int, ' 12 ')", 12),
        ("TRY_CONVERT(int, 'x')", None),
        ("TRY_CONVERT(float, '1.5')", 1.5),
        ("TRY_CONVERT(date, '30.02.2024')", None),
        ("CONVERT(VARCHAR(7), day, 120)", "2024-01"),
        ("CONVERT(nvarchar(max), day, 112)", "20240131"),
        ("CONVERT(varchar, day, 101)", "01/31/2024"),
        ("CONVERT(varchar(4), '2024/01/31', 120)", "2024"),
        ("CONVERT(varchar(3), 'abcdef')", "abc"),
        ("DATEADD(month, 1, day)", dt.date(2024, 2, 29)),
        ("DATEADD(hour, 1, day)", dt.datetime(2024, 1, 31, 1)),  # noqa: DTZ001 -- DuckDB's TIMESTAMP has no zone
        ("YEAR('2024-03-04')", 2024),
        ("CHOOSE(2, 'a', 'b')", "b"),
        ("CHOOSE(3, 'a', 'b')", None),
        ("MID('Quadratically', 5, 6)", "ratica"),
        ("FIELD('Bb', 'Aa', 'Bb', 'Cc')", 2),
        ("FIELD('Gg', 'Aa', 'Bb')", 0),
        ("TRUNCATE(122, -2)", 100),
        ("CAST('abc' AS CHAR(3))", "abc"),
        ("format('{} %', 5)", "5 %"),
    ],
)
def test_functions_of_other_dialects_give_what_their_manuals_say(catalog: Catalog, call: str, expected: object) -> None:
    got = catalog.sql(f"SELECT {call} AS got FROM (SELECT 1), orders WHERE day = '2024-01-31'").rows()
    assert got == [(expected,)]


@pytest.mark.parametrize("tail", ["", " OVER ()"])
def test_deviations_of_t_sql_are_those_of_a_sample_or_of_all(catalog: Catalog, tail: str) -> None:
    sql = (
        f"SELECT STDEV(x){tail}, STDEVP(x){tail}, VAR(x){tail}, VARP(DISTINCT x){tail} FROM (VALUES (2), (4), (4)) t(x)"
    )
    (first, *_) = catalog.sql(sql).rows()
    expected = (statistics.stdev([2, 4, 4]), statistics.pstdev([2, 4, 4]), statistics.variance([2, 4, 4]), 1.0)
    assert first == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("CONVERT(int, '1.5')", r"1\.5 is no whole number"),
        ("CONVERT(varchar, day)", "DATE has another text in each dialect"),
    ],
)
def test_conversions_are_not_guessed(catalog: Catalog, call: str, said: str) -> None:
    with pytest.raises(SqlError, match=said):
        catalog.sql(f"SELECT {call} FROM orders")


def test_no_macro_hides_a_function_of_the_engine() -> None:
    with duckdb.connect() as plain:
        own = {name for (name,) in plain.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()}
    with duckdb.connect() as filled:
        for macro in MACROS:
            filled.execute(macro)
        macros = {
            name
            for (name,) in filled.execute(
                "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal"
            ).fetchall()
        }
    assert macros
    assert macros & own == set()


def test_times_of_a_column_with_a_time_type_are_left_alone(catalog: Catalog) -> None:
    right = "SELECT strftime('%Y', day), year(day), date_trunc('month', day) FROM orders"
    assert catalog.normalize(right).sql is right
    assert catalog.sql("SELECT strftime('%Y-%m', day) AS m FROM orders ORDER BY m").rows() == [
        ("2024-01",),
        ("2024-02",),
    ]


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("parquet")
    with duckdb.connect() as writer:
        rows = "SELECT 1 AS id, [1] AS l, INTERVAL 90 MINUTE AS span UNION ALL SELECT 2, [3], INTERVAL 2 HOUR"
        writer.execute(f"COPY ({rows}) TO '{folder / 'spans.parquet'}'")
    with Catalog.from_files(folder, folder / "catalog.duckdb") as opened:
        yield opened


def test_a_column_of_intervals_is_read_as_it_is(parquet: Catalog) -> None:
    right = "SELECT hour(span) AS h, date_part('minute', span) AS m FROM spans ORDER BY id"
    assert parquet.normalize(right).sql is right
    assert parquet.sql(right).rows() == [(1, 30), (2, 0)]


def test_a_bracket_beside_a_column_of_lists_is_a_list(parquet: Catalog) -> None:
    right = "SELECT id FROM spans WHERE l = [id]"
    assert parquet.normalize(right).sql is right
    assert parquet.sql(right).rows() == [(1,)]
    assert parquet.sql("SELECT [id] FROM [spans] WHERE [id] > 1").rows() == [(2,)]


def test_functions_of_times_read_text_columns(tmp_path: Path, task_with: Callable[..., Path]) -> None:
    task = task_with(
        db={"a.sqlite": ["CREATE TABLE e (moment TEXT)", "INSERT INTO e VALUES ('2024-03-05 06:07:08'), ('x')"]}
    )
    with Catalog.build(task, tmp_path / "c.duckdb") as built:
        years = built.sql("SELECT strftime('%Y', moment) AS y FROM e").to_series().to_list()
        assert years == ["2024", None]
        assert built.sql("SELECT year(moment) FROM e WHERE moment <> 'x'").item() == 2024
        assert built.sql("SELECT CAST(julianday(moment) AS INT) FROM e WHERE moment <> 'x'").item() == 2460375
        assert built.sql('SELECT count(*) FROM e WHERE moment LIKE "2024%"').item() == 1
