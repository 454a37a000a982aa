"""The judge as a stage of the pipeline: what it lays, tells, logs and caches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debriefer.catalog import Catalog
from debriefer.judgement import VideoVerdict
from debriefer.judgement.claim_tables import write_claim
from debriefer.media.briefing import Makers
from debriefer.models import Models, ModelSettings
from debriefer.pipeline import JudgeSettings, JudgeStage, MediaStage, RunSettings, default_registry, solve
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task
from debriefer.workbench import Workbench
from tests.doubles.script import Answer, Fault, Turn, fields
from tests.doubles.scripted import scripted_models
from tests.doubles.videos import FixedLayout, FixedListener, FixedSlides, write_video

QUESTION = "What is the net profit?"
STEPS = ("reading", "shape", "decision")


def step_of(turn: Turn) -> str | None:
    return next((name for name in STEPS if f"[[ ## {name} ## ]]" in turn.system), None)


def shows(value: str) -> Callable[[Turn], Answer]:
    def respond(turn: Turn) -> Answer:
        match step_of(turn):
            case "reading":
                claim: dict[str, Any] = {
                    "has_displayed_answer": True,
                    "claimed_values": [[{"value": value, "slides": [1]}]],
                    "source_frames": [1],
                }
                return fields(turn, reading="a card", claim=claim)
            case "shape":
                aligned = {"target_columns": ["net_profit"], "normalized_values": [["1200"]], "conversion": "× 100"}
                return fields(turn, shape=aligned)
            case "decision":
                return fields(turn, decision={"decision": "ADOPT", "confidence": 0.9, "reason": "one card"})
        return Fault(status=400, type="invalid", message="only the judge is asked")

    return respond


@pytest.fixture
def work(task_with: Callable[..., Path], tmp_path: Path) -> Task:
    source = write_video(tmp_path / "source.mp4", ((200, 0, 0), (0, 0, 200))).read_bytes()
    folder = task_with(question=QUESTION, csv={"a.csv": "region\nNorth\n"}, other={"video/briefing.mp4": source})
    return Task.open(folder).working_copy(tmp_path / "work")


def makers(*_: object) -> Makers:
    return Makers(FixedSlides(), FixedLayout(), FixedListener())


def taken(task: Task, models: Models | None, cache: Path | None = None, judge: JudgeSettings | None = None) -> StageRun:
    stages = default_registry().with_stages(MediaStage(makers=makers), JudgeStage(judge=judge or JudgeSettings(3)))
    run = StageRun(stages, task, models=models, cache=None if cache is None else Cache(cache))
    run.run()
    return run


def state(run: StageRun) -> tuple[str, str | None]:
    return next((record.state, record.reason) for record in run.records if record.name == "judge")


def text_on_slide(work: Task) -> str:
    """Return what the stand-in for OCR writes on the first slide."""
    run = taken(work, None)
    assert run.products["media"].value["videos"]
    values = json.loads((work.folder / "workdir" / "_video_frames" / "video_input.json").read_bytes())
    layout: str = next(item["hiccup"] for item in values["timeline"] if item["type"] == "frame")
    return layout.split('"')[1]


def test_the_claim_can_be_queried_and_the_verdict_is_told(work: Task) -> None:
    value = text_on_slide(work)
    models, engine = scripted_models(shows(value))
    run = taken(work, models)
    assert state(run) == ("done", None)
    verdict = run.findings().verdict
    assert isinstance(verdict, VideoVerdict)
    assert (verdict.finding, verdict.decision, verdict.unsupported) == ("shown", "ADOPT", [])
    with Workbench.create(work.folder) as bench:
        assert value in bench.explore_data("SELECT * FROM video_claim")
        assert "1200" in bench.explore_data("SELECT net_profit FROM video_claim_normalized WHERE net_profit > 1000")
        assert bench.explore_data("SELECT * FROM video_claim_cells WHERE NOT is_on_slide").startswith("0 rows")
        assert "video_claim" in bench.explore_data(r"\tables")
    assert len(engine.turns) == 9


def test_logs_are_a_file_a_round_and_one_of_all(work: Task) -> None:
    models, _ = scripted_models(shows("not on any slide"))
    folder = taken(work, models).products["judge"].folder / "logs" / "video_result"
    assert sorted(path.name for path in folder.iterdir()) == ["result.json", "vote0.json", "vote1.json", "vote2.json"]
    result = json.loads((folder / "result.json").read_bytes())
    assert (result["task_id"], result["decision"]) == (work.task_id, "ADOPT_AND_VERIFY")
    assert result["usage"]["requests"] == 9
    assert [one["decision"] for one in result["rounds"]] == ["ADOPT"] * 3


def test_a_second_run_asks_nothing_and_a_failed_one_is_asked_again(work: Task, tmp_path: Path) -> None:
    models, engine = scripted_models(shows("x"))
    taken(work, models, tmp_path / "cache")
    assert state(taken(work, models, tmp_path / "cache")) == ("cached", None)
    assert len(engine.turns) == 9
    assert state(taken(work, models, tmp_path / "cache", JudgeSettings(1))) == ("done", None)
    broken, _ = scripted_models(lambda _: "no form", ModelSettings("openai/other"))
    assert taken(work, broken, tmp_path / "cache").products["judge"].value["verdict"]["finding"] == "unknown"
    assert state(taken(work, broken, tmp_path / "cache")) == ("done", None)


@pytest.mark.parametrize("rounds", [0, 1])
def test_a_task_goes_on_without_a_judge_or_a_video(work: Task, rounds: int) -> None:
    models, engine = scripted_models(shows("x"))
    if rounds:
        (work.context / "video" / "briefing.mp4").unlink()
    run = taken(work, models, judge=JudgeSettings(rounds))
    assert state(run)[0] == "skipped"
    assert run.findings().verdict is None
    assert engine.turns == []
    assert not (work.folder / "workdir" / "claim.duckdb").exists()


def test_a_video_that_was_not_prepared_is_recorded_and_not_told(work: Task) -> None:
    models, engine = scripted_models(shows("x"))
    run = StageRun(default_registry().with_stages(MediaStage(makers=broken_makers)), work, models=models)
    run.run()
    assert run.products["judge"].value["verdict"]["finding"] == "not_prepared"
    assert engine.turns == []


def broken_makers(*_: object) -> Makers:
    message = "the decoder broke"
    raise RuntimeError(message)


def test_without_a_model_the_offline_judge_is_asked(work: Task) -> None:
    verdict = taken(work, None).products["judge"].value["verdict"]
    assert verdict["judge"] == "offline"


def test_the_same_inputs_give_the_same_bytes(work: Task, tmp_path: Path) -> None:
    for number in (1, 2):
        models, _ = scripted_models(shows("x"))
        product = taken(work, models).products["judge"]
        copy = tmp_path / str(number)
        copy.mkdir()
        result = json.loads((product.folder / "logs" / "video_result" / "result.json").read_bytes())
        (copy / "result.json").write_text(json.dumps(result))
    assert (tmp_path / "1" / "result.json").read_bytes() == (tmp_path / "2" / "result.json").read_bytes()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["t.region", '"Revenue"'], ["region", "Revenue"]),
        (["a"], ["column_1", "column_2"]),
        (["a", "A"], ["column_1", "column_2"]),
    ],
)
def test_columns_of_the_claim_are_called_like_the_target(
    task_with: Callable[..., Path], tmp_path: Path, columns: list[str], expected: list[str]
) -> None:
    verdict = VideoVerdict(
        finding="shown",
        claimed_values=[["000021", "1.5"], ["000300", ""]],
        target_columns=columns,
        source_frames=["slide 2"],
    )
    assert write_claim(verdict, tmp_path / "claim.duckdb") == (
        "video_claim",
        "video_claim_normalized",
        "video_claim_cells",
    )
    Catalog.build(task_with(csv={"a.csv": "x\n1\n"}), tmp_path / "catalog.duckdb").close()
    with Catalog.open(tmp_path / "catalog.duckdb") as catalog:
        result = catalog.sql("SELECT * FROM video_claim")
        assert list(result.columns) == expected
        assert result.rows() == [("000021", 1.5), ("000300", None)]


def test_a_verdict_without_a_claim_leaves_no_tables(tmp_path: Path) -> None:
    target = tmp_path / "claim.duckdb"
    target.write_bytes(b"an earlier one")
    assert write_claim(VideoVerdict(finding="not_shown"), target) == ()
    assert not target.exists()


def test_the_solver_reads_the_verdict_and_the_log_has_it(work: Task, tmp_path: Path) -> None:
    judge = shows("x")
    seen: list[str] = []

    def respond(turn: Turn) -> Answer:
        if step_of(turn) is None:
            seen.append(turn.text)
            return fields(turn, thought="There is nothing to do.", tool_calls=[])
        return judge(turn)

    models, _ = scripted_models(respond)
    settings = RunSettings(attempts=1, judge=JudgeSettings(1))
    registry = default_registry(settings).with_stages(MediaStage(makers=makers))
    solve(work, tmp_path / "out", models=models, settings=settings, registry=registry)
    assert "verdict: ADOPT_AND_VERIFY" in seen[0]
    assert "`video_claim`" in seen[0]
    assert (tmp_path / "out" / "logs" / work.task_id / "video_result" / "vote0.json").is_file()


def test_settings_come_back_from_json() -> None:
    settings = RunSettings(judge=JudgeSettings(3, 60.0))
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
