"""Labelled tasks as examples that programs run on and metrics score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest

from debriefer.catalog import Catalog
from debriefer.datasets import DatasetError, LabelledTask, load, make
from debriefer.scoring import signature_score
from dspy_programs.datasets import examples, prepared
from dspy_programs.judge import Material
from dspy_programs.oneshot import OneShot
from tests.doubles.scripted import scripted_models


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[LabelledTask]:
    folder = tmp_path_factory.mktemp("invented")
    make(folder)
    return [task for task in load(folder) if task.name in ("cafes_1", "cafes_3", "trails_2", "vineyards_1")]


@pytest.fixture(scope="module")
def solver(tasks: list[LabelledTask]) -> Iterator[dict[str, dspy.Example]]:
    with prepared(tasks, "solver") as found:
        yield {example.name: example for example in found}


def test_a_solver_example_is_a_working_copy_with_findings(solver: dict[str, dspy.Example]) -> None:
    assert set(solver) == {"cafes_1", "cafes_3", "trails_2", "vineyards_1"}
    example = solver["cafes_1"]
    assert set(example.inputs().keys()) == {"work", "findings"}
    with Catalog.open(Path(example.work) / "workdir" / "catalog.duckdb") as catalog:
        assert list(catalog.tables) == ["takings"]
    shown = "".join(block["text"] for block in example.findings.timeline.format())
    assert "Archive: 2030Q4" in shown
    assert "Here is the total of 2031Q1." in shown
    assert any(link.target == "takings" for link in example.findings.links)
    assert solver["trails_2"].findings.timeline is None


def test_a_program_runs_on_it_and_is_scored(solver: dict[str, dspy.Example]) -> None:
    models, _ = scripted_models(lambda _: "[[ ## sql ## ]]\nSELECT sum(takings) FROM takings WHERE quarter = '2031Q1'")
    example = solver["cafes_1"]
    with models.using("solver"):
        said = OneShot()(**example.inputs())
    gold = Path(example.gold).read_text(encoding="utf-8").splitlines()
    assert said.csv.splitlines()[1:] == gold[1:]


def test_a_judge_example_has_material_and_the_right_verdict(tasks: list[LabelledTask]) -> None:
    with prepared(tasks, "judge") as found:
        first, third = found
    assert isinstance(first.material, Material)
    assert first.material.question == "What is the total takings in 2031Q1?"
    assert len(first.material.video.slides) == 6
    total = first["values"]
    assert (first.verdict, third.verdict, third["values"]) == ("ADOPT", "RECOMPUTE", [])
    assert any(f'"{total[0][0]}"' in slide.layout for slide in first.material.video.slides)


def test_a_documents_example_has_the_cells_that_the_prose_tells(tasks: list[LabelledTask]) -> None:
    with prepared(tasks, "documents") as [example]:
        assert [Path(path).name for path in example.paths] == ["vineyards.md"]
        text = Path(example.paths[0]).read_text(encoding="utf-8")
    rows = example.cells["vineyards"]
    assert [row["vineyard"] for row in rows][:2] == ["Aldergate", "Bramley Hill"]
    assert all(row["founded"] in text for row in rows)


def test_a_copy_is_used_again_unless_the_evidence_changed(tasks: list[LabelledTask], tmp_path: Path) -> None:
    chosen = [task for task in tasks if task.name == "trails_2"]
    [example] = examples(chosen, "solver", tmp_path)
    catalog = Path(example.work) / "workdir" / "catalog.duckdb"
    made = catalog.stat().st_mtime_ns
    examples(chosen, "solver", tmp_path)
    assert catalog.stat().st_mtime_ns == made
    catalog.unlink()
    [again] = examples(chosen, "solver", tmp_path)
    assert (Path(again.work) / "workdir" / "catalog.duckdb").is_file()


def test_what_cannot_be_an_example_is_refused(tasks: list[LabelledTask], tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        examples([task for task in tasks if task.program == "solver"], "judge", tmp_path)
    assert caught.value.hint == "the tasks are labelled for: solver"
    with pytest.raises(DatasetError, match="two tasks are called `cafes_1`"):
        examples([*tasks, *tasks], "solver", tmp_path)


def test_gold_of_every_example_is_a_table(solver: dict[str, dspy.Example]) -> None:
    for example in solver.values():
        assert signature_score(Path(example.gold), Path(example.gold)).score == 1.0
