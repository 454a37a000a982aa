"""Workbooks as people make them: titles above the header, merged cells, codes, dates."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer import _core
from debriefer.errors import SourceError
from tests.conftest import shared_data
from tests.unit.test_json_reader import column, note, rows

Sheets = dict[str, Sequence[Sequence[Any]]]
LEAP_DAY = dt.date(2024, 2, 29)
MIDNIGHT = dt.datetime.fromisoformat("2024-02-29")
HALF_PAST = dt.datetime.fromisoformat("2024-03-01 12:30")
Read = Callable[..., list[_core.SourceTable]]


def save(path: Path, sheets: Sheets, merged: Sequence[str] = ()) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(list(row))
        for area in merged:
            sheet.merge_cells(area)
    book.save(path)
    book.close()
    return path


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def build(
        *cells: Sequence[Any], merged: Sequence[str] = (), **sheets: Sequence[Sequence[Any]]
    ) -> list[_core.SourceTable]:
        return _core.read_workbook(save(tmp_path / "book.xlsx", sheets or {"Sheet1": cells}, merged))

    return build


def test_a_workbook_of_one_sheet_is_called_like_its_file(read: Read) -> None:
    [table] = read(("id", "name"), (1, "a"), (2, "b"))
    assert (table.name, table.columns) == ("book", [("id", "BIGINT"), ("name", "VARCHAR")])
    assert rows(table) == [(1, "a"), (2, "b")]
    assert note(table, "title") == (0, ["Sheet1"])


def test_each_sheet_that_holds_cells_is_a_table(read: Read) -> None:
    tables = read(People=[("id",), (1,)], Empty=[], 订单=[("no",), ("000021",)])
    assert [(table.name, rows(table)) for table in tables] == [("People", [(1,)]), ("订单", [("000021",)])]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2.0, None, 3], "BIGINT", [1, 2, None, 3]),
        ([1, 2.5, None], "DOUBLE", [1.0, 2.5, None]),
        (["000021", "300707"], "VARCHAR", ["000021", "300707"]),
        ([True, False], "BOOLEAN", [True, False]),
        ([LEAP_DAY, dt.date(1999, 1, 1)], "DATE", None),
        ([MIDNIGHT, None], "DATE", [LEAP_DAY, None]),
        ([LEAP_DAY, HALF_PAST], "TIMESTAMP", [MIDNIGHT, HALF_PAST]),
        ([dt.time(8, 5), dt.timedelta(hours=30)], "VARCHAR", ["08:05:00", "30:00:00"]),
        ([1, "n/a", 2], "BIGINT", [1, None, 2]),
        ([1, "many"], "VARCHAR", ["1", "many"]),
        ([12.5, "12.5%"], "VARCHAR", ["12.5", "12.5%"]),
    ],
)
def test_types(read: Read, values: list[Any], kind: str, expected: list[Any] | None) -> None:
    [table] = read(("id", "x"), *((row, value) for row, value in enumerate(values)))
    assert column(table) == (kind, values if expected is None else expected)


def test_titles_above_the_header_are_left_out_and_noted(read: Read) -> None:
    [table] = read(
        ("Report 2024",), (), ("as of", "today"), (None, "id", "name", "size"), (None, 1, "a", 2), (None, 2, "b", 3)
    )
    assert [name for name, _ in table.columns] == ["id", "name", "size"]
    assert rows(table) == [(1, "a", 2), (2, "b", 3)]
    assert note(table, "preamble") == (2, ["Report 2024", "as of | today"])


def test_a_title_merged_over_the_table_is_no_header(read: Read) -> None:
    [table] = read(("Sales",), ("id", "name", "size"), (1, "a", 2), (2, "b", 3), merged=["A1:C1"])
    assert [name for name, _ in table.columns] == ["id", "name", "size"]


def test_a_header_of_two_rows_is_joined(read: Read) -> None:
    [table] = read(
        ("region", "2023", None, "2024", None),
        (None, "sales", "cost", "sales", "cost"),
        ("north", 1, 2, 3, 4),
        ("south", 5, 6, 7, 8),
        merged=["A1:A2", "B1:C1", "D1:E1"],
    )
    assert [name for name, _ in table.columns] == ["region", "2023_sales", "2023_cost", "2024_sales", "2024_cost"]
    assert rows(table) == [("north", 1, 2, 3, 4), ("south", 5, 6, 7, 8)]


def test_a_row_of_texts_below_a_merged_header_is_data_where_all_is_text(read: Read) -> None:
    [table] = read(("name", None, "city"), ("Ann", "Lee", "Oslo"), ("Bob", "Ray", "Rome"), merged=["A1:B1"])
    assert [name for name, _ in table.columns] == ["name", "name_2", "city"]
    assert rows(table) == [("Ann", "Lee", "Oslo"), ("Bob", "Ray", "Rome")]


def test_cells_merged_down_hold_their_value_in_each_row(read: Read) -> None:
    [table] = read(("region", "city"), ("north", "Oslo"), (None, "Bergen"), ("south", "Rome"), merged=["A2:A3"])
    assert rows(table) == [("north", "Oslo"), ("north", "Bergen"), ("south", "Rome")]
    assert note(table, "merged-cells")[0] == 1


def test_empty_columns_and_rows_are_left_out_and_counted(read: Read) -> None:
    [table] = read(("a", None, "b", "c"), (1, None, 2, None), (), (3, None, 4, None))
    assert [name for name, _ in table.columns] == ["a", "b", "c"]
    assert rows(table) == [(1, 2, None), (3, 4, None)]
    assert (note(table, "empty-columns")[0], note(table, "blank-rows")[0]) == (1, 1)


def test_years_are_a_header_and_rows_of_data_are_none(read: Read, tmp_path: Path) -> None:
    [years] = read(("country", 2019, 2020), ("France", 1.5, 2.5), ("Spain", 3.5, 4.5), ("Italy", 5.5, 6.5))
    assert [name for name, _ in years.columns] == ["country", "2019", "2020"]
    path = save(tmp_path / "data.xlsx", {"S": [("Ann", 12), ("Bob", 7), ("Cid", 9)]})
    [data] = _core.read_workbook(path)
    assert [name for name, _ in data.columns] == ["column_1", "column_2"]
    assert rows(data) == [("Ann", 12), ("Bob", 7), ("Cid", 9)]


def test_formula_errors_are_null_and_noted(read: Read) -> None:
    [table] = read(("id", "x"), (1, "#N/A"), (2, 3))
    assert column(table)[1] == [None, 3]
    assert note(table, "formula-errors") == (1, ["#N/A in row 2"])


def test_a_far_corner_costs_nothing(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "x"])
    book.active.append([1, 2])
    book.active.append([3, 4])
    book.active["XFD1048576"] = "stray"
    book.save(tmp_path / "far.xlsx")
    [table] = _core.read_workbook(tmp_path / "far.xlsx")
    assert rows(table) == [(1, 2, None), (3, 4, None), (None, None, "stray")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"id,name\n1,a\n", "is no workbook that can be read"),
        (b"PK\x03\x04 cut off", "is no workbook that can be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is no workbook that can be read"),
    ],
)
def test_what_is_no_workbook_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        _core.read_workbook(path)
    assert caught.value.hint


def test_a_workbook_without_cells_is_refused(read: Read) -> None:
    with pytest.raises(SourceError, match="holds no cells"):
        read(Empty=[])


def test_damage_is_refused_wherever_it_is(tmp_path: Path) -> None:
    path = save(tmp_path / "whole.xlsx", {"S": [("id", "x"), (1, "a"), (2, "b")]})
    damaged = tmp_path / "damaged.xlsx"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(damaged, "w") as target:
        for part in whole.namelist():
            content = whole.read(part)
            target.writestr(part, content[: len(content) // 2] if part.endswith("sheet1.xml") else content)
    with pytest.raises(SourceError, match="is no workbook that can be read"):
        _core.read_workbook(damaged)


# A cell of white space alone counts as empty.
CELLS = st.none() | st.integers(-(10**9), 10**9) | st.text("abcé深 ", min_size=1, max_size=5).filter(str.strip)


@settings(max_examples=30, deadline=None)
@given(values=st.lists(CELLS, min_size=1, max_size=6))
def test_cells_come_back(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    cells = [("row", "x"), *((f"r{number}", value) for number, value in enumerate(values))]
    path = save(tmp_path_factory.mktemp("law") / "law.xlsx", {"S": cells})
    [table] = _core.read_workbook(path)
    kind, got = column(table)
    assert got == [str(value) if kind == "VARCHAR" and value is not None else value for value in values]


def test_old_and_open_formats_are_read() -> None:
    folder = shared_data() / "messycsv" / "frictionless"
    [table] = _core.read_workbook(folder / "table.ods")
    assert rows(table) == [(1, "english"), (2, "中国人")]
    [table] = _core.read_workbook(folder / "sheet2.xls")
    assert rows(table) == [(1, "english"), (2, "中国人")]
    [table] = _core.read_workbook(folder / "table-with-ints-floats-dates.ods")
    assert [kind for _, kind in table.columns] == ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP"]


def _formatted(path: Path, codes: Sequence[float | None], number_format: str) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["code", "name"])
    for row, code in enumerate(codes, start=2):
        sheet.append([code, "x"])
        sheet.cell(row=row, column=1).number_format = number_format
    book.save(path)
    return path


def test_a_number_that_is_shown_as_a_code_is_the_code(tmp_path: Path) -> None:
    [table] = _core.read_workbook(_formatted(tmp_path / "book.xlsx", [21, None, 300707], "000000"))
    assert column(table, "code") == ("VARCHAR", ["000021", None, "300707"])
    assert note(table, "coded-numbers")[0] == 2
    [table] = _core.read_workbook(_formatted(tmp_path / "book.xlsx", [12345678], "000\\-00\\-0000"))
    assert column(table, "code") == ("VARCHAR", ["012-34-5678"])


def test_a_format_that_shows_no_zero_and_fractions_stay_numbers(tmp_path: Path) -> None:
    [table] = _core.read_workbook(_formatted(tmp_path / "book.xlsx", [2019, 2020], "0000"))
    assert column(table, "code") == ("BIGINT", [2019, 2020])
    [table] = _core.read_workbook(_formatted(tmp_path / "book.xlsx", [0.5, 7.25], "0.00"))
    assert column(table, "code") == ("DOUBLE", [0.5, 7.25])


@pytest.mark.parametrize(
    ("values", "number_format", "kind"),
    [
        ([5, -3, 7], "00", "BIGINT"),
        ([1, 2.5, 3], "00", "DOUBLE"),
        ([5, 0, 7], '00;-00;"-"', "BIGINT"),
    ],
)
def test_what_is_below_zero_or_broken_makes_no_codes_of_its_column(
    tmp_path: Path, values: list[float], number_format: str, kind: str
) -> None:
    [table] = _core.read_workbook(_formatted(tmp_path / "book.xlsx", values, number_format))
    assert column(table, "code") == (kind, values)
    assert "coded-numbers" not in {code for code, *_ in table.notes}


def test_formulas_that_no_program_computed_are_counted(read: Read) -> None:
    # openpyxl computes nothing, and so writes no values.
    [table] = read(["a", "b"], [1, "=A2*2"], [3, "=A3*2"], [5, 7])
    assert column(table, "b") == ("BIGINT", [None, None, 7])
    assert note(table, "formulas-without-value")[0] == 2
    with pytest.raises(SourceError, match="2 formulas and no value") as refused:
        read(["=1+1", "=2+2"])
    assert refused.value.hint


def test_sheets_without_cells_are_named(read: Read) -> None:
    tables = read(Notes=[], Orders=[["a"], [1]], More=[])
    assert len(tables) == 1
    assert note(tables[0], "empty-sheets") == (2, ["Notes", "More"])


def test_integers_keep_every_digit_that_the_file_has(tmp_path: Path) -> None:
    path = save(tmp_path / "book.xlsx", {"ids": [["id", "n"], [1111111111111111, 1], [2, 2], [3, 3]]})
    digits = {"<v>1111111111111111</v>": "<v>9007199254740993</v>", "<v>2</v>": "<v>-123456789012345678901</v>"}
    exact = tmp_path / "exact.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(exact, "w") as new:
        for part in old.namelist():
            content = old.read(part).decode()
            for written, wanted in digits.items():
                content = content.replace(written, wanted, 1)
            new.writestr(part, content)
    [table] = _core.read_workbook(exact)
    kind, values = column(table, "id")
    assert kind == "HUGEINT"
    assert [int(value) for value in values] == [9007199254740993, -123456789012345678901, 3]


# Tables below one another, and remarks ------------------------------------------------------------------------------


def test_a_second_table_below_a_blank_row_is_a_table_of_its_own(read: Read) -> None:
    first, second = read(
        ("region", "sales"), ("North", 10), ("South", 12), (), ("Staff",), ("name", "age", "city"), ("Ann", 31, "Rome")
    )
    assert (first.name, second.name) == ("book", "book_2")
    assert rows(first) == [("North", 10), ("South", 12)]
    assert second.columns == [("name", "VARCHAR"), ("age", "BIGINT"), ("city", "VARCHAR")]
    assert rows(second) == [("Ann", 31, "Rome")]
    assert note(second, "preamble") == (1, ["Staff"])


def test_a_second_table_of_the_same_columns_has_names_where_values_stood(read: Read) -> None:
    tables = read(("产品", "数量"), ("甲", 1), ("乙", 2), (), ("部门", "人数"), ("研发", 5), ("市场", 6))
    assert [table.columns[0][0] for table in tables] == ["产品", "部门"]
    assert rows(tables[1]) == [("研发", 5), ("市场", 6)]


def test_a_header_that_is_repeated_below_a_blank_row_continues_the_table(read: Read) -> None:
    [table] = read(("id", "n"), (1, 2), (), ("id", "n"), (3, 4))
    assert rows(table) == [(1, 2), (3, 4)]
    assert note(table, "repeated-header")[0] == 1


@pytest.mark.parametrize(
    "below",
    [
        [("West", 9), ("East", 8)],
        [("pending", "later"), ("West", 9)],
        [("words", "alone")],
    ],
)
def test_rows_below_a_blank_row_stay_rows(read: Read, below: Sequence[Sequence[Any]]) -> None:
    [table] = read(("region", "state"), ("North", "open"), ("South", "shut"), ("South", "x"), (), *below)
    assert len(rows(table)) == 3 + len(below)


def test_remarks_below_a_table_are_left_out_and_shown(read: Read) -> None:
    [table] = read(
        ("region", "q1", "q2"), ("North", 1, 2), ("South", 3, 4), (), ("Figures are preliminary",), ("来源：统计局",)
    )
    assert table.columns[0] == ("region", "VARCHAR")
    assert rows(table) == [("North", 1, 2), ("South", 3, 4)]
    assert note(table, "footer") == (2, ["Figures are preliminary", "来源：统计局"])


def test_a_record_of_which_little_is_known_stays_a_row_of_a_sheet(read: Read) -> None:
    [table] = read(("region", "q1", "q2"), ("North", 1, 2), ("South", 3, 4), ("West",))
    assert rows(table)[-1] == ("West", None, None)


def test_a_total_with_its_numbers_stays(read: Read) -> None:
    [table] = read(("region", "q1", "q2"), ("North", 1, 2), ("South", 3, 4), ("Total", 4, 6), ("Source: office",))
    assert rows(table)[-1] == ("Total", 4, 6)
    assert note(table, "total-row") == (1, ["Total | 4 | 6"])
    assert note(table, "footer") == (1, ["Source: office"])
