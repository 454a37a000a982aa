"""The comparison of two results: what is noise, what is a change, and what stands on one side only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare import changes, main, results
from benchmarks.report import emit


def result(metrics: dict[str, Any], spread: dict[str, list[float]] | None = None) -> dict[str, dict[str, Any]]:
    return {"peers": {"suite": "peers", "metrics": metrics, "spread": spread or {}}}


def marks(old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]], noise: float = 0.1) -> dict[str, bool]:
    return {change.name: change.beyond_noise for change in changes(old, new, noise)}


def test_rounds_that_overlap_are_noise_however_far_the_medians_are() -> None:
    old = result({"ratio": 10.0}, {"ratio": [5.0, 15.0]})
    assert marks(old, result({"ratio": 14.0}, {"ratio": [13.0, 16.0]})) == {"peers: ratio": False}
    assert marks(old, result({"ratio": 16.0}, {"ratio": [15.5, 16.5]})) == {"peers: ratio": True}
    assert marks(old, result({"ratio": 4.0}, {"ratio": [3.0, 4.9]})) == {"peers: ratio": True}


def test_a_figure_without_rounds_may_move_by_the_assumed_noise() -> None:
    # 100 ± 10 and 121 ± 12.1 meet at 110 and 108.9; 100 ± 10 and 123 ± 12.3 do not: 110 and 110.7.
    old = result({"seconds": 100})
    assert marks(old, result({"seconds": 121})) == {"peers: seconds": False}
    assert marks(old, result({"seconds": 123})) == {"peers: seconds": True}
    assert marks(old, result({"seconds": 121}), noise=0.05) == {"peers: seconds": True}


def test_negative_figures_and_nothing_at_all_have_bounds_too() -> None:
    assert marks(result({"a": -10.0, "b": 0}), result({"a": -10.5, "b": 0})) == {"peers: a": False, "peers: b": False}
    assert marks(result({"a": -10.0, "b": 0}), result({"a": -20.0, "b": 1})) == {"peers: a": True, "peers: b": True}


def test_only_numbers_are_compared_and_parts_have_names_with_dots() -> None:
    old = result({"names": {"slope": 1.0}, "failed": {"x": "no such module"}, "ok": True, "none": None})
    assert [change.name for change in changes(old, old)] == ["peers: names.slope"]


def test_last_result_of_each_suite_counts_and_other_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [
        {"suite": "a", "metrics": {"x": 1}},
        {"suite": "b", "metrics": {"x": 2}},
        {"suite": "a", "metrics": {"x": 3}},
    ]
    path.write_text("measuring…\n" + "\n".join(map(json.dumps, lines)) + "\n[1]\n", encoding="utf-8")
    assert {name: found["metrics"]["x"] for name, found in results(path).items()} == {"a": 3, "b": 2}


def test_what_a_suite_prints_can_be_compared_and_the_exit_code_is_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / "old", tmp_path / "new"]
    for path, value in zip(paths, (10.0, 30.0), strict=True):
        emit("peers", 2, {"ratio": value, "same": 1.0}, as_json=True, spread={"ratio": (value - 1, value + 1)})
        path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main([*map(str, paths), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-1]) == {
        "figures": 2,
        "beyond_noise": {"peers: ratio": 3.0},
        "differences": [],
    }
    assert "1 of 2 figures changed beyond noise" in err
    assert "+200.0 %" in err


def test_another_machine_and_figures_of_one_side_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text(json.dumps({"suite": "s", "metrics": {"was": 1}, "machine": {"cores": 2}, "date": "2026-01-01"}))
    new.write_text(json.dumps({"suite": "s", "metrics": {"is": 1}, "machine": {"cores": 4}, "date": "2026-02-01"}))
    assert main([str(old), str(new)]) == 0
    out = capsys.readouterr().out
    assert "not the same: cores: 2 → 4" in out
    assert [line.split()[-1] for line in out.splitlines()[-2:]] == ["new", "gone"]


def test_what_pytest_benchmark_wrote_is_read_with_its_quartiles(tmp_path: Path) -> None:
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, median in zip(paths, (1.0, 1.5), strict=True):
        stats = {"median": median, "q1": median - 0.2, "q3": median + 0.2, "min": 0.0}
        text = json.dumps({"datetime": "2026-01-01", "benchmarks": [{"name": "test_a", "stats": stats}]}, indent=4)
        path.write_text(text, encoding="utf-8")
    assert marks(*map(results, paths)) == {"micro: test_a": True}
    assert marks(results(paths[0]), results(paths[0])) == {"micro: test_a": False}


def test_a_file_without_a_result_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty"
    path.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        main([str(path), str(path)])
    assert "holds no result of a benchmark" in capsys.readouterr().err
