"""The labelled set of the judge, and the figures that are taken on it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.briefings.judge_set import JUDGED, SEEDS, Labelled, labelled, split_of
from benchmarks.briefings.kinds import KINDS, script
from benchmarks.briefings.manifest import Manifest
from benchmarks.suites import judge as suite
from benchmarks.suites.judge import Judged, calibration_error, figures
from debriefer.judgement import VideoVerdict


def test_the_set_covers_every_decoy_both_languages_and_each_verdict_by_a_quarter() -> None:
    assert {kind for kind in KINDS if kind.startswith("decoy_")} <= set(JUDGED)
    for split in ("train", "dev"):
        seeds = [seed for seed in SEEDS if split_of(seed) == split]
        verdicts = Counter(
            script(kind, seed, lang).verdict for kind in JUDGED for seed in seeds for lang in ("en", "zh")
        )
        assert set(verdicts) == {"ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"}
        assert min(verdicts.values()) * 4 >= verdicts.total()
    assert len(JUDGED) * len(SEEDS) * 2 >= 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_leaves_out_a_page_of_the_answer_does_not_show_it(kind: str) -> None:
    for seed in (1, 2, 3):
        play = script(kind, seed, "en")
        pages = [step.page for step in play.steps]
        assert all(any(page is one or page == one for one in pages) for page in play.shown)
        assert bool(play.shown) == (play.verdict != "RECOMPUTE") or kind == "unit_trap"


def judged(truth: Manifest, gold: str, verdict: VideoVerdict | None) -> Judged:
    task = truth.task.__class__(**{**_fields(truth.task), "verdict": gold, "gold": (("a", "1,280.50"), ("b", "2"))})
    manifest = truth.__class__(**{**_fields(truth), "task": task})
    return Judged(Labelled("t", Path(), manifest), verdict)


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]


def shown(decision: str, values: list[list[str]], confidence: float = 0.9) -> VideoVerdict:
    return VideoVerdict.model_validate(
        {"finding": "shown", "decision": decision, "claimed_values": values, "confidence": confidence}
    )


RIGHT = [["b", "2"], ["a", "1280.5"]]


def test_figures_by_hand(digit_video: tuple[Path, Manifest]) -> None:
    truth = digit_video[1]
    cases = [
        judged(truth, "ADOPT", shown("ADOPT", RIGHT)),
        judged(truth, "ADOPT_AND_VERIFY", shown("ADOPT_AND_VERIFY", [["a", "9"], ["b", "2"]])),
        judged(truth, "RECOMPUTE", shown("ADOPT", RIGHT)),
        judged(truth, "RECOMPUTE", VideoVerdict(finding="not_shown", confidence=0.9)),
        judged(truth, "RECOMPUTE", VideoVerdict(finding="unknown")),
        judged(truth, "ADOPT", None),
    ]
    found = figures(cases)
    assert found["verdict_accuracy"] == pytest.approx(3 / 6), "an abstention is wrong, though it says RECOMPUTE"
    assert found["value_accuracy"] == pytest.approx(1 / 3)
    assert found["false_adopt_rate"] == pytest.approx(2 / 6), "other values, and an answer that is not shown"
    assert (found["abstained"], found["failed"]) == (1, 1)
    # Four at 0.9 of which three are right, and one at 0 that is wrong.
    assert found["calibration_error"] == pytest.approx(abs(0.9 - 0.75) * 4 / 5)


def test_calibration_of_nothing_is_none() -> None:
    assert calibration_error([]) is None


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_suite_prepares_by_the_real_stage_and_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.briefings import judge_set  # noqa: PLC0415 -- only here

    judge_set.main([str(tmp_path), "--seeds", "1", "--kinds", "summary", "panels", "--languages", "zh", "--jobs", "1"])
    assert [task.name for task in labelled(tmp_path, "train")] == ["panels_s1_zh", "summary_s1_zh"]
    options = ["--data", str(tmp_path), "--split", "train", "--offline", "--speech-model", "none", "--json"]
    assert suite.main(options) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert '"verdict_accuracy": 1.0' in last
    assert '"false_adopt_rate": 0.0' in last
