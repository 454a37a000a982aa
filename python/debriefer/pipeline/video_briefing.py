"""One video to one folder of evidence, and what decides about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from debriefer import __version__
from debriefer.media.briefing import Briefing, Makers, Say, brief
from debriefer.media.places import STORE_FOLDER
from debriefer.media.store import STORE_VERSION, VideoStore
from debriefer.media.video_input import write_input
from debriefer.pipeline.cache import PASSING
from debriefer.pipeline.content import file_digest, value_digest
from debriefer.pipeline.settings import MediaSettings


def video_key(path: Path, settings: Mapping[str, Any]) -> str:
    """Return the key of one file's briefing in a cache: its content, name and settings (`identity`)."""
    return value_digest(
        {"package": __version__, "file": file_digest(path), "name": path.name, "settings": dict(settings)}
    )


def brief_file(
    path: Path,
    folder: Path,
    makers: Makers,
    *,
    video: str | None = None,
    terms: tuple[str, ...] = (),
    say: Say = lambda *_: None,
) -> Briefing:
    """Turn one video into a folder: pictures, `video_input.json`, `timeline.txt` and `store/`.

    Raises:
        MediaError: As `debriefer.media.briefing.brief`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    briefing = brief(path, folder, makers, video=video, hotwords=terms, say=say)
    write_input(briefing, folder)
    VideoStore.write(briefing, folder / STORE_FOLDER, folder)
    return briefing


def identity(settings: MediaSettings, makers: Makers, terms: Sequence[str]) -> dict[str, Any]:
    """Return everything but the video that decides about a briefing, as JSON values."""
    return {
        "store": STORE_VERSION,
        "layout": [settings.layout, None if makers.layout is None else makers.layout.name],
        "listener": makers.listener.name,
        "terms": list(terms),
    }


def summary(briefing: Briefing) -> dict[str, Any]:
    """Return what a person is told about a briefing, as JSON values."""
    spoken = briefing.transcript
    return {
        "video": briefing.video,
        "duration": briefing.duration,
        "slides": len(briefing.views),
        "different_slides": sum(view.revisit_of is None for view in briefing.views),
        "method": None if briefing.method is None else briefing.method.value,
        "reason": briefing.reason,
        "frames_decoded": briefing.frames_decoded,
        "layout": briefing.layout_name,
        "language": spoken.language,
        "words": sum(len(segment.words) for segment in spoken.segments),
        "speech_model": spoken.model,
        "no_narration": spoken.reason,
        "notes": [*briefing.notes, *spoken.notes, *sorted({view.note for view in briefing.views if view.note})],
        "seconds": briefing.seconds,
        PASSING: spoken.passing or any(view.layout is None and view.note for view in briefing.views),
    }
