"""Markdown and HTML into lines and tables."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.documents.extraction import extract
from debriefer.documents.library import documents_of
from debriefer.documents.markup import read_html, read_markup
from debriefer.documents.reading import read_document
from debriefer.errors import DocumentError, MissingFileError
from tests.unit.documents.prose import CITIES


def test_a_pipe_table_is_taken_with_its_header_and_caption() -> None:
    lines, tables = read_markup("# Sales\n\n| Year | `Net` |\n|---|--:|\n| 2020 | 1,5\\|0 |\n| 2021 |\n\nAfter.\n")
    assert [(line.text, line.kind) for line in lines] == [("Sales", "heading"), ("After.", "text")]
    assert tables[0].rows == (("Year", "Net"), ("2020", "1,5|0"), ("2021", ""))
    assert (tables[0].header_rows, tables[0].caption, tables[0].after) == (1, "Sales", 1)


def test_a_pipe_table_in_a_fence_is_text() -> None:
    lines, tables = read_markup("```\n| a | b |\n|---|---|\n```\n")
    assert tables == ()
    assert [line.text for line in lines] == ["| a | b |", "|---|---|"]


def test_an_html_table_keeps_what_its_cells_span() -> None:
    text = "Before\n<table><tr><th rowspan=2>Item</th><th colspan=2>Year</th></tr><tr><th>2019</th><th>2020</th></tr>\n<tr><td>A &amp; B</td><td>1</td><td>2</td></tr></table>\nAfter"
    lines, tables = read_markup(text)
    assert [line.text for line in lines] == ["Before", "After"]
    assert tables[0].rows == (("Item", "Year", "Year"), ("Item", "2019", "2020"), ("A & B", "1", "2"))
    assert tables[0].header_rows == 2


def test_a_page_of_html_gives_lines_without_its_scripts() -> None:
    lines, _ = read_html(
        "<html><head><title>x</title></head><body><h1>T</h1><p>a<br>b</p><script>c</script></body></html>"
    )
    assert [(line.text, line.kind) for line in lines] == [("T", "heading"), ("a", "text"), ("b", "text")]


@given(st.lists(st.lists(st.text("ab1 中,.$", max_size=6), min_size=2, max_size=4), min_size=1, max_size=5))
def test_cells_of_a_pipe_table_come_back(rows: list[list[str]]) -> None:
    width = len(rows[0])
    even = [[cell.strip() for cell in (row + [""] * width)[:width]] for row in rows]
    table = "\n".join(["| h " * width + "|", "|---" * width + "|", *("| " + " | ".join(row) + " |" for row in even)])
    _, tables = read_markup(table)
    assert [[" ".join(cell.split(" ")) for cell in row] for row in tables[0].rows[1:]] == even


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_markup(text)
    read_html(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_text_is_read_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "公司.txt"
    path.write_bytes("档案一的注册资本为三千万元。\n第二行也是中文文字。\n".encode(encoding))
    assert [line.text for line in read_document(path).lines] == ["档案一的注册资本为三千万元。", "第二行也是中文文字。"]


def test_what_is_no_document_is_refused_with_the_file_first(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(DocumentError, match=r"a\.docx` is no document"):
        read_document(path)
    empty = tmp_path / "a.md"
    empty.write_bytes(b"")
    with pytest.raises(DocumentError, match="is empty"):
        read_document(empty)
    with pytest.raises(MissingFileError):
        read_document(tmp_path / "b.md")


def test_a_row_that_does_not_fit_its_header_is_doubted_and_not_shifted(tmp_path: Path) -> None:
    path = tmp_path / "shares.md"
    path.write_text("| id | name | qty |\n| - | - | - |\n| 1 | a | 5 |\n| 2 | 6 |\n| 3 | 7|8 | 7 |\n", encoding="utf-8")
    (relation,) = extract(read_document(path), "shares.md").relations
    cells = {(key[0], name): (cell.value, cell.status) for (key, name), cell in relation.cells.items()}
    assert cells["1", "qty"] == ("5", "ok")
    assert {cells[number, name] for number in "23" for name in ("id", "name")} == {(None, "flagged")}
    assert "2 rows have more or fewer cells than the header" in relation.flags[0]


def test_a_raised_mark_is_no_digit_and_what_is_struck_out_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    cells = "<tr><th>a</th><th>b</th></tr><tr><td>7<sup>1</sup></td><td><del>5</del> <ins>6</ins></td></tr>"
    path.write_text(f"<html><body><table>{cells}</table></body></html>", encoding="utf-8")
    (table,) = read_document(path).tables
    assert table.rows == (("a", "b"), ("7^1", "6"))


def test_text_of_sentences_is_a_document_though_its_commas_stand_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "stock.txt"
    lines = [f"Record {number} has {number * 3} mills, in total, and {number + 40} sheds." for number in range(1, 9)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert documents_of([path]) == [path]
    (relation,) = extract(read_document(path), "stock.txt").relations
    assert len(relation.records) == 8


def test_hundreds_of_records_in_one_line_are_read_in_one_pass(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    told = " ".join(f"Record {number} has its mill in {CITIES[number % 4]}." for number in range(1, 401))
    path.write_text(told + "\n", encoding="utf-8")
    began = time.process_time()
    (relation,) = extract(read_document(path), "long.txt").relations
    assert len(relation.records) == 400
    assert time.process_time() - began < 5
