"""A scripted model behind the test server: it solves the task of `test_solver_http.py` from what it is sent."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.doubles.script import Answer, Reply, ToolCall, Turn, fields, server_error

SQL = "SELECT label FROM parts WHERE code = '007'"


def respond(turn: Turn) -> Answer:  # noqa: PLR0911 -- one a step
    """Answer in the form that the request asks for: native calls where it carries tools, else fields."""
    step = turn.count("step")
    if step == 0:
        return _act(turn, ("explore_data", {"query": "\\schema parts"}))
    if step == 1:
        assert "'007'" in turn.last or "'007'" in turn.text
        return server_error()
    if step == 2:
        return Reply(None, (ToolCall("read_solver", '{"start_line": 1, "lines'),)) if turn.tools else Reply("hm", ())
    if step == 3:
        return _act(turn, ("read_solver", {}))
    if step == 4:
        return Reply("Let me think about this for a very long time", finish_reason="length")
    if step == 5:
        number, letters = re.findall(r"^(\d+)\|([a-z]{2})\|result = None$", turn.text, re.MULTILINE)[-1]
        edit = {"start_line": int(number), "end_line": int(number), "start_hash": letters}
        content = f'# raw records\nresult = run_sql("{SQL}")'
        return _act(turn, ("edit_solver", {**edit, "new_content": content}), ("run_solver", {}))
    assert "2 rows, 1 column" in turn.text
    return (
        Reply("Delivered two labels.") if turn.tools else fields(turn, thought="Delivered two labels.", tool_calls=[])
    )


def _act(turn: Turn, *calls: tuple[str, dict[str, Any]]) -> Reply:
    if turn.tools:
        return Reply(None, tuple(ToolCall(name, arguments) for name, arguments in calls))
    listed = {"tool_calls": [{"name": name, "args": arguments} for name, arguments in calls]}
    return fields(turn, thought="next", tool_calls=json.dumps(listed, ensure_ascii=False))
