"""The teachable model behind the loopback server."""

from __future__ import annotations

from benchmarks.optimisers.teachable import Teachable
from tests.doubles.script import Reply, Turn

MODEL = Teachable()


def respond(turn: Turn) -> str:
    return MODEL.answer(turn.messages, turn.temperature)


def slowly(turn: Turn) -> Reply:
    """Give the process under test time to be killed while a reply is under way."""
    return Reply(MODEL.answer(turn.messages, turn.temperature), delay=0.02)
