from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from debriefer.pipeline import BaseStage, Inputs, Product, Stage, StageRegistry, default_registry, solve
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.registry import CatalogStage
from debriefer.pipeline.stages import StageError, StageRun
from debriefer.task import Task
from dspy_programs.solver import Findings


@dataclass(frozen=True, slots=True)
class Recorded(BaseStage):
    """A stage that notes its runs; `fails` makes it raise."""

    runs: list[str] = field(default_factory=list)
    fails: bool = False
    setting: str = "a"
    reason: str | None = None

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        del inputs
        return {"setting": self.setting}

    def skipped(self, inputs: Inputs) -> str | None:
        del inputs
        return self.reason

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        self.runs.append(self.name)
        if self.fails:
            message = f"`{self.name}` is broken"
            raise RuntimeError(message)
        (folder / "out.txt").write_text(inputs.task.question)
        return {"name": self.name}

    def tell(self, product: Product, findings: Findings) -> Findings:
        return Findings(verdict=f"{findings.verdict or ''}{product.value['name']} ")


@pytest.fixture
def copy(task_with: Callable[..., Path], tmp_path: Path) -> Task:
    return Task.open(task_with(csv={"a.csv": "x\n1\n"})).working_copy(tmp_path / "work")


def states(run: StageRun) -> dict[str, str]:
    return {record.name: record.state for record in run.records}


def taken(registry: StageRegistry, copy: Task, cache: Path | None = None) -> StageRun:
    run = StageRun(registry, copy, cache=None if cache is None else Cache(cache))
    run.run()
    return run


def test_an_installation_s_stages_fit_the_protocol() -> None:
    assert all(stage is None or isinstance(stage, Stage) for _, stage in default_registry())
    assert isinstance(Recorded("media"), Stage)


def test_what_is_absent_is_recorded_as_absent_and_what_is_there_runs_in_order(copy: Task) -> None:
    runs: list[str] = []
    run = taken(StageRegistry([Recorded("judge", runs=runs), CatalogStage(), Recorded("media", runs=runs)]), copy)
    assert runs == ["media", "judge"]
    assert states(run) == {
        "media": "done",
        "documents": "absent",
        "catalog": "done",
        "relevance": "absent",
        "judge": "done",
    }
    assert all(record.reason for record in run.records if record.state == "absent")
    assert (copy.folder / "workdir" / "catalog.duckdb").is_file()
    assert run.findings().verdict == "media judge "


def test_an_optional_stage_that_fails_is_lost_alone_with_its_reason(copy: Task) -> None:
    run = taken(default_registry().with_stages(Recorded("media", fails=True), Recorded("judge")), copy)
    assert states(run)["media"] == "failed"
    assert states(run)["catalog"] == states(run)["judge"] == "done"
    assert run.records[0].reason == "RuntimeError: `media` is broken"
    assert run.findings().verdict == "judge "


def test_a_stage_that_is_needed_ends_the_task_with_its_reason(task_with: Callable[..., Path], tmp_path: Path) -> None:
    registry = StageRegistry([Recorded("catalog", optional=False, fails=True)])
    with pytest.raises(StageError, match="stage `catalog` failed: RuntimeError: `catalog` is broken"):
        taken(registry, Task.open(task_with(csv={"a.csv": "x\n1\n"})).working_copy(tmp_path / "work"))
    outcome = solve(tmp_path / "task_1", tmp_path / "out", registry=registry)
    assert outcome.status == "failed"
    assert "`catalog` is broken" in (outcome.reason or "")
    assert [(record.name, record.state) for record in outcome.stages][-1] == ("catalog", "failed")


def test_a_stage_with_nothing_to_do_says_so(copy: Task) -> None:
    run = taken(default_registry().with_stages(Recorded("media", reason="the task has no video")), copy)
    assert (run.records[0].state, run.records[0].reason) == ("skipped", "the task has no video")


def test_products_are_found_again_until_inputs_settings_or_version_change(copy: Task, tmp_path: Path) -> None:
    runs: list[str] = []

    def take(**values: Any) -> str:  # noqa: ANN401
        registry = default_registry().with_stages(Recorded("media", runs=runs, **values))
        return states(taken(registry, copy, tmp_path / "cache"))["media"]

    assert [take(), take()] == ["done", "cached"]
    assert [take(setting="b"), take(version=2), take()] == ["done", "done", "cached"]
    (copy.context / "csv" / "a.csv").write_text("x\n2\n")
    assert [take(), take()] == ["done", "cached"]
    assert len(runs) == 4


def test_a_product_depends_on_the_products_that_its_stage_uses(copy: Task, tmp_path: Path) -> None:
    def take(version: int, uses: Sequence[str]) -> str:
        stages = Recorded("media", version=version), Recorded("judge", uses=uses)
        return states(taken(default_registry().with_stages(*stages), copy, tmp_path / "cache"))["judge"]

    assert [take(1, ["media"]), take(1, ["media"]), take(2, ["media"])] == ["done", "cached", "done"]
    assert [take(1, []), take(2, [])] == ["done", "cached"]


def test_stages_have_their_place() -> None:
    with pytest.raises(ValueError, match="no stage that can be plugged in"):
        StageRegistry([Recorded("solve")])
    with pytest.raises(ValueError, match="does not come before it"):
        StageRegistry([Recorded("media", uses=["judge"])])


def test_the_input_folder_is_never_written_to(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(question="How many rows are there?", csv={"a.csv": "x\n1\n2\n"})
    before = {path: path.read_bytes() for path in task.rglob("*") if path.is_file()}
    solve(task, tmp_path / "out", cache=tmp_path / "cache")
    assert {path: path.read_bytes() for path in task.rglob("*") if path.is_file()} == before
