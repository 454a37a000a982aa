"""`normalize_sql`: what it repairs, what it refuses, and what it must leave alone."""

from __future__ import annotations

import contextlib
import time

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import debriefer
from debriefer.catalog.door import tokenize_sql
from debriefer.errors import SqlError
from tests.conftest import ROOT

TABLES = {
    "基金经理": ["在任基金数(只)", "姓名", "金额"],
    "t": ["a", "b", "n", "名称", "年份", "User Name", "update", "2023年收入", "a b", "a`b"],
    "u": ["id", "x y", "xy", "amt"],
    "软件": ["功能", "招生人数"],
    "w": ["ON率", "IN指数"],
    "Members.csv": ["n"],
}
FIXTURES = ROOT / "tests" / "fixtures" / "sql"


def normalized(sql: str) -> str:
    return debriefer.normalize_sql(sql, TABLES).sql


def lines(name: str) -> list[str]:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("--")]


REWRITTEN = lines("rewritten.sql")


@pytest.mark.parametrize(("before", "after"), list(zip(REWRITTEN[::2], REWRITTEN[1::2], strict=True)))
def test_form_is_repaired(before: str, after: str) -> None:
    assert normalized(before) == after
    # What is right stays as it is.
    assert normalized(after) == after


@pytest.mark.parametrize("sql", lines("unchanged.sql"))
def test_right_form_comes_back_as_the_same_object(sql: str) -> None:
    result = debriefer.normalize_sql(sql, TABLES)
    assert result.sql is sql
    assert result.rewrites == []


def test_rewrites_are_placed_in_characters_of_the_input() -> None:
    sql = "SELECT 姓名，`金额` FROM 基金经理 WHERE 姓名 = “张三”"
    result = debriefer.normalize_sql(sql, TABLES)
    assert [(r.kind, r.before, r.after) for r in result.rewrites] == [
        ("width", "，", ","),
        ("quote", "`金额`", '"金额"'),
        ("string", "“张三”", "'张三'"),
    ]
    assert [sql[r.start : r.end] for r in result.rewrites] == [r.before for r in result.rewrites]
    rebuilt, at = "", 0
    for rewrite in result.rewrites:
        rebuilt += sql[at : rewrite.start] + rewrite.after
        at = rewrite.end
    assert rebuilt + sql[at:] == result.sql


def test_two_candidates_are_named_and_nothing_is_rewritten() -> None:
    with pytest.raises(SqlError) as caught:
        normalized('SELECT "x  y" FROM u')
    assert "`x y`" in caught.value.message
    assert "`xy`" in caught.value.message
    assert caught.value.hint is not None


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "amout" FROM u',
        'SELECT id FROM u GROUP BY "amout"',
        'SELECT id FROM u ORDER BY "amout" DESC',
        'SELECT SUM("amout") FROM u',
        'SELECT COUNT(DISTINCT "amout") FROM u',
        "SELECT id FROM u WHERE \"amout\" = 'x'",
        'SELECT id FROM u WHERE "amout" > 5',
        "SELECT id FROM u WHERE \"amout\" IN ('x', 'y')",
        'SELECT id FROM u WHERE "amout" IS NULL',
        'SELECT "amout" + 1 FROM u',
        'SELECT coalesce("amtt", 0) FROM u',
    ],
)
def test_an_unknown_name_where_a_name_is_expected_lists_the_nearest(sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        normalized(sql)
    assert "names no column of `u`" in caught.value.message
    assert "`amt`" in (caught.value.hint or "")


def test_only_tables_in_scope_are_looked_at() -> None:
    assert normalized('SELECT id FROM u WHERE amt = "姓名"') == "SELECT id FROM u WHERE amt = '姓名'"
    with_both = 'SELECT id FROM u, 基金经理 WHERE amt = "姓名"'
    assert normalized(with_both) == with_both


def test_a_changed_mapping_is_seen() -> None:
    tables = {"t": ["a"]}
    assert debriefer.normalize_sql('SELECT a FROM t WHERE a = "b"', tables).sql.endswith("'b'")
    tables["t"].append("b")
    assert debriefer.normalize_sql('SELECT a FROM t WHERE a = "b"', tables).sql.endswith('"b"')
    assert debriefer.normalize_sql('SELECT a FROM t WHERE a = "b"', {"t": ("a",)}).sql.endswith("'b'")


def test_without_tables_only_repairs_that_need_no_names_are_made() -> None:
    assert debriefer.normalize_sql("SELECT `a b` FROM [my table]；").sql == 'SELECT "a b" FROM "my table";'
    for sql in ('SELECT x FROM t WHERE a = "b"', "SELECT [a] FROM t", "SELECT a[1] FROM t", 'SELECT "b" FROM t'):
        assert debriefer.normalize_sql(sql).sql is sql


def test_a_lone_surrogate_is_an_error_that_says_so() -> None:
    with pytest.raises(SqlError, match="surrogate"):
        debriefer.normalize_sql("SELECT '\ud800'")


# Laws -------------------------------------------------------------------------------------------------------------

_COLUMNS = ["a", "b", "n", '"User Name"', '"a b"', "名称", '"2023年收入"', "年份", '"update"', "t.a", 't."b"']
_column = st.sampled_from(_COLUMNS)
_text = st.text('ab`[]"，（“‘功能SELECT= ', max_size=8).map(lambda s: "'" + s.replace("'", "''") + "'")
_value = st.one_of(_text, st.integers(0, 99).map(str), st.just("NULL"))


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} || {p[1]})"),
        pair.map(lambda p: f"coalesce({p[0]}, {p[1]})"),
        pair.map(lambda p: f"[{p[0]}, {p[1]}]"),
        pair.map(lambda p: f"CASE WHEN {p[0]} = {p[1]} THEN {p[0]} ELSE {p[1]} END"),
        inner.map(lambda e: f"upper({e})"),
        inner.map(lambda e: f"{{'k': {e}}}"),
        inner.map(lambda e: f"CAST({e} AS VARCHAR)[1:2]"),
        inner.map(lambda e: f"(SELECT max({e}) FROM u WHERE u.id = t.a)"),
    )


_expression = st.recursive(st.one_of(_column, _value), _expressions, max_leaves=5)
_query = st.builds(
    lambda items, condition, order, comment: (
        f"SELECT {', '.join(items)} {comment} FROM t WHERE {condition} ORDER BY {order} LIMIT 3"
    ),
    st.lists(_expression, min_size=1, max_size=3),
    st.one_of(
        st.tuples(_expression, _expression).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(_column, _text).map(lambda p: f"{p[0]} LIKE {p[1]}"),
        st.tuples(_column, _text, _text).map(lambda p: f"{p[0]} IN ({p[1]}, {p[2]})"),
        st.tuples(_column, _text, _text).map(lambda p: f"{p[0]} BETWEEN {p[1]} AND {p[2]}"),
    ),
    _column,
    st.sampled_from(["", '/* it\'s "x" `y` [z] ，*/', '-- "x" \'y\n']),
)


@given(_query)
@settings(max_examples=150, deadline=None)
def test_queries_that_duckdb_parses_and_whose_names_are_right_are_not_touched(sql: str) -> None:
    assert len(duckdb.extract_statements(sql)) == 1
    assert debriefer.normalize_sql(sql, TABLES).sql is sql


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_answered(text: str) -> None:
    for tables in (None, TABLES):
        try:
            result = debriefer.normalize_sql(text, tables)
        except SqlError:
            continue
        assert isinstance(result.sql, str)


# The lexer beside DuckDB's own ------------------------------------------------------------------------------------

_FRAGMENTS = st.sampled_from(
    [
        *("SELECT", "name", "名称", '"q""x"', "`tick`", "'it''s'", "E'a\\'b'", "x'AB'", "$$a'b$$", "$t$a$$b$t$"),
        *("12", "1_000", "0x1F", "1e5", ".5", "1.25", "::", "->", "->>", "||", "<=", "<>", "!=", "==", "a$b", "_x"),
        *("+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ";", ".", ":", ":=", "=>", "=", "<", ">"),
        *("-- note\n", "/* a /* b */ c */"),
    ]
)
_KINDS = {
    "identifier": ("ident", "quoted", "backtick"),
    "keyword": ("ident",),
    "numeric_const": ("number",),
    "string_const": ("string",),
    "comment": ("comment",),
}


@given(st.lists(_FRAGMENTS, min_size=1, max_size=12))
@settings(max_examples=300, deadline=None)
def test_tokens_start_where_duckdb_says(fragments: list[str]) -> None:
    sql = " ".join(fragments)
    ours = {start: kind for kind, start, _ in tokenize_sql(sql)}
    for start, kind in duckdb.tokenize(sql):
        name = str(kind).rsplit(".", maxsplit=1)[-1]
        if name in _KINDS:
            assert ours.get(start) in _KINDS[name], (sql, start, name)


@given(st.text("aé名1_'\"`[]$-*/.:“”，（ES \n\u3000", max_size=40))
@settings(max_examples=300, deadline=None)
def test_tokens_cover_the_text(sql: str) -> None:
    ends = [0]
    for _, start, end in tokenize_sql(sql):
        assert start == ends[-1]
        ends.append(end)
    assert ends[-1] == len(sql.encode())


@pytest.mark.parametrize(
    "part",
    ['"q" = a AND ', "`a`, ", "[a], ", "“x", "2023年收入，", "(", "SELECT a AS x1, ", "CASE WHEN ", "f(a, ", "$x$ "],
)
def test_time_grows_with_the_length_and_no_faster(part: str) -> None:
    def seconds(sql: str) -> float:
        start = time.perf_counter()
        with contextlib.suppress(SqlError):
            debriefer.normalize_sql(sql, TABLES)
        return time.perf_counter() - start

    short = min(seconds("SELECT " + part * 2_000) for _ in range(3))
    # Sixteen times the text may take sixteen times the time and noise, not 256 times.
    assert seconds("SELECT " + part * 32_000) < 64 * short + 0.05
