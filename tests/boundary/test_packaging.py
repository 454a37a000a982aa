"""What installing the package brings, and what it must not bring."""

from __future__ import annotations

import subprocess
import sys
import tomllib

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


def test_importing_the_package_loads_no_heavy_module() -> None:
    code = "import sys, debriefer; print(sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for module in ("duckdb", "polars", "dspy", "cv2", "typer", "numpy"):
        assert f"'{module}'" not in loaded


def test_only_maturin_switches_extension_module_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "pyo3/extension-module" in project["tool"]["maturin"]["features"]
    for manifest in (ROOT / "Cargo.toml", *(ROOT / "rust").glob("*/Cargo.toml")):
        features = [line for line in manifest.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        assert not any("extension-module" in line for line in features), manifest
