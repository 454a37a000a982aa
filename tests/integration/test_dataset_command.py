"""`debriefer dataset` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

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
