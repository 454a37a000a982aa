from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.errors import MissingFileError, TaskError
from debriefer.task import Task


def test_reads_what_the_layout_names_and_keeps_the_rest(task_with: Callable[..., Path]) -> None:
    folder = task_with(question="  How many?  ", knowledge="# Terms")
    (folder / "task.json").write_text(
        json.dumps({"task_id": "task_7", "question": "  How many?  ", "difficulty": "hard", "source": {"x": 1}})
    )
    task = Task.open(folder)
    assert (task.task_id, task.question, task.difficulty) == ("task_7", "How many?", "hard")
    assert task.extra == {"source": {"x": 1}}
    assert task.knowledge == "# Terms"


def test_knowledge_may_be_absent_or_gb18030(task_with: Callable[..., Path]) -> None:
    folder = task_with()
    assert Task.open(folder).knowledge is None
    (folder / "context" / "knowledge.md").write_bytes("规模以亿元计".encode("gb18030"))
    assert Task.open(folder).knowledge == "规模以亿元计"


def test_identifier_falls_back_to_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "task_12"
    folder.mkdir()
    (folder / "task.json").write_text('{"question": "?"}')
    task = Task.open(folder)
    assert task.task_id == "task_12"
    assert task.files() == []


@pytest.mark.parametrize("identifier", ["../../etc", "a/b", "..", "", "  "])
def test_identifier_stays_one_path_component(tmp_path: Path, identifier: str) -> None:
    (tmp_path / "task.json").write_text(json.dumps({"task_id": identifier, "question": "?"}))
    name = Task.open(tmp_path).task_id
    assert (tmp_path / "out" / name).resolve().parent == (tmp_path / "out").resolve()


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "no JSON object"),
        (b'{"task_id": "task_1"}', "asks no question"),
        (b'{"question": "   "}', "asks no question"),
        (b'{"question": ["?"]}', "asks no question"),
        (b'{"question": "\xff\xfe"}', "not UTF-8"),
        (b"[" * 100_000, ""),
    ],
)
def test_unusable_task_file_is_named_with_a_hint(tmp_path: Path, content: bytes, wrong: str) -> None:
    (tmp_path / "task.json").write_bytes(content)
    with pytest.raises(TaskError) as caught:
        Task.open(tmp_path)
    assert "task.json" in caught.value.message
    assert wrong in caught.value.message
    assert caught.value.hint


def test_missing_folder_or_file_is_a_file_not_found_error(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(FileNotFoundError) as caught:
            Task.open(folder)
        assert isinstance(caught.value, MissingFileError)
        assert "task.json" in (caught.value.hint or "")


def test_files_are_found_at_any_depth_in_a_fixed_order(task_with: Callable[..., Path]) -> None:
    folder = task_with(
        csv={"b.csv": "x\n1\n", "deep/er/a.csv": "x\n1\n"}, other={"stray.bin": b"\0", ".hidden": "", "~$lock.xlsx": ""}
    )
    (folder / "context" / ".git").mkdir()
    (folder / "context" / ".git" / "config").write_text("")
    task = Task.open(folder)
    assert [path.relative_to(task.context).as_posix() for path in task.files()] == [
        "csv/b.csv",
        "csv/deep/er/a.csv",
        "stray.bin",
    ]


def test_links_out_of_the_context_are_not_followed(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    secret = tmp_path / "secret.csv"
    secret.write_text("password\n1\n")
    (folder / "context" / "csv" / "link.csv").symlink_to(secret)
    assert [path.name for path in Task.open(folder).files()] == ["a.csv"]


def test_working_copy_leaves_the_task_folder_untouched(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"}, knowledge="k")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    copy = Task.open(folder).working_copy(tmp_path / "work")
    (copy.context / "csv" / "a.csv").write_text("changed")
    assert (copy.folder / "workdir").is_dir()
    assert copy.knowledge == "k"
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert (folder / "context" / "csv" / "a.csv").read_text() == "x\n1\n"


def test_working_copy_may_not_overlap_the_task(task_with: Callable[..., Path]) -> None:
    folder = task_with()
    for target in (folder, folder / "work", folder.parent):
        with pytest.raises(TaskError, match="overlaps"):
            Task.open(folder).working_copy(target)


def test_working_copy_never_replaces_what_is_not_ours(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = Task.open(task_with(csv={"a.csv": "x\n1\n"}))
    project = tmp_path / "project"
    (project / "context").mkdir(parents=True)
    (project / "context" / "thesis.md").write_text("years of work")
    with pytest.raises(TaskError, match="no working copy"):
        task.working_copy(project)
    assert (project / "context" / "thesis.md").read_text() == "years of work"
    task.working_copy(tmp_path / "work")
    task.working_copy(tmp_path / "work")


def test_working_copy_where_a_file_stands_is_an_error_with_a_hint(
    task_with: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TaskError, match="cannot take the working copy"):
        Task.open(task_with()).working_copy(tmp_path / "file")


def test_very_long_identifier_stays_a_file_name(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text(json.dumps({"task_id": "长" * 300, "question": "?"}, ensure_ascii=False))
    name = Task.open(tmp_path).task_id
    (tmp_path / name).mkdir()
    assert set(name) == {"长"}


def test_number_too_long_for_python_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text('{"question": "?", "n": ' + "9" * 5000 + "}")
    with pytest.raises(TaskError, match="cannot be read"):
        Task.open(tmp_path)


def test_what_is_no_file_is_listed_with_its_reason(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"a.csv": "x\n1\n"})
    context = folder / "context"
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.csv").write_text("x\n2\n")
    (context / "csv" / "out.csv").symlink_to(tmp_path / "outside" / "b.csv")
    (context / "csv" / "dead.csv").symlink_to(context / "nowhere.csv")
    (context / "csv" / "loop.csv").symlink_to(context / "csv" / "loop.csv")
    (context / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)
    (context / "csv" / "same.csv").symlink_to(context / "csv" / "a.csv")
    os.mkfifo(context / "csv" / "pipe.csv")
    (context / ".hidden").symlink_to(context / "nowhere")
    task = Task.open(folder)
    assert [path.name for path in task.files()] == ["a.csv", "same.csv"]
    assert [(item.path, item.reason) for item in task.left_out()] == [
        ("csv/dead.csv", "a link that leads nowhere"),
        ("csv/loop.csv", "a link that leads nowhere"),
        ("csv/out.csv", "a link that leads out of the folder, which is not followed"),
        ("csv/pipe.csv", "a pipe, no file"),
        ("linked", "a link to a folder, which is not followed"),
    ]
    # The copy cannot hold them, and still knows of them.
    copy = task.working_copy(tmp_path / "copy")
    assert copy.left_out() == task.left_out()
    assert copy.working_copy(tmp_path / "copy2").left_out() == task.left_out()
