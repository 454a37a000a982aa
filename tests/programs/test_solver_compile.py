"""The Solver as a program that can be compiled, saved and loaded again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest

from dspy_programs.metrics import answer_score
from dspy_programs.solver import Solver, SolverSettings
from dspy_programs.state import ProgramStateError, load_state, save_state, signature_hash
from tests.programs.solver_sessions import Engine, Say, Seen, call, lay_out, say, write_query

QUESTION = "Which cities have open orders?"
FILES = {"csv/orders.csv": "id,city,state\n1,Ulm,open\n2,Ulm,open\n3,Bern,closed\n4,Graz,open\n"}
GOLD = "city\nUlm\nGraz\n"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("orders"), QUESTION, FILES)


@pytest.fixture
def work(prepared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(prepared, tmp_path / "work")


def entities(seen: Seen) -> Iterator[Say]:
    seen = yield say("An entity list.", call("read_solver"))
    query = "SELECT DISTINCT city FROM orders WHERE state = 'open'"
    yield say("Distinct cities.", write_query(seen, query, "entity list: one row a city"), call("run_solver"))
    yield say("Delivered the cities.")


def compiled(work: Path, settings: SolverSettings | None = None) -> Solver:
    example = dspy.Example(work=str(work), gold=GOLD).with_inputs("work")
    optimizer = dspy.BootstrapFewShot(metric=answer_score, metric_threshold=1.0, max_labeled_demos=1)
    with Engine(entities).models().using("solver"):
        return optimizer.compile(Solver(settings), trainset=[example])


def test_a_run_scores_by_the_competitions_metric(work: Path) -> None:
    with Engine(entities).models().using("solver"):
        prediction = Solver()(work=str(work))
    assert answer_score(dspy.Example(gold=GOLD), prediction) == 1.0


def test_bootstrapping_learns_a_turn_that_later_prompts_show(work: Path, tmp_path: Path) -> None:
    program = compiled(work)
    assert [demo.question.splitlines()[0] for demo in program.next_action.demos] == [QUESTION]
    engine = Engine(entities)
    with engine.models().using("solver"):
        program(work=str(work))
    system = engine.seen[0].system
    assert f"Example 1. Question: {QUESTION}" in system
    learned = system.split("# Good turns from other tasks")[1]

    save_state(program, tmp_path / "solver.json")
    loaded = Solver()
    load_state(loaded, tmp_path / "solver.json")
    again = Engine(entities)
    with again.models().using("solver"):
        assert loaded(work=str(work)).finished
    # The loaded program says the same, byte for byte.
    assert again.seen[0].system.split("# Good turns from other tasks")[1] == learned


def test_a_saved_state_holds_no_evidence_and_no_language_model(work: Path, tmp_path: Path) -> None:
    save_state(compiled(work), tmp_path / "solver.json")
    document = json.loads((tmp_path / "solver.json").read_text(encoding="utf-8"))
    demo = document["state"]["next_action"]["demos"][0]
    assert set(demo) == {"augmented", "question", "trajectory", "thought", "tool_calls"}
    assert all(part["lm"] is None for part in document["state"].values())


def test_rewritten_instructions_survive_a_reload(tmp_path: Path) -> None:
    program = Solver()
    program.next_action.signature = program.next_action.signature.with_instructions("Answer at once.")
    save_state(program, tmp_path / "solver.json")
    loaded = Solver()
    load_state(loaded, tmp_path / "solver.json")
    assert loaded.next_action.signature.instructions == "Answer at once."


def test_a_state_for_another_version_of_a_signature_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "solver.json"
    save_state(Solver(), path)
    changed = Solver()
    changed.next_action.signature = changed.next_action.signature.insert(0, "hints", dspy.InputField(), str)
    before = changed.next_action.signature.instructions
    with pytest.raises(ProgramStateError, match="another version of `next_action`") as caught:
        load_state(changed, path)
    assert caught.value.hint == "compile the program again and save its new state"
    assert changed.next_action.signature.instructions == before


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', "not json"])
def test_a_file_that_is_no_state_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "solver.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProgramStateError, match="is no saved state"):
        load_state(Solver(), path)


def test_a_program_that_carries_a_model_is_not_saved(tmp_path: Path) -> None:
    program = Solver()
    program.set_lm(Engine(entities).models().lm("solver"))
    with pytest.raises(ProgramStateError, match="`next_action` carries a language model"):
        save_state(program, tmp_path / "solver.json")


def test_the_hash_of_a_signature_follows_its_fields_and_not_its_words() -> None:
    action = Solver().next_action.signature
    assert signature_hash(action.with_instructions("other words")) == signature_hash(action)
    assert signature_hash(action.with_updated_fields("question", desc="other words")) == signature_hash(action)
    assert signature_hash(action.with_updated_fields("question", type_=int)) != signature_hash(action)
    assert signature_hash(action.delete("knowledge")) != signature_hash(action)
