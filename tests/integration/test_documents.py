"""Documents on the way of a task: the stage, the Solver's tools and hints, `debriefer docs`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from debriefer.documents import preparation
from debriefer.pipeline import DocumentsSettings, RunSettings
from debriefer.pipeline.registry import default_registry
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task
from debriefer.workbench import Workbench
from dspy_programs.solver import brief
from tests.doubles.scripted import scripted_models
from tests.unit.documents.prose import register

PIPE = "| code | share |\n| --- | --- |\n| 007 | 12% |\n| 010 | 3.5% |\n"


def task_folder(folder: Path, question: str = "What is the share of code 007?") -> Path:
    (folder / "context" / "doc").mkdir(parents=True)
    (folder / "task.json").write_text(json.dumps({"task_id": "t", "question": question}), encoding="utf-8")
    (folder / "context" / "doc" / "mills.md").write_text(register(), encoding="utf-8")
    (folder / "context" / "doc" / "shares.md").write_text(PIPE, encoding="utf-8")
    return folder


def debriefer(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "debriefer", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)


def prepared(folder: Path, work: Path) -> tuple[StageRun, Workbench]:
    copy = Task.open(folder).working_copy(work)
    bench = Workbench.create(copy.folder)
    stages = StageRun(default_registry(), copy)
    stages.run()
    return stages, bench


def test_a_question_is_answered_from_prose_without_a_model(tmp_path: Path) -> None:
    task = task_folder(tmp_path / "task", "What is the margin of record id 21?")
    done = debriefer("solve", task, "--offline", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "44.5" in (tmp_path / "out" / "t" / "prediction.csv").read_text(encoding="utf-8")
    assert not (task / "context" / "db").exists()


def test_the_solver_is_told_of_tables_and_can_ask_for_what_was_left_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(preparation.prepare.__kwdefaults__, "most_letters", 0)
    stages, bench = prepared(task_folder(tmp_path / "task", "Which mill has the largest margin?"), tmp_path / "work")
    with bench:
        task = Task.open(tmp_path / "work")
        hints = brief(task, bench.catalog, findings=stages.findings()).evidence
        assert "- table `mills` ← `context/doc/mills.md`" in hints.documents
        assert "[%]" in hints.documents
        assert "`\\extract shares.md` does it" in hints.documents
        assert "document_cells" not in hints.tables
        assert "shares" not in bench.explore_data("\\tables").replace("doc/shares", "")
        answer = bench.explore_data("\\extract shares")
        assert "- share REAL [%]" in answer
        assert "'007' | 12.0" in bench.explore_data("SELECT * FROM shares").replace("007 | 12.0", "'007' | 12.0")
        margin = stages.products["documents"].value["documents"][0]["tables"][0]["columns"][2]["name"]
        seen = bench.explore_data(f"\\evidence mills 21 {margin}").splitlines()
        assert seen[0] == "written: 44.5%"
        assert seen[1] == "loaded: 44.5 (corrected)"
        assert seen[3].endswith("Correction: the margin was »44.5%«.")
        assert "says nothing" in bench.explore_data(f"\\evidence mills 35 {margin}")
        bench.write_query("SELECT share FROM shares WHERE code = '007'")
        assert bench.run().status == "OK"
        assert bench.prediction_path.read_text(encoding="utf-8").splitlines() == ["share", "12.0"]


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("\\extract nothing", "no document of this task"),
        ("\\extract", "says not of what"),
        ("\\evidence mills 21", "got 2 parts"),
        ('\\evidence mills "21" nowhere', "has no column `nowhere`"),
        ("\\evidence other 1 a", "other"),
    ],
)
def test_what_is_asked_wrongly_is_answered_with_a_hint(tmp_path: Path, query: str, part: str) -> None:
    _, bench = prepared(task_folder(tmp_path / "task"), tmp_path / "work")
    with bench:
        answer = bench.explore_data(query)
    assert answer.startswith("error: ")
    assert part in answer
    assert "\nhint: " in answer


def test_a_task_without_documents_says_so(tmp_path: Path) -> None:
    (tmp_path / "task" / "context").mkdir(parents=True)
    (tmp_path / "task" / "task.json").write_text('{"question": "?"}', encoding="utf-8")
    (tmp_path / "task" / "context" / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    stages, bench = prepared(tmp_path / "task", tmp_path / "work")
    with bench:
        assert "the task has no documents" in bench.explore_data("\\documents")
    assert {one.name: one.state for one in stages.records}["documents"] == "skipped"


def test_docs_shows_tables_columns_and_cost(tmp_path: Path) -> None:
    done = debriefer("docs", task_folder(tmp_path / "task"), "--write", tmp_path / "tables")
    assert done.returncode == 0, done.stderr
    assert "mills  (10 rows from doc/mills.md, by its prose)" in done.stdout
    assert "shares  (2 rows from doc/shares.md, by a table that it shows)" in done.stdout
    assert "0 tokens of text sent to a model" in done.stdout
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "documents.duckdb",
        "documents.json",
        "mills.db",
        "shares.db",
    ]
    again = debriefer("docs", tmp_path / "task", "--write", tmp_path / "tables")
    assert (again.returncode, again.stderr.count("hint:")) == (2, 1)
    one = debriefer("docs", tmp_path / "task" / "context" / "doc" / "shares.md", "--json")
    (report,) = json.loads(one.stdout)
    assert (report["source"], report["tables"][0]["rows"]) == ("shares.md", 2)


def test_docs_of_nothing_and_of_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    none = debriefer("docs", tmp_path / "empty")
    assert (none.returncode, "holds no documents" in none.stderr, "hint:" in none.stderr) == (2, True, True)
    absent = debriefer("docs", tmp_path / "absent")
    assert (absent.returncode, "does not exist" in absent.stderr) == (2, True)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\n")
    broken = debriefer("docs", tmp_path / "broken.pdf")
    assert broken.returncode == 1
    assert "broken.pdf" in broken.stderr
    assert "Traceback" not in broken.stderr


def test_a_model_that_says_nonsense_leaves_what_rules_read_and_is_asked_of_few_documents(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task", "Which mill has the largest margin?")
    doubtful = register().replace("it employs 1,037 people", "nobody counted the 1,037 people that it may employ")
    for name in ("mills", "more"):
        (folder / "context" / "doc" / f"{name}.md").write_text(doubtful, encoding="utf-8")
    plain, bench = prepared(folder, tmp_path / "plain")
    bench.close()
    models, engine = scripted_models(lambda _turn: "nothing of use")
    copy = Task.open(folder).working_copy(tmp_path / "work")
    settings = RunSettings(documents=DocumentsSettings(asked=1))
    stages = StageRun(default_registry(settings), copy, models=models)
    stages.run()
    asked = [turn for turn in engine.turns if "JudgeTables" not in turn.system]
    assert asked
    assert not any("more.md" in turn.text for turn in asked)
    ways = [stages.products["documents"].value["documents"], plain.products["documents"].value["documents"]]
    first, second = ([report["tables"][0]["columns"] for report in way] for way in ways)
    assert first == second
