"""`debriefer doctor`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from debriefer import __version__
from debriefer.cli import console, exit_codes
from debriefer.models.local import is_local, weights_of

Verdict = Literal["ok", "absent", "broken"]
_STYLES: dict[Verdict, str] = {"ok": "green", "absent": "yellow", "broken": "bold red"}
_REQUIRED = ("duckdb", "polars", "dspy", "typer", "rich")
_VIDEO = ("av", "faster-whisper")
# Every distribution that installs a folder called `cv2`: two of them overwrite each other's files.
CV2_BUILDS = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)
_LOCAL_HINT = "`MODEL_NAME=local:FILE` names a GGUF file; `docs/local-models.md`"
_MODEL_VARIABLES = ("MODEL_API_URL", "MODEL_API_KEY", "MODEL_NAME")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: `broken` needs mending, `absent` is optional."""

    name: str
    verdict: Verdict
    detail: str
    hint: str | None = None


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check that this installation can do its work; exit code 1 if something is broken."""
    checks = [check for group in (_system, _packages, _engine, _cv2, _speech, _local, _models) for check in group()]
    if as_json:
        console.data_json({"version": __version__, "checks": [asdict(check) for check in checks]})
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for check in checks:
            hint = f"\nhint: {check.hint}" if check.hint else ""
            table.add_row(
                Text(check.name), Text(check.verdict, style=_STYLES[check.verdict]), Text(check.detail + hint)
            )
        console.messages.print(table)
    if any(check.verdict == "broken" for check in checks):
        raise typer.Exit(exit_codes.FAILED)


def _system() -> list[Check]:
    detail = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    supported = sys.version_info >= (3, 11)
    return [
        Check("debriefer", "ok", __version__),
        Check("system", "ok" if supported else "broken", detail, None if supported else "use Python 3.11 or newer"),
    ]


def _packages() -> list[Check]:
    return [_distribution(name, required=True, hint=f"run `pip install {name}`") for name in _REQUIRED]


def _distribution(name: str, *, required: bool, hint: str) -> Check:
    try:
        return Check(name, "ok", importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, "broken" if required else "absent", "not installed", hint)


def _engine() -> list[Check]:
    """Build a catalog of one small file and ask it, as every task does."""

    def build() -> str:
        from debriefer.catalog import Catalog  # noqa: PLC0415 -- a broken extension must not hide the other checks

        with tempfile.TemporaryDirectory(prefix="debriefer-") as folder:
            source = Path(folder) / "codes.csv"
            source.write_text("code,amount\n000021,1\n300707,2\n", encoding="utf-8")
            with Catalog.from_files(source, Path(folder) / "catalog.duckdb") as catalog:
                value = catalog.sql("SELECT code FROM codes WHERE amount = 1").item()
        if value != "000021":
            message = f"the code `000021` was read as `{value}`"
            raise ValueError(message)
        return "a catalog is built and read; codes keep their zeros"

    return [_attempt("catalog", build, "reinstall debriefer: its compiled part does not work here")]


def _attempt(name: str, work: Callable[[], str], hint: str) -> Check:
    try:
        return Check(name, "ok", work())
    except Exception as error:  # noqa: BLE001 -- whatever is wrong is what the doctor reports
        return Check(name, "broken", f"{type(error).__name__}: {error}", hint)


def installed_cv2_builds() -> list[str]:
    """Return the installed distributions that bring a `cv2` folder."""
    found = []
    for name in CV2_BUILDS:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cv2() -> list[Check]:
    builds = installed_cv2_builds()
    install = "run `pip install 'debriefer[video]'`"
    if not builds:
        return [Check("cv2", "absent", "not installed: no video", install)]
    if len(builds) > 1:
        hint = "uninstall them all, then " + install
        return [Check("cv2", "broken", "several builds overwrite each other: " + ", ".join(builds), hint)]
    return [
        _attempt(
            "cv2",
            lambda: f"{builds[0]}, imported as {importlib.import_module('cv2').__version__}",
            "install `opencv-python-headless`: other builds need display libraries",
        )
    ]


def _speech() -> list[Check]:
    return [_distribution(name, required=False, hint="run `pip install 'debriefer[video]'`") for name in _VIDEO]


def _local() -> list[Check]:
    return [_distribution("llama-cpp-python", required=False, hint="run `pip install 'debriefer[local]'`")]


def _models() -> list[Check]:
    name = os.environ.get("MODEL_NAME", "")
    if is_local(name) and not os.environ.get("MODEL_API_URL"):
        return [_attempt("model", lambda: f"a file in this process: `{weights_of(name).name}`", _LOCAL_HINT)]
    present = [name for name in _MODEL_VARIABLES if os.environ.get(name)]
    detail = ("set: " + ", ".join(present)) if present else "no variable is set; the offline baseline needs none"
    return [Check("model", "ok" if len(present) == len(_MODEL_VARIABLES) else "absent", detail)]
