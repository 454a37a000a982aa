"""Scripts that the server of `test_models_http.py` plays."""

from __future__ import annotations

import json
import re

from tests.doubles.script import (
    Answer,
    Fault,
    Reply,
    ToolCall,
    Turn,
    dropped,
    fields,
    hang,
    malformed,
    overflow,
    rate_limited,
    refused,
    server_error,
)

FAULTS: dict[str, Answer] = {
    "rate limit": rate_limited(1),
    "server error": server_error(),
    "malformed": malformed(),
    "dropped": dropped(),
    "refused": refused(0.8),
    "hang": hang(5),
    "trickle": Fault("trickle", seconds=5),
    "openai overflow": overflow("openai"),
    "llama.cpp overflow": overflow("llama.cpp"),
}


def respond(turn: Turn) -> Answer:
    """Play the fault that the question names, once, then answer."""
    question = re.findall(r"\[\[ ## question ## \]\]\n(.*)", turn.text)[-1] if "question ##" in turn.text else turn.last
    if question in FAULTS and turn.count(question) == 0:
        return FAULTS[question]
    return fields(turn, answer=f"{question} over")


def always_busy(_: Turn) -> Answer:
    return rate_limited(60)


def reasons(turn: Turn) -> Answer:
    reply = fields(turn, answer="4")
    return Reply(reply.text, reasoning="two and two")


def miscounts(turn: Turn) -> Answer:
    """Count as the question says, as JSON."""
    reply = fields(turn, answer="4")
    usage = json.loads(re.findall(r"\[\[ ## question ## \]\]\n(.*)", turn.text)[-1])
    return Reply(reply.text, usage=usage)


def looks(turn: Turn) -> Answer:
    return fields(turn, answer=f"{turn.images} images")


def tools(turn: Turn) -> Answer:
    """Ask for a file's hash, then answer with the hash that the tool gave, which no one else knows."""
    if found := re.search(r"hash=(\w+)", turn.text):
        return fields(turn, answer=f"edit {found.group(1)}")
    return Reply(None, (ToolCall("read_hash", {"name": "solver.py"}), ToolCall("read_hash", "{not json")))


def schema(turn: Turn) -> Answer:
    assert turn.response_format is not None
    return Reply(json.dumps({"answer": turn.response_format["type"]}))
