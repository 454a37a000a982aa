"""`debriefer dataset` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debriefer.datasets import load
from dspy_programs.datasets import prepared
from tests.integration.test_command_line import debriefer


def test_a_set_is_made_divided_and_found_sound(tmp_path: Path) -> None:
    made = debriefer("dataset", "make", tmp_path / "set")
    assert (made.returncode, made.stdout) == (0, "")
    assert made.stderr.startswith("82 tasks in ")
    assert debriefer("dataset", "split", tmp_path / "set", tmp_path / "parts", "--seed", "3").returncode == 0
    looked = debriefer("dataset", "inspect", tmp_path / "parts", "--json")
    assert looked.returncode == 0, looked.stderr
    parts = json.loads(looked.stdout)["parts"]
    assert sum(part["tasks"] for part in parts.values()) == 82
    assert all(part["tasks"] >= 10 for part in parts.values())


def test_what_is_wrong_is_said_with_exit_code_1(tmp_path: Path) -> None:
    debriefer("dataset", "make", tmp_path / "set")
    (tmp_path / "set/output/bakery_1/gold.csv").write_text("", encoding="utf-8")
    looked = debriefer("dataset", "inspect", tmp_path / "set")
    assert looked.returncode == 1
    assert "problem: `bakery_1`: the gold for `solver` cannot be read" in looked.stderr


def test_wrong_input_is_two_lines_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    for arguments, message in (
        (("make", tmp_path), "holds something that is no data set"),
        (("inspect", tmp_path), "is no data set"),
        (("split", tmp_path / "absent", tmp_path / "out"), "is not a folder"),
    ):
        done = debriefer("dataset", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_videos_are_read_once_and_can_then_be_learned_from(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="`debriefer[video]` is not installed")
    from tests.doubles.videos import write_video  # noqa: PLC0415 -- needs PyAV

    task = tmp_path / "set" / "input" / "t1"
    (task / "context" / "video").mkdir(parents=True)
    (task / "task.json").write_text('{"question": "What is the total?"}', encoding="utf-8")
    write_video(task / "context" / "video" / "briefing.mp4", [(200, 30, 30), (30, 30, 200)])
    gold = tmp_path / "set" / "output" / "t1" / "truth.json"
    gold.parent.mkdir(parents=True)
    gold.write_text('{"task": {"verdict": "RECOMPUTE", "gold": [["7"]]}}', encoding="utf-8")
    made = debriefer("dataset", "prepare", tmp_path / "set", "--speech-model", "none")
    assert (made.returncode, made.stderr) == (0, "1/1 t1: prepared\n")
    assert json.loads((task / "video_input.json").read_text(encoding="utf-8"))["timeline"]
    assert debriefer("dataset", "prepare", tmp_path / "set").stderr == "1/1 t1: is prepared\n"
    with prepared(load(tmp_path / "set"), "judge") as [example]:
        assert example.material.video.slides
        assert example.verdict == "RECOMPUTE"
    (task / "video_input.json").unlink()
    (task / "context" / "video" / "briefing.mp4").write_bytes(b"\0\0\0\x18ftypmp42")
    broken = debriefer("dataset", "prepare", tmp_path / "set", "--speech-model", "none")
    assert broken.returncode == 1
    assert "1/1 t1: " in broken.stderr
