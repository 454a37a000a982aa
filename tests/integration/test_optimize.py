"""`debriefer optimize` as a real process against a loopback server: killed, started again, bounded, refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.optimisers.tasks import make
from tests.doubles.server import Server

# Each starts the package several times over.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SCRIPT = Path(__file__).with_name("optimize_script.py")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    make(folder / "train", 8, 1, "train")
    make(folder / "dev", 12, 1, "dev")
    return folder


def command(data: Path, output: Path, *more: str, optimizer: str = "bootstrap") -> list[str]:
    return [
        *(sys.executable, "-m", "debriefer", "optimize", "judge", "--optimizer", optimizer, "--json"),
        *("--train", str(data / "train"), "--dev", str(data / "dev"), "--output", str(output), *more),
    ]


def environment(server: Server, hash_seed: str = "0") -> dict[str, str]:
    # Another order of sets and dictionaries must not change what is asked.
    return {
        **os.environ,
        "MODEL_API_URL": server.url,
        "MODEL_NAME": "teachable",
        "PYTHONHASHSEED": hash_seed,
        "HOME": "/nonexistent",
    }


def run(server: Server, line: list[str], hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        line, env=environment(server, hash_seed), capture_output=True, text=True, check=False, timeout=400
    )


def killed_at(server: Server, line: list[str], requests: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Start a run and kill it once the server has been asked so often."""
    process = subprocess.Popen(line, env=environment(server, "1"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while len(server.log()) < requests:
        assert process.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(number)
    process.wait(60)
    assert process.returncode == (-number if number == signal.SIGKILL else 4)


def shown(server: Server) -> list[str]:
    return [json.dumps(entry["body"], sort_keys=True) for entry in server.log()]


@pytest.mark.parametrize("optimizer", ["bootstrap", "gepa"])
def test_a_killed_run_loses_at_most_the_request_under_way(data: Path, tmp_path: Path, optimizer: str) -> None:
    with Server(SCRIPT) as server:
        whole = run(server, command(data, tmp_path / "whole", optimizer=optimizer))
        assert whole.returncode == 0, whole.stderr
        needed = len(server.log())
        prompts = sorted(shown(server))
    with Server(SCRIPT, function="slowly") as server:
        line = command(data, tmp_path / "killed", optimizer=optimizer)
        # Once while it measures, once while it compiles.
        killed_at(server, line, 10)
        killed_at(server, line, needed * 2 // 3)
        again = run(server, line, hash_seed="2")
        assert again.returncode == 0, again.stderr
        asked = shown(server)
    # Two kills: at most two requests were sent for nothing.
    assert needed <= len(asked) <= needed + 2
    assert sorted(set(asked)) == sorted(set(prompts))
    one, other = json.loads(whole.stdout), json.loads(again.stdout)
    for key in ("status", "scores", "tasks", "state", "program_runs"):
        assert one[key] == other[key]
    assert one["status"] == "improved"
    assert one["cost"]["requests"] == other["cost"]["requests"] == needed
    assert (tmp_path / "whole" / "state.json").read_bytes() == (tmp_path / "killed" / "state.json").read_bytes()


def test_a_bound_ends_the_run_and_a_higher_one_goes_on(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT) as server:
        short = run(server, command(data, tmp_path / "out", "--budget", "light,requests=50"))
        assert short.returncode == 4
        assert "the budget of 50 requests is used up" in short.stderr
        assert "start the same command again" in short.stderr
        assert short.stdout == ""
        assert len(server.log()) == 50
        assert not (tmp_path / "out" / "result.json").exists()
        done = run(server, command(data, tmp_path / "out", "--budget", "light"))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["cost"] == {**json.loads(done.stdout)["cost"], "replayed": 50}
        assert len(server.log()) == json.loads(done.stdout)["cost"]["requests"]


def test_sigterm_ends_it_with_the_code_of_a_stopped_run(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT, function="slowly") as server:
        killed_at(server, command(data, tmp_path / "out"), 10, signal.SIGTERM)


def test_an_estimate_asks_nothing(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT) as server:
        done = run(server, command(data, tmp_path / "out", "--estimate"))
        assert (done.returncode, done.stdout) == (0, "")
        assert "estimate: at most" in done.stderr
        assert server.log() == []


def test_what_is_on_paper_is_what_was_done(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT) as server:
        done = run(server, command(data, tmp_path / "out"))
        assert done.returncode == 0, done.stderr
        values: dict[str, Any] = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
        assert values == json.loads(done.stdout)
        state = json.loads((tmp_path / "out" / "state.json").read_text(encoding="utf-8"))
        assert state["record"]["status"] == "improved"
        assert state["record"]["model"]["judge"]["model"] == "teachable"
        assert "| dev_004 |" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
        # Another seed in the same folder would mix two runs.
        other = run(server, command(data, tmp_path / "out", "--seed", "3"))
        assert other.returncode == 2
        assert "holds another optimisation: seed differ" in other.stderr


def test_an_endpoint_that_is_gone_ends_the_run_at_once(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT, "--key", "right") as server:
        done = run(server, command(data, tmp_path / "out"))
        assert done.returncode == 4
        assert "does not answer (auth)" in done.stderr
        assert len(server.log()) == 1


def test_a_state_for_another_version_is_refused_before_any_work(data: Path, tmp_path: Path) -> None:
    with Server(SCRIPT) as server:
        assert run(server, command(data, tmp_path / "out")).returncode == 0
        path = tmp_path / "out" / "state.json"
        values = json.loads(path.read_text(encoding="utf-8"))
        values["signatures"]["extract"] = "0123456789abcdef"
        old = tmp_path / "old.json"
        old.write_text(json.dumps(values), encoding="utf-8")
        task = str(data / "dev" / "input" / "dev_001")
        for name in ("solve", "judge"):
            line = [
                sys.executable,
                "-m",
                "debriefer",
                name,
                task,
                "-o",
                str(tmp_path / name),
                "--program-state",
                str(old),
            ]
            refused = run(server, line)
            assert refused.returncode == 2
            assert "was learned for another version of `extract`" in refused.stderr
            assert "compile the program again" in refused.stderr
            assert not (tmp_path / name).exists()
