"""Learned state on its way into a run: whose it is, which comes first, and what it changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.optimisers.tasks import make
from benchmarks.optimisers.teachable import Teachable, sender_factory
from debriefer.errors import MissingFileError
from debriefer.models import Models, ModelSettings
from debriefer.pipeline import Inputs, JudgeSettings, RunSettings, default_registry, solve
from debriefer.pipeline.learned import judge_with_state, learned, learned_digests
from debriefer.task import Task
from dspy_programs import learned as home
from dspy_programs.judge import VideoJudge
from dspy_programs.learned import ProgramStateError, state_files
from dspy_programs.solver import Solver
from dspy_programs.state import checked_states, save_state
from tests.conftest import ROOT
from tests.doubles import analyst
from tests.doubles.scripted import scripted_models

SOLVER = "dspy_programs.solver.agent:Solver"
JUDGE = "dspy_programs.judge.program:VideoJudge"


def state(path: Path, program: str = SOLVER, **extra: Any) -> Path:  # noqa: ANN401
    values = {"format": 1, "program": program, "signatures": {}, "state": {}, **extra}
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "compiled"
    folder.mkdir()
    monkeypatch.setattr(home, "COMPILED", folder)
    return folder


def test_each_file_says_itself_whose_it_is(tmp_path: Path) -> None:
    one, other = state(tmp_path / "a.json", JUDGE), state(tmp_path / "b.json")
    settings = RunSettings(program_states=(str(one), str(other)))
    assert (learned(settings, "judge"), learned(settings, "solver")) == (one, other)
    assert judge_with_state(settings).state == str(one)


def test_a_file_that_is_given_comes_before_the_one_that_ships(tmp_path: Path, shipped: Path) -> None:
    ours = state(shipped / "judge.json", JUDGE)
    assert state_files() == {"judge": ours}
    given = state(tmp_path / "mine.json", JUDGE)
    assert state_files([given]) == {"judge": given}
    assert judge_with_state(RunSettings(judge=JudgeSettings(state="other.json"))).state == "other.json"


def test_without_files_nothing_is_learned(shipped: Path) -> None:
    assert state_files() == {}
    assert list(shipped.iterdir()) == []
    assert judge_with_state(RunSettings()).state is None


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        (["os:system"], "was learned by `os:system`, which is no program here"),
        ([SOLVER, SOLVER], "are both states of `solver`"),
    ],
)
def test_what_is_of_no_program_or_of_one_twice_is_refused(tmp_path: Path, programs: list[str], message: str) -> None:
    files = [state(tmp_path / f"{number}.json", program) for number, program in enumerate(programs)]
    with pytest.raises(ProgramStateError, match=message):
        state_files(files)


def test_a_missing_file_is_refused_before_any_stage(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"gone\.json"):
        default_registry(RunSettings(program_states=(str(tmp_path / "gone.json"),)))


def test_a_state_counts_by_what_it_says_and_not_by_where_it_stands(tmp_path: Path) -> None:
    one, copy = state(tmp_path / "a.json"), state(tmp_path / "b.json")
    other = state(tmp_path / "c.json", record={"status": "improved"})
    digests = [learned_digests(RunSettings(program_states=(str(path),))) for path in (one, copy, other)]
    assert digests[0] == digests[1] != digests[2]


def test_settings_survive_their_way_to_a_worker() -> None:
    settings = RunSettings(program_states=("a.json", "b.json"))
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_a_look_beforehand_gives_the_records_and_refuses_other_versions(tmp_path: Path) -> None:
    path = tmp_path / "solver.json"
    save_state(Solver(), path, record={"status": "not_supported"})
    assert checked_states([path]) == {"solver": {"status": "not_supported"}}
    values = json.loads(path.read_text(encoding="utf-8"))
    values["signatures"]["next_action"] = "0" * 16
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ProgramStateError, match="another version of `next_action`"):
        checked_states([path])


def test_solve_asks_with_what_the_solver_has_learned(tmp_path: Path) -> None:
    taught = Solver()
    instructions = "Look at the tables first. " + taught.next_action.signature.instructions
    taught.next_action.signature = taught.next_action.signature.with_instructions(instructions)
    save_state(taught, tmp_path / "solver.json")
    for states, shown in (((str(tmp_path / "solver.json"),), True), ((), False)):
        models, engine = scripted_models(analyst.direct, ModelSettings("openai/scripted"))
        settings = RunSettings(program_states=states)
        outcome = solve(ROOT / "examples" / "tasks" / "task_1", tmp_path / str(shown), models=models, settings=settings)
        assert outcome.status == "answered"
        assert all(("Look at the tables first." in turn.system) is shown for turn in engine.turns)


def test_the_judge_asks_with_what_it_has_learned(tmp_path: Path) -> None:
    taught = VideoJudge()
    taught.extract.signature = taught.extract.signature.with_instructions("Compare the periods.")
    save_state(taught, tmp_path / "judge.json")
    settings = RunSettings(program_states=(str(tmp_path / "judge.json"),))
    stage = next(stage for name, stage in default_registry(settings) if name == "judge" and stage is not None)
    work = make(tmp_path / "data", 1, 1, "t") / "input" / "t_001"
    copy = Task.open(work).working_copy(tmp_path / "work")
    frames = copy.folder / "workdir" / "_video_frames"
    frames.mkdir(parents=True)
    (frames / "video_input.json").write_bytes((work / "video_input.json").read_bytes())
    model = Teachable(keep=True)
    models = Models(ModelSettings("openai/t"), sender_factory=sender_factory(model), environment={})
    (tmp_path / "product").mkdir()
    stage.run(Inputs(copy, {}, models), tmp_path / "product")
    assert model.prompts
    assert all("Compare the periods." in prompt for prompt in model.prompts if "`[[ ## claim ## ]]`" in prompt)


@pytest.mark.parametrize("damage", [{"state": {}}, {"state": []}, {"state": {"next_action": 1}}, {"signatures": []}])
def test_a_damaged_state_is_refused_in_words(tmp_path: Path, damage: dict[str, Any]) -> None:
    path = tmp_path / "solver.json"
    save_state(Solver(), path)
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **damage}), encoding="utf-8")
    with pytest.raises(ProgramStateError, match=r"damaged|no saved state"):
        checked_states([path])
