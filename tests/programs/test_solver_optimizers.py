"""The Solver's predictors compiled by an optimiser that rewrites instructions, against scripted models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest

from debriefer.models import Models, ModelSettings
from dspy_programs.metrics import answer_score
from dspy_programs.solver import Solver
from dspy_programs.state import load_state, save_state
from tests.doubles.script import Answer, Reply, Turn
from tests.doubles.scripted import scripted_models
from tests.programs.solver_sessions import Say, Seen, call, lay_out, say, write_query

LESSON = "Count entities once: think of DISTINCT before you write the query."
FILES = {"csv/orders.csv": "id,city,state\n1,Ulm,open\n2,Ulm,open\n3,Bern,closed\n4,Graz,open\n"}
GOLD = "city\nUlm\nGraz\n"


def lesson_follower(seen: Seen) -> Iterator[Say]:
    """A model that repeats rows unless its instructions tell it not to."""
    distinct = "DISTINCT " if LESSON in seen.system else ""
    seen = yield say("Which lines?", call("read_solver"))
    query = f"SELECT {distinct}city FROM orders WHERE state = 'open'"
    yield say("Write.", write_query(seen, query, "cities"), call("run_solver"))
    yield say("Delivered.")


class Conversations:
    """Plays a script anew for each conversation: a request without a reply in it begins one."""

    def __init__(self) -> None:
        self.reflections: list[str] = []

    def models(self) -> Models:
        from tests.programs.solver_sessions import Engine  # noqa: PLC0415

        engines: list[Engine] = []

        def send(request: object, _seconds: float) -> object:
            if not any(message.role == "assistant" for message in request.messages):  # type: ignore[attr-defined]
                engines.append(Engine(lesson_follower))
            return engines[-1].complete(request)  # type: ignore[arg-type]

        return Models(ModelSettings("openai/scripted"), sender_factory=lambda *_: send, environment={})

    def reflect(self, turn: Turn) -> Answer:
        self.reflections.append(turn.text)
        return Reply(json.dumps({"new_instruction": LESSON}))


@pytest.mark.timeout(110)
def test_gepa_rewrites_instructions_that_survive_a_reload(tmp_path: Path) -> None:
    prepared = lay_out(tmp_path, "Which cities have open orders?", FILES)
    works = [shutil.copytree(prepared, tmp_path / f"work{number}") for number in range(2)]
    examples = [dspy.Example(work=str(work), gold=GOLD).with_inputs("work") for work in works]
    double = Conversations()
    reflection, _ = scripted_models(double.reflect)
    program = Solver()
    instructions = program.next_action.signature.instructions
    with double.models().using("solver", trace=[]):
        before = answer_score(examples[0], program(work=str(works[0])))
        optimizer = dspy.GEPA(
            metric=answer_score,
            max_metric_calls=6,
            reflection_lm=reflection.lm("reflection"),
            reflection_minibatch_size=1,
            num_threads=1,
            # The compression is not asked in runs this short; there is nothing to learn of it.
            component_selector=lambda *_, **__: ["next_action"],
        )
        compiled = optimizer.compile(program, trainset=examples[:1], valset=examples[1:])
    assert before < 1.0
    assert LESSON in compiled.next_action.signature.instructions
    # The reflection saw what the metric said of the answer, and the instructions that it was to mend.
    assert any("rows" in text and instructions.splitlines()[0] in text for text in double.reflections)
    # What was learned is a file without a model, and holds without the optimiser.
    save_state(compiled, tmp_path / "solver.json")
    loaded = Solver()
    load_state(loaded, tmp_path / "solver.json")
    with double.models().using("solver"):
        assert answer_score(examples[0], loaded(work=str(works[0]))) == 1.0
    # What must always hold was not touched.
    assert loaded.next_action.signature.input_fields.keys() == Solver().next_action.signature.input_fields.keys()
