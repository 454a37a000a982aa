"""`prediction.csv`: what is written, and what is seen in it."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import io
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import WorkbenchError
from debriefer.workbench.cells import cell_text
from debriefer.workbench.prediction import check_prediction
from debriefer.workbench.writing import prediction_text, write_prediction

CELLS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))


def written(result: object, tmp_path: Path) -> bytes:
    write_prediction(result, tmp_path / "prediction.csv")
    return (tmp_path / "prediction.csv").read_bytes()


def test_null_is_an_empty_cell(tmp_path: Path) -> None:
    frame = pl.DataFrame({"code": ["000021", None], "amount": [None, 1.5]})
    assert written(frame, tmp_path) == b"code,amount\n000021,\n,1.5\n"


def test_null_in_one_column_is_no_blank_line(tmp_path: Path) -> None:
    assert written(pl.DataFrame({"n": [1, None, 3]}), tmp_path) == b'n\n1\n""\n3\n'


def test_quotes_commas_and_line_breaks_survive(tmp_path: Path) -> None:
    texts = ['say "hi"', "a,b", "line\nbreak", "carriage\rreturn", " padded ", "深科技", "'"]
    written(pl.DataFrame({"a,b": texts, "n": range(len(texts))}), tmp_path)
    with (tmp_path / "prediction.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream)) == [["a,b", "n"], *([text, str(i)] for i, text in enumerate(texts))]


def test_values_keep_every_digit(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "big": [2**63 - 1],
            "double": [0.1 + 0.2],
            "integral": [4.0],
            "huge": [1e20],
            "small": [1.5e-9],
            "exact": [decimal.Decimal("12.500")],
            "single": pl.Series([0.1], dtype=pl.Float32),
        }
    )
    assert written(frame, tmp_path).decode().splitlines()[1] == (
        "9223372036854775807,0.30000000000000004,4.0,100000000000000000000.0,0.0000000015,12.500,0.1"
    )


def test_dates_times_and_the_rest_are_iso(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "day": [dt.date(2024, 3, 1)],
            "moment": [dt.datetime(2024, 3, 1)],  # noqa: DTZ001 -- without a zone
            "fraction": [dt.datetime(2024, 3, 1, 1, 2, 3, 450_000)],  # noqa: DTZ001
            "clock": [dt.time(1, 2, 3)],
            "zoned": pl.Series([dt.datetime(2024, 3, 1, tzinfo=dt.UTC)]).dt.convert_time_zone("Asia/Shanghai"),
            "flag": [True],
            "bytes": [b"\x01\xab"],
            "list": [[1.5, None]],
            "nested": [{"k": [dt.date(2024, 1, 1)]}],
            "length": [dt.timedelta(days=1, hours=2)],
        }
    )
    row = next(iter(list(csv.reader(io.StringIO(written(frame, tmp_path).decode())))[1:]))
    assert row == [
        "2024-03-01",
        "2024-03-01 00:00:00",
        "2024-03-01 01:02:03.450",
        "01:02:03",
        "2024-03-01 00:00:00+00:00",
        "true",
        "01ab",
        "[1.5,null]",
        '{"k":["2024-01-01"]}',
        "1 day 02:00:00",
    ]


def test_nanoseconds_are_kept() -> None:
    relation = duckdb.connect().sql("SELECT TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS t, 1 AS n")
    assert prediction_text(relation) == "t,n\n2024-01-01 00:00:00.123456789,1\n"


def test_what_duckdb_shows_a_model_is_what_the_file_holds() -> None:
    query = (
        "SELECT 1.50::DECIMAL(9,2), 170141183460469231731687303715884105727::HUGEINT // 10, 1e300, [1,2], "
        "MAP {'a': 1}, {'x': 0.5, 'y': DATE '2024-01-01'}, '\\xAA'::BLOB, TIME '01:02:03.5', "
        "UUID '00000000-0000-0000-0000-000000000001', true, "
        "TIMESTAMP '2024-01-01 10:00:00.25', 'a'::ENUM('a','b'), 0.1::FLOAT"
    )
    connection = duckdb.connect()
    names = ", ".join(f"c{i}" for i in range(13))
    (shown,) = connection.execute(query).fetchall()
    relation = connection.sql(f"SELECT * FROM ({query}) AS t({names})")
    (row,) = list(csv.reader(io.StringIO(prediction_text(relation))))[1:]
    # A single-precision number is widened when Python gets it, so its text is compared on its own.
    assert row[:-1] == [cell_text(value) for value in shown[:-1]]
    assert row[-1] == "0.1"


@pytest.mark.parametrize("result", [3, "text", [1, 2], [{"a": 1}], {"a": [1]}, object()])
def test_what_is_no_table_is_refused(result: object, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="not a table") as caught:
        write_prediction(result, tmp_path / "prediction.csv")
    assert caught.value.hint is not None
    assert "run_sql" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="no columns"):
        write_prediction(pl.DataFrame(), tmp_path / "prediction.csv")


def test_series_lazy_frames_and_relations_are_tables() -> None:
    assert prediction_text(pl.Series("n", [1])) == "n\n1\n"
    assert prediction_text(pl.LazyFrame({"n": [1]})) == "n\n1\n"
    assert prediction_text(duckdb.connect().sql("SELECT 1 AS n")) == "n\n1\n"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    written(pl.DataFrame({"n": [1]}), tmp_path)
    with pytest.raises(WorkbenchError):
        write_prediction(None, tmp_path / "prediction.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["prediction.csv"]
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_prediction(pl.DataFrame({"n": [1]}), tmp_path / "absent" / "prediction.csv")


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_any_text_reads_back_through_another_csv_reader(rows: list[tuple[str | None, str | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    read = list(csv.reader(io.StringIO(prediction_text(frame), newline="")))
    assert read == [["a", "b"], *([cell or "" for cell in row] for row in rows)]


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.integers(0, 6))
def test_check_counts_what_is_not_empty(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, str | None]], sample: int
) -> None:
    path = tmp_path_factory.mktemp("check") / "prediction.csv"
    write_prediction(pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row"), path)
    check = check_prediction(path, sample)
    assert check.columns == ("a", "b")
    assert check.rows == len(rows)
    assert check.non_null == tuple(sum(row[i] is not None for row in rows) for i in (0, 1))
    assert list(check.sample) == rows[:sample]


def test_check_reads_repeated_and_empty_names(tmp_path: Path) -> None:
    path = tmp_path / "prediction.csv"
    path.write_text('a,a,""\n1,,x\n', encoding="utf-8")
    check = check_prediction(path)
    assert (check.columns, check.non_null) == (("a", "a", ""), (1, 0, 1))


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2,3\n", b"a\n\xff\n", b'a\n"open\n', b'a\n"x"y\n'])
def test_check_refuses_what_is_no_table(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "prediction.csv"
    path.write_bytes(content)
    with pytest.raises(WorkbenchError, match="is no table"):
        check_prediction(path)


def test_dates_that_polars_lacks_are_written_as_the_engine_writes_them(tmp_path: Path) -> None:
    query = (
        "SELECT 'infinity'::DATE AS a, DATE '10000-01-01' AS b, ['-infinity'::TIMESTAMP] AS c, DATE '9999-12-31' AS d"
    )
    assert written(duckdb.sql(query), tmp_path) == b"a,b,c,d\ninfinity,10000-01-01,[-infinity],9999-12-31\n"
