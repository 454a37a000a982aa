"""Dividing by database, never by question."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.datasets import DatasetError, LabelledTask, load, make, split, write_split


def task(name: str, group: str, evidence: tuple[str, ...] = ("tables",), language: str = "en") -> LabelledTask:
    return LabelledTask(
        Path("/d/input") / name, group, Path("/d/output") / name / "gold.csv", "solver", evidence, language
    )


@given(st.lists(st.integers(0, 12), min_size=13, max_size=60), st.integers(0, 5))
def test_no_database_is_in_two_parts_and_no_task_is_lost(groups: list[int], seed: int) -> None:
    tasks = [task(f"t{n}", f"g{group}") for n, group in enumerate([*groups, 0, 1, 2])]
    parts = split(tasks, seed=seed)
    homes = {}
    for name, members in parts.items():
        for one in members:
            assert homes.setdefault(one.group, name) == name
    assert sorted(one.name for members in parts.values() for one in members) == sorted(one.name for one in tasks)


def test_shares_are_kept_where_groups_are_small() -> None:
    tasks = [task(f"t{n}", f"g{n}") for n in range(100)]
    assert {name: len(part) for name, part in split(tasks, seed=3).items()} == {"train": 60, "dev": 20, "test": 20}


def test_every_kind_is_in_each_part_where_it_has_groups_enough() -> None:
    tasks = [task(f"{kind}{n}", f"{kind}{n}", (kind,)) for kind in ("tables", "documents", "video") for n in range(5)]
    for part in split(tasks).values():
        assert {one.evidence[0] for one in part} == {"tables", "documents", "video"}


def test_the_seed_decides_and_the_order_of_tasks_does_not() -> None:
    tasks = [task(f"t{n}", f"g{n}") for n in range(30)]
    parts = [
        {name: {one.name for one in part} for name, part in split(t, seed=s).items()}
        for t, s in ((tasks, 1), (tasks[::-1], 1), (tasks, 2))
    ]
    assert parts[0] == parts[1]
    assert parts[0] != parts[2]


def test_too_few_databases_are_refused_unless_a_part_has_no_share() -> None:
    tasks = [task("t1", "g1"), task("t2", "g2"), task("t3", "g2")]
    with pytest.raises(DatasetError, match="2 databases cannot be divided into 3 parts"):
        split(tasks)
    assert {name: len(part) for name, part in split(tasks, shares=(1, 1, 0)).items()}["test"] == 0


@pytest.mark.parametrize("shares", [(1, 2), (-1, 1, 1), (0, 0, 0)])
def test_shares_that_are_none_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(DatasetError, match="shares must be 3 numbers"):
        split([task("t", "g")], shares=shares)


def test_a_written_part_is_a_data_set_with_the_same_labels(tmp_path: Path) -> None:
    make(tmp_path / "all")
    tasks = load(tmp_path / "all")
    parts = split(tasks)
    write_split(parts, tmp_path / "parts")
    for name, part in parts.items():
        read = load(tmp_path / "parts" / name)
        assert [(one.name, one.program, one.group, one.evidence, one.language, one.difficulty) for one in read] == [
            (one.name, one.program, one.group, one.evidence, one.language, one.difficulty) for one in part
        ]
    with pytest.raises(DatasetError, match="is not empty"):
        write_split(parts, tmp_path / "parts")
