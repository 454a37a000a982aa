"""What installing the package brings, and what it must not bring."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from debriefer.cli.doctor import installed_cv2_builds
from tests.conftest import ROOT


def test_exactly_one_cv2_build_is_installed() -> None:
    assert [build.split()[0] for build in installed_cv2_builds()] == ["opencv-python-headless"]


def test_cv2_loads_no_display_library() -> None:
    code = "import cv2; print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "cv2" in maps
    for library in ("libGL", "libX11", "libQt", "libxcb", "libgtk"):
        assert library not in maps


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("debriefer", ("duckdb", "polars", "dspy", "cv2", "typer", "numpy")),
        # What a task needs only if it has a video or is answered by a model.
        ("debriefer.pipeline.single", ("polars", "dspy", "cv2", "av", "numpy")),
        ("debriefer.pipeline.batch", ("duckdb", "polars", "dspy", "cv2", "av", "numpy")),
    ],
)
def test_a_module_loads_no_package_that_it_may_not_need(module: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(sorted({{name.split('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for package in absent:
        assert f"'{package}'" not in loaded


def test_only_maturin_switches_extension_module_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "pyo3/extension-module" in project["tool"]["maturin"]["features"]
    for manifest in (ROOT / "Cargo.toml", *(ROOT / "rust").glob("*/Cargo.toml")):
        features = [line for line in manifest.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        assert not any("extension-module" in line for line in features), manifest
