"""A file is what its content says, then what its ending promises."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer import _core
from debriefer.errors import SourceError


def kind(folder: Path, name: str, content: bytes | str) -> str | None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return _core.detect_kind(path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", "id,name\n1,a\n", "delimited"),
        ("a.TSV", "id\tname\n", "delimited"),
        ("a.csv", "", "delimited"),
        ("a.csv", '[{"a": 1}]', "json"),
        ("a.csv", 'key,val\n1,"{""a"": 1}"\n', "delimited"),
        ("a.csv", "id,城市\n1,上海\n".encode("utf-16"), "delimited"),
        ("a.csv.gz", gzip.compress(b"id\n1\n"), "delimited"),
        ("a.json", '{"a": 1}', "json"),
        ("a.jsonl", '{"a": 1}\n', "jsonl"),
        ("a.ndjson", '{"a": 1}\n', "jsonl"),
        ("lines", '{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("list", '\n[\n{"a": 1}]', "json"),
        ("a.db", "id|name\n1|a\n2|b\n", "delimited"),
        ("a.db", bytes(range(1, 32)) * 20, "sqlite"),
        ("a.xls", "id\tname\n1\ta\n2\tb\n", "delimited"),
        ("a.xls", "<html><table></table></html>", "workbook"),
        ("knowledge.md", "| a | b |\n|---|---|\n| 1 | 2 |\n", "document"),
        ("a.txt", "Dear all,\nthe figures, as agreed, follow.\nYours\n", "document"),
        ("a.txt", "id;name\n1;a\n2;b\n", "delimited"),
        ("csv/a.txt", "id;name\n1;a\n2;b\na note\n", "delimited"),
        ("doc/a.txt", "id;name\n1;a\n2;b\na note\n", "document"),
        ("a.dat", "1 2 3\n", None),
        ("a.py", "f(a, b)\ng(c, d)\n", None),
        ("report.pdf", "%PDF-1.7\n", "document"),
        ("report", "%PDF-1.7\n", "document"),
        ("a.html", "<html></html>", "document"),
        ("clip.bin", b"\0\0\0\x20ftypisom", "video"),
        ("clip.mkv", b"\x1a\x45\xdf\xa3", "video"),
        ("voice.m4a", b"\0\0\0\x20ftypM4A ", "audio"),
        ("voice.wav", b"RIFF\0\0\0\0WAVE", "audio"),
        ("voice", b"ID3\x04", "audio"),
        ("slide", b"\x89PNG\r\n\x1a\n", "image"),
        ("slide.webp", b"RIFF\0\0\0\0WEBP", "image"),
        ("photo", b"\xff\xd8\xff\xe0", "image"),
        ("x.parquet", "", "parquet"),
        ("x.zip", b"PK\x05\x06" + bytes(18), None),
        ("x.bin", bytes(range(256)), None),
    ],
)
def test_kinds(tmp_path: Path, name: str, content: bytes | str, expected: str | None) -> None:
    assert kind(tmp_path, name, content) == expected


def test_a_database_is_one_under_any_name(tmp_path: Path) -> None:
    for name in ("a.csv", "a.txt", "a.db", "a"):
        with closing(sqlite3.connect(tmp_path / name)) as connection, connection:
            connection.execute("CREATE TABLE t (x)")
        assert _core.detect_kind(tmp_path / name) == "sqlite"


def test_files_that_programs_write(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.save(tmp_path / "book.zip")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "table.csv")
    with zipfile.ZipFile(tmp_path / "letter.zip", "w") as letter:
        letter.writestr("word/document.xml", "<w/>")
    assert [_core.detect_kind(tmp_path / name) for name in ("book.zip", "table.csv", "letter.zip")] == [
        "workbook",
        "parquet",
        "document",
    ]


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be opened"):
        _core.detect_kind(tmp_path / "none.csv")


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300), ending=st.sampled_from(["csv", "txt", "db", "json", "", "xlsx", "dat"]))
def test_any_bytes_have_a_kind_or_none(tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    found = kind(folder, f"x.{ending}" if ending else "x", content)
    assert found == _core.detect_kind(folder / (f"x.{ending}" if ending else "x"))
    if ending == "json" and content[:1].isalpha():
        assert found is not None


def test_records_of_any_kind_are_json_under_any_name(tmp_path: Path) -> None:
    assert kind(tmp_path, "export", json.dumps([{"a": 1}], indent=2)) == "json"
