# ruff: noqa: ARG002 -- a double has the interface of what it stands for
"""`debriefer video --layout vlm` against a server in its own process: good answers, bad ones, none."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debriefer.errors import MediaError
from debriefer.media.layout_reading import OcrLayout
from debriefer.media.store import VideoStore
from debriefer.models import Models, ModelSettings, RetryPolicy
from debriefer.pipeline.makers import makers_of
from debriefer.pipeline.settings import MediaSettings
from debriefer.pipeline.video_briefing import brief_file
from tests.conftest import ROOT
from tests.doubles import pictures
from tests.doubles.pictures import Picture
from tests.doubles.server import Server

av = pytest.importorskip("av", reason="PyAV is not installed")
pytest.importorskip("rapidocr", reason="rapidocr is not installed")

SCRIPT = Path(__file__).with_name("layout_script.py")
TEXTS = ["Net Lending", "1,508.91", "Retail"]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pictures.need_fonts()
    picture = Picture(480, 272)
    for number, text in enumerate(TEXTS):
        picture.text(40, 40 + 60 * number, text, 24)
    image = np.ascontiguousarray(picture.array())
    path = tmp_path_factory.mktemp("video") / "briefing.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 480, 272, "yuv420p"
        for number in range(10):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 5)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def seen(video: Path, folder: Path, url: str, vision: str = "1") -> tuple[str, str | None]:
    """Run the command; return the layout of the one slide as Hiccup, and the note beside it."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MODEL_")}
    environment |= {"MODEL_API_URL": url, "MODEL_NAME": "double", "MODEL_VISION": vision}
    command = [sys.executable, "-m", "debriefer", "video", str(video), "-o", str(folder / "out"), "--no-cache"]
    done = subprocess.run(
        [*command, "--layout", "vlm", "--speech-model", "none"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ((hiccup, note),) = VideoStore.open(folder / "out" / "store").sql("SELECT hiccup, note FROM layout")
    assert all(f'"{text}"' in hiccup for text in TEXTS)
    return hiccup, note


def test_a_good_answer_is_the_layout(video: Path, tmp_path: Path) -> None:
    with Server(SCRIPT, function="good") as server:
        hiccup, note = seen(video, tmp_path, server.url)
        assert len(server.log()) == 1
    assert note is None
    assert "[:card" in hiccup
    assert ':struck true} "Retail"' in hiccup


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("invented", "`1,608.91` does not stand on the picture"),
        ("wordy", "the layout has no vector"),
        ("broken", "this server takes no pictures"),
    ],
)
def test_a_bad_answer_leaves_the_layout_to_ocr(video: Path, tmp_path: Path, answer: str, why: str) -> None:
    with Server(SCRIPT, function=answer) as server:
        hiccup, note = seen(video, tmp_path, server.url)
    assert ":card" not in hiccup
    assert "struck" not in hiccup
    assert note is not None
    assert why in note


def test_a_model_that_sees_no_pictures_is_not_asked(video: Path, tmp_path: Path) -> None:
    with Server(SCRIPT, function="good") as server:
        hiccup, note = seen(video, tmp_path, server.url, vision="0")
        assert server.log() == []
    assert ":card" not in hiccup
    assert note is not None
    assert "the model is not known to see pictures" in note


def test_a_server_that_is_not_there_leaves_the_layout_to_ocr(video: Path, tmp_path: Path) -> None:
    with Server(SCRIPT, function="good") as server:
        gone = server.url
    settings = ModelSettings("double", base_urls=(gone,), vision=True)
    models = Models(settings, policy=RetryPolicy(patience_seconds=0.2), environment={})
    made = brief_file(video, tmp_path, makers_of(MediaSettings("vlm", "none"), models))
    (view,) = made.views
    assert view.layout is not None
    assert [node.text for node in view.layout.tree.walk() if node.text] == TEXTS
    assert view.note is not None
    assert "the vision model gave no tree" in view.note


def test_a_model_that_keeps_failing_is_asked_no_more() -> None:
    @dataclass
    class Failing:
        name: str = "failing"
        asked: int = 0

        def refine(self, image: object, hiccup: str) -> str:
            self.asked += 1
            message = "no route to host"
            raise MediaError(message)

    refiner = Failing()
    series = OcrLayout(refiner=refiner).series()
    notes = [series.read(np.full((40, 60, 3), 255, dtype=np.uint8)).note for _ in range(4)]
    assert refiner.asked == 2
    assert notes[0] == notes[1] == "failing: no route to host"
    assert notes[2] == notes[3] == "failing: not asked, as it gave no tree for 2 slides before"
