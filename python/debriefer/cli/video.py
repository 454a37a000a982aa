"""`debriefer video`."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from debriefer.cli import console, options
from debriefer.errors import MediaError, MissingFileError
from debriefer.media.briefing import Say
from debriefer.media.contact_sheet import sheet_of
from debriefer.media.places import INPUT_FILE, STORE_FOLDER, TIMELINE_FILE
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.makers import makers_of
from debriefer.pipeline.settings import MediaSettings, ModelChoice
from debriefer.pipeline.video_briefing import brief_file, identity, summary, video_key

_SHEET = "contact-sheet.png"
_LONGEST_TITLE = 60
_STEPS = {"slides": "finding slides", "layout": "reading layout", "speech": "listening"}


class LayoutOption(StrEnum):
    """How layout is read."""

    OCR = "ocr"
    VLM = "vlm"
    NONE = "none"


def video(
    file: Annotated[Path, typer.Argument(help="A video file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the result; `debriefer-out/<name>` by default.")
    ] = None,
    contact_sheet: Annotated[
        bool, typer.Option("--contact-sheet", help=f"Write one picture of all slides, `{_SHEET}`.")
    ] = False,
    layout: Annotated[
        LayoutOption, typer.Option("--layout", help="Layout by OCR, bettered by a vision model, or none.")
    ] = LayoutOption.OCR,
    speech_model: options.SpeechModel = None,
    download: Annotated[bool, typer.Option("--download", help="Fetch the speech model if it is not there.")] = False,
    lm: options.Lm = None,
    cache: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON object.")] = False,
) -> None:
    """Show what a video shows and says: slides, their layout, the narration, and the timeline of both.

    The folder receives a picture of each slide, `video_input.json`, `timeline.txt` and `store/`. A second call for the
    same file and settings decodes nothing.
    """
    if not file.is_file():
        message = f"`{file}` " + ("is no file" if file.exists() else "does not exist")
        raise MissingFileError(message, hint="name a video file")
    target = output or Path("debriefer-out") / file.stem
    choice = ModelChoice(lm) if layout is LayoutOption.VLM else None
    settings = MediaSettings(layout.value, speech_model, download)
    began = time.perf_counter()
    with _progress() as say:
        makers = makers_of(settings, None if choice is None else choice.load(), say)

        def build(folder: Path) -> Mapping[str, Any]:
            return summary(brief_file(file, folder, makers, say=say))

        if no_cache:
            # Made aside, so that an earlier result stays where this one fails.
            with tempfile.TemporaryDirectory(prefix="debriefer-") as aside:
                found, again = build(Path(aside)), False
                _deliver(Path(aside), target)
        else:
            key = video_key(file, identity(settings, makers, ()))
            product, again = Cache(cache or target.parent / options.CACHE_FOLDER).fetch("video", key, build)
            found = product.value
            _deliver(product.folder, target)
    values = json.loads((target / INPUT_FILE).read_bytes())
    sheet = None
    if contact_sheet and values["frames"]:
        sheet = target / _SHEET
        sheet_of(values, target, sheet)
    elif contact_sheet:
        found = {**found, "notes": [*found["notes"], "no contact sheet, as there are no slides"]}
    seconds = round(time.perf_counter() - began, 3)
    if as_json:
        extra = {"output": str(target), "contact_sheet": None if sheet is None else str(sheet), "cached": again}
        console.data_json({**found, **extra, "seconds_in_all": seconds, "timeline": values["timeline"]})
        return
    _show(values)
    _say_summary(found, target, sheet, seconds, again=again)


@contextlib.contextmanager
def _progress() -> Iterator[Say]:
    """Show a bar a step on stderr, where that is a terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeElapsedColumn(),
    )
    quiet = not console.messages.is_terminal
    with Progress(*columns, console=console.messages, transient=True, disable=quiet) as progress:
        bars: dict[str, TaskID] = {}
        totals: dict[str, float] = {}

        def say(step: str, done: float, total: float) -> None:
            for other, bar in bars.items():
                if other != step:
                    progress.stop_task(bar)
                    progress.update(bar, total=1, completed=1)
            if step not in bars:
                bars[step] = progress.add_task(_STEPS[step], total=None, done="")
            totals[step] = total or totals.get(step, 0.0)
            shown = _shown(step, done, totals[step])
            progress.update(bars[step], total=totals[step] or None, completed=done, done=shown)

        yield say


def _shown(step: str, done: float, total: float) -> str:
    if step == "slides":
        return f"{done:.0%}" if total else ""
    unit = " s" if step == "speech" else ""
    return f"{done:.0f}{unit} of {total:.0f}{unit}" if total else f"{done:.0f}{unit}"


def _deliver(source: Path, target: Path) -> None:
    """Put a result into `target` in place of an earlier one; what anyone else left there is not touched.

    Raises:
        MediaError: A file or folder of someone else stands where one of the result belongs.
    """
    target.mkdir(parents=True, exist_ok=True)
    for path in _earlier(target):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in sorted(source.iterdir()):
        if (target / path.name).exists():
            message = f"`{target / path.name}` is there and is not of an earlier `debriefer video`"
            raise MediaError(message, hint="name another folder with `-o`")
    shutil.copytree(source, target, dirs_exist_ok=True)


def _earlier(target: Path) -> list[Path]:
    """Return what an earlier call wrote into `target`, as its own `video_input.json` names it."""
    try:
        values = json.loads((target / INPUT_FILE).read_bytes())
        pictures = {str(frame["path"]) for frame in values["frames"]}
    except (OSError, ValueError, KeyError, TypeError):
        return []
    names = {name for name in pictures if Path(name).name == name} | {INPUT_FILE, TIMELINE_FILE, STORE_FOLDER, _SHEET}
    return [target / name for name in sorted(names) if (target / name).exists()]


def _show(values: Mapping[str, Any]) -> None:
    """Print the timeline, a line an item."""
    frames = {frame["index"]: frame for frame in values["frames"]}
    for item in values["timeline"]:
        if item["type"] == "speech":
            console.data(f"{_clock(item['t_start'])}    {item['text']}")
            continue
        frame = frames[item["slide"]]
        title = frame["title"]
        title = title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"
        again = f"slide {frame['revisit_of']} again" if frame["revisit_of"] is not None else frame["change"]
        parts = [f"slide {frame['index']}", again, f"{frame['t_end'] - frame['burst_start']:.1f} s", title]
        console.data(f"{_clock(item['t_start'])}  " + "  ".join(part for part in parts if part))


def _say_summary(found: Mapping[str, Any], target: Path, sheet: Path | None, seconds: float, *, again: bool) -> None:
    method = f", by {found['method']}: {found['reason']}" if found["method"] else f": {found['reason']}"
    steps = ", ".join(f"{step} {value:.1f} s" for step, value in found["seconds"].items())
    lines = [
        ("video", f"{found['video']}, {found['duration']:.1f} s"),
        ("slides", f"{found['slides']}, {found['different_slides']} different{method}"),
        ("layout", found["layout"] or "none"),
        ("narration", found["no_narration"] or f"{found['words']} words, {found['language']}, {found['speech_model']}"),
        ("time", f"{seconds:.1f} s, found in the cache" if again else f"{seconds:.1f} s ({steps})"),
        ("written", str(target)),
    ]
    if sheet is not None:
        lines.append(("contact sheet", str(sheet)))
    lines.extend(("note", note) for note in found["notes"])
    for label, text in lines:
        console.messages.print(Text.assemble((f"{label}: ", "bold"), text), soft_wrap=True)


def _clock(seconds: float) -> str:
    """Return a time as minutes and seconds.

    >>> _clock(75.25)
    '  1:15.2'
    """
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):3d}:{int(rest * 10) / 10:04.1f}"
