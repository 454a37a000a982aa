"""Scoring a folder of predictions, and the command that prints it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from debriefer.cli import main
from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring import score_run
from debriefer.scoring.run import Metric

Cli = Callable[..., tuple[int, str, str]]


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def run_and_gold(tmp_path: Path) -> tuple[Path, Path]:
    golds = {
        "task_2/gold.csv": "n\n4\n9\n",
        "task_10/gold.csv": "n\n4\n",
        "task_3/gold.csv": "name\n深科技\n",
        "task_4/gold.csv": "code\n000021\n",
    }
    predictions = {
        "task_2/prediction.csv": "x\n9.0\n4\n",
        "task_10/prediction.csv": "n,m\n4,7\n",
        "task_3/prediction.csv": "a,b\n1\n",
        "task_99/prediction.csv": "n\n1\n",
        "logs/task_2/outcome.json": "{}",
    }
    return write(tmp_path / "out", predictions), write(tmp_path / "gold", golds)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run `debriefer score` and return exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["debriefer", "score", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), *capsys.readouterr()

    return run


def test_every_gold_is_a_task_in_natural_order(run_and_gold: tuple[Path, Path]) -> None:
    result = score_run(*run_and_gold)
    assert [(task.task, task.score) for task in result.tasks] == [
        ("task_2", 1.0),
        ("task_3", 0.0),
        ("task_4", 0.0),
        ("task_10", 0.95),
    ]
    assert result.score == pytest.approx((1 + 0.95) / 4)
    assert result.by_penalty == pytest.approx({0.1: 1.95 / 4, 0.2: 1.9 / 4, 0.5: 1.75 / 4})
    assert result.unexpected == ("task_99",)
    assert "row 1 has 1 fields" in (result.tasks[1].reason or "")
    assert result.tasks[2].reason == "there is no prediction"


def test_the_exact_metric_is_the_share_of_right_tables(run_and_gold: tuple[Path, Path]) -> None:
    result = score_run(*run_and_gold, "exact")
    assert [task.score for task in result.tasks] == [1, 0, 0, 0]
    assert (result.score, result.n, result.by_penalty) == (0.25, 4, {})


def test_with_frozen_configurations_only_their_tasks_count(run_and_gold: tuple[Path, Path], tmp_path: Path) -> None:
    out, gold = run_and_gold
    ordered = {"order_sensitive": True, "columns": [{"type": "number", "comparison": {"mode": "integer"}}]}
    text = {"order_sensitive": False, "columns": [{"type": "text"}]}
    write(gold, {"task_2/config.json": json.dumps(ordered)})
    configs = write(tmp_path / "configs", {"task_3.json": json.dumps(text)})
    assert [task.counted for task in score_run(out, gold, "exact").tasks] == [True, False, False, False]
    result = score_run(out, gold, "exact", configs=configs)
    assert [task.frozen for task in result.tasks] == [True, True, False, False]
    # 9, 4 is not the sequence 4, 9.
    assert (result.n, result.score) == (2, 0)


def test_two_files_can_be_compared(run_and_gold: tuple[Path, Path]) -> None:
    out, gold = run_and_gold
    result = score_run(out / "task_10" / "prediction.csv", gold / "task_10" / "gold.csv")
    assert (result.n, result.score) == (1, 0.95)
    assert score_run(out / "task_10", gold / "task_10").score == 0.95


def test_what_is_not_there_is_named(run_and_gold: tuple[Path, Path], tmp_path: Path) -> None:
    out, gold = run_and_gold
    for predictions, golds, wanted in [
        (tmp_path / "nowhere", gold, "task_N/prediction.csv"),
        (out, tmp_path / "nowhere", "task_N/gold.csv"),
    ]:
        with pytest.raises(MissingFileError, match="nowhere") as missing:
            score_run(predictions, golds)
        assert missing.value.hint is not None
        assert wanted in missing.value.hint
    with pytest.raises(ScoringError, match=r"has no `task_N/gold\.csv`"):
        score_run(out, out)
    with pytest.raises(ScoringError, match="is one file"):
        score_run(out / "task_2" / "prediction.csv", gold)
    with pytest.raises(ScoringError, match="no metric `best`"):
        score_run(out, gold, "best")  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["signature", "exact"])
@pytest.mark.parametrize("gold_text", ["", "p\n\n1\n", "a,b\n1\n"])
def test_a_broken_gold_costs_only_its_own_task(run_and_gold: tuple[Path, Path], metric: Metric, gold_text: str) -> None:
    out, gold = run_and_gold
    before = score_run(out, gold, metric)
    write(gold, {"task_5/gold.csv": gold_text})
    write(out, {"task_5/prediction.csv": "p\n1\n"})
    after = score_run(out, gold, metric)
    broken = after.tasks[3]
    assert (broken.task, broken.score, broken.counted) == ("task_5", None, False)
    assert "task_5" in (broken.reason or "")
    assert after.broken == ("task_5",)
    assert (after.n, after.score, after.by_penalty) == (before.n, before.score, before.by_penalty)
    assert [task for task in after.tasks if task.task != "task_5"] == list(before.tasks)
    assert after.as_dict()["tasks"][3] == {"task": "task_5", "score": None, "reason": broken.reason, "counted": False}


def test_a_broken_configuration_costs_only_its_own_task(run_and_gold: tuple[Path, Path]) -> None:
    out, gold = run_and_gold
    text = {"order_sensitive": False, "columns": [{"type": "text"}]}
    write(gold, {"task_3/config.json": "{", "task_4/config.json": json.dumps(text)})
    result = score_run(out, gold, "exact")
    assert [task.counted for task in result.tasks] == [False, False, True, False]
    assert (result.broken, result.n) == (("task_3",), 1)


def test_without_a_single_usable_gold_there_is_no_score(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold", {"task_1/gold.csv": "", "task_2/gold.csv": "a,b\n1\n"})
    with pytest.raises(ScoringError, match="task_1"):
        score_run(tmp_path, gold)


def test_the_command_scores_the_others_and_fails_where_a_gold_is_broken(
    run_and_gold: tuple[Path, Path], cli: Cli
) -> None:
    out, gold = run_and_gold
    write(gold, {"task_5/gold.csv": "p\n\n1\n"})
    code, stdout, stderr = cli(out, gold)
    assert code == 2
    lines = stdout.splitlines()
    assert lines[3].startswith("task_5       -  not counted: `")
    assert lines[5] == "mean     0.487  over 4 tasks, λ = 0.1"
    assert "error: 1 task has no score" in stderr
    assert "hint: " in stderr
    code, stdout, _ = cli(out, gold, "--json")
    report = json.loads(stdout)
    assert (code, report["n"], report["broken"]) == (2, 4, ["task_5"])


def test_the_command_prints_tasks_reasons_and_the_three_penalties(run_and_gold: tuple[Path, Path], cli: Cli) -> None:
    code, out, err = cli(*run_and_gold)
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[:4]] == [
        ["task_2", "1.000"],
        ["task_3", "0.000"],
        ["task_4", "0.000"],
        ["task_10", "0.950"],
    ]
    assert out.splitlines()[4:] == [
        "mean     0.487  over 4 tasks, λ = 0.1",
        "                λ 0.1: 0.487  λ 0.2: 0.475  λ 0.5: 0.438",
    ]
    assert err.strip() == "no gold for task_99"


def test_the_command_prints_json(run_and_gold: tuple[Path, Path], cli: Cli) -> None:
    _, out, _ = cli(*run_and_gold, "--json", "--lambda", "0.5")
    report: dict[str, Any] = json.loads(out)
    assert report["score"] == pytest.approx(1.75 / 4)
    assert report["by_lambda"] == pytest.approx({"0.1": 0.4875, "0.2": 0.475, "0.5": 0.4375})
    assert report["tasks"][3] == {
        "task": "task_10",
        "score": 0.75,
        "reason": "1 extra column",
        "recall": 1.0,
        "matched": 1,
        "extra": 1,
        "gold_columns": 1,
        "predicted_columns": 2,
        "at": {"0.1": 0.95, "0.2": 0.9, "0.5": 0.75},
    }


def test_the_command_says_when_types_are_guessed(run_and_gold: tuple[Path, Path], cli: Cli) -> None:
    _, out, err = cli(*run_and_gold, "--metric", "exact")
    assert out.splitlines()[-1] == "mean     0.250  over 4 tasks, whole tables"
    assert "guessed" in err


@pytest.mark.parametrize("penalty", ["-1", "nan"])
def test_a_senseless_penalty_ends_with_an_error_line(run_and_gold: tuple[Path, Path], cli: Cli, penalty: str) -> None:
    code, out, err = cli(*run_and_gold, "--lambda", penalty)
    assert (code, out) == (2, "")
    assert err.startswith("error: the penalty")
