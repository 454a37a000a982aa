"""One task with a scripted model in process: the package's own engine, programs and workbench, without a socket."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debriefer.models import Budget, Models, ModelSettings
from debriefer.pipeline import Outcome, RunSettings, solve
from tests.conftest import ROOT
from tests.doubles import analyst
from tests.doubles.script import Answer, Fault, Reply, Turn
from tests.doubles.scripted import scripted_models

TASKS = ROOT / "examples" / "tasks"
GOLD = ROOT / "examples" / "gold"
# A raw-records task: a code filters and is not asked for; duplicates and order stay as they are.
RECORDS = "task_1"


def models_of(script: Callable[[Turn], Answer], **values: Any) -> Models:  # noqa: ANN401
    return scripted_models(script, ModelSettings("openai/scripted", **values))[0]


def rows(path: str | None) -> list[str]:
    assert path is not None
    return Path(path).read_text(encoding="utf-8").splitlines()[1:]


def gold(task: str) -> list[str]:
    return rows(str(GOLD / task / "gold.csv"))


def reasons(outcome: Outcome) -> list[str]:
    return [attempt.reason for attempt in outcome.attempts]


def test_the_first_attempt_that_ends_well_with_a_prediction_is_accepted(tmp_path: Path) -> None:
    told: list[str] = []
    outcome = solve(TASKS / RECORDS, tmp_path, models=models_of(analyst.direct), say=told.append)
    assert (outcome.status, outcome.delivery, outcome.solver) == ("answered", "accepted", "model openai/scripted")
    assert rows(outcome.prediction) == gold(RECORDS)
    assert reasons(outcome) == ["finished"]
    assert outcome.attempts[0].requests == outcome.attempts[0].turns == 5
    assert len(told) == 6
    assert told[0] == "task_1: attempt 1, turn 1: explore_data(\\tables) → 2 tables"
    log = tmp_path / "logs" / RECORDS
    assert Outcome.from_dict(json.loads((log / "outcome.json").read_text())) == outcome
    assert [record["name"] for record in json.loads((log / "stages.json").read_text())] == [
        *("prepare", "media", "documents", "catalog", "relevance", "judge", "solve", "deliver")
    ]
    assert {path.name for path in (log / "attempts" / "1").iterdir()} == {
        *("attempt.json", "transcript.json", "transcript.md", "calls.json", "solver.py")
    }
    assert "300707" in (log / "attempts" / "1" / "transcript.md").read_text()


def test_an_attempt_without_a_prediction_is_followed_by_a_clean_one(tmp_path: Path) -> None:
    """The first attempt edits the script and runs nothing; the second must find it as it was laid out."""
    seen: list[str] = []

    def script(turn: Turn) -> Answer:
        session = analyst.Session(turn)
        if not session.replies:
            turn.count("conversations")
        if turn.state["conversations"] == 1:
            if "may be edited" in session.last and " replaced by " in session.last:
                return session.act("Written.")
            answer = analyst.direct(turn)
            writes = "may be edited" in session.last
            return session.act("Write.", session.edit("result = None  # stale")) if writes else answer
        seen.append(turn.text)
        return analyst.direct(turn)

    outcome = solve(TASKS / RECORDS, tmp_path, models=models_of(script, native_tools=True))
    assert reasons(outcome) == ["no prediction", "finished"]
    assert rows(outcome.prediction) == gold(RECORDS)
    assert "stale" in (tmp_path / "logs" / RECORDS / "attempts" / "1" / "solver.py").read_text()
    assert not any("stale" in text for text in seen)


def test_a_prediction_of_an_attempt_that_hit_its_limit_is_not_accepted(tmp_path: Path) -> None:
    settings = RunSettings(budget=Budget(requests=6))
    outcome = solve(TASKS / "task_3", tmp_path, models=models_of(analyst.request_limit), settings=settings)
    assert reasons(outcome) == ["budget", "finished"]
    assert outcome.attempts[0].prediction
    assert outcome.attempts[0].requests == 6
    assert rows(outcome.prediction) == gold("task_3")


def test_after_five_failures_the_last_script_is_run_once_without_a_model(tmp_path: Path) -> None:
    models = models_of(analyst.five_failures)
    outcome = solve(TASKS / "task_4", tmp_path, models=models)
    assert (outcome.status, outcome.delivery) == ("answered", "fallback")
    assert reasons(outcome) == ["no prediction"] * 5
    assert rows(outcome.prediction) == gold("task_4")
    assert "all 5 attempts were rejected" in (outcome.reason or "")
    assert len(list((tmp_path / "logs" / "task_4" / "attempts").glob("*/transcript.md"))) == 5


def test_a_file_that_the_last_rejected_attempt_left_is_delivered_as_unaccepted(tmp_path: Path) -> None:
    settings = RunSettings(attempts=2)
    outcome = solve(TASKS / "task_4", tmp_path, models=models_of(analyst.unaccepted), settings=settings)
    assert (outcome.status, outcome.delivery) == ("answered", "unaccepted")
    assert reasons(outcome) == ["unreadable replies"] * 2
    assert rows(outcome.prediction) == gold("task_4")


@pytest.mark.parametrize("fallback", [True, False])
def test_the_offline_baseline_answers_last_if_it_may(tmp_path: Path, *, fallback: bool) -> None:
    settings = RunSettings(attempts=2, offline_fallback=fallback)
    outcome = solve(TASKS / "task_10", tmp_path, models=models_of(analyst.silent), settings=settings)
    if fallback:
        assert (outcome.status, outcome.delivery, outcome.solver) == ("answered", "offline", "offline baseline")
        assert rows(outcome.prediction) == gold("task_10")
    else:
        assert (outcome.status, outcome.delivery, outcome.prediction) == ("no output", None, None)
        assert not (tmp_path / "task_10").exists()
    assert "all 2 attempts were rejected" in (outcome.reason or "")


def test_an_exception_ends_the_attempt_and_its_transcript_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours in the second turn of the first attempt."""
    from dspy_programs.solver.tools import Toolbox  # noqa: PLC0415

    run, calls = Toolbox.run, iter(range(1000))

    def breaks(self: Toolbox, call: Any, seconds: float | None = None) -> Any:  # noqa: ANN401
        if next(calls) == 1:
            message = "the disk is gone"
            raise OSError(message)
        return run(self, call, seconds)

    monkeypatch.setattr(Toolbox, "run", breaks)
    outcome = solve(TASKS / "task_3", tmp_path, models=models_of(analyst.direct))
    assert reasons(outcome) == ["exception", "finished"]
    assert outcome.attempts[0].detail == "OSError: the disk is gone"
    kept = json.loads((tmp_path / "logs" / "task_3" / "attempts" / "1" / "transcript.json").read_text())
    assert [turn["number"] for turn in kept["turns"]] == [1]
    assert "the disk is gone" in kept["exception"]
    assert rows(outcome.prediction) == gold("task_3")


def test_a_refused_key_is_not_tried_five_times_and_stands_in_no_log(tmp_path: Path) -> None:
    key = "sk-very-secret-key"

    def refuses(_: Turn) -> Answer:
        return Fault(status=401, message=f"Incorrect API key provided: {key}", code="invalid_api_key")

    settings = RunSettings(offline_fallback=False)
    models = models_of(refuses, api_key=key)
    outcome = solve(TASKS / "task_3", tmp_path, models=models, settings=settings)
    assert (outcome.status, reasons(outcome)) == ("no output", ["model error"])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(key in path.read_text() for path in files)


def test_a_link_left_by_generated_code_is_never_followed(tmp_path: Path) -> None:
    """The script may write into `workdir/`; what it links to lies outside its sandbox."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")

    def script(turn: Turn) -> Answer:
        session = analyst.Session(turn)
        if session.replies:
            return session.act("Done.")
        return session.act("Look.", ("read_solver", {}))

    class Linking(threading.Event):
        """Puts the link in place when the pipeline looks whether to go on, as a process left behind could."""

        def is_set(self) -> bool:
            for workdir in (tmp_path / "work").glob("workdir"):
                link = workdir / "prediction.csv"
                if not link.exists():
                    link.symlink_to(secret)
            return False

    settings = RunSettings(attempts=1, offline_fallback=False)
    outcome = solve(
        TASKS / "task_3",
        tmp_path / "out",
        models=models_of(script),
        settings=settings,
        work=tmp_path / "work",
        stop=Linking(),
    )
    assert outcome.status == "no output"
    assert not (tmp_path / "out" / "task_3").exists()


def test_a_stopped_run_delivers_what_is_there_and_makes_no_further_attempt(tmp_path: Path) -> None:
    stop = threading.Event()

    def script(turn: Turn) -> Answer:
        answer = analyst.direct(turn)
        if isinstance(answer, Reply) and "holds what was asked" in (answer.text or ""):
            stop.set()
            return Fault(status=400, type="invalid_request_error", message="gone")
        assert not stop.is_set()
        return answer

    outcome = solve(TASKS / "task_4", tmp_path, models=models_of(script), stop=stop)
    assert (outcome.status, outcome.delivery, outcome.interrupted) == ("answered", "unaccepted", True)
    assert reasons(outcome) == ["stopped"]
    assert rows(outcome.prediction) == gold("task_4")
    stop.clear()
    again = solve(TASKS / "task_4", tmp_path, models=models_of(analyst.direct), resume=True)
    assert (again.delivery, again.resumed) == ("accepted", False)


def test_a_run_that_is_stopped_before_it_began_says_so(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    for models in (None, models_of(analyst.direct)):
        outcome = solve(TASKS / "task_4", tmp_path, models=models, stop=stop)
        assert (outcome.status, outcome.interrupted, outcome.attempts) == ("stopped", True, ())


def test_a_resumed_task_is_left_as_it_is_only_under_the_same_inputs_and_settings(
    task_with: Callable[..., Path], tmp_path: Path
) -> None:
    task = task_with(question="List the titles of the books written by Ines Calder.", db={"l.db": BOOKS})
    asked: list[int] = []

    def script(turn: Turn) -> Answer:
        asked.append(turn.number)
        return analyst.direct(turn)

    def take(**values: Any) -> bool:  # noqa: ANN401
        before = len(asked)
        outcome = solve(task, tmp_path / "out", models=models_of(script), resume=True, **values)
        assert outcome.status == "answered"
        assert outcome.resumed == (len(asked) == before)
        return outcome.resumed

    assert [take(), take()] == [False, True]
    assert not take(settings=RunSettings(attempts=3))
    delivered = tmp_path / "out" / "task_1" / "prediction.csv"
    assert not take()
    delivered.write_text("someone else's\n")
    assert [take(), take()] == [False, True]
    (task / "context" / "knowledge.md").write_text("Read me.")
    assert not take()


def test_a_task_whose_model_was_out_of_reach_is_done_again_when_resumed(tmp_path: Path) -> None:
    def broken(_: Turn) -> Answer:
        return Fault(status=400, type="invalid_request_error", message="no")

    first = solve(TASKS / "task_10", tmp_path, models=models_of(broken))
    assert (first.delivery, set(reasons(first))) == ("offline", {"model error"})
    second = solve(TASKS / "task_10", tmp_path, models=models_of(analyst.direct), resume=True)
    assert (second.delivery, second.resumed) == ("accepted", False)


BOOKS = """
CREATE TABLE authors (author_id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO authors VALUES (1, 'Ines Calder'), (2, 'Rune Aldous');
CREATE TABLE books (book_id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER);
INSERT INTO books VALUES (1, 'The Salt Ledger', 1), (2, 'Ferrymen', 2);
"""
