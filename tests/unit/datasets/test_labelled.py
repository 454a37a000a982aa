"""Reading a data set: its layouts, its groups, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debriefer.datasets import DatasetError, load
from debriefer.errors import MissingFileError
from tests.conftest import ROOT


def lay(
    folder: Path, name: str, *, question: str = "How many?", csv: str = "a\n1\n", gold: str | None = "n\n1\n"
) -> Path:
    task = folder / "input" / name
    (task / "context" / "csv").mkdir(parents=True)
    (task / "task.json").write_text(json.dumps({"question": question}, ensure_ascii=False), encoding="utf-8")
    (task / "context" / "csv" / "t.csv").write_text(csv, encoding="utf-8")
    outputs = folder / "output" / name
    outputs.mkdir(parents=True)
    if gold is not None:
        (outputs / "gold.csv").write_text(gold, encoding="utf-8")
    return task


def test_examples_of_the_repository_are_a_data_set() -> None:
    tasks = load(ROOT / "examples")
    assert len(tasks) == len(list((ROOT / "examples" / "tasks").iterdir())) == 12
    assert {task.program for task in tasks} == {"solver"}
    assert all(task.gold.name == "gold.csv" and task.gold.parent.name == task.name for task in tasks)
    assert {task.name for task in tasks if task.evidence == ("documents", "tables")} == {"task_8"}


def test_tasks_that_share_a_file_are_one_group_also_through_a_third(tmp_path: Path) -> None:
    for name, content in (("t1", "a\n1\n"), ("t2", "a\n1\n"), ("t3", "a\n2\n")):
        lay(tmp_path, name, csv=content)
    shared = tmp_path / "input" / "t3" / "context" / "csv" / "other.csv"
    assert [task.group for task in load(tmp_path)] == ["t1", "t1", "t3"]
    shared.write_text("a\n1\n", encoding="utf-8")
    assert [task.group for task in load(tmp_path)] == ["t1", "t1", "t1"]


def test_equal_notes_and_empty_files_make_no_group(tmp_path: Path) -> None:
    for name, content in (("t1", "a\n1\n"), ("t2", "a\n2\n")):
        context = lay(tmp_path, name, csv=content) / "context"
        (context / "knowledge.md").write_text("The same notes.", encoding="utf-8")
        (context / "empty.csv").write_text("", encoding="utf-8")
    assert [task.group for task in load(tmp_path)] == ["t1", "t2"]


def test_a_group_named_in_the_task_is_taken(tmp_path: Path) -> None:
    for name, content in (("t1", "a\n1\n"), ("t2", "a\n2\n")):
        lay(tmp_path, name, csv=content)
        path = tmp_path / "input" / name / "task.json"
        path.write_text(json.dumps({"question": "How many?", "group": "shop"}), encoding="utf-8")
    assert {task.group for task in load(tmp_path)} == {"shop"}


def test_a_task_is_listed_for_each_program_that_it_has_a_gold_for(tmp_path: Path) -> None:
    lay(tmp_path, "t1", question="共有多少个？")
    outputs = tmp_path / "output" / "t1"
    (outputs / "truth.json").write_text("{}", encoding="utf-8")
    (outputs / "documents").mkdir()
    lay(tmp_path, "t2", gold=None)
    tasks = load(tmp_path)
    assert [(task.name, task.program) for task in tasks] == [("t1", "solver"), ("t1", "judge"), ("t1", "documents")]
    assert {task.language for task in tasks} == {"zh"}


def test_a_folder_of_splits_says_which_there_are(tmp_path: Path) -> None:
    lay(tmp_path / "train", "t1")
    with pytest.raises(DatasetError) as caught:
        load(tmp_path)
    assert caught.value.hint == "name one of its splits: train"


def test_what_is_no_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        load(tmp_path / "absent")
    lay(tmp_path, "t1", gold=None)
    with pytest.raises(DatasetError, match="no task with a gold"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("[", "cannot be read"),
        ('{"format": 9, "tasks": []}', "has format 9"),
        ('{"format": 1, "tasks": [{"task": "gone"}]}', "names tasks that are not there: gone"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(tmp_path: Path, manifest: str, message: str) -> None:
    lay(tmp_path, "t1")
    (tmp_path / "dataset.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(DatasetError, match=message):
        load(tmp_path)
