"""The suite that measures the baseline, run over a set made for the test."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from benchmarks.suites import questions

ANSWERS = {
    "How many lamps are there?": "n\n3\n",
    "What is the name of the lamp with the highest price?": "name\nMoon\n",
    "What are the names of lamps whose town is Turin?": "name\nwrong on purpose\n",
    "Who painted the ceiling?": "x\nnobody knows\n",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of question sets with one set: two right answers, one wrong, one that nothing can tell."""
    root = tmp_path / "data" / "spider_dev"
    (root / "databases").mkdir(parents=True)
    (root / "gold").mkdir()
    connection = sqlite3.connect(root / "databases" / "lamps.sqlite")
    connection.executescript(
        "CREATE TABLE lamp (lamp_id INTEGER PRIMARY KEY, name TEXT, town TEXT, price REAL);"
        "INSERT INTO lamp VALUES (1, 'Moon', 'Turin', 90.5), (2, 'Reed', 'Turin', 40), (3, 'Disc', 'Lyon', 12);"
    )
    connection.close()
    with (root / "questions.jsonl").open("w", encoding="utf-8") as listing:
        for number, (question, gold) in enumerate(ANSWERS.items()):
            (root / "gold" / f"q{number}.csv").write_text(gold, encoding="utf-8")
            entry = {"id": f"q{number}", "question": question, "context": ["databases/lamps.sqlite"]}
            listing.write(json.dumps({**entry, "gold_csv": f"gold/q{number}.csv"}) + "\n")
    return root.parent


def test_the_suite_reports_what_was_asked_answered_and_right(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(questions, "ProcessPoolExecutor", _InProcess)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    questions.main(["--data", str(data), "--set", "spider_dev,absent_set", "--split", "--json"])
    output = capsys.readouterr()
    report: dict[str, Any] = json.loads(output.out.splitlines()[-1])
    figures = report["metrics"]["spider_dev"]
    assert (report["suite"], report["n"]) == ("questions", 4)
    assert (figures["n"], figures["coverage"], figures["overall"]) == (4, 0.75, 0.5)
    assert figures["precision"] == pytest.approx(2 / 3)
    assert figures["a"]["n"] + figures["b"]["n"] == 4
    assert "absent_set" in output.err


def test_a_broken_gold_is_counted_and_the_others_are_scored(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(questions, "ProcessPoolExecutor", _InProcess)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    listing = data / "spider_dev" / "questions.jsonl"
    (data / "spider_dev" / "gold" / "broken.csv").write_bytes(b"")
    entry = {"question": "How many lamps are there?", "context": ["databases/lamps.sqlite"]}
    more = [
        json.dumps({**entry, "id": "q10", "gold_csv": "gold/broken.csv"}),
        json.dumps({**entry, "id": "q11", "gold_csv": "gold/absent.csv"}),
        json.dumps({**entry, "id": "q12"}),
        json.dumps({"id": "q13"}),
        "{cut off",
    ]
    listing.write_text(listing.read_text(encoding="utf-8") + "\n".join(more) + "\n", encoding="utf-8")
    questions.main(["--data", str(data), "--set", "spider_dev", "--json"])
    output = capsys.readouterr()
    figures = json.loads(output.out.splitlines()[-1])["metrics"]["spider_dev"]
    assert (figures["n"], figures["broken"], figures["coverage"], figures["overall"]) == (4, 5, 0.75, 0.5)
    assert "q10: broken gold" in output.err
    assert "line 9: no question" in output.err


def test_a_question_becomes_a_task_folder(data: Path, tmp_path: Path) -> None:
    cases = questions.load(data, "spider_dev")
    assert cases is not None
    task = questions.lay_out(cases[0], tmp_path / "task")
    assert task.question == "How many lamps are there?"
    assert [path.relative_to(task.context).as_posix() for path in task.files()] == ["db/lamps.sqlite"]


def test_halves_are_stable() -> None:
    assert [questions.half_of(name) for name in ("singer", "flight_2", "museum_visit", "诗词", "水果")] == list("aabab")


class _InProcess:
    """Stands for the process pool: the suite's own work runs here, where coverage and patches see it."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, work: Callable[[Any], Any], jobs: list[Any]) -> list[Any]:
        return [work(job) for job in jobs]
