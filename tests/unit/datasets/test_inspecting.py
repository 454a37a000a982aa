"""What an inspection counts and what it finds wrong."""

from __future__ import annotations

import json
from pathlib import Path

from debriefer.datasets import inspect
from tests.unit.datasets.test_labelled import lay


def test_counts_of_a_whole_set(tmp_path: Path) -> None:
    lay(tmp_path, "t1")
    lay(tmp_path, "t2", question="共有多少个？", csv="b\n2\n")
    found = inspect(tmp_path)
    assert found.problems == ()
    part = found.parts["all"]
    assert (part["tasks"], part["groups"]) == (2, 2)
    assert part["language"] == {"en": 1, "zh": 1}
    assert part["difficulty"] == {"not said": 2}


def test_a_database_in_two_parts_is_a_problem_also_under_another_name(tmp_path: Path) -> None:
    lay(tmp_path / "train", "t1")
    lay(tmp_path / "dev", "t2")
    assert inspect(tmp_path).problems == ("the database of `t2` is in `dev` and in `train`",)


def test_groups_that_share_a_file_are_a_problem(tmp_path: Path) -> None:
    lay(tmp_path, "t1")
    lay(tmp_path, "t2")
    entries = [{"task": name, "group": f"g{name}"} for name in ("t1", "t2")]
    (tmp_path / "dataset.json").write_text(json.dumps({"format": 1, "tasks": entries}), encoding="utf-8")
    assert inspect(tmp_path).problems == ("the groups `gt1` and `gt2` share a file",)


def test_the_same_question_on_one_database_is_a_problem(tmp_path: Path) -> None:
    lay(tmp_path, "t1")
    lay(tmp_path, "t2")
    assert inspect(tmp_path).problems == ("`t1` is asked the same in `t1`, `t2`",)


def test_golds_that_cannot_be_read_are_problems(tmp_path: Path) -> None:
    lay(tmp_path, "t1", gold="")
    (tmp_path / "output" / "t1" / "truth.json").write_text('{"task": {"verdict": "PERHAPS"}}', encoding="utf-8")
    (tmp_path / "output" / "t1" / "documents").mkdir()
    problems = inspect(tmp_path).problems
    assert [problem.partition(" cannot be read")[0] for problem in problems] == [
        f"`t1`: the gold for `{program}`" for program in ("solver", "judge", "documents")
    ]
    assert "`PERHAPS` is no verdict" in problems[1]
