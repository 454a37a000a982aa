"""Real videos and recordings beside the generated ones: no gold for their slides, but sense can be checked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.briefings import hearing
from benchmarks.briefings.hearing import Hearing
from benchmarks.briefings.produce import Clip, Recipe, cached
from benchmarks.report import print_table


def measure(
    data: Path, cache: Path, detector: Callable[[Path], Any] | str, listener: Callable[[Path], Any] | str
) -> dict[str, Any]:
    """Return `real`: what the detector makes of real videos, and how recordings under generated slides are heard.

    Args:
        data: Folder laid out like `../shared/data`.
        cache: Folder of the generated videos.
        detector: Finds slides, or the reason why it is absent.
        listener: Transcribes, or the reason why it is absent.
    """
    folder = data / "media"
    if not folder.is_dir():
        print(f"media: not in {data}, skipped", file=sys.stderr)
        return {}
    return {"real": {**_videos(folder / "video", detector), **_recordings(folder, cache, listener)}}


def _videos(folder: Path, detector: Callable[[Path], Any] | str) -> dict[str, Any]:
    if isinstance(detector, str):
        return {"videos": None, "reason": detector}
    rows: list[tuple[str, str, str, str, str]] = []
    insane = failed = count = 0
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            slides = detector(path)
        except Exception as error:  # noqa: BLE001 - a broken video is a row, not the end
            failed += 1
            rows.append((path.name, "", "", "", f"{type(error).__name__}: {error}"))
            continue
        faults = sanity(slides)
        insane += bool(faults)
        count += len(slides)
        rows.append((path.name, f"{slides.duration:.1f}", str(len(slides)), str(slides.method), "; ".join(faults)))
    print_table(("real video", "seconds", "slides", "method", "faults"), rows, title="\nreal videos", file=sys.stderr)
    return {
        "videos": len(rows),
        "failed": failed,
        "insane": insane,
        "slides": count,
    }


def sanity(slides: Any) -> list[str]:  # noqa: ANN401 - whatever a detector gives
    """Return what no list of slides may be: out of order, outside the video, of another size, empty."""
    faults = []
    if not len(slides):
        faults.append("no slide")
    for index, slide in enumerate(slides):
        if slide.index != index:
            faults.append(f"slide {index} is numbered {slide.index}")
        if not slide.t_start <= slide.t_frame <= slide.t_end:
            faults.append(f"slide {index} is taken outside its time")
        if index and slide.t_start < slides[index - 1].t_end - 1e-6:
            faults.append(f"slide {index} begins before the one before it ends")
        if slide.image.shape != (slides.height, slides.width, 3):
            faults.append(f"slide {index} has another size")
        if slide.revisit_of is not None and not 0 <= slide.revisit_of < index:
            faults.append(f"slide {index} returns to a later one")
    if len(slides) and slides[len(slides) - 1].t_end > slides.duration + 0.1:
        faults.append("the last slide ends after the video")
    return faults


def _recordings(folder: Path, cache: Path, listener: Callable[[Path], Any] | str) -> dict[str, Any]:
    """Lay each short recording whose text is known under a generated video, and compare letters."""
    clips = []
    for line in (folder / "media.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        text = entry["transcript"]
        path = folder / entry["file"]
        if entry["file"].startswith("audio/") and text and ":" not in text and "see " not in text and path.is_file():
            han = any("\u4e00" <= letter <= "\u9fff" for letter in text)
            clips.append(Clip(path, text, "zh" if han else "en"))
    if isinstance(listener, str):
        return {"recordings": None, "recordings_reason": listener}
    errors: dict[str, float] = {}
    for clip in clips:
        videos, manifest = cached(Recipe("summary", 1, clip.language, clip=clip), cache)
        heard: Hearing = hearing.judge(listener(videos / manifest.video), manifest.narration)
        if heard.letters:
            errors[clip.path.stem] = heard.edits / heard.letters
    return {"recordings": len(errors), "recording_cer": errors}
