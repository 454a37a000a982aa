"""A run over HTTP, against a server in its own process: what leaves and what comes back is what a provider sees."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from debriefer.models import Models, ModelSettings
from dspy_programs.solver import Solver, settings_for
from tests.doubles.scripted import AT_ONCE
from tests.doubles.server import Server
from tests.programs.solver_sessions import lay_out

SCRIPT = Path(__file__).with_name("solver_http_script.py")


@pytest.mark.parametrize("native", [False, True])
def test_a_run_over_http_survives_a_fault_a_malformed_call_and_a_cut_reply(tmp_path: Path, *, native: bool) -> None:
    work = lay_out(tmp_path, "Labels of part 007", {"csv/parts.csv": "code,label\n007,a\n007,\n08,c\n"})
    with Server(SCRIPT) as server:
        settings = ModelSettings("scripted", (server.url,), "key", native_tools=native)
        models = Models(settings, policy=AT_ONCE)
        with models.using("solver"):
            result = Solver(settings_for(settings))(work=work).result
        log = server.log()
    assert result.finished, result.detail
    assert result.message == "Delivered two labels."
    assert result.prediction is not None
    assert result.prediction.read_text(encoding="utf-8").splitlines() == ["label", "a", '""']
    # Seven replies and one error of the server; the retry counts, and nothing else was sent.
    assert result.requests == len(log) == 7
    assert [turn.unreadable is not None for turn in result.turns] == [False, not native, False, True, False, False]
    if native:
        tools = [tool["function"]["name"] for tool in log[0]["body"]["tools"]]
        assert tools == ["explore_data", "read_solver", "edit_solver", "run_solver"]
    # Each conversation begins with the whole of the one before, as it stands on the wire.
    prompts = [entry["body"]["messages"] for entry in log]
    for earlier, later in itertools.pairwise(prompts):
        assert json.dumps(later[: len(earlier)]) == json.dumps(earlier)
