"""From the documents of a task to tables: which are taken, which wait, what stands beside them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from debriefer.documents.evidence import evidence_query
from debriefer.documents.library import documents_of, names_taken
from debriefer.documents.preparation import extract_waiting, prepare, read_report, write_prepared
from debriefer.documents.report import DocumentReport
from debriefer.errors import DocumentError
from debriefer.side_names import DOCUMENTS_FILE
from tests.unit.documents.prose import RECORDS, register

PIPE = "| code | share |\n| --- | --- |\n| 007 | 12% |\n| 010 | 3.5% |\n"


def laid(folder: Path, **documents: str) -> list[tuple[str, Path]]:
    (folder / "doc").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "doc" / f"{name}.md").write_text(text, encoding="utf-8")
    return [(f"doc/{name}.md", folder / "doc" / f"{name}.md") for name in documents]


def rows(path: Path, statement: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        found = connection.execute(statement).fetchall()
    connection.close()
    return found


def write(folder: Path, prepared: object) -> None:
    write_prepared(prepared, folder / "db", folder / DOCUMENTS_FILE, folder / "documents.json")  # type: ignore[arg-type]


def test_prose_becomes_a_typed_table_with_its_evidence(tmp_path: Path) -> None:
    prepared = prepare(laid(tmp_path, mills=register()), "Which margin?", None)
    write(tmp_path, prepared)
    (report,) = prepared.reports
    (table,) = report.tables
    assert (report.state, table.name, table.rows, table.database) == ("extracted", "mills", 10, "context/db/mills.db")
    assert [(column.dtype, column.unit) for column in table.columns] == [("TEXT", ""), ("INTEGER", ""), ("REAL", "%")]
    city, staff, margin = (column.name for column in table.columns)
    loaded = rows(tmp_path / "db" / "mills.db", f'SELECT record_id, "{city}", "{staff}", "{margin}" FROM mills')
    expected = [(key, place, people, float(share)) for key, place, people, share in RECORDS]
    expected[2] = (*expected[2][:3], 44.5)
    expected[4] = (*expected[4][:3], None)
    assert loaded == expected
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{tmp_path / DOCUMENTS_FILE}' AS documents (READ_ONLY)")
        (found,) = connection.execute(evidence_query("mills", "21", margin)).fetchall()
    raw, value, document, line, start, end, _, page, status, _, text = found
    assert (raw, value, document, page, status) == ("44.5%", "44.5", "doc/mills.md", None, "corrected")
    assert text[start:end] == "44.5%"
    assert text.startswith("The margin in record 21")
    assert line == [one.text for one in prepared.parts[0].document.lines].index(text) + 1


def test_a_shown_table_keeps_its_codes_and_says_its_row(tmp_path: Path) -> None:
    prepared = prepare(laid(tmp_path, shares=PIPE), "", None)
    write(tmp_path, prepared)
    assert rows(tmp_path / "db" / "shares.db", "SELECT code, share FROM shares") == [("007", 12.0), ("010", 3.5)]
    with duckdb.connect(str(tmp_path / DOCUMENTS_FILE), read_only=True) as connection:
        query = "SELECT raw, line, table_row FROM document_cells WHERE column_name = 'share' ORDER BY table_row"
        assert connection.execute(query).fetchall() == [("12%", None, 2), ("3.5%", None, 3)]


def test_no_source_is_written_over_and_no_name_is_taken_twice(tmp_path: Path) -> None:
    files = laid(tmp_path, mills=register(), Mills=PIPE)
    (tmp_path / "db").mkdir()
    with sqlite3.connect(tmp_path / "db" / "other.db") as connection:
        connection.execute("CREATE TABLE mills (a)")
    connection.close()
    taken = names_taken([tmp_path / "db" / "other.db"], [])
    assert taken == {"other", "mills"}
    prepared = prepare(files, "", None, taken)
    names = [table.name for report in prepared.reports for table in report.tables]
    assert sorted(names) == ["mills_document", "mills_document_2"]
    write(tmp_path, prepared)
    with pytest.raises(DocumentError, match="exists"):
        write(tmp_path, prepared)


def test_the_likeliest_document_comes_first_and_others_wait_until_they_are_asked_for(tmp_path: Path) -> None:
    files = laid(tmp_path / "context", shares=PIPE, mills=register())
    prepared = prepare(files, "What is the share of code 007?", None, most_letters=100)
    assert [(report.source, report.state) for report in prepared.reports] == [
        ("doc/shares.md", "extracted"),
        ("doc/mills.md", "extracted"),
    ]  # what a table shows is no text, so nothing was read before the second
    prepared = prepare(files, "Which mill has the largest margin?", None, most_letters=0)
    assert [(report.source, report.state) for report in prepared.reports] == [
        ("doc/mills.md", "extracted"),
        ("doc/shares.md", "waiting"),
    ]
    work = tmp_path / "workdir"
    write(work, prepared)
    report = extract_waiting(tmp_path, "doc/shares.md", work / DOCUMENTS_FILE, work / "documents.json", None, ["mills"])
    assert report.state == "extracted"
    assert read_report(work / "documents.json")[1] == report
    with duckdb.connect(str(work / DOCUMENTS_FILE), read_only=True) as connection:
        assert connection.execute("SELECT code, share FROM shares").fetchall() == [("007", 12.0), ("010", 3.5)]
        counted = "SELECT count(*) FROM document_cells WHERE table_name IN ('mills', 'shares')"
        cells = sum(len(part.relations[0].cells) for part in [prepared.parts[0].extraction] if part is not None)
        assert connection.execute(counted).fetchone() == (cells + 4,)


def test_a_document_that_cannot_be_read_is_reported_and_the_others_stay(tmp_path: Path) -> None:
    files = laid(tmp_path, mills=register())
    (tmp_path / "doc" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing behind it")
    prepared = prepare([*files, ("doc/broken.pdf", tmp_path / "doc" / "broken.pdf")], "", None)
    taken, failed = prepared.reports
    assert (taken.state, failed.state, failed.source) == ("extracted", "failed", "doc/broken.pdf")
    assert failed.reason
    assert str(tmp_path) not in failed.reason
    assert [DocumentReport.from_dict(report.to_dict()) for report in prepared.reports] == list(prepared.reports)


def test_notes_and_tables_of_plain_text_are_no_documents(tmp_path: Path) -> None:
    for name, text in {
        "knowledge.md": "# Notes",
        "rates.txt": "a\tb\n1\t2\n3\t4\n",
        "story.txt": "It rained. The mill stood still for a day, and nobody came to see it.\n",
        "page.html": "<html><body><p>One</p></body></html>",
        "data.csv": "a,b\n1,2\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [path.name for path in documents_of(sorted(tmp_path.iterdir()))] == ["page.html", "story.txt"]


def test_the_same_documents_give_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        prepared = prepare(laid(folder, mills=register(), shares=PIPE), "margin", None)
        write(folder, prepared)
        written.append([(folder / path).read_bytes() for path in ("db/mills.db", "db/shares.db", "documents.json")])
    assert written[0] == written[1]
