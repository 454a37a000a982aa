"""The bundled examples: laid out as tasks, small, invented, and with golds that SQL gives again.

The golds are computed here from the raw files with the standard library's readers and SQLite, so that nothing of this
package says what is right.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from debriefer.scoring import Table, exact_score, score_run
from debriefer.task import Task
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
TASKS = sorted((EXAMPLES / "tasks").iterdir(), key=lambda path: int(path.name.removeprefix("task_")))
LARGEST = 50_000  # bytes of one file

# Hand-written, one statement a task, over the raw tables: a file's stem, a sheet, or a table of a database.
SQL = {
    "task_1": "SELECT 出让前持股数量, 出让前持股比例 FROM 股权转让 WHERE 证券代码 = '300707'",
    "task_2": (
        "SELECT COUNT(*) FROM orders JOIN customers ON orders.customer_id = CAST(customers.customer_id AS INTEGER) "
        "WHERE city = 'Porto'"
    ),
    "task_3": "SELECT 基金经理 FROM 基金 WHERE 代码 = '000021'",
    "task_4": "SELECT SUM(CAST(库存数量 AS INTEGER)) FROM 库存 WHERE 仓库 = '华东仓库'",
    "task_5": "SELECT AVG(temperature) FROM readings WHERE station = 'Harbour North' AND temperature IS NOT NULL",
    "task_6": "SELECT hut FROM huts WHERE CAST(beds AS INTEGER) = (SELECT MAX(CAST(beds AS INTEGER)) FROM huts)",
    "task_7": 'SELECT 门店 FROM 门店日报 ORDER BY CAST("销售额(万元)" AS REAL) DESC LIMIT 1',
    "task_8": "SELECT COUNT(*) FROM employees WHERE joined < '2021-07-19'",
    "task_9": "SELECT title FROM books JOIN authors USING (author_id) WHERE name = 'Ines Calder'",
    "task_10": "SELECT COUNT(*) FROM 订单 WHERE 状态 = '已取消'",
    "task_11": 'SELECT "phone number", "opening date" FROM branches WHERE branch = \'Riverside\'',
    "task_12": 'SELECT 果园 FROM 果园 ORDER BY CAST("产量(吨)" AS REAL) DESC LIMIT 3',
}


def raw_tables(context: Path) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[Any]]]]:
    """Yield name, header and rows of every table below `context`."""
    for path in sorted(context.rglob("*")):
        match path.suffix:
            case ".csv" | ".tsv":
                raw = path.read_bytes()
                text = raw.decode("gbk" if path.name == "库存.csv" else "utf-8")
                delimiter = max(",;\t", key=text.splitlines()[0].count)
                header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
                yield path.stem, header, rows
            case ".json":
                document = json.loads(path.read_text(encoding="utf-8"))
                records = document["records"] if isinstance(document, dict) else document
                yield path.stem, list(records[0]), [list(record.values()) for record in records]
            case ".db" | ".sqlite":
                with closing(sqlite3.connect(path)) as database:
                    for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                        rows = database.execute(f'SELECT * FROM "{name}"')
                        yield name, [column[0] for column in rows.description], rows.fetchall()
            case ".xlsx":
                yield from sheets(path)
            case _:
                assert path.is_dir() or path.suffix == ".md", path


def sheets(path: Path) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
    """Yield the sheets of a minimal workbook, read from its XML."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}  # noqa: S314  our own
    strings = [text.text for text in parts["xl/sharedStrings.xml"].iterfind(".//{*}t")]
    for number, sheet in enumerate(parts["xl/workbook.xml"].iterfind(".//{*}sheet"), 1):
        header, *rows = (
            [strings[int(value)] if cell.get("t") == "s" else value for cell in row for value in (cell[0].text or "",)]
            for row in parts[f"xl/worksheets/sheet{number}.xml"].iterfind(".//{*}row")
        )
        yield sheet.attrib["name"], header, rows


def answer(task: Path) -> Table:
    """Return what the task's own statement says."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, header, rows in raw_tables(task / "context"):
            columns = ", ".join(f'"{column}"' for column in header)
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
            connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(header))})', rows)
        result = connection.execute(SQL[task.name])
        return Table.from_rows([column[0] for column in result.description], result.fetchall())


@pytest.mark.parametrize("task", TASKS, ids=lambda path: path.name)
def test_the_gold_is_what_sql_says(task: Path) -> None:
    gold = EXAMPLES / "gold" / task.name / "gold.csv"
    assert exact_score(answer(task), gold).reason is None


@pytest.mark.parametrize("task", TASKS, ids=lambda path: path.name)
def test_every_example_is_a_small_task(task: Path) -> None:
    assert Task.open(task).question
    assert json.loads((task / "task.json").read_text(encoding="utf-8"))["task_id"] == task.name
    assert {path.name for path in task.iterdir()} == {"task.json", "context"}
    assert max(path.stat().st_size for path in task.rglob("*") if path.is_file()) < LARGEST


def test_every_task_has_one_gold_and_every_gold_a_task() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("gold/*/gold.csv")} == {task.name for task in TASKS} == set(SQL)


def test_the_traps_are_there() -> None:
    tasks = EXAMPLES / "tasks"
    codes = (tasks / "task_3/context/csv/基金.csv").read_text(encoding="utf-8")
    assert "\n000021," in codes
    with pytest.raises(UnicodeDecodeError):
        (tasks / "task_4/context/csv/库存.csv").read_text(encoding="utf-8")
    assert {path.suffix for path in (tasks / "task_2").rglob("*") if path.is_file()} >= {".csv", ".json", ".sqlite"}
    assert len(answer(tasks / "task_6").columns[0]) == 2, "two huts share the most beds"
    assert "19 July 2021" not in (tasks / "task_8/context/csv/employees.csv").read_text(encoding="utf-8")


def test_golds_scored_against_themselves_are_right(tmp_path: Path) -> None:
    for task in TASKS:
        (tmp_path / task.name).mkdir()
        gold = (EXAMPLES / "gold" / task.name / "gold.csv").read_bytes()
        (tmp_path / task.name / "prediction.csv").write_bytes(gold)
    assert score_run(tmp_path, EXAMPLES / "gold").score == 1
    assert score_run(tmp_path, EXAMPLES / "gold", "exact").score == 1


def test_the_script_writes_the_committed_files_again(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_examples", EXAMPLES / "make_examples.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = script.write_all(tmp_path)
    assert len(written) == 5
    for path in written:
        committed = EXAMPLES / "tasks" / path.relative_to(tmp_path)
        assert content(path) == content(committed), path.name


def content(path: Path) -> object:
    """Return what a file holds, without the marks of the library that wrote it."""
    match path.suffix:
        case ".csv":
            return path.read_bytes()
        case ".xlsx":
            with zipfile.ZipFile(path) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        case _:
            with closing(sqlite3.connect(path)) as database:
                return list(database.iterdump())
