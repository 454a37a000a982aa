from __future__ import annotations

import datetime as dt
import gc
import itertools
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from debriefer.catalog import Catalog, readers
from debriefer.catalog.build import build_file
from debriefer.errors import CatalogError, MissingFileError, SqlError
from debriefer.task import Task


def test_every_kind_of_file_becomes_a_table(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(
        csv={"Members.csv": "id,name\n1,Ann\n2,Bob\n"},
        json={"dues.json": {"table": "dues", "records": [{"member_id": 1, "amount": 12.5}]}},
        db={"club.sqlite": "CREATE TABLE event (id INTEGER, title TEXT); INSERT INTO event VALUES (1, 'Ball')"},
    )
    duckdb.sql("SELECT 7 AS n").write_parquet(str(folder / "context" / "numbers.parquet"))
    with Catalog.build(folder, tmp_path / "catalog.duckdb") as catalog:
        assert {name: table.kind for name, table in catalog.tables.items()} == {
            "members": "delimited",
            "dues": "json",
            "event": "sqlite",
            "numbers": "parquet",
        }
        query = "SELECT m.name, d.amount FROM members m JOIN dues d ON d.member_id = m.id"
        assert catalog.sql(query).rows() == [("Ann", 12.5)]
        assert catalog.sql("SELECT n FROM numbers").item() == 7


def test_code_column_keeps_leading_zeros(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"stocks.csv": "code,name\n000021,深科技\n300707,威唐工业\n"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert catalog.sql("SELECT code FROM stocks WHERE name = '深科技'").item() == "000021"


def test_types_come_from_the_whole_file(task_with: Callable[..., Path], tmp_path: Path) -> None:
    rows = "".join(f"{number},{number}\n" for number in range(1, 30_001))
    folder = task_with(csv={"late.csv": f"code,amount\n{rows}000021,1.5\n"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert catalog.sql("SELECT code, amount FROM late").row(-1) == ("000021", 1.5)


def test_same_name_in_two_places_gets_source_prefixes_in_any_order(
    task_with: Callable[..., Path], tmp_path: Path
) -> None:
    folder = task_with(
        csv={"users.csv": "id\n1\n"},
        db={"shop.db": "CREATE TABLE users (id INTEGER)", "forum.db": "CREATE TABLE users (id INTEGER)"},
    )
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        names = list(catalog.tables)
    assert len(names) == 3
    assert len({name.casefold() for name in names}) == 3
    files = [(path.relative_to(folder / "context").as_posix(), path) for path in (folder / "context").rglob("*.*")]
    for number, order in enumerate(itertools.permutations(files)):
        manifest = build_file(order, tmp_path / f"{number}.duckdb")
        assert [table.name for table in manifest.tables] == names
        by_name = {table.name: table.source for table in manifest.tables}
        assert by_name == {table.name: table.source for table in Catalog.open(tmp_path / "c.duckdb").tables.values()}


def test_unreadable_file_is_refused_alone(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"good.csv": "x\n1\n"}, db={})
    broken = folder / "context" / "db" / "broken.db"
    broken.parent.mkdir()
    broken.write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert list(catalog.tables) == ["good"]
        (refusal,) = catalog.refusals
    assert refusal.source == "db/broken.db"
    assert refusal.message
    assert refusal.hint


def test_documents_and_media_are_no_tables(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"}, doc={"notes.md": "# A heading\n\nSome, prose.\n"}, knowledge="k")
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert list(catalog.tables) == ["a"]
        assert catalog.skipped == ("doc/notes.md", "knowledge.md")
        assert catalog.refusals == ()


def test_task_without_context_has_an_empty_catalog(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text('{"question": "?"}')
    with Catalog.build(tmp_path, tmp_path / "out" / "c.duckdb") as catalog:
        assert dict(catalog.tables) == {}


def test_engine_enforces_read_only(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    path = tmp_path / "c.duckdb"
    with Catalog.build(folder, path) as catalog:
        # Past the door, on the bare connection: the engine itself must refuse.
        connection = catalog._connection
        for statement in (
            "CREATE TABLE t AS SELECT 1",
            "DELETE FROM a",
            "COPY a TO 'out.csv'",
            "SELECT * FROM read_csv('/etc/passwd')",
            "ATTACH 'other.duckdb'",
            "SET enable_external_access = true",
            "SET threads = 1",
            "INSTALL sqlite",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)
        assert catalog.sql("SELECT count(*) FROM a").item() == 1


def test_building_twice_gives_the_same_names_and_content(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a b.csv": "x,y\n1,é\n2,\n"}, json={"a_b.json": [{"x": 1}, {"y": [1, {"z": 2}]}]})
    dumps = []
    for number in range(2):
        with Catalog.build(folder, tmp_path / f"{number}.duckdb") as catalog:
            tables = {name: catalog.sql(f'SELECT * FROM "{name}"').rows() for name in catalog.tables}
            dumps.append((catalog._manifest, tables))
    assert dumps[0] == dumps[1]


def test_reuse_rebuilds_only_when_content_changed(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    path = tmp_path / "c.duckdb"
    Catalog.build(folder, path).close()
    first = path.stat().st_mtime_ns
    Catalog.build(folder, path, reuse=True).close()
    assert path.stat().st_mtime_ns == first
    (folder / "context" / "csv" / "a.csv").write_text("x\n2\n")
    with Catalog.build(folder, path, reuse=True) as catalog:
        assert catalog.sql("SELECT x FROM a").item() == 2


def test_aliases_find_the_table_and_clash_with_nothing(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"2024 Sales.csv": "x\n5\n", "order.csv": "x\n6\n"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert set(catalog.tables) == {"t_2024_sales", "order"}
        for name in ("t_2024_sales", "T_2024_SALES", "df_t_2024_sales", '"2024 Sales.csv"', '"2024 Sales"'):
            assert catalog.sql(f"SELECT x FROM {name}").item() == 5
        assert catalog.sql('SELECT x FROM "order"').item() == 6
        assert catalog.sql("SELECT x FROM t_order").item() == 6
        assert catalog.table("DF_ORDER").name == "order"
        with pytest.raises(CatalogError) as caught:
            catalog.table("absent")
        assert "`order`" in (caught.value.hint or "")


def test_result_columns_that_occur_twice_get_a_suffix(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        frame = catalog.sql("SELECT x, x, x AS x_2, INTERVAL 1 DAY AS span FROM a ORDER BY 1")
    assert frame.columns == ["x", "x_3", "x_2", "span"]
    assert frame.row(0) == (1, 1, 1, "1 day")


def test_preview_counts_all_rows(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n" + "".join(f"{i}\n" for i in range(1000))})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        preview = catalog.preview("SELECT x FROM a ORDER BY x -- a comment at the end", limit=3)
        assert (preview.total_rows, preview.rows, preview.columns) == (1000, ((0,), (1,), (2,)), ("x",))
        assert catalog.preview("SELECT x FROM a WHERE x < 2;", limit=3).total_rows == 2
        for end in (";-- c", "; ;", ";;  /* x */", " -- c\n;"):
            assert catalog.preview(f"SELECT x FROM a{end}", limit=3).total_rows == 1000


def test_statements_run_in_many_threads(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n" + "".join(f"{i}\n" for i in range(1000))})
    results: list[int] = []
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        threads = [
            threading.Thread(
                target=lambda n=number: results.append(catalog.sql(f"SELECT count(*) FROM a WHERE x < {n}").item())
            )
            for number in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == list(range(16))


def test_closed_catalog_says_so(task_with: Callable[..., Path], tmp_path: Path) -> None:
    catalog = Catalog.build(task_with(csv={"a.csv": "x\n1\n"}), tmp_path / "c.duckdb")
    catalog.close()
    with pytest.raises(SqlError, match="is closed"):
        catalog.sql("SELECT 1")


def test_files_that_are_no_catalog_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        Catalog.open(tmp_path / "absent.duckdb")
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(CatalogError, match="cannot be opened"):
        Catalog.open(tmp_path / "text.duckdb")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    with pytest.raises(CatalogError, match="no catalog"):
        Catalog.open(tmp_path / "other.duckdb")


def test_failed_build_leaves_no_half_file(task_with: Callable[..., Path], tmp_path: Path) -> None:
    target = tmp_path / "folder-in-the-way"
    target.mkdir()
    (target / "x").write_text("")
    with pytest.raises(CatalogError, match="cannot be written"):
        Catalog.build(task_with(csv={"a.csv": "x\n1\n"}), target)
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_working_copy_builds_into_its_workdir(task_with: Callable[..., Path], tmp_path: Path) -> None:
    copy = Task.open(task_with(csv={"a.csv": "x\n1\n"})).working_copy(tmp_path / "work")
    with Catalog.build(copy) as catalog:
        assert catalog.path == copy.folder / "workdir" / "catalog.duckdb"


def test_catalog_moves_with_its_file(task_with: Callable[..., Path], tmp_path: Path) -> None:
    Catalog.build(task_with(csv={"a.csv": "x\n1\n"}), tmp_path / "c.duckdb").close()
    shutil.move(tmp_path / "c.duckdb", tmp_path / "moved.duckdb")
    with Catalog.open(tmp_path / "moved.duckdb") as catalog:
        assert catalog.sql("SELECT x FROM a").item() == 1


def test_table_that_cannot_be_stored_is_refused_alone(
    task_with: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n", "b.csv": "x\ntext\n", "c.csv": "x\n3\n"})

    def wrong_type(path: Path, kind: str) -> list[readers.Readable]:
        tables = list(read(path, kind))
        return [replace(table, columns=[("x", "BIGINT")]) for table in tables]

    read = readers.read
    monkeypatch.setattr(readers, "read", wrong_type)
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert list(catalog.tables) == ["a", "c"]
        assert [refusal.source for refusal in catalog.refusals] == ["csv/b.csv"]
        assert catalog.sql("SELECT x FROM c").item() == 3


def test_file_that_cannot_be_opened_is_refused_alone(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n", "b.csv": "x\n2\n"})
    # Deleted between the listing and the reading: root may open everything that is there.
    vanishing = folder / "context" / "csv" / "b.csv"
    files = [("csv/a.csv", folder / "context" / "csv" / "a.csv"), ("csv/b.csv", vanishing)]
    vanishing.unlink()
    manifest = build_file(files, tmp_path / "c.duckdb")
    assert [table.name for table in manifest.tables] == ["a"]
    assert [refusal.source for refusal in manifest.refusals] == ["csv/b.csv"]


def test_rebuilding_under_an_open_catalog_is_refused_not_stale(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    path = tmp_path / "c.duckdb"
    with Catalog.build(folder, path):
        (folder / "context" / "csv" / "a.csv").write_text("x\n1\n2\n")
        with pytest.raises(CatalogError, match="still open"):
            Catalog.build(folder, path)
    with Catalog.build(folder, path) as catalog:
        assert catalog.sql("SELECT count(*) FROM a").item() == 2


def test_no_file_name_can_stand_in_the_way_of_another(task_with: Callable[..., Path], tmp_path: Path) -> None:
    names = ("incoming", "incoming_0", "incoming_1", "incoming 0", "zzz")
    folder = task_with(csv={f"{name}.csv": f"{name[-1]}\n1\n" for name in names})
    undecodable = bytes(folder / "context" / "csv") + b"/\xff\xfe.csv"
    with open(undecodable, "wb") as stream:  # noqa: PTH123 -- pathlib takes no bytes
        stream.write(b"x\n1\n")
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert {table.source for table in catalog.tables.values()} == {f"csv/{name}.csv" for name in names}
        (refusal,) = catalog.refusals
    assert "not UTF-8" in refusal.message


def test_parquet_path_is_no_pattern_and_gives_no_column(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(other={"year=2024/a.txt": ""})
    context = folder / "context" / "year=2024"
    for name, value in (("a1", 1), ("a[1]", 2), ("a*", 3), ("a?", 4)):
        duckdb.sql(f"SELECT {value} AS n").write_parquet(str(context / f"{name}.parquet"))
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        rows = {
            table.source.removeprefix("year=2024/"): catalog.sql(f'SELECT * FROM "{name}"').rows()
            for name, table in catalog.tables.items()
        }
    assert rows == {"a1.parquet": [(1,)], "a[1].parquet": [(2,)], "a*.parquet": [(3,)], "a?.parquet": [(4,)]}


def test_database_without_tables_is_named(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(db={"empty.db": "CREATE TABLE t (x); DROP TABLE t"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert [refusal.source for refusal in catalog.refusals] == ["db/empty.db"]


def test_threads_may_build_one_target(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    errors: list[BaseException] = []

    def build() -> None:
        try:
            build_file([("csv/a.csv", folder / "context" / "csv" / "a.csv")], tmp_path / "c.duckdb")
        except BaseException as error:  # noqa: BLE001 -- shown by the assertion
            errors.append(error)

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Catalog.open(tmp_path / "c.duckdb") as catalog:
        assert catalog.sql("SELECT x FROM a").item() == 1


def test_what_is_left_out_unopened_is_a_note(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    link = folder / "context" / "csv" / "b.csv"
    link.symlink_to(tmp_path / "nowhere.csv")
    with Catalog.build(folder, tmp_path / "c.duckdb", reuse=True) as catalog:
        [note] = [note for note in catalog.notes if note.code == "left-out"]
        assert (note.source, note.message, note.table) == ("csv/b.csv", "this is a link that leads nowhere", None)
    link.unlink()
    with Catalog.build(folder, tmp_path / "c.duckdb", reuse=True) as catalog:
        assert "left-out" not in {note.code for note in catalog.notes}


def test_a_contested_alias_is_noted(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"order.csv": "x\n1\n", "t_order.csv": "x\n2\n"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        [note] = [note for note in catalog.notes if note.code == "contested-aliases"]
        assert (note.table, note.samples) == ("order", ("t_order",))
        assert catalog.sql("SELECT x FROM t_order").item() == 2


def test_parquet_columns_get_names_of_their_own(task_with: Callable[..., Path], tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS \"名称 \", 'b' AS \"a\nb\", 2.5::DOUBLE AS x) TO '{path}'")
    folder = task_with(other={"p.parquet": path.read_bytes()})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert catalog.table("p").column_names == ("名称", "a b", "x")
        assert catalog.sql("SELECT * FROM p").rows() == [(1, "b", 2.5)]
        [note] = catalog.notes
        assert (note.code, note.samples) == ("renamed-columns", ("`a\nb` → `a b`",))


def test_parquet_that_is_damaged_inside_is_refused_alone(task_with: Callable[..., Path], tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT range AS x, md5(range::VARCHAR) AS y FROM range(5000)) TO '{path}'")
    content = bytearray(path.read_bytes())
    content[40:4000] = bytes(reversed(content[40:4000]))
    folder = task_with(csv={"a.csv": "x\n1\n"}, other={"p.parquet": bytes(content), "q.parquet": b"PAR1xxPAR1"})
    with Catalog.build(folder, tmp_path / "c.duckdb") as catalog:
        assert list(catalog.tables) == ["a"]
        assert [refusal.source for refusal in catalog.refusals] == ["p.parquet", "q.parquet"]
        assert {refusal.hint for refusal in catalog.refusals} == {"write the file again; it is damaged or was cut off"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("'infinity'::DATE", "infinity"),
        ("'-infinity'::TIMESTAMP", "-infinity"),
        ("'infinity'::TIMESTAMP_S", "infinity"),
        ("'-infinity'::TIMESTAMP_NS", "-infinity"),
        ("'infinity'::TIMESTAMPTZ", "infinity"),
        ("DATE '10000-01-01'", "10000-01-01"),
        ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
        ("['infinity'::DATE, NULL]", "[infinity, NULL]"),
        ("MAP {'infinity'::DATE: 1}", "{infinity=1}"),
        ("{'a': '-infinity'::TIMESTAMP}", "{'a': -infinity}"),
    ],
)
def test_dates_that_python_lacks_are_shown_as_the_engine_writes_them(
    task_with: Callable[..., Path], tmp_path: Path, value: str, text: str
) -> None:
    with Catalog.build(task_with(csv={"t.csv": "n\n1\n"}), tmp_path / "c.duckdb") as catalog:
        assert catalog.sql(f"SELECT {value} AS d, n FROM t").rows() == [(text, 1)]
        # The client gives nested values beyond the years as Python values that hold text.
        assert catalog.preview(f"SELECT {value} AS d, n FROM t").rows == ((text, 1),)


def test_real_last_days_stay_dates(task_with: Callable[..., Path], tmp_path: Path) -> None:
    with Catalog.build(task_with(csv={"t.csv": "d\n9999-12-31\n0001-01-01\n2024-02-29\n"}), tmp_path / "c") as catalog:
        days = [(dt.date(9999, 12, 31),), (dt.date(1, 1, 1),), (dt.date(2024, 2, 29),)]
        assert catalog.sql("SELECT d::DATE AS d FROM t").rows() == days
        assert list(catalog.preview("SELECT d::DATE AS d FROM t").rows) == days
        mixed = "SELECT d::DATE AS d FROM t UNION ALL SELECT 'infinity'::DATE"
        assert list(catalog.preview(mixed).rows) == [*days, ("infinity",)]
        shown = catalog.preview(mixed, 1)
        assert (shown.rows, shown.total_rows) == ((days[0],), 4)


def test_a_folder_that_was_made_for_the_file_goes_with_the_catalog(
    task_with: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = task_with(csv={"t.csv": "n\n1\n"})
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with Catalog.build(Task.open(folder)) as catalog:
        assert catalog.path.is_relative_to(tmp_path / "temporary")
        assert catalog.sql("SELECT n FROM t").item() == 1
    catalog.close()
    assert list((tmp_path / "temporary").iterdir()) == []
    catalog = Catalog.build(folder)
    del catalog
    gc.collect()
    assert list((tmp_path / "temporary").iterdir()) == []
