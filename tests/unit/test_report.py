"""The shared code of the benchmarks: what it prints is read by programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.report import emit, machine, paired, print_table

ROOT = Path(__file__).resolve().parents[2]


def test_last_line_is_one_json_object_with_the_four_keys(capsys: pytest.CaptureFixture[str]) -> None:
    emit("sql_parity", 994, {"parity": 0.96, "spider_dev": 0.99}, as_json=True)
    out, err = capsys.readouterr()
    report = json.loads(out.splitlines()[-1])
    assert {key: report[key] for key in ("suite", "n", "metrics")} == {
        "suite": "sql_parity",
        "n": 994,
        "metrics": {"parity": 0.96, "spider_dev": 0.99},
    }
    assert report["machine"]["cores"] >= 1
    assert "parity" in err


def test_without_json_the_table_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    emit("questions", 3, {"spider_dev": {"overall": 0.25, "n": 3}}, as_json=False)
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "questions (n = 3)",
        "metric              value",
        "spider_dev.overall  0.25",
        "spider_dev.n        3",
    ]
    assert err == ""


def test_machine_names_the_engines_that_are_installed() -> None:
    assert machine()["packages"].keys() >= {"duckdb", "polars", "dspy"}
    json.dumps(machine())


def test_both_are_called_in_turns() -> None:
    calls: list[str] = []
    paired(lambda: calls.append("A"), lambda: calls.append("B"), rounds=3, warm_up=False)
    assert "".join(calls) == "ABBAAB"


def test_the_ratio_says_how_many_times_faster_ours_is() -> None:
    measured = paired(lambda: sum(range(2_000)), lambda: sum(range(200_000)), rounds=3)
    assert measured.ratio > 10
    assert measured.ours < measured.peer


def test_no_rounds_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        paired(int, int, rounds=0)


def test_a_wide_letter_takes_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [("中文", 1), ("abcd", 2)])
    assert capsys.readouterr().out.splitlines() == ["name  n", "中文  1", "abcd  2"]


def test_an_unknown_peer_is_named() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers", "--only", "nobody"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "no such peer: nobody" in run.stderr


def test_a_failing_peer_is_reported_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*, quick: bool) -> dict[str, float]:
        assert quick
        message = "not installed"
        raise RuntimeError(message)

    def works(*, quick: bool) -> dict[str, Any]:
        return {"two_over_one": 2.0 if quick else 1.0, "spread": {"two_over_one": (1.5, 2.5)}}

    modules = {"one": SimpleNamespace(measure=broken), "two": SimpleNamespace(measure=works)}
    monkeypatch.setattr(peers.importlib, "import_module", lambda name: modules[name.rpartition(".")[2]])
    metrics, spread, failed = peers.run(["one", "two"], quick=True)
    assert metrics == {"two_over_one": 2.0}
    assert spread == {"two_over_one": (1.5, 2.5)}
    assert failed == {"one": "RuntimeError: not installed"}
