from __future__ import annotations

import json
from pathlib import Path

import pytest

from debriefer.models.redact import Redactor
from debriefer.pipeline.logs import TaskLog
from debriefer.pipeline.outcome import Attempt, Outcome
from debriefer.pipeline.transcript import attempt_markdown, turn_line

TURN = {
    "number": 1,
    "thought": "Look first.",
    "calls": [{"id": "c", "tool": "explore_data", "arguments": {"query": "SELECT a\nFROM t", "limit": 5}}],
    "observations": [
        {"call_id": "c", "tool": "explore_data", "text": "1 row\na\n```\nx", "images": [], "refused": False}
    ],
    "unreadable": None,
    "correction": "",
}
UNREADABLE = {
    **TURN,
    "number": 2,
    "calls": [],
    "observations": [],
    "unreadable": "hm",
    "correction": "Send it again.\nx",
}


def test_a_transcript_shows_question_turns_and_end() -> None:
    attempt = Attempt(1, accepted=False, reason="budget", detail="the budget is used up", turns=2, requests=3)
    text = attempt_markdown("task_1", "How many?", attempt, {"turns": [TURN, UNREADABLE]})
    assert text.startswith("# task_1, attempt 1: rejected (budget)\n\n> How many?\n")
    assert "**Why it ended:** the budget is used up" in text
    assert "### `explore_data(limit=5)`\n\n`query`:\n\n```sql\nSELECT a\nFROM t\n```" in text
    # Backticks inside cannot end the block.
    assert "````\n1 row\na\n```\nx\n````" in text
    assert "A reply that could not be read:\n\n```\nhm\n```\n\nTold: Send it again." in text


def test_a_turn_is_one_line() -> None:
    assert turn_line(TURN) == "explore_data(SELECT a FROM t, 5) → 1 row"
    assert turn_line(UNREADABLE) == "a reply that could not be read: hm"
    ends = {**TURN, "calls": [], "observations": [], "thought": "Done,\nall of it."}
    assert turn_line(ends) == "ends: Done, all of it."


def test_logs_hold_no_key(tmp_path: Path) -> None:
    log = TaskLog(tmp_path / "log", Redactor(["sk-secret-1"], {"SOME_TOKEN": "token-value-2"}))
    log.json("a.json", {"text": "the key sk-secret-1"})
    log.text("b.md", "token-value-2 and \ud800")
    log.line("c.jsonl", {"x": "sk-secret-1"})
    assert (tmp_path / "log" / "b.md").read_text() == "*** and ?"
    for path in (tmp_path / "log").iterdir():
        assert "secret" not in path.read_text()
        assert "token-value" not in path.read_text()


@pytest.mark.parametrize("status", ["answered", "no output"])
def test_an_outcome_survives_its_journey_through_json(status: str) -> None:
    outcome = Outcome("t", status, "model m", attempts=(Attempt(1, accepted=True, reason="finished"),), columns=("a",))  # type: ignore[arg-type]
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
