"""The four tools together, on real child processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from debriefer import Catalog, Task, Workbench
from debriefer.workbench.editing import line_hash, region_lines
from debriefer.workbench.scaffold import pristine

STOCKS = "code,name,amount\n000021,深科技,1.5\n300707,威唐工业,\n300708,x,2\n"
FIRST = region_lines(pristine()).start


@pytest.fixture
def bench(task_with: Callable[..., Path], tmp_path: Path) -> Iterator[Workbench]:
    copy = Task.open(task_with(csv={"stocks.csv": STOCKS})).working_copy(tmp_path / "work")
    Catalog.build(copy).close()
    with Workbench.create(copy.folder) as opened:
        yield opened


def put(bench: Workbench, code: str) -> None:
    """Put `code` in place of the query region."""
    bench.scaffold()
    assert bench.edit_solver(FIRST, FIRST, line_hash("result = None"), code).startswith("workdir/solver.py: ")


def test_untouched_scaffold_ends_well_and_writes_nothing(bench: Workbench) -> None:
    result = bench.run()
    assert (result.status, result.shape) == ("NO OUTPUT", None)
    assert result.stdout == "[solver] the query is not written yet (result is None)\n"
    assert result.stderr == ""
    assert not bench.prediction_path.exists()
    assert result.render().startswith("NO OUTPUT\n")


def test_explore_read_edit_run(bench: Workbench) -> None:
    assert "300707 | 威唐工业 | NULL" in bench.explore_data("SELECT * FROM stocks")
    number, line_hash_, content = bench.read_solver(FIRST, 1).split("\n")[1].split("|")
    assert content == "result = None"
    query = 'result = run_sql("""\nSELECT code, amount FROM stocks WHERE code <> \'300708\' ORDER BY code\n""")'
    assert "error" not in bench.edit_solver(int(number), int(number), line_hash_, query)
    assert bench.run_solver() == (
        "OK\n2 rows, 2 columns\nnot empty: code 2, amount 1\nfirst 2 of 2:\ncode | amount\n000021 | 1.5\n300707 | NULL"
    )
    assert bench.prediction_path.read_bytes() == b"code,amount\n000021,1.5\n300707,\n"
    assert bench.run_solver(self_check=False) == "OK"


def test_write_query_puts_the_reason_above_any_statement(bench: Workbench) -> None:
    sql = 'SELECT name FROM stocks\nWHERE code = \'000021\' -- "深" \\ "quoted"'
    result = bench.write_query(sql, comment="one stock\n>>> not a marker")
    assert (result.status, result.shape, result.sample) == ("OK", (1, 1), (("深科技",),))
    assert "# one stock\n# >>> not a marker\nresult = run_sql(" in bench.solver_path.read_text(encoding="utf-8")
    # The second statement takes the place of the first, and is one string however awkward.
    awkward = "SELECT '\"\"\"' AS q, E'a\\nb' AS r"
    assert bench.write_query(awkward).sample == (('"""', "a\nb"),)


def test_a_stale_prediction_never_counts(bench: Workbench) -> None:
    bench.prediction_path.write_text("n\n1\n", encoding="utf-8")
    assert bench.run().status == "NO OUTPUT"
    assert not bench.prediction_path.exists()
    put(bench, "result = run_sql('SELECT 1 AS n')\nwrite_prediction(result, WORKDIR / 'prediction.csv')\n1 / 0")
    assert bench.run().status == "FAILED"
    assert not bench.prediction_path.exists()
    bench.prediction_path.mkdir()
    bench.restore()
    assert not bench.prediction_path.exists()


def test_a_failed_statement_names_the_line_and_no_path(bench: Workbench) -> None:
    put(bench, "# why\nresult = run_sql('SELECT nope FROM stocks')")
    observation = bench.run_solver()
    lines = observation.split("\n")
    assert lines[0] == "FAILED"
    assert lines[1] == f"workdir/solver.py, line {FIRST + 1}: result = run_sql('SELECT nope FROM stocks')"
    assert "nope" in lines[2]
    assert "Traceback" not in observation
    assert str(bench.work) not in observation
    assert "/site-packages" not in observation


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("result = 5", "`result` is a `int`, not a table\nhint: assign what `run_sql` returns"),
        ("result = pd.DataFrame()", "name 'pd' is not defined\nhint: there is no pandas here"),
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'\nhint: only"),
        ("del run_sql", "name 'result' is not defined\nhint: assign the result"),
        ("import sys\nsys.exit(3)", "the script ended with exit code 3"),
        ("raise ValueError('é' * 9)", "error: ValueError: ééééééééé"),
        ("def f():\n    f()\nf()", "RecursionError"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", "ended by signal SIGTERM"),
    ],
)
def test_errors_are_short_and_helpful(bench: Workbench, code: str, words: str) -> None:
    put(bench, code)
    observation = bench.run_solver()
    assert observation.startswith("FAILED\n")
    assert words in observation
    assert len(observation) < 1500


def test_a_changed_frame_is_not_run(bench: Workbench) -> None:
    text = bench.solver_path.read_text(encoding="utf-8")
    bench.solver_path.write_text(text.replace("not written yet", "whatever"), encoding="utf-8")
    result = bench.run()
    assert result.status == "FAILED"
    assert result.reason == "`workdir/solver.py` was changed outside the query region, below the query region"
    assert bench.edit_solver(FIRST, FIRST, "qz", "x = 1").startswith("error: `workdir/solver.py` was changed")
    bench.restore()
    assert bench.read_solver(FIRST, 1).endswith(f"{FIRST}|qz|result = None")


def test_two_workbenches_do_not_disturb_each_other(
    bench: Workbench, task_with: Callable[..., Path], tmp_path: Path
) -> None:
    copy = Task.open(task_with(task_id="task_2", csv={"stocks.csv": "code\n9\n"})).working_copy(tmp_path / "other")
    Catalog.build(copy).close()
    results: dict[str, list[str]] = {}

    def work(name: str, one: Workbench) -> None:
        rendered = [one.write_query(f"SELECT '{name}' AS who, count(*) AS n FROM stocks").render()]
        results[name] = rendered

    with Workbench.create(copy.folder) as other:
        threads = [threading.Thread(target=work, args=item) for item in (("a", bench), ("b", other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [text.split("\n")[-1] for text in results["a"]] == ["a | 3"]
    assert [text.split("\n")[-1] for text in results["b"]] == ["b | 1"]


@pytest.mark.slow
def test_the_same_run_is_told_in_the_same_words(bench: Workbench) -> None:
    put(bench, "result = run_sql('SELECT * FROM stocks')\nprint({'深', 'b', 'c'})")
    assert bench.run_solver() == bench.run_solver()


def test_the_script_also_runs_by_hand(bench: Workbench) -> None:
    put(bench, "result = run_sql('SELECT 1 AS n')")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "workdir/solver.py"], cwd=bench.work, env=environment, check=True)
    assert bench.prediction_path.read_bytes() == b"n\n1\n"
