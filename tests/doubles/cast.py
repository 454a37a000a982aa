# ruff: noqa: ANN401 -- fields of several types
"""Agents that play a script, by the output field that they are asked for."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.doubles.script import Answer, Fault, Reply, Turn, fields

if TYPE_CHECKING:
    from debriefer.models import Models
    from tests.doubles.scripted import ScriptedEngine

_OUTPUT = re.compile(r"Your output fields are:\s*1\. `(\w+)`")
Line = Any
"""A value of the field, a whole answer (`Reply`, `Fault`), or a function of the turn that gives either."""


class Cast:
    """One list of lines an output field; the last line is said again and again.

    Attributes:
        turns: By output field what was asked.
    """

    def __init__(self, **lines: list[Line] | Line) -> None:
        self._lines = {name: list(found) if isinstance(found, list) else [found] for name, found in lines.items()}
        self.turns: dict[str, list[Turn]] = {}
        self._lock = threading.Lock()

    def __call__(self, turn: Turn) -> Answer:
        match = _OUTPUT.search(turn.system)
        assert match is not None
        name = match[1]
        with self._lock:
            asked = self.turns.setdefault(name, [])
            asked.append(turn)
            lines = self._lines.get(name)
            if not lines:
                return Fault(status=400, type="invalid_request_error", message=f"nobody plays {name}")
            line = lines[min(len(asked), len(lines)) - 1]
        value = line(turn) if isinstance(line, Callable) else line
        return value if isinstance(value, Reply | Fault) else fields(turn, **{name: value})

    def count(self, name: str) -> int:
        return len(self.turns.get(name, []))

    def models(self, **settings: Any) -> tuple[Models, ScriptedEngine]:
        # The double of a server plays casts, too, and imports nothing of the package.
        from debriefer.models import ModelSettings  # noqa: PLC0415
        from tests.doubles.scripted import scripted_models  # noqa: PLC0415

        given = {"vision": True, "context_window": 64_000, **settings}
        return scripted_models(self, ModelSettings("openai/scripted", **given))
