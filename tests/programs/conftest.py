"""A film for the agents to look at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from debriefer.media.film import Film
from tests.doubles.films import ready_film
from tests.programs.longvideo_run import LINES


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return ready_film(tmp_path_factory.mktemp("film"), [30.0, 40.0, 50.0], LINES)


@pytest.fixture
def film(made: Film, tmp_path: Path) -> Film:
    """A copy, so that no test finds what another one's model said."""
    shutil.copytree(made.folder, tmp_path / "film")
    return Film(tmp_path / "film", made.video)
