from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from debriefer.cli import app


def debriefer(*arguments: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "debriefer", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False, timeout=60)


@pytest.fixture
def club(task_with: Callable[..., Path]) -> Path:
    return task_with(
        question="How many members are there?",
        csv={"members.csv": "id,name,city\n1,Ann,Oslo\n2,Bob,Bergen\n3,Cid,Oslo\n"},
    )


def test_solve_prints_the_prediction_and_says_who_answered(club: Path, tmp_path: Path) -> None:
    done = debriefer("solve", club, "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert list(csv.reader(io.StringIO(done.stdout))) == [["count"], ["3"]]
    assert "offline baseline" in done.stderr
    delivered = tmp_path / "out" / "task_1" / "prediction.csv"
    assert delivered.read_text() == done.stdout
    log = json.loads((tmp_path / "out" / "logs" / "task_1" / "outcome.json").read_text())
    assert (log["status"], log["solver"], log["rows"]) == ("answered", "offline baseline", 1)
    assert log["sql"] in (tmp_path / "out" / "logs" / "task_1" / "solver.py").read_text()


def test_solve_abstains_with_exit_code_3_and_a_reason(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(
        question="Which quarterly flux harmonises the debenture spread under stress?",
        csv={"members.csv": "id,name\n1,Ann\n"},
    )
    stale = tmp_path / "out" / "task_1" / "prediction.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("old\n1\n")
    done = debriefer("solve", task, "--output", tmp_path / "out")
    assert done.returncode == 3
    assert done.stdout == ""
    assert "reason:" in done.stderr
    assert not stale.exists()


def test_solve_always_answers_where_it_would_abstain(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(question="Show the weather.", csv={"members.csv": "id,name\n1,Ann\n"})
    assert debriefer("solve", task, "-o", tmp_path / "out").returncode == 3
    done = debriefer("solve", task, "-o", tmp_path / "out", "--always-answer")
    assert (done.returncode, done.stdout) == (0, "name\nAnn\n")


def test_solve_json_is_one_object(club: Path, tmp_path: Path) -> None:
    done = debriefer("solve", club, "-o", tmp_path / "out", "--json")
    assert json.loads(done.stdout)["status"] == "answered"


def test_wrong_input_is_two_lines_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text("{")
    for arguments in (("solve", tmp_path), ("solve", tmp_path / "absent"), ("run", tmp_path / "absent", "out")):
        done = debriefer(*arguments)
        assert done.returncode == 2
        first, second = done.stderr.splitlines()
        assert first.startswith("error: `")
        assert second.startswith("hint: ")
        assert done.stdout == ""


def test_run_goes_on_past_a_broken_task(task_with: Callable[..., Path], tmp_path: Path) -> None:
    for number in (2, 10):
        task_with(
            task_id=f"tasks/task_{number}", question="How many members are there?", csv={"members.csv": "id\n1\n2\n"}
        )
    tasks = tmp_path / "tasks"
    (tasks / "task_3").mkdir()
    (tasks / "task_3" / "task.json").write_text("[]")
    done = debriefer("run", tasks, tmp_path / "out", "--jobs", "2", "--json")
    assert done.returncode == 1
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [outcome["status"] for outcome in outcomes] == ["answered", "failed", "answered"]
    assert "no JSON object" in outcomes[1]["reason"]
    assert "3 tasks" in done.stderr


def test_tables_lists_tables_notes_and_refusals(task_with: Callable[..., Path]) -> None:
    task = task_with(
        csv={"stocks.csv": "代码,名称\n000021,深科技\n".encode("gb18030"), "ragged.csv": "a,b\n1,2\n3\n"},
        other={"broken.sqlite": b"SQLite format 3\0" + b"\xff" * 2000},
    )
    done = debriefer("tables", task)
    assert done.returncode == 0
    assert "stocks  1 rows" in done.stdout
    assert "GB18030" in done.stdout.upper()
    assert "ragged" in done.stdout
    assert "broken.sqlite" in done.stderr
    listed = json.loads(debriefer("tables", task, "--json").stdout)
    assert {table["name"] for table in listed["tables"]} == {"stocks", "ragged"}
    assert [refusal["source"] for refusal in listed["refused"]] == ["broken.sqlite"]


def test_tables_explain_profiles_each_column(task_with: Callable[..., Path]) -> None:
    task = task_with(csv={"funds.csv": 'code,size,ratio\n000021,"1,234",12.5%\n300707,"2,000",3%\n'})
    done = debriefer("tables", task, "--explain", "funds")
    assert 'to_number("size")' in done.stdout
    assert "percentage" in done.stdout
    assert "codes with leading zeros" in done.stdout
    assert "delimiter ','" in done.stdout
    assert debriefer("tables", task, "--explain", "absent").returncode == 2


def test_sql_runs_over_a_task_a_folder_a_file_and_a_catalog(club: Path, tmp_path: Path) -> None:
    query = "SELECT name FROM members WHERE city = 'Oslo' ORDER BY id"
    file = club / "context" / "csv" / "members.csv"
    debriefer("solve", club, "-o", tmp_path / "out", "--work", tmp_path / "work")
    catalog = tmp_path / "work" / "workdir" / "catalog.duckdb"
    for target in (club, club / "context" / "csv", file, catalog, tmp_path / "work"):
        done = debriefer("sql", target, query)
        assert (done.returncode, done.stdout) == (0, "name\nAnn\nCid\n"), done.stderr
    assert debriefer("sql", file, "-", stdin=query).stdout == "name\nAnn\nCid\n"
    rows = debriefer("sql", file, query, "--json").stdout.splitlines()
    assert [json.loads(row) for row in rows] == [{"name": "Ann"}, {"name": "Cid"}]


@pytest.mark.parametrize(
    "query", ["DROP TABLE members", "SELECT 1; SELECT 2", "SELECT nmae FROM members", "SELEC", "COPY members TO 'x'"]
)
def test_sql_refuses_with_a_short_error(club: Path, query: str) -> None:
    done = debriefer("sql", club, query)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_sql_reports_rewrites_on_stderr(club: Path) -> None:
    done = debriefer("sql", club, "SELECT `name` FROM [members] WHERE id = 2")
    assert done.stdout == "name\nBob\n"
    assert "rewritten" in done.stderr


def test_doctor_checks_the_installation() -> None:
    done = debriefer("doctor", "--json")
    checks = {check["name"]: check["verdict"] for check in json.loads(done.stdout)["checks"]}
    assert checks["catalog"] == "ok"
    assert checks["duckdb"] == "ok"
    assert done.returncode == 0


def test_version_and_help() -> None:
    assert debriefer("--version").stdout.startswith("debriefer ")
    text = debriefer("--help").stdout
    for command in ("solve", "run", "tables", "sql", "score", "doctor"):
        assert command in text


def test_results_inside_the_task_folder_are_refused(club: Path) -> None:
    done = debriefer("solve", club, "-o", club / "context")
    assert (done.returncode, done.stdout) == (2, "")
    assert "never written to" in done.stderr
    assert not (club / "context" / "logs").exists()


def test_output_that_is_a_file_is_an_error_with_a_hint(club: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for option in ("-o", "--work"):
        done = debriefer("solve", club, option, tmp_path / "file")
        assert done.returncode in {1, 2}
        assert "Traceback" not in done.stderr
        assert "hint:" in done.stderr


def test_catalog_of_other_evidence_is_not_used(club: Path, tmp_path: Path) -> None:
    debriefer("solve", club, "-o", tmp_path / "out", "--work", tmp_path / "work")
    evidence = tmp_path / "work" / "context" / "csv" / "members.csv"
    evidence.write_text(evidence.read_text() + "4,Dan,Oslo\n")
    assert debriefer("sql", tmp_path / "work", "SELECT count(*) AS n FROM members").stdout == "n\n4\n"


def test_json_output_is_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    query = "SELECT 'nan'::DOUBLE AS a, 'inf'::DOUBLE AS b, 'ab'::BLOB AS c, [1.5] AS d"
    row = json.loads(debriefer("sql", tmp_path, query, "--json").stdout)
    assert row == {"a": None, "b": "inf", "c": "6162", "d": [1.5]}


def test_named_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    done = debriefer("tables", tmp_path / "pipe.csv")
    assert done.returncode == 2
    assert "neither a file nor a folder" in done.stderr


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_sql_shows_dates_that_python_lacks(club: Path, form: str) -> None:
    done = debriefer("sql", club, "SELECT 'infinity'::DATE AS a, DATE '10000-01-01' AS b", "--format", form)
    assert (done.returncode, done.stderr) == (0, "")
    assert "infinity" in done.stdout
    assert "10000-01-01" in done.stdout


def test_sql_from_stdin_that_is_not_utf8_is_a_short_error(club: Path) -> None:
    command = [sys.executable, "-m", "debriefer", "sql", str(club), "-"]
    done = subprocess.run(command, capture_output=True, input="SELECT 'é'".encode("latin-1"), check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == b""
    first, second = done.stderr.decode().splitlines()
    assert first == "error: `-` (standard input) is not UTF-8: byte 9 cannot be read"
    assert second.startswith("hint:")


def test_sql_that_is_killed_leaves_nothing_behind(club: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    query = "SELECT sum(hash(a.range, b.range)) FROM range(10000000) AS a, range(10000000) AS b"
    command = [sys.executable, "-m", "debriefer", "sql", str(club), query]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 30
        while not list(temporary.glob("*/catalog.duckdb")):
            assert time.monotonic() < end, "no catalog was built"
            time.sleep(0.05)
        time.sleep(1.0)
        process.terminate()
        try:
            process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 143
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_named(club: Path) -> None:
    command = [sys.executable, "-m", "debriefer", "sql", str(club), "SELECT 1"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first == "error: standard output cannot be written to: No space left on device"
    assert second.startswith("hint:")


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), SystemExit(130)])
def test_an_interrupt_is_said_in_one_line(
    ending: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> None:
        raise ending

    monkeypatch.setattr(app, "application", interrupted)
    with pytest.raises(SystemExit) as caught:
        app.main()
    assert caught.value.code == 130
    assert "error: stopped by Ctrl-C" in capsys.readouterr().err


def test_a_video_that_is_interrupted_leaves_no_result(tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="the extra `video` is not installed")
    film, target = tmp_path / "film.mp4", tmp_path / "out"
    noise = np.random.default_rng(0)
    with av.open(str(film), "w") as container:
        track = container.add_stream("mpeg4", rate=25)
        track.width, track.height, track.pix_fmt = 640, 352, "yuv420p"
        pictures = [noise.integers(0, 255, (352, 640, 3), dtype=np.uint8) for _ in range(8)]
        for number in range(1500):
            container.mux(track.encode(av.VideoFrame.from_ndarray(pictures[number % 8], format="rgb24")))
        container.mux(track.encode(None))
    command = [sys.executable, "-m", "debriefer", "video", str(film), "-o", str(target), "--no-cache"]
    with subprocess.Popen([*command, "--layout", "none", "--speech-model", "none"], stderr=subprocess.PIPE) as running:
        # Once PyAV's decoder is mapped, the file is open.
        maps, deadline = Path(f"/proc/{running.pid}/maps"), time.monotonic() + 40
        if not maps.exists():
            running.kill()
            pytest.skip("no /proc here to see how far the command is")
        while "libavcodec" not in maps.read_text() and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        errors = running.communicate(timeout=40)[1].decode()
    assert running.returncode == 130, errors
    assert "stopped by Ctrl-C" in errors
    assert "Traceback" not in errors
    assert not target.exists()
