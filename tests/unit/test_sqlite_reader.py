"""SQLite files as tables: what is stored decides, and nothing is written beside the file."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer import _core
from debriefer.catalog import readers
from debriefer.errors import SourceError
from tests.conftest import shared_data


def database(path: Path, *statements: str, rows: Sequence[Sequence[Any]] = ()) -> Path:
    """Write a database; `rows` go into the table `t`."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
        for row in rows:
            connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", row)
    return path


def loaded(table: _core.SourceTable) -> list[tuple[Any, ...]]:
    """The rows as DuckDB has them, each column cast to the type that the reader promises."""
    items = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"::{kind}' for name, kind in table.columns)
    with duckdb.connect() as connection:
        connection.register("incoming", table)
        return connection.execute(f"SELECT {items} FROM incoming").fetchall()


def column(path: Path, values: Sequence[Any], declared: str = "") -> tuple[str, list[Any], _core.SourceTable]:
    """Store one column and return its type, its values and the table."""
    database(path, f"CREATE TABLE t (x {declared})", rows=[(value,) for value in values])
    table = _core.open_sqlite(path).read("t")
    return table.columns[0][1], [row[0] for row in loaded(table)], table


def codes(table: _core.SourceTable) -> list[str]:
    return [code for code, *_ in table.notes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "source.db"


def test_stored_integers_are_bigint_even_under_a_declared_boolean(path: Path) -> None:
    assert column(path, [1, 0, None], "BOOLEAN")[:2] == ("BIGINT", [1, 0, None])


def test_integers_beside_reals_are_double(path: Path) -> None:
    assert column(path, [1, 2.5, None, -(2**53)])[:2] == ("DOUBLE", [1.0, 2.5, None, -(2.0**53)])


def test_an_integer_that_a_double_would_round_stays_exact(path: Path) -> None:
    kind, values, table = column(path, [2**53 + 1, 0.5])
    assert (kind, [str(value) for value in values]) == ("DECIMAL(38,1)", ["9007199254740993.0", "0.5"])
    assert codes(table) == ["wide-numbers"]


def test_numbers_too_far_apart_for_a_decimal_become_text(path: Path) -> None:
    kind, values, _ = column(path, [2**53 + 1, 1e-300])
    assert (kind, values) == ("VARCHAR", ["9007199254740993", "1e-300"])


def test_infinite_reals_are_kept(path: Path) -> None:
    assert column(path, [math.inf, -math.inf, 1.5])[:2] == ("DOUBLE", [math.inf, -math.inf, 1.5])


def test_numbers_beside_text_become_text_and_are_counted(path: Path) -> None:
    kind, values, table = column(path, [21, 1.5, "abc", None])
    assert (kind, values) == ("VARCHAR", ["21", "1.5", "abc", None])
    assert table.notes == [("mixed-types", "`x` holds 1 integers, 1 reals, 1 texts: kept as text", 1, ["abc"])]


def test_an_integer_keeps_its_spelling_when_reals_and_text_follow(path: Path) -> None:
    assert column(path, [5, 5.0, "five"])[1] == ["5", "5.0", "five"]


def test_texts_that_stand_for_a_missing_number_are_null(path: Path) -> None:
    kind, values, table = column(path, [1, "", "NULL", 2], "INTEGER")
    assert (kind, values) == ("BIGINT", [1, None, None, 2])
    assert [(code, count) for code, _, count, _ in table.notes] == [("null-tokens", 2)]


def test_empty_texts_in_a_column_of_text_stay(path: Path) -> None:
    assert column(path, ["a", "", None, "NULL"], "TEXT")[:2] == ("VARCHAR", ["a", "", None, "NULL"])


def test_dates_stored_as_text_stay_text_for_sql_written_for_sqlite(path: Path) -> None:
    kind, values, table = column(path, ["2020-01-02", "2021-03-04"], "DATE")
    assert (kind, values, codes(table)) == ("VARCHAR", ["2020-01-02", "2021-03-04"], ["date-text"])


def test_a_code_with_leading_zeros_stays_a_code(path: Path) -> None:
    assert column(path, ["000021", "300707"], "TEXT")[:2] == ("VARCHAR", ["000021", "300707"])


def test_blobs_are_blobs_and_beside_text_hexadecimal(path: Path, tmp_path: Path) -> None:
    assert column(path, [b"\x00\xff", None, b""])[:2] == ("BLOB", [b"\x00\xff", None, b""])
    kind, values, table = column(tmp_path / "mixed.db", [b"\x00\xff", "text"])
    assert (kind, values) == ("VARCHAR", ["00FF", "text"])
    assert "blob-text" in codes(table)


def test_text_that_is_not_utf8_is_decoded_and_noted(path: Path, tmp_path: Path) -> None:
    for file, spelled, encoding in [(path, "深科技 上海 北京", "gbk"), (tmp_path / "w.db", "Café Zoë", "cp1252")]:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE t (x TEXT)")
            connection.execute("INSERT INTO t VALUES (CAST(? AS TEXT)), ('plain')", [spelled.encode(encoding)])
        table = _core.open_sqlite(file).read("t")
        assert loaded(table) == [(spelled,), ("plain",)]
        assert codes(table) == ["encoding"]


def test_nul_characters_and_every_script_come_through(path: Path) -> None:
    texts = ["a\0b", "深圳", "🙂", "e\u0301"]
    assert column(path, texts, "TEXT")[1] == texts


def test_an_empty_table_is_typed_by_its_declaration(path: Path) -> None:
    database(path, "CREATE TABLE t (a INTEGER, b REAL, c VARCHAR(9), d DATE, e DECIMAL(5,2), f BLOB, g)")
    table = _core.open_sqlite(path).read("t")
    assert [kind for _, kind in table.columns] == [
        "BIGINT",
        "DOUBLE",
        "VARCHAR",
        "VARCHAR",
        "DOUBLE",
        "BLOB",
        "VARCHAR",
    ]
    assert loaded(table) == []


def test_tables_and_views_are_listed_in_order_of_creation_without_shadows(path: Path) -> None:
    database(
        path,
        "CREATE TABLE zeta (a INTEGER PRIMARY KEY AUTOINCREMENT)",
        "CREATE TABLE alpha (a TEXT PRIMARY KEY, b) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE words USING fts5(body)",
        "CREATE VIEW seen AS SELECT a FROM alpha",
        "INSERT INTO alpha VALUES ('x', 1)",
        "INSERT INTO words VALUES ('hello world')",
    )
    source = _core.open_sqlite(path)
    assert source.tables == [("zeta", "table"), ("alpha", "table"), ("words", "table"), ("seen", "view")]
    assert loaded(source.read("alpha")) == [("x", 1)]
    assert loaded(source.read("seen")) == [("x",)]
    assert loaded(source.read("words")) == [("hello world",)]


def test_generated_columns_and_odd_names_are_read(path: Path) -> None:
    database(
        path,
        'CREATE TABLE "订单 ""x""" ("数量 (件)" INT, "a""b" TEXT, twice INT AS ("数量 (件)" * 2) VIRTUAL)',
        'INSERT INTO "订单 ""x""" ("数量 (件)", "a""b") VALUES (21, \'y\')',
    )
    table = _core.open_sqlite(path).read('订单 "x"')
    assert [name for name, _ in table.columns] == ["数量 (件)", 'a"b', "twice"]
    assert loaded(table) == [(21, "y", 42)]


def test_declarations_and_keys_are_given(path: Path) -> None:
    database(
        path,
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
        "CREATE TABLE child (a INT, b INT REFERENCES parent, PRIMARY KEY (b, a), "
        "FOREIGN KEY (a) REFERENCES parent (id))",
    )
    source = _core.open_sqlite(path)
    assert source.declared("parent") == ([("id", "INTEGER", False, 1), ("name", "TEXT", True, 0)], [])
    columns, keys = source.declared("child")
    assert columns == [("a", "INT", False, 2), ("b", "INT", False, 1)]
    assert sorted(keys) == [("a", "parent", "id"), ("b", "parent", "id")]


def test_a_view_that_fails_is_refused_and_the_rest_loads(path: Path) -> None:
    database(path, "CREATE TABLE t (x)", "CREATE VIEW broken AS SELECT y FROM gone", rows=[(1,)])
    source = _core.open_sqlite(path)
    with pytest.raises(SourceError, match=r"has a view `broken` that cannot be read: .*gone"):
        source.read("broken")
    assert loaded(source.read("t")) == [(1,)]


@pytest.mark.slow
def test_a_view_without_end_is_refused(path: Path) -> None:
    endless = "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT count(*) FROM c"
    database(path, endless)
    with pytest.raises(SourceError, match="never comes to an end"):
        _core.open_sqlite(path).read("v")


def test_a_damaged_page_costs_one_table_only(path: Path) -> None:
    database(path, "PRAGMA page_size = 512", "CREATE TABLE t (x)", "CREATE TABLE u (x)", rows=[("a" * 50,)] * 200)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO u VALUES (1)")
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 't'").fetchone()[0]
    content = bytearray(path.read_bytes())
    content[(root - 1) * 512 : root * 512] = b"\xff" * 512
    path.write_bytes(content)
    source = _core.open_sqlite(path)
    with pytest.raises(SourceError, match=r"has a table `t` that cannot be read: .*damaged") as caught:
        source.read("t")
    assert caught.value.hint == "`sqlite3 FILE .recover` may save what is left"
    assert loaded(source.read("u")) == [(1,)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"id,name\n1,a\n", "is not a SQLite database, or it is encrypted"),
        (bytes(range(256)) * 16, "is not a SQLite database, or it is encrypted"),
        (b"SQLite format 3\0" + bytes(range(256)) * 16, "is not a SQLite database, or it is encrypted"),
    ],
)
def test_what_is_no_database_is_refused(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        _core.open_sqlite(path)
    assert caught.value.hint


def test_a_missing_file_and_a_missing_table_are_named(path: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be opened"):
        _core.open_sqlite(tmp_path / "none.db")
    database(path, "CREATE TABLE t (x)")
    with pytest.raises(SourceError, match="has no table or view `u`") as caught:
        _core.open_sqlite(path).read("u")
    assert caught.value.hint == "it has `t`"


def test_a_locked_file_is_refused_in_words(path: Path) -> None:
    database(path, "CREATE TABLE t (x)", rows=[(1,)])
    # Locks of this process are invisible to this process: another one must hold it.
    hold = (
        "import sqlite3, sys\n"
        "writer = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "writer.execute('BEGIN EXCLUSIVE')\n"
        "writer.execute('INSERT INTO t VALUES (2)')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "locked\n"
        with pytest.raises(SourceError, match="is locked by another program") as caught:
            _core.open_sqlite(path)
        assert caught.value.hint == "close the program that writes to it"
        writer.kill()
    # The writer has died: what it did not commit is undone.
    assert loaded(_core.open_sqlite(path).read("t")) == [(1,)]


def test_a_write_ahead_log_is_respected_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "a b#%?.db"
    with closing(sqlite3.connect(tmp_path / "live.db")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (x)")
        writer.execute("INSERT INTO t VALUES (7)")
        writer.commit()
        path.write_bytes((tmp_path / "live.db").read_bytes())
        log = folder / f"{path.name}-wal"
        log.write_bytes((tmp_path / "live.db-wal").read_bytes())
    before = sorted(file.name for file in folder.iterdir())
    assert loaded(_core.open_sqlite(path).read("t")) == [(7,)]
    assert sorted(file.name for file in folder.iterdir()) == before
    log.unlink()
    # Without its log the file is a valid but older database: here one that has no table yet.
    assert _core.open_sqlite(path).tables == []
    assert sorted(file.name for file in folder.iterdir()) == [path.name]


def test_an_interrupted_transaction_is_rolled_back_in_a_copy(tmp_path: Path) -> None:
    live, path = tmp_path / "live.db", tmp_path / "crashed.db"
    database(live, "CREATE TABLE t (x)", rows=[(number,) for number in range(5000)])
    with closing(sqlite3.connect(live, isolation_level=None)) as writer:
        # A cache of one page makes the writer spill into the file before it commits.
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("UPDATE t SET x = -1")
        path.write_bytes(live.read_bytes())
        (tmp_path / "crashed.db-journal").write_bytes((tmp_path / "live.db-journal").read_bytes())
        writer.execute("ROLLBACK")
    before = {file.name: file.read_bytes() for file in tmp_path.glob("crashed*")}
    assert loaded(_core.open_sqlite(path).read("t")) == [(number,) for number in range(5000)]
    assert {file.name: file.read_bytes() for file in tmp_path.glob("crashed*")} == before


def test_a_column_that_changes_after_a_batch_is_one_column(path: Path) -> None:
    rows = 130_000  # more than one batch of 122,880
    database(
        path,
        "CREATE TABLE t (x)",
        f"INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < {rows - 2}) "
        "SELECT CASE WHEN n % 7 THEN n END FROM c",
        "INSERT INTO t VALUES ('late')",
    )
    table = _core.open_sqlite(path).read("t")
    assert (table.rows, table.columns) == (rows, [("x", "VARCHAR")])
    values = [row[0] for row in loaded(table)]
    assert values == [str(n) if n % 7 else None for n in range(rows - 1)] + ["late"]


STORED = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(max_size=8),
)
KINDS = st.sampled_from([st.none() | st.integers(-(2**63), 2**63 - 1), st.none() | st.text("ab\0 é深"), STORED])


@settings(max_examples=40, deadline=None)
@given(values=KINDS.flatmap(lambda kind: st.lists(kind, max_size=12)))
def test_every_value_comes_back_as_itself_or_as_its_text(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any]
) -> None:
    kind, got, table = column(tmp_path_factory.mktemp("law") / "law.db", values)
    assert table.rows == len(values)
    present = [value for value in values if value is not None]
    hexadecimal = any(not _is_utf8(value) for value in present if isinstance(value, bytes))
    for stored, read in zip(values, got, strict=True):
        if kind == "VARCHAR" and stored is not None:
            assert _spells(read, stored, hexadecimal=hexadecimal)
        elif isinstance(stored, str):
            assert read is None
            assert "null-tokens" in codes(table)
        else:
            assert read == stored


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _spells(text: str, stored: object, *, hexadecimal: bool) -> bool:
    if isinstance(stored, float):
        return float(text) == stored
    if isinstance(stored, bytes):
        return text == (stored.hex().upper() if hexadecimal else stored.decode())
    return text == str(stored)


def _databases() -> Iterator[Path]:
    yield from sorted((shared_data() / "spider_databases").glob("*.sqlite"))


@pytest.mark.slow
def test_real_databases_give_what_sqlite_gives() -> None:
    compared = 0
    for file in _databases():
        source = _core.open_sqlite(file)
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            for name, _ in source.tables:
                table = source.read(name)
                expected = connection.execute(f'SELECT * FROM "{name}"').fetchall()
                for ours, theirs in zip(loaded(table), expected, strict=True):
                    for value, raw in zip(ours, theirs, strict=True):
                        if isinstance(raw, bytes) and isinstance(value, str) and _is_utf8(raw):
                            assert value == raw.decode()
                        elif not isinstance(raw, bytes):
                            assert value == raw
                        compared += 1
    assert compared > 0


def test_reads_run_side_by_side(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    names = [f"t{number}" for number in range(8)]
    database(path, *[f"CREATE TABLE {name} AS SELECT {number} AS x" for number, name in enumerate(names)])
    source = _core.open_sqlite(path)
    with ThreadPoolExecutor(4) as readers:
        tables = list(readers.map(source.read, names))
    assert [loaded(table) for table in tables] == [[(number,)] for number in range(8)]


def test_timestamps_stored_as_numbers_stay_numbers(path: Path) -> None:
    moment = int(dt.datetime(2024, 1, 2, tzinfo=dt.UTC).timestamp())
    assert column(path, [moment], "TIMESTAMP")[:2] == ("BIGINT", [moment])


def test_renamed_columns_are_told_and_keep_their_declarations(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", 'CREATE TABLE t ("É" INTEGER PRIMARY KEY, "é" TEXT, "" REAL)')
    table = _core.open_sqlite(path).read("t")
    assert [name for name, _ in table.columns] == ["É", "é_2", "column_3"]
    [renamed] = [n for n in table.notes if n[0] == "renamed-columns"]
    assert renamed[2:] == (2, ["`é` → `é_2`", "`` → `column_3`"])
    [readable] = readers.read(path, "sqlite")
    assert isinstance(readable, readers.Readable)
    assert list(readable.declared) == [("É", "INTEGER"), ("é_2", "TEXT"), ("column_3", "REAL")]
    assert list(readable.primary_key) == ["É"]
