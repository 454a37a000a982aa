"""The journal: a run that is started again asks only for what it has not been given yet."""

from __future__ import annotations

import json
from pathlib import Path

import dspy
import pytest

from debriefer.errors import ModelError
from debriefer.models import Budget, Journal, Meter, Models, ModelSettings
from tests.doubles.script import Answer, Reply, Turn, overflow, rate_limited
from tests.doubles.scripted import ScriptedEngine, scripted_models


def counting(turn: Turn) -> Answer:
    return Reply(f"reply {turn.number} to {turn.last.strip()[-1]}")


def ask(models: Models, *questions: str, role: str = "solver") -> list[str]:
    with models.using(role) as lm:
        return [lm(question)[0] for question in questions]


def opened(path: Path, script: object = counting, **settings: object) -> tuple[Models, ScriptedEngine, Journal]:
    journal = Journal(path)
    models, engine = scripted_models(script, ModelSettings(**{"model": "openai/scripted", **settings}))  # type: ignore[arg-type]
    return models.journalled(journal), engine, journal


def test_a_second_process_is_given_the_replies_of_the_first(tmp_path: Path) -> None:
    models, _, journal = opened(tmp_path / "calls.jsonl")
    first = ask(models, "a", "b", "a")
    journal.close()
    assert first == ["reply 0 to a", "reply 1 to b", "reply 2 to a"]
    models, engine, journal = opened(tmp_path / "calls.jsonl")
    # The third answer to `a` was not paid for yet.
    assert ask(models, "a", "b", "a", "a") == [*first, "reply 0 to a"]
    assert (len(engine.turns), journal.replayed) == (1, 3)
    journal.close()


def test_a_torn_last_line_loses_one_reply(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    models, _, journal = opened(path)
    ask(models, "a", "b")
    journal.close()
    path.write_bytes(path.read_bytes()[:-7])
    models, engine, journal = opened(path)
    assert ask(models, "a", "b") == ["reply 0 to a", "reply 0 to b"]
    assert len(engine.turns) == 1
    journal.close()
    assert [json.loads(line)["response"]["message"] for line in path.read_text().splitlines()]


def test_another_temperature_or_model_is_another_question_and_another_address_is_not(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    models, _, journal = opened(path, model="m", base_urls=("http://one:1",), temperature=0.5)
    ask(models, "a")
    journal.close()
    for settings, asked in (
        ({"model": "m", "base_urls": ("http://two:2",), "temperature": 0.5}, 0),
        ({"model": "m", "base_urls": ("http://one:1",), "temperature": 0.7}, 1),
        ({"model": "n", "base_urls": ("http://one:1",), "temperature": 0.5}, 1),
    ):
        models, engine, journal = opened(path, **settings)
        ask(models, "a")
        journal.close()
        assert len(engine.turns) == asked


def test_failures_are_asked_again_and_only_a_prompt_that_is_too_long_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    models, engine, journal = opened(path, [rate_limited(), "fine", overflow()])
    assert ask(models, "a") == ["fine"]
    with pytest.raises(dspy.ContextWindowExceededError):
        ask(models, "b")
    journal.close()
    assert len(path.read_text().splitlines()) == 2
    models, engine, journal = opened(path)
    assert ask(models, "a") == ["fine"]
    with pytest.raises(dspy.ContextWindowExceededError, match="maximum context length"):
        ask(models, "b")
    assert engine.turns == []
    journal.close()


def test_budgets_count_replayed_replies_too(tmp_path: Path) -> None:
    models, _, journal = opened(tmp_path / "calls.jsonl")
    ask(models, "a", "b")
    journal.close()
    models, engine, journal = opened(tmp_path / "calls.jsonl")
    meter = Meter(Budget(requests=2))
    with models.using("solver", meter) as lm:
        assert [lm("a"), lm("b")]
        # So that a run that is started again ends where it would have ended.
        with pytest.raises(Exception, match="is used up"):
            lm("c")
    assert engine.turns == []
    journal.close()


def test_what_was_paid_is_known_over_all_runs(tmp_path: Path) -> None:
    prices = {"input_price": 2.0, "output_price": 8.0}
    reply = Reply("x", usage={"prompt_tokens": 1000, "completion_tokens": 100})
    models, _, journal = opened(tmp_path / "calls.jsonl", [reply, reply], **prices)
    ask(models, "a", "b")
    journal.close()
    models, _, journal = opened(tmp_path / "calls.jsonl", [reply], **prices)
    ask(models, "a", "c")
    paid = journal.paid
    journal.close()
    # Three replies of (1000 × 2 + 100 × 8) / 10⁶ each; the price is stored with the reply.
    assert (paid.requests, paid.input_tokens, paid.output_tokens, paid.replayed) == (3, 3000, 300, 1)
    assert paid.cost == pytest.approx(0.0084)


def test_the_file_holds_no_prompt(tmp_path: Path) -> None:
    models, _, journal = opened(tmp_path / "calls.jsonl", ["fine"])
    ask(models, "the secret of the prompt")
    journal.close()
    assert "secret" not in (tmp_path / "calls.jsonl").read_text()


def test_two_processes_do_not_write_to_one_journal(tmp_path: Path) -> None:
    with Journal(tmp_path / "calls.jsonl"), pytest.raises(ModelError, match="by another process"):
        Journal(tmp_path / "calls.jsonl")


@pytest.mark.parametrize(
    "text", ["hello\n", "{}\nhello", '{"key": "x"}\n', "[]\n", '{"key": "x", "response": {"model": 1}}\n']
)
def test_another_file_is_no_journal(tmp_path: Path, text: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(text)
    with pytest.raises(ModelError, match="line 1 cannot be read"):
        Journal(path)
    assert path.read_text() == text


def test_a_file_without_a_whole_line_is_not_emptied(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(ModelError, match="its last line is none"):
        Journal(path)
    assert path.read_text() == "hello"
