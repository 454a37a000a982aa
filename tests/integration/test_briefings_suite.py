"""The suite over briefing videos: it measures everything it is asked for, or says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import ROOT

pytest.importorskip("av", reason="PyAV encodes the videos: pip install 'debriefer[video]'")
pytest.importorskip("PIL", reason="Pillow draws the slides")

from benchmarks.briefings.design import has_han_font
from benchmarks.briefings.produce import Recipe, produce
from benchmarks.suites import briefings
from benchmarks.suites.briefings_real import sanity
from debriefer.media.slide import Change, Method, Slide, Slides
from debriefer.media.tree import Node, Tag

OPTIONS = Namespace(verbose=False, layouts=1, spoken=2, timed=2)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> briefings.Video:
    if not has_han_font():
        pytest.skip("the fonts of the slides are not installed (Debian: fonts-noto-cjk)")
    folder = tmp_path_factory.mktemp("video")
    return briefings.Video(folder, produce(Recipe("one_digit", 2, "zh", "mpeg4", "vfr"), folder))


def perfect_detector(video: briefings.Video) -> Slides:
    slides = [
        Slide(state.index, state.begin, state.end, time, image, state.revisit_of, Change.CUT)
        for state, (time, image) in briefings.still_frames(video, video.manifest.states)
    ]
    manifest = video.manifest
    return Slides(tuple(slides), Method.DECODE, "", manifest.duration, manifest.width, manifest.height, manifest.frames)


def measured(video: briefings.Video, **parts: object) -> Mapping[str, Any]:
    absent = {"detector": "no detector", "reader": "no reader", "listener": "no listener"}
    return briefings.measure([video], briefings.Parts(**{**absent, **parts}), OPTIONS)  # type: ignore[arg-type]


def test_what_is_absent_is_null_with_its_reason(video: briefings.Video) -> None:
    metrics = measured(video)
    assert [metrics[name] for name in briefings.FIGURES] == [None] * len(briefings.FIGURES)
    reasons = briefings.failures(metrics)
    assert reasons["state_recall"] == reasons["over_full_decode"] == "no detector"
    assert reasons["layout_cer"] == "no reader"
    assert reasons["word_time_error_s"] == "no listener"
    assert briefings.failures({}) == dict.fromkeys(briefings.FIGURES, "no reason was given")


def test_perfect_parts_get_full_marks(video: briefings.Video) -> None:
    def read(_: object) -> Node:
        return Node(Tag.PAGE)

    found = perfect_detector(video)
    metrics = measured(video, detector=lambda _: found, reader=read)
    assert metrics["state_recall"] == metrics["one_cell_recall"] == metrics["precision"] == 1.0
    assert metrics["duplicate_share"] == metrics["mid_transition"] == 0
    assert metrics["time_error_p95_s"] == pytest.approx(0.0)
    assert metrics["over_full_decode"] < 1
    # A tree without text misses every letter and every cell.
    assert metrics["layout_cer"] == 1.0
    assert metrics["cell_accuracy"] == 0.0


def test_a_detector_that_fails_finds_nothing(video: briefings.Video) -> None:
    def fail(_: Path) -> Slides:
        message = "boom"
        raise RuntimeError(message)

    metrics = measured(video, detector=fail)
    assert metrics["state_recall"] == 0.0
    assert metrics["failed"] == 1
    assert set(briefings.failures(metrics)) >= {"duplicate_share", "time_error_p95_s", "over_full_decode"}


def test_slides_that_make_no_sense_are_told(video: briefings.Video) -> None:
    good = perfect_detector(video)
    assert sanity(good) == []
    odd = SimpleNamespace(**{**_fields(good[0]), "index": 5, "t_frame": -1.0, "revisit_of": 3})
    bad = _Listed([odd], good.width, good.height, good.duration)
    assert len(sanity(bad)) == 3
    assert sanity(_Listed([], 1, 1, 1.0)) == ["no slide"]


def _fields(slide: Slide) -> dict[str, Any]:
    return {name: getattr(slide, name) for name in ("index", "t_start", "t_end", "t_frame", "image", "revisit_of")}


class _Listed(list[Any]):
    def __init__(self, items: Iterable[Any], width: int, height: int, duration: float) -> None:
        super().__init__(items)
        self.width, self.height, self.duration = width, height, duration


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_every_figure_is_measured(tmp_path: Path) -> None:
    """Runs the real thing on one seed of a few kinds: a figure that is null fails."""
    cache = Path(os.environ.get("DEBRIEFER_BRIEFINGS_CACHE", tmp_path))
    command = [
        sys.executable, "-m", "benchmarks.suites.briefings", "--json", "--download", "--cache", str(cache),
        "--seeds", "1", "--kinds", "summary", "one_cell", "one_digit", "talking_head", "quick", "--timed", "2",
    ]  # fmt: skip
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    metrics = json.loads(run.stdout.splitlines()[-1])["metrics"]
    assert briefings.failures(metrics) == {}
