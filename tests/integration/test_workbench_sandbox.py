"""What a run cannot do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from debriefer import Catalog, Task, Workbench
from debriefer.workbench import Limits, RunResult
from debriefer.workbench.editing import line_hash, region_lines
from debriefer.workbench.scaffold import pristine

FIRST = region_lines(pristine()).start
SECRET = "sk-this-must-not-be-seen"  # noqa: S105 -- an invented one


@pytest.fixture
def bench(task_with: Callable[..., Path], tmp_path: Path) -> Iterator[Workbench]:
    copy = Task.open(task_with(csv={"t.csv": "n\n1\n"})).working_copy(tmp_path / "work")
    Catalog.build(copy).close()
    with Workbench.create(copy.folder, Limits(seconds=20)) as opened:
        yield opened


def run(bench: Workbench, code: str, seconds: float | None = None) -> RunResult:
    bench.scaffold()
    assert bench.edit_solver(FIRST, FIRST, line_hash("result = None"), code).startswith("workdir/solver.py: ")
    return bench.run(timeout_seconds=seconds)


def isolated(result: RunResult, kind: str) -> None:
    if kind not in result.isolation:
        pytest.skip(f"the kernel of this machine does not isolate {kind}")


def alive(marker: str) -> list[str]:
    """Return the processes of this machine whose command line holds `marker`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_an_endless_loop_is_stopped_in_time(bench: Workbench) -> None:
    begin = time.monotonic()
    result = run(bench, "print('begun', flush=True)\nwhile True:\n    pass", seconds=2.5)
    assert time.monotonic() - begin < 10
    assert (result.status, result.reason) == ("FAILED", "the script was stopped after 2.5 s")
    # What was printed until then is kept.
    assert result.stdout == "begun\n"


def test_an_endless_statement_is_stopped_in_time(bench: Workbench) -> None:
    code = 'result = run_sql("SELECT count(*) FROM range(300000) a, range(300000) b WHERE a.range * b.range % 7 = 3")'
    assert run(bench, code, seconds=1.5).reason == "the script was stopped after 1.5 s"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("kept = []\nwhile True:\n    kept.append(bytes(50_000_000))", id="python"),
        pytest.param(
            "result = run_sql(\"SELECT range AS n, repeat('x', 100) || range AS s FROM range(100000000)\")",
            id="duckdb",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "import polars as pl\nresult = pl.select(pl.int_range(0, 10**10))", id="polars", marks=pytest.mark.slow
        ),
    ],
)
def test_a_memory_bomb_is_refused_memory(bench: Workbench, code: str) -> None:
    bench.limits = Limits(seconds=20, memory_bytes=512 << 20)
    observation = run(bench, code).render()
    assert observation.startswith("FAILED\n")
    assert "the script needed more memory than the 512 MiB it may use\nhint: aggregate in SQL" in observation


def test_secrets_of_the_environment_are_not_seen(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_API_KEY", SECRET)
    result = run(bench, "import json, os\nprint(json.dumps(dict(os.environ)))")
    environment = json.loads(result.stdout)
    assert SECRET not in result.stdout
    assert "MODEL_API_KEY" not in environment
    assert (environment["TZ"], environment["LANG"], environment["PYTHONHASHSEED"]) == ("UTC", "C.UTF-8", "0")
    assert environment["HOME"] == "./workdir"  # the working copy's own path is shortened in what is shown


def test_secrets_of_the_parent_are_not_seen_in_proc(bench: Workbench) -> None:
    # The environment that `/proc` shows is the one a process was started with, so the parent is started anew.
    code = (
        "import glob\nfor path in glob.glob('/proc/[0-9]*/environ'):\n    try:\n"
        "        print(open(path, 'rb').read())\n    except OSError:\n        pass"
    )
    program = (
        "import sys\nfrom debriefer import Workbench\nbench = Workbench.open(sys.argv[1])\nbench.scaffold()\n"
        f"bench.edit({FIRST}, {FIRST}, 'qz', {code!r})\nresult = bench.run()\n"
        "print('processes' in result.isolation, result.stdout)"
    )
    environment = os.environ | {"MODEL_API_KEY": SECRET, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(bench.work)], env=environment, capture_output=True, text=True, check=True
    )
    if not done.stdout.startswith("True"):
        pytest.skip("the kernel of this machine does not isolate processes")
    assert "PYTHONHASHSEED" in done.stdout
    assert SECRET not in done.stdout


def test_there_is_no_network(bench: Workbench) -> None:
    code = (
        "import socket\nwith socket.socket() as s:\n    s.settimeout(2)\n"
        "    print(s.connect_ex(('192.0.2.1', 80)), len(socket.if_nameindex()))"
    )
    result = run(bench, code)
    isolated(result, "network")
    # ENETUNREACH, and no interface but the loopback.
    assert result.stdout == "101 1\n"


def test_only_workdir_is_written_to(bench: Workbench, tmp_path: Path) -> None:
    outside, context = tmp_path / "outside.txt", bench.work / "context" / "csv" / "t.csv"
    code = "\n".join(
        [
            f"paths = [{str(outside)!r}, {str(context)!r}]",
            "paths += ['./workdir/catalog.duckdb', './workdir/solver.py', './workdir/note.txt']",
            "for path in paths:",
            "    try:",
            "        open(path, 'w').close()",
            "        print('wrote', path[-8:])",
            "    except OSError as error:",
            "        print(error.errno)",
        ]
    )
    result = run(bench, code)
    isolated(result, "files")
    assert result.stdout == "30\n30\n30\n30\nwrote note.txt\n"
    assert context.read_bytes() == b"n\n1\n"
    assert not outside.exists()


def test_isolation_cannot_be_undone(bench: Workbench) -> None:
    code = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.mount(None, b'/', None, 32 | 4096, None), libc.unshare(0x20000), libc.umount(b'/proc'))"
    )
    result = run(bench, code)
    isolated(result, "files")
    assert result.stdout == "-1 -1 -1\n"


def test_no_process_outlives_the_run(bench: Workbench) -> None:
    code = (
        "import subprocess, sys, os\n"
        f"marker = {str(bench.work)!r} + '-left-behind'\n"
        "for new_session in (False, True):\n"
        "    command = [sys.executable, '-c', 'import time; time.sleep(60)', marker]\n"
        "    subprocess.Popen(command, start_new_session=new_session)\n"
        "result = run_sql('SELECT 1 AS n')"
    )
    result = run(bench, code)
    assert result.status == "OK"
    assert result.seconds < 10
    isolated(result, "processes")
    assert alive(f"{bench.work}-left-behind") == []


def test_a_stopped_run_leaves_no_dead_process_to_a_container(bench: Workbench) -> None:
    # Like process 1 of a container, this one inherits every orphan below it.
    program = (
        "import ctypes, os, sys\nctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\nfrom debriefer import Workbench\n"
        f"bench = Workbench.open(sys.argv[1])\nbench.edit({FIRST}, {FIRST}, 'qz', 'while True: pass')\n"
        "result = bench.run(timeout_seconds=1)\nprint('processes' in result.isolation, result.reason)\n"
        "try:\n    print(os.waitpid(-1, os.WNOHANG))\nexcept ChildProcessError:\n    print('none left')"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", program, str(bench.work)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    if not done.stdout.startswith("True"):
        pytest.skip("the kernel of this machine does not isolate processes")
    assert done.stdout == "True the script was stopped after 1 s\nnone left\n"


def test_a_fork_bomb_is_held_and_cleared_away(bench: Workbench) -> None:
    before = len(list(Path("/proc").glob("[0-9]*")))
    code = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    # Where nothing would hold it, it is not tried.
    isolated(bench.run(), "processes")
    result = run(bench, code, seconds=1)
    assert result.reason == "the script was stopped after 1 s"
    deadline = time.monotonic() + 5
    while len(list(Path("/proc").glob("[0-9]*"))) > before + 50 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(list(Path("/proc").glob("[0-9]*"))) <= before + 50


def test_a_flood_of_output_is_bounded(bench: Workbench) -> None:
    code = (
        "import sys\nresult = None\nfor _ in range(1000):\n    sys.stdout.write('x' * 100_000)\n"
        "    sys.stderr.write('y' * 10_000)\nprint('end')"
    )
    result = run(bench, code)
    assert result.status == "NO OUTPUT"
    assert len(result.stdout) < 70_000
    assert len(result.stderr) < 70_000
    assert "bytes left out]" in result.stdout
    assert "end\n[solver]" in result.stdout
    assert len(result.render()) < 5_000


def test_a_huge_file_is_refused(bench: Workbench) -> None:
    bench.limits = Limits(seconds=20, file_bytes=1 << 20)
    result = run(bench, "with open('workdir/huge', 'wb') as stream:\n    stream.write(bytes(2 << 20))")
    assert result.reason is not None
    assert "File too large" in result.reason


def test_standard_input_is_empty(bench: Workbench) -> None:
    assert run(bench, "import sys\nprint(repr(sys.stdin.read()))").stdout.startswith("''\n")


def test_a_link_is_no_prediction(bench: Workbench, tmp_path: Path) -> None:
    target = tmp_path / "secret.csv"
    target.write_text("a\n1\n", encoding="utf-8")
    result = run(bench, f"import os\nos.symlink({str(target)!r}, 'workdir/prediction.csv')")
    assert (result.status, result.sample) == ("FAILED", ())
    assert target.exists()


def test_a_named_pipe_is_no_prediction_and_is_not_waited_for(bench: Workbench) -> None:
    result = run(bench, "import os\nos.mkfifo('workdir/prediction.csv')\nos._exit(0)")
    assert result.status == "FAILED"
    assert "no regular file" in result.reason


@pytest.mark.slow
def test_without_namespaces_the_limits_still_hold(bench: Workbench) -> None:
    """Run where the kernel refuses namespaces: below a user namespace in which their number is limited to none."""
    program = (
        "import ctypes, json, os, sys\nfrom pathlib import Path\n"
        "if ctypes.CDLL(None).unshare(0x10000000) != 0:\n    raise SystemExit(99)\n"
        "Path('/proc/self/setgroups').write_text('deny')\n"
        "Path('/proc/self/uid_map').write_text('0 %d 1' % int(sys.argv[2]))\n"
        "for kind in ('user', 'net', 'pid', 'mnt', 'ipc'):\n"
        "    Path(f'/proc/sys/user/max_{kind}_namespaces').write_text('0')\n"
        "from debriefer import Workbench\nfrom debriefer.workbench import Limits\n"
        "bench = Workbench.open(sys.argv[1], Limits(memory_bytes=512 << 20))\n"
        "results = [bench.write_query('SELECT 1 AS n'), bench.run(timeout_seconds=0.1)]\nbench.scaffold()\n"
        f"bench.edit({FIRST}, {FIRST}, 'qz', 'kept = [bytes(1 << 30)]')\nresults.append(bench.run())\n"
        "print(json.dumps([(list(r.isolation), r.status, r.reason) for r in results]))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(bench.work), str(os.getuid())],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"a user namespace without others cannot be made here: {done.stderr[-200:]}")
    assert json.loads(done.stdout) == [
        [[], "OK", None],
        [[], "FAILED", "the script was stopped after 0.1 s"],
        [[], "FAILED", "the script needed more memory than the 512 MiB it may use"],
    ]
