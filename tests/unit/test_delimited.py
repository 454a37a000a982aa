"""Delimited text: every way in which files are written, and that nothing is lost in silence."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer import _core
from debriefer.errors import SourceError

# Opening DuckDB takes longer than any test here.
CONNECTION = duckdb.connect()

Reader = Callable[[str | bytes], "Read"]


class Read:
    """A file as it was read: columns, types, rows and notes."""

    def __init__(self, path: Path) -> None:
        table = _core.read_delimited(path)[0]
        self.columns = [name for name, _ in table.columns]
        self.types = [sql_type for _, sql_type in table.columns]
        self.notes = {code: (message, count, samples) for code, message, count, samples in table.notes}
        CONNECTION.register("incoming", table)
        self.rows: list[tuple[Any, ...]] = CONNECTION.execute("SELECT * FROM incoming").fetchall()
        assert table.rows == len(self.rows)

    def column(self, index: int) -> list[Any]:
        return [row[index] for row in self.rows]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(content: str | bytes) -> Read:
        path = tmp_path / "file.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return Read(path)

    return reader


# --- types ---


def test_codes_keep_their_leading_zeros(read: Reader) -> None:
    found = read("code,name\n000021,深科技\n300707,威唐工业\n")
    assert found.types == ["VARCHAR", "VARCHAR"]
    assert found.column(0) == ["000021", "300707"]
    assert found.notes["leading-zeros"][2] == ["000021"]


def test_types_come_from_the_last_row_too(read: Reader) -> None:
    lines = [f"{i},{i}" for i in range(1, 130_000)]
    found = read("a,b\n" + "\n".join([*lines, "000021,1.5"]) + "\n")
    assert found.types == ["VARCHAR", "DOUBLE"]
    assert found.rows[-1] == ("000021", 1.5)
    assert found.rows[122_879] == ("122880", 122880.0)


@pytest.mark.parametrize(
    ("cells", "sql_type", "values"),
    [
        (["1", "-2", "0"], "BIGINT", [1, -2, 0]),
        (["9223372036854775807", "9223372036854775808"], "HUGEINT", [2**63 - 1, 2**63]),
        (["1" * 39, "2"], "VARCHAR", ["1" * 39, "2"]),
        (["1", "2.5"], "DOUBLE", [1.0, 2.5]),
        (["0.1", "0.30000000000000004"], "DOUBLE", [0.1, 0.30000000000000004]),
        (["1234567890123456789.25", "0.5"], "DECIMAL(21,2)", [Decimal("1234567890123456789.25"), Decimal("0.50")]),
        (["9007199254740993", "0.5"], "DECIMAL(17,1)", [Decimal(9007199254740993), Decimal("0.5")]),
        (["1.2e-05", "1e-05"], "DOUBLE", [1.2e-05, 1e-05]),
        (["1E5", "2E3"], "VARCHAR", ["1E5", "2E3"]),
        (["+1", "2"], "VARCHAR", ["+1", "2"]),
        (["true", "false"], "BOOLEAN", [True, False]),
        (["True", "False"], "VARCHAR", ["True", "False"]),
        (["2024-02-29", "0001-01-01"], "DATE", [date(2024, 2, 29), date(1, 1, 1)]),
        (["2023-02-29", "2024-01-01"], "VARCHAR", ["2023-02-29", "2024-01-01"]),
        (["2024-01-05T10:00", "2024-01-05 10:00:01.5"], "TIMESTAMP",
         [datetime(2024, 1, 5, 10), datetime(2024, 1, 5, 10, 0, 1, 500000)]),  # noqa: DTZ001
        (["2024-01-05 10:00:00+08:00", "2024-01-06 10:00:00+08:00"], "VARCHAR",
         ["2024-01-05 10:00:00+08:00", "2024-01-06 10:00:00+08:00"]),
        (["1:54.455", "10:15"], "VARCHAR", ["1:54.455", "10:15"]),
        (["1,234", "12"], "VARCHAR", ["1,234", "12"]),
        (["inf", "1.5"], "DOUBLE", [float("inf"), 1.5]),
    ],
)  # fmt: skip
def test_a_type_gives_every_value_back(read: Reader, cells: list[str], sql_type: str, values: list[object]) -> None:
    found = read("id\tx\n" + "".join(f"k{i}\t{cell}\n" for i, cell in enumerate(cells)))
    assert found.types[1] == sql_type
    assert found.column(1) == values


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["12.5%", "3%"], "percent-text"),
        (["￥1200", "￥3.5"], "currency-text"),
        (["$74.69", "$1,200"], "currency-text"),
        (["200万", "1.5亿"], "scaled-text"),
        (["1,234", "1,234,567"], "thousands-text"),
        (["1,5", "2,25"], "decimal-comma-text"),
        (["2024/1/5", "2024/12/31"], "date-text"),
        (["2026年1月5日", "2026年2月6日"], "date-text"),
        (["10:15", "23:59"], "time-text"),
    ],
)
def test_text_that_can_be_read_as_numbers_or_dates_is_offered(read: Reader, cells: list[str], code: str) -> None:
    found = read("id\tx\n" + "".join(f"k{i}\t{cell}\n" for i, cell in enumerate(cells)))
    assert found.column(1) == cells
    assert found.notes[code][1] == len(cells)
    assert "`x`" in found.notes[code][0]


def test_one_word_among_numbers_makes_a_text_column_without_an_offer(read: Reader) -> None:
    found = read("id,x\n1,10%\n2,unknown\n")
    assert found.column(1) == ["10%", "unknown"]
    assert "percent-text" not in found.notes


# --- NULL ---


def test_an_empty_cell_is_null_and_a_quoted_one_is_empty_text(read: Reader) -> None:
    found = read('a,b,c\nx,"",1\ny,,\nz,w,""\n')
    assert found.rows == [("x", "", 1), ("y", None, None), ("z", "w", None)]


def test_null_tokens_among_numbers_become_null_and_are_counted(read: Reader) -> None:
    found = read("id,x,d\n1,1.5,2024-01-05\n2,NA,-\n3,N/A,2024-01-06\n4,NA,2024-01-07\n")
    assert found.types == ["BIGINT", "DOUBLE", "DATE"]
    assert found.column(1) == [1.5, None, None, None]
    assert "`NA` (2)" in found.notes["null-tokens"][0] or "`-` (1)" in found.notes["null-tokens"][0]


def test_null_tokens_among_words_stay_text(read: Reader) -> None:
    found = read("id,country\n1,NA\n2,DE\n")
    assert found.column(1) == ["NA", "DE"]
    assert found.notes["null-like-text"][1] == 1


# --- encodings ---

CHINESE = "城市,人口\n上海,2487\n北京,2189\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_chinese_is_read_in_every_usual_encoding(read: Reader, encoding: str) -> None:
    found = read(CHINESE.encode(encoding))
    assert found.columns == ["城市", "人口"]
    assert found.rows == [("上海", 2487), ("北京", 2189)]


def test_a_chosen_encoding_is_said(read: Reader) -> None:
    assert "gb18030" in read(CHINESE.encode("gbk")).notes["encoding"][0]
    assert "windows-1252" in read("name,x\nJosé,1\nZoë,2\n".encode("latin-1")).notes["encoding"][0]
    assert "encoding" not in read(CHINESE).notes


def test_western_text_is_not_taken_for_chinese(read: Reader) -> None:
    assert read("name,x\nJosé,1\nZoë,2\n".encode("latin-1")).column(0) == ["José", "Zoë"]
    assert read("item,price\ntea,£5\ncoffee,£7\n".encode("cp1252")).column(1) == ["£5", "£7"]


def test_a_cut_or_stray_byte_costs_one_character_and_not_the_encoding(read: Reader) -> None:
    cut = read("名称,城市\n上海公司,北京\n广州公司,深圳".encode("gbk")[:-1])
    assert cut.columns == ["名称", "城市"]
    assert cut.rows == [("上海公司", "北京"), ("广州公司", "深\ufffd")]
    assert cut.notes["replaced-bytes"][1:] == (1, ["广州公司,深\ufffd"])
    for encoding, row in [
        ("gbk", "上海公司,北京\n"),
        ("big5", "電腦設備,我們這個\n"),
        ("shift_jis", "たなか,名古屋\n"),
    ]:
        content = ("a,b\n" + row * 150).encode(encoding) + b"\xff1,2\n" + (row * 150).encode(encoding)
        stray = read(content)
        assert stray.rows[0] == stray.rows[300] == tuple(row.strip().split(","))
        assert stray.notes["replaced-bytes"][1] == 1
        assert encoding.replace("gbk", "gb18030") in stray.notes["encoding"][0].lower()


def test_broken_utf8_is_counted_and_shown(read: Reader) -> None:
    found = read("城市,人口\n上海,1\n北京,2\n".encode().replace("北".encode(), b"\xe5\x8c"))
    assert found.notes["replaced-bytes"][1] == 1
    assert found.column(0)[0] == "上海"


# --- dialects ---


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~", "，"])
def test_the_delimiter_is_found(read: Reader, delimiter: str) -> None:
    rows = [["name", "qty", "note"], ["bolt", "10", "a b"], ["nut", "20", "c d"], ["pin", "30", ""]]
    found = read("\n".join(delimiter.join(row) for row in rows) + "\n")
    assert found.columns == ["name", "qty", "note"]
    assert found.rows == [("bolt", 10, "a b"), ("nut", 20, "c d"), ("pin", 30, None)]


def test_blanks_divide_only_tables_of_values(read: Reader) -> None:
    assert read("t v w\n1 2 3\n4 5 6\n").rows == [(1, 2, 3), (4, 5, 6)]
    assert read("name\nAda Lovelace\nAlan Turing\n").column(0) == ["Ada Lovelace", "Alan Turing"]


def test_decimal_commas_do_not_divide(read: Reader) -> None:
    assert read("a;b\n1,5;2,7\n3,5;4,25\n").rows == [("1,5", "2,7"), ("3,5", "4,25")]


def test_a_declared_delimiter_is_believed(read: Reader) -> None:
    found = read("sep=|\na,b|c\n1,2|3\n")
    assert (found.columns, found.rows) == (["a,b", "c"], [("1,2", 3)])


def test_single_quotes_and_backslashes_are_found(read: Reader) -> None:
    assert read("a,b\n'x, y',1\n'z',2\n").rows == [("x, y", 1), ("z", 2)]
    assert read('a,b\n"x \\"y\\", z",1\n"w",2\n').rows == [('x "y", z', 1), ("w", 2)]
    assert read("a,b\nit's,1\nthat's,2\n").column(0) == ["it's", "that's"]


def test_quoted_line_breaks_and_mixed_line_ends(read: Reader) -> None:
    assert read('a,b\r\n"x\r\ny",1\n"z ""w""",2\r3,4\n').rows == [("x\r\ny", 1), ('z "w"', 2), ("3", 4)]


def test_blanks_behind_delimiters(read: Reader) -> None:
    found = read('a, b, c\n1, "x, y", 2\n3, z, 4\n')
    assert (found.columns, found.rows) == (["a", "b", "c"], [(1, "x, y", 2), (3, "z", 4)])


def test_blanks_around_text_stay_and_around_numbers_are_noted(read: Reader) -> None:
    found = read("a,b\n x ,1\ny, 2\n")
    assert found.rows == [(" x ", 1), ("y", 2)]
    assert found.notes["padded-cells"][1] == 1


def test_a_quote_without_end_costs_one_field(read: Reader) -> None:
    found = read('a,b\n1,"open\n2,"x"\n3,"y"\n')
    assert found.rows == [(1, '"open'), (2, "x"), (3, "y")]
    assert found.notes["unterminated-quote"][1] == 1


def test_the_dialect_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("报表\n代码;名称\n1;'甲;乙'\n2;'丙'\n".encode("gb18030"))
    found = _core.sniff_dialect(path)
    assert (found.delimiter, found.quotechar, found.escapechar) == (";", "'", None)
    assert (found.encoding, found.skip_rows, found.has_header) == ("gb18030", 1, True)


# --- layout ---


def test_preamble_comments_and_footer_are_left_out_and_shown(read: Reader) -> None:
    found = read("Sales report\n# made by x\n\nid,name,qty\n1,bolt,5\n# half-time\n2,nut,7\n\nTotal: 12\n")
    assert found.columns == ["id", "name", "qty"]
    assert found.rows == [(1, "bolt", 5), (2, "nut", 7)]
    assert found.notes["preamble"][1:] == (2, ["Sales report", "# made by x"])
    assert found.notes["comment-lines"][1:] == (1, ["# half-time"])
    assert found.notes["footer"][1:] == (1, ["Total: 12"])


def test_short_and_long_rows_are_kept_and_shown(read: Reader) -> None:
    found = read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12,\n")
    assert found.columns == ["a", "b", "c", "column_4"]
    assert found.rows == [(1, 2, 3, None), (4, 5, None, None), (6, 7, 8, 9), (10, 11, 12, None)]
    assert found.notes["short-rows"][1:] == (1, ["4,5"])
    assert found.notes["long-rows"][1:] == (1, ["6,7,8,9"])


def test_a_row_with_one_delimiter_too_many_falls_into_its_columns(read: Reader) -> None:
    rows = "".join(f"2024-01-0{i},k{i},{i},x{i}\n" for i in range(1, 10))
    found = read(f"day,key,n,note\n{rows}2024-01-10,k10,,10,x10\n{rows}")
    assert found.types == ["DATE", "VARCHAR", "BIGINT", "VARCHAR"]
    assert found.rows[9] == (date(2024, 1, 10), "k10", 10, "x10")
    assert found.notes["realigned-rows"][1] == 1


def test_header_only_and_one_line(read: Reader) -> None:
    found = read("id,name\n")
    assert (found.columns, found.types, found.rows) == (["id", "name"], ["VARCHAR", "VARCHAR"], [])


def test_a_missing_header_is_noticed_only_where_it_is_clear(read: Reader) -> None:
    found = read("1,a,2024-01-05\n2,b,2024-01-06\n3,c,2024-01-07\n")
    assert (found.columns, len(found.rows)) == (["column_1", "column_2", "column_3"], 3)
    assert "no-header" in found.notes
    assert read("region,2019,2020\nnorth,1,2\nsouth,3,4\n").columns == ["region", "2019", "2020"]
    assert read("city,country\nOslo,Norway\nRome,Italy\n").columns == ["city", "country"]


def test_empty_and_repeated_names(read: Reader) -> None:
    found = read("id,,name,Name\n1,2,3,4\n")
    assert found.columns == ["id", "column_2", "name", "Name_2"]
    assert found.notes["renamed-columns"][1] == 2


def test_one_line_of_values_is_a_row(read: Reader) -> None:
    assert read("1,StreetA\n").rows == [(1, "StreetA")]
    assert read("id,name\n").rows == []


def test_a_title_with_a_delimiter_stands_above_the_header(read: Reader) -> None:
    found = read("some notes\nmore notes,...\nnumber,text,date\n345.0,TEST4,2000-12-13\n")
    assert (found.columns, found.rows) == (["number", "text", "date"], [(345.0, "TEST4", date(2000, 12, 13))])


def test_comments_hide_no_delimiter(read: Reader) -> None:
    found = read("a;b\n# no comma, no data\n1;3\n# one more\n6;7\n# and one\n# and one\n8;9\n")
    assert found.rows == [(1, 3), (6, 7), (8, 9)]


def test_cells_that_are_longer_than_the_sample(read: Reader) -> None:
    text = 'Words, and "quotes";\n' * 3_000
    quoted = text.replace('"', '""')
    assert read(f'a,b\n"{quoted}",1\n"{quoted}",2\n').rows == [(text, 1), (text, 2)]


def test_stray_nul_characters_are_kept_and_said(read: Reader) -> None:
    found = read("a,b\nx\0y\0,1\nz,2\n")
    assert found.rows == [("x\0y\0", 1), ("z", 2)]
    assert found.notes["nul-characters"][1] == 2


def test_row_names_without_a_header(read: Reader) -> None:
    found = read('"x","y"\n"a",1,2\n"b",3,4\n')
    assert (found.columns, found.rows) == (["column_1", "x", "y"], [("a", 1, 2), ("b", 3, 4)])


def test_a_repeated_header_is_left_out(read: Reader) -> None:
    found = read('id,name\n1,a\n"id","name"\n2,b\n')
    assert found.rows == [(1, "a"), (2, "b")]
    assert found.notes["repeated-header"][1] == 1


def test_tables_below_each_other_are_several(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("id,name,qty,price\n1,a,2,3\n2,b,3,4\nid,name,qty\n1,c,5\n2,d,6\n")
    tables = _core.read_delimited(path)
    assert [(table.name, table.rows) for table in tables] == [("two", 2), ("two_2", 2)]
    assert "several-tables" in {note[0] for note in tables[0].notes}


def test_a_single_column(read: Reader) -> None:
    assert read("name\nAda\nAlan\n").rows == [("Ada",), ("Alan",)]
    assert read("note\none, two\nthree\nfour, five, six\n").rows == [("one, two",), ("three",), ("four, five, six",)]


# --- refusals ---


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\n\n  \n", "blank lines"),
        (b"\xef\xbb\xbf", "empty"),
        (b"PK\x03\x04\x14\x00\x06\x00", "ZIP"),
        (b"SQLite format 3\x00" + bytes(84), "SQLite"),
        (bytes(range(256)) * 8, "binary"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS"),
        (b"a," * 20_000 + b"\n" + b"1," * 20_000, "columns"),
        (b"x" * (17 << 20), "line break"),
    ],
)
def test_what_is_no_table_is_refused_with_a_reason(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        _core.read_delimited(path)


def test_a_missing_file_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        _core.read_delimited(tmp_path / "none.csv")


@pytest.mark.parametrize("content", [b'"a' * 400_000, b'a,"b\n' * 200_000, b'"' * 1_000_001, b'x,"y "z\n' * 200_000])
@pytest.mark.timeout(20)
def test_broken_quotes_do_not_hang(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"h,i\n" + content)
    assert _core.read_delimited(path)[0].rows >= 1


# --- laws ---

CELLS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029\x85"), min_size=1, max_size=8
)
WORDS = CELLS.map(lambda cell: f"w{cell}w")


@given(
    header=st.lists(st.from_regex(r"\A[a-z]{3,6}\Z"), min_size=2, max_size=5, unique=True),
    data=st.data(),
    form=st.tuples(
        st.sampled_from([",", ";", "\t", "|"]),
        st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
        st.sampled_from(["\n", "\r\n"]),
        st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_what_python_writes_is_read_back(
    tmp_path: Path, header: list[str], data: st.DataObject, form: tuple[str, str, str, Any]
) -> None:
    delimiter, encoding, line_end, quoting = form
    rows = data.draw(st.lists(st.tuples(*[WORDS] * len(header)), min_size=5, max_size=8))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerow(header)
    writer.writerows(rows)
    path = tmp_path / "x.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    found = Read(path)
    assert found.columns == header
    assert found.rows == rows


def _printed(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


VALUES = st.one_of(
    st.lists(st.none() | st.integers(-(10**37), 10**37), min_size=2, max_size=8),
    st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8),
    st.lists(st.none() | st.dates(), min_size=2, max_size=8),
    st.lists(st.none() | st.booleans(), min_size=2, max_size=8),
    st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False, places=4), min_size=2, max_size=8),
    st.lists(st.from_regex(r"\A0[0-9]{1,8}\Z"), min_size=2, max_size=8),
)


@given(values=VALUES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_a_typed_column_prints_what_the_file_said(tmp_path: Path, values: list[Any]) -> None:
    path = tmp_path / "x.csv"
    path.write_text("key,x\n" + "".join(f"k{i},{_printed(value)}\n" for i, value in enumerate(values)))
    found = Read(path)
    for value, read_back in zip(values, found.column(1), strict=True):
        if value is None or read_back is None:
            assert value is read_back
        elif isinstance(read_back, str):
            assert read_back == _printed(value)
        elif isinstance(value, date):
            assert read_back == value
        elif isinstance(value, Decimal) and isinstance(read_back, float):
            assert Decimal(f"{read_back:.4f}") == value
        else:
            assert type(value)(read_back) == value


@given(content=st.binary(max_size=300) | st.text(alphabet="a1,;\"'\n\r\t\\ #=.", max_size=200).map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    try:
        found = Read(path)
    except SourceError:
        return
    assert len(set(map(str.casefold, found.columns))) == len(found.columns)


@pytest.mark.parametrize(
    ("content", "first", "rows"),
    [
        ("id,comment\n1,x\n2,\n3,y\n,\n4,\n5,\n", [1, 2, 3, None, 4, 5], 6),
        ("name,phone,mail\nA,1,x\nB,2,y\n\nC,,\nD,,\n", ["A", "B", "C", "D"], 4),
        ("name,amount\nA,1\nB,2\n,3\n\n,4\n", ["A", "B", None, None], 4),
    ],
)
def test_a_record_of_which_little_is_known_is_no_footer(
    read: Reader, content: str, first: list[Any], rows: int
) -> None:
    found = read(content)
    assert len(found.rows) == rows
    assert found.column(0) == first
    assert "footer" not in found.notes


# --- what was decided is said, and nothing goes in silence ---


def test_apostrophes_beside_doubled_quotes_are_text(read: Reader) -> None:
    found = read('said,by\n\',"""hello"""\n\',"""it\'s me"""\n')
    assert found.rows == [("'", '"hello"'), ("'", '"it\'s me"')]


@given(
    st.lists(
        st.lists(
            st.sampled_from(["'", '"', "'a'", 'say "hi"', "'x', 'y'", '""', "it's", "5", "b"]), min_size=2, max_size=2
        ),
        min_size=2,
        max_size=6,
    ).filter(lambda rows: any(cell in {'say "hi"', '""', '"'} for row in rows for cell in row))
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_doubled_quotes_show_the_quote(tmp_path: Path, rows: list[list[str]]) -> None:
    path = tmp_path / "file.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["left", "right"], *rows])
    assert _core.sniff_dialect(path).quotechar == '"'


def test_blank_lines_of_a_single_column_are_counted(read: Reader) -> None:
    found = read("name\nAda\n\nGrace\r\n \r\n\r\nAlan\n\n")
    assert found.column(0) == ["Ada", "Grace", "Alan"]
    assert found.notes["blank-lines"][1] == 3


@pytest.mark.parametrize("content", ["5\napple\npear\n", "2019,2020\n1,2\n3,4\n"])
def test_values_taken_for_a_header_are_shown(read: Reader, content: str) -> None:
    found = read(content)
    assert found.columns == content.splitlines()[0].split(",")
    assert found.notes["values-as-header"][2] == [content.splitlines()[0]]


def test_padded_remarks_below_the_table_are_a_footer(read: Reader) -> None:
    found = read("region,q1,q2\nnorth,1,2\nsouth,3,4\nTotal,,\n来源：统计局,,\n")
    assert found.rows == [("north", 1, 2), ("south", 3, 4)]
    assert found.notes["footer"][1:] == (2, ["Total,,", "来源：统计局,,"])


def test_a_total_with_numbers_stays_and_is_said(read: Reader) -> None:
    found = read("region,q1\nnorth,1\nsouth,3\n合计,4\n")
    assert found.rows[-1] == ("合计", 4)
    assert found.notes["total-row"][2] == ["合计,4"]


def test_a_table_of_another_width_below_a_blank_line_is_its_own(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text("id,name,qty\n1,bolt,5\n2,nut,7\n\nCities\ncity,country\nOslo,Norway\nRome,Italy\n")
    first, second = _core.read_delimited(path)
    assert (first.name, first.rows, [kind for _, kind in first.columns]) == ("shop", 2, ["BIGINT", "VARCHAR", "BIGINT"])
    assert (second.name, second.rows, [name for name, _ in second.columns]) == ("shop_2", 2, ["city", "country"])
    assert {code for code, *_ in first.notes} == {"several-tables"}
    assert {code for code, *_ in second.notes} == {"preamble"}


def test_a_row_with_a_word_for_its_value_below_a_blank_line_stays(read: Reader) -> None:
    found = read("Region,Product,Units\nNorth,Bolt,10\nNorth,Nut,8\n\nSouth,Bolt,pending\nSouth,Nut,5\n")
    assert found.column(0) == ["North", "North", "South", "South"]
    assert found.column(2) == ["10", "8", "pending", "5"]


def test_the_headers_of_several_tables_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Region,Units\nNorth,10\nSouth,8\n\nCities\nCity,Count\nOslo,5\nRome,3\n")
    first, second = _core.read_delimited(path)
    assert (first.rows, second.rows) == (2, 2)
    assert {code: samples for code, _, _, samples in first.notes} == {"several-tables": ["City,Count"]}


def test_rows_that_only_lack_fields_below_a_blank_line_stay(read: Reader) -> None:
    found = read("id,name,qty\n1,bolt,5\n2,nut,7\n\n3,screw\n4,nail\n5,pin\n")
    assert [row[0] for row in found.rows] == [1, 2, 3, 4, 5]
    assert found.notes["short-rows"][1] == 3


def test_keys_and_values_below_a_wide_gap_are_a_footer(read: Reader) -> None:
    found = read("id,v\n1,2\n2,3\n\n\nTotal rows,2\nGenerated,2024-01-01\n")
    assert (found.rows, found.types) == ([(1, 2), (2, 3)], ["BIGINT", "BIGINT"])
    assert found.notes["footer"][1:] == (2, ["Total rows,2", "Generated,2024-01-01"])


def test_a_header_below_a_title_without_a_gap_is_said(read: Reader) -> None:
    found = read("id,v\n1,2\n2,3\nSection B\nname,price\nx,4.5\ny,5.5\n")
    assert found.column(0) == ["1", "2", "Section B", "name", "x", "y"]
    assert found.notes["second-header"][1:] == (1, ["name,price"])
