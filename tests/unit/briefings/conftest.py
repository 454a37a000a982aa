"""A short generated video, made once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("av", reason="PyAV encodes the videos: pip install 'debriefer[video]'")
pytest.importorskip("PIL", reason="Pillow draws the slides")

from benchmarks.briefings.design import has_han_font
from benchmarks.briefings.manifest import Manifest
from benchmarks.briefings.produce import Recipe, produce


@pytest.fixture(autouse=True)
def _fonts() -> None:
    if not has_han_font():
        pytest.skip("the fonts of the slides are not installed (Debian: fonts-noto-cjk)")


@pytest.fixture(scope="session")
def digit_video(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    """Single digits of a table change, between a title and a summary."""
    if not has_han_font():
        pytest.skip("the fonts of the slides are not installed (Debian: fonts-noto-cjk)")
    folder = tmp_path_factory.mktemp("digit")
    return folder, produce(Recipe("one_digit", 2, "zh", "h264", "vfr"), folder)
