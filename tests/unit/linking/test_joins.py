from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from debriefer.catalog import Catalog
from debriefer.linking import ASSERTED, JoinKey, join_keys


def keys_of(task: Path, tmp_path: Path) -> list[JoinKey]:
    with Catalog.build(task, tmp_path / "c" / "catalog.duckdb") as catalog:
        return [key for key in join_keys(catalog) if key.score >= ASSERTED]


def test_values_tell_keys_whose_names_do_not_agree(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(
        csv={
            "ports.csv": "mark,city\nQTA,Quill\nRVN,Raven\nSKE,Skerry\nTOL,Toll\n",
            "sailings.csv": "number,from_where\n1,QTA\n2,SKE\n3,SKE\n4,RVN\n",
        }
    )
    found = keys_of(task, tmp_path)
    assert [(k.table, k.column, k.to_table, k.to_column, k.inclusion, k.to_one) for k in found] == [
        ("sailings", "from_where", "ports", "mark", 1.0, True)
    ]
    assert found[0].reason == "100% of its 3 values are among 4"


def test_names_alone_make_no_key(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(
        csv={
            "clubs.csv": "club_id,title\n1,A\n2,B\n3,C\n",
            "members.csv": "member_id,club_id\n10,71\n11,72\n12,72\n",
        }
    )
    assert keys_of(task, tmp_path) == []


def test_row_numbers_of_two_tables_are_no_key(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(csv={"a.csv": "id,x\n1,q\n2,r\n3,s\n", "b.csv": "id,y\n1,t\n2,u\n3,v\n4,w\n"})
    assert keys_of(task, tmp_path) == []


def test_a_declared_reference_is_a_key(task_with: Callable[..., Path], tmp_path: Path) -> None:
    script = (
        "CREATE TABLE team (code TEXT PRIMARY KEY, city TEXT); INSERT INTO team VALUES ('a', 'x'), ('b', 'y');"
        "CREATE TABLE game (no INTEGER, home TEXT REFERENCES team(code)); INSERT INTO game VALUES (1, 'a'), (2, 'a');"
    )
    found = keys_of(task_with(db={"t.sqlite": script}), tmp_path)
    assert [(k.table, k.column, k.to_table, k.declared) for k in found] == [("game", "home", "team", True)]


def test_stray_values_are_allowed_but_few(task_with: Callable[..., Path], tmp_path: Path) -> None:
    cities = "\n".join(f"c{n},{n}" for n in range(40))
    for strays, expected in ((1, 1), (9, 0)):
        visits = "\n".join([*(f"v{n},c{n}" for n in range(30)), *(f"w{n},unknown{n}" for n in range(strays))])
        task = task_with(
            csv={"cities.csv": f"city,size\n{cities}\n", "visits.csv": f"visit,city\n{visits}\n"}, task_id=f"t{strays}"
        )
        found = [k for k in keys_of(task, tmp_path / str(strays)) if k.column == "city"]
        assert len(found) == expected
