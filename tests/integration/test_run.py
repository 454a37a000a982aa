"""`debriefer run` over HTTP in real processes: crashes, signals, resuming, what is shown."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from debriefer.pipeline import ModelChoice, Outcome, RunSettings
from debriefer.pipeline import run as run_tasks
from tests.conftest import ROOT
from tests.doubles.server import Server

ANALYST = ROOT / "tests" / "doubles" / "analyst.py"
SLOW = Path(__file__).with_name("slow_script.py")
EXAMPLES = ROOT / "examples"
KEY = "sk-served-key-1"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Three example tasks in a folder of their own."""
    for name in ("task_3", "task_4", "task_10"):
        shutil.copytree(EXAMPLES / "tasks" / name, tmp_path / "tasks" / name)
    return tmp_path / "tasks"


@contextlib.contextmanager
def started(*arguments: str | Path, url: str | None = None, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MODEL_")}
    if url is not None:
        environment |= {"MODEL_API_URL": url, "MODEL_API_KEY": KEY, **variables}
    command = [sys.executable, "-W", "error", "-m", "debriefer", *map(str, arguments)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def finished(*arguments: str | Path, url: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    with started(*arguments, url=url, **variables) as process:
        out, err = process.communicate(timeout=100)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def outcomes_of(text: str) -> dict[str, dict[str, Any]]:
    return {outcome["task_id"]: outcome for outcome in map(json.loads, text.splitlines())}


def right(output: Path, name: str) -> bool:
    gold = (EXAMPLES / "gold" / name / "gold.csv").read_text(encoding="utf-8").splitlines()[1:]
    return (output / name / "prediction.csv").read_text(encoding="utf-8").splitlines()[1:] == gold


def test_a_run_shows_turns_and_sums_and_goes_on_where_it_was(tasks: Path, tmp_path: Path) -> None:
    (tasks / "broken").mkdir()
    (tasks / "broken" / "task.json").write_text("[]")
    output = tmp_path / "out"
    with Server(ANALYST, "--key", KEY, function="direct") as server:
        arguments = ("run", tasks, output, "--lm", "openai/any", "--jobs", "4", "--json")
        first = finished(*arguments, "-v", url=server.url, MODEL_INPUT_PRICE="1", MODEL_OUTPUT_PRICE="2")
        asked = len(server.log())
        (tasks / "task_4" / "context" / "knowledge.md").write_text("Stock is counted at night.")
        shutil.rmtree(output / "task_10")
        second = finished(*arguments, "--resume", url=server.url)
        again = [str(entry["body"]) for entry in server.log()[asked:]]
    assert first.returncode == second.returncode == 1, first.stderr
    outcomes = outcomes_of(first.stdout)
    assert outcomes["broken"]["status"] == "failed"
    for name in ("task_3", "task_4", "task_10"):
        assert (outcomes[name]["delivery"], len(outcomes[name]["attempts"])) == ("accepted", 1)
        assert right(output, name)
    assert re.search(r"^task_3: attempt 1, turn 1: explore_data\(\\tables\) → 2 tables$", first.stderr, re.MULTILINE)
    assert re.search(r"^task +status +by +tries +requests +in +out +cached +cost +seconds$", first.stderr, re.MULTILINE)
    assert re.search(r"^task_3 +answered +accepted +1 +5 +\d+ +\d+ +\d+ +0\.\d+ +\d", first.stderr, re.MULTILINE)
    assert "seconds by stage: prepare " in first.stderr
    assert "4 tasks by model any: 3 answered, 0 abstained, 1 failed" in first.stderr
    # Of the second run only what had changed or was gone.
    resumed = {name: outcome["resumed"] for name, outcome in outcomes_of(second.stdout).items()}
    assert resumed == {"broken": False, "task_3": True, "task_4": False, "task_10": False}
    assert any("华东仓库" in body for body in again)
    assert not any("000021的基金" in body for body in again)
    catalogs = [record for name in ("task_4", "task_10") for record in outcomes_of(second.stdout)[name]["stages"]]
    assert [record["state"] for record in catalogs if record["name"] == "catalog"] == ["done", "cached"]
    for path in (path for path in output.rglob("*") if path.is_file()):
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in first.stdout + first.stderr + second.stdout + second.stderr


def test_a_task_that_kills_its_process_is_the_only_one_that_is_lost(
    tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []

    def kill(line: str) -> None:
        """End the worker that works on task_4, as a crash in native code would, whenever it gets to its second turn."""
        if not line.startswith("task_4: attempt 1, turn 2"):
            return
        for pid in children(os.getpid()):
            if any("work/task_4/" in target for target in open_files(pid)):
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

    with Server(ANALYST, function="direct") as server:
        monkeypatch.setenv("MODEL_API_URL", server.url)
        outcomes = run_tasks(
            tasks,
            tmp_path / "out",
            choice=ModelChoice("openai/any"),
            jobs=3,
            work=tmp_path / "work",
            say=kill,
        )
    assert len(set(killed)) == 2, "once among others and once alone"
    assert [(outcome.task_id, outcome.status) for outcome in outcomes] == [
        ("task_3", "answered"),
        ("task_4", "failed"),
        ("task_10", "answered"),
    ]
    assert "died" in (outcomes[1].reason or "")
    assert right(tmp_path / "out", "task_3")
    assert right(tmp_path / "out", "task_10")
    logged = json.loads((tmp_path / "out" / "logs" / "task_4" / "outcome.json").read_text())
    assert Outcome.from_dict(logged) == outcomes[1]


def children(pid: int) -> list[int]:
    listed = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for group in listed for child in group]


def open_files(pid: int) -> list[str]:
    try:
        return [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


def wait_for(condition: Any, seconds: float = 30.0) -> None:  # noqa: ANN401 -- a function of nothing
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("number", "function", "at_most"),
    [
        (signal.SIGTERM, "waits_a_second", 10.0),
        pytest.param(signal.SIGINT, "hangs", 20.0, marks=pytest.mark.slow),
    ],
)
def test_a_signal_stops_the_run_and_what_is_done_is_delivered(
    tasks: Path, tmp_path: Path, number: signal.Signals, function: str, at_most: float
) -> None:
    """`task_3` is done; `task_10` has a prediction and waits for its last reply; `task_4` has not begun."""
    output = tmp_path / "out"
    with Server(SLOW, function=function) as server:
        arguments = ("run", tasks, output, "--lm", "openai/any", "--jobs", "1", "--work", tmp_path / "work")
        with started(*arguments, "--json", url=server.url) as process:
            # In the order of the folder: 3, 4, 10; the script lets 4 wait for its last reply.
            wait_for((output / "task_3" / "prediction.csv").exists)
            wait_for((tmp_path / "work" / "task_4" / "workdir" / "prediction.csv").exists)
            wait_for(lambda: "RUN" in str(server.log()[-1]["body"]["messages"][-1]).upper())
            began = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            took = time.monotonic() - began
    assert process.returncode == 4, err
    assert took < at_most
    found = outcomes_of(out)
    assert (found["task_3"]["delivery"], found["task_3"]["interrupted"]) == ("accepted", False)
    assert (found["task_4"]["delivery"], found["task_4"]["interrupted"]) == ("unaccepted", True)
    assert (found["task_10"]["status"], found["task_10"]["prediction"]) == ("stopped", None)
    assert right(output, "task_3")
    assert right(output, "task_4")
    assert not (output / "task_10").exists()
    assert "run again with `--resume`" in json.dumps(found["task_10"], ensure_ascii=False)
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if works_for(path, tmp_path)] == []
    with Server(ANALYST, function="direct") as server:
        done = finished("run", tasks, output, "--lm", "openai/any", "--resume", "--json", url=server.url)
    assert done.returncode == 0, done.stderr
    assert [outcome["resumed"] for outcome in outcomes_of(done.stdout).values()] == [True, False, False]


def works_for(command_line: Path, folder: Path) -> bool:
    try:
        return str(folder).encode() in command_line.read_bytes()
    except OSError:
        return False


def test_a_run_without_a_model_never_asks_one(tasks: Path, tmp_path: Path) -> None:
    with Server(ANALYST, function="direct") as server:
        done = finished("run", tasks, tmp_path / "out", "--offline", "--json", url=server.url, MODEL_NAME="any")
        assert server.log() == []
    assert done.returncode == 0, done.stderr
    assert {outcome["solver"] for outcome in outcomes_of(done.stdout).values()} == {"offline baseline"}


def test_solve_says_which_solver_answered(tmp_path: Path) -> None:
    task = EXAMPLES / "tasks" / "task_3"
    with Server(ANALYST, function="early_stop") as server:
        done = finished("solve", task, "-o", tmp_path / "out", url=server.url, MODEL_NAME="any", MODEL_NATIVE_TOOLS="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "out" / "task_3" / "prediction.csv").read_text(encoding="utf-8")
    assert "task_3 answered by model any (accepted, 2 attempts)" in done.stderr
    assert "attempt 1: rejected: no prediction, 1 turn, 1 request" in done.stderr


def test_a_half_configured_model_is_an_error_that_names_the_variable(tmp_path: Path) -> None:
    done = finished("solve", EXAMPLES / "tasks" / "task_3", "-o", tmp_path / "out", url="http://127.0.0.1:9/v1")
    assert done.returncode == 2
    assert done.stderr.startswith("error: `MODEL_NAME` is not set")


def test_a_folder_that_cannot_be_written_to_is_an_error_with_a_way_out(tasks: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments in (("solve", tasks / "task_3", "-o"), ("run", tasks)):
        done = finished(*arguments, tmp_path / "file")
        assert done.returncode == 2, done.stderr
        assert re.match(r"error: `.*/file.*` cannot be .*\nhint: .*\n$", done.stderr)


def test_settings_survive_their_journey_to_a_worker() -> None:
    settings = RunSettings(attempts=2, offline_fallback=False)
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize(
    ("function", "signals", "at_most"),
    [
        ("waits_a_second", 1, 10.0),
        ("hangs", 1, 5.0),
        # The second signal waits for nothing.
        pytest.param("hangs", 2, 5.0, marks=pytest.mark.slow),
    ],
)
def test_a_signal_stops_solve_and_what_is_there_is_delivered(
    tmp_path: Path, function: str, signals: int, at_most: float
) -> None:
    output, task = tmp_path / "out", EXAMPLES / "tasks" / "task_4"
    with Server(SLOW, function=function) as server:
        arguments = ("solve", task, "-o", output, "--lm", "openai/any", "--work", tmp_path / "work", "--json")
        with started(*arguments, url=server.url) as process:
            wait_for((tmp_path / "work" / "workdir" / "prediction.csv").exists)
            wait_for(lambda: "RUN" in str(server.log()[-1]["body"]["messages"][-1]).upper())
            began = time.monotonic()
            for _ in range(signals):
                process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
            out, err = process.communicate(timeout=30)
            took = time.monotonic() - began
    assert process.returncode == 4, err
    assert took < at_most
    outcome = json.loads(out)
    assert (outcome["delivery"], outcome["interrupted"]) == ("unaccepted", True)
    assert right(output, "task_4")
    logged = json.loads((output / "logs" / "task_4" / "outcome.json").read_text())
    assert (logged["delivery"], logged["interrupted"]) == ("unaccepted", True)
    if signals == 1:
        attempt = logged["attempts"][0]
        assert attempt["reason"] == "stopped"
        # A reply that was awaited just then was one of its requests.
        assert attempt["requests"] - attempt["turns"] in (0, 1)
        assert attempt["input_tokens"] > 0
        assert {stage["name"] for stage in logged["stages"]} >= {"catalog", "solve", "deliver"}
        assert (output / "logs" / "task_4" / "attempts" / "1" / "transcript.md").is_file()
    with Server(ANALYST, function="direct") as server:
        done = finished("solve", task, "-o", output, "--lm", "openai/any", "--resume", "--json", url=server.url)
    assert json.loads(done.stdout)["delivery"] == "accepted"


def test_a_signal_in_a_long_statement_ends_solve_and_its_script(tmp_path: Path) -> None:
    """The script sleeps; its process must not outlive the command."""
    output, task = tmp_path / "out", EXAMPLES / "tasks" / "task_4"
    with Server(SLOW, function="sleeps") as server:
        arguments = ("solve", task, "-o", output, "--lm", "openai/any", "--work", tmp_path / "work", "--json")
        with started(*arguments, url=server.url) as process:
            wait_for((tmp_path / "work" / "workdir" / "asleep").exists)
            for _ in range(2):
                process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
            out, err = process.communicate(timeout=15)
    assert process.returncode == 4, err
    outcome = json.loads(out)
    assert outcome["status"] == "stopped"
    assert not (output / "task_4").exists()
    # The record holds what was done until then: one turn and the request for the next.
    assert [(one["number"], one["reason"], one["turns"]) for one in outcome["attempts"]] == [(1, "stopped", 1)]
    assert outcome["attempts"][0]["requests"] >= 1
    assert outcome["attempts"][0]["output_tokens"] > 0
    assert "catalog" in {stage["name"] for stage in outcome["stages"]}
    attempt = output / "logs" / "task_4" / "attempts" / "1"
    assert "## Turn 1" in (attempt / "transcript.md").read_text(encoding="utf-8")
    assert len(json.loads((attempt / "transcript.json").read_text(encoding="utf-8"))["turns"]) == 1
    wait_for(lambda: [path for path in Path("/proc").glob("[0-9]*/cmdline") if works_for(path, tmp_path)] == [], 5.0)


def test_a_run_that_was_killed_leaves_no_worker_and_goes_on_where_it_was(tasks: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with Server(SLOW, function="hangs") as server:
        arguments = ("run", tasks, output, "--lm", "openai/any", "--jobs", "1", "--work", tmp_path / "work")
        with started(*arguments, url=server.url) as process:
            wait_for((output / "task_3" / "prediction.csv").exists)
            wait_for((tmp_path / "work" / "task_4" / "workdir" / "prediction.csv").exists)
            workers = children(process.pid)
            process.kill()
            process.wait(10)
            wait_for(lambda: not any(Path(f"/proc/{pid}/smaps").exists() and open_files(pid) for pid in workers), 5.0)
    # What was begun can be read: the turns so far.
    turns = (output / "logs" / "task_4" / "attempts" / "1" / "turns.jsonl").read_text().splitlines()
    assert [json.loads(turn)["number"] for turn in turns][:2] == [1, 2]
    assert not (output / "task_4").exists()
    with Server(ANALYST, function="direct") as server:
        done = finished("run", tasks, output, "--lm", "openai/any", "--resume", "--json", url=server.url)
    assert done.returncode == 0, done.stderr
    assert [outcome["resumed"] for outcome in outcomes_of(done.stdout).values()] == [True, False, False]
    assert all(right(output, name) for name in ("task_3", "task_4", "task_10"))


def test_a_key_that_the_model_itself_repeats_stands_nowhere(tmp_path: Path) -> None:
    """A gateway can put what it was sent into its replies."""
    with Server(SLOW, "--key", KEY, function="tells_the_key") as server:
        done = finished(
            "solve",
            EXAMPLES / "tasks" / "task_3",
            *("-o", tmp_path / "out", "--lm", "openai/any", "-v", "--json"),
            url=server.url,
        )
    assert done.returncode == 0, done.stderr
    assert "the key is ***" in done.stderr
    assert KEY not in done.stdout + done.stderr
    for path in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert KEY.encode() not in path.read_bytes(), path
