"""Making a long video ready for questions: decode once, hear once, write as it comes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.briefing import Briefing, Makers, Say, brief
from debriefer.media.decode import Video, open_video, rgb
from debriefer.media.film import FILM_FORMAT, FRAMES_FOLDER, INDEX_FILE, Film, digest_of, fitted, jpeg, locked
from debriefer.media.listeners import Deaf
from debriefer.media.packages import needed
from debriefer.media.places import STORE_FOLDER
from debriefer.media.rebase import rebased, start_of
from debriefer.media.sampling import frames_of
from debriefer.media.speech import Transcriber, Transcript
from debriefer.media.store import VideoStore
from debriefer.media.subtitles import Cue

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Two frames a second, as the published system keeps.
STEP_SECONDS = 0.5
# Frames that no other needs suffice where the film has many more than are kept.
_SPARE = 8
# Thumbnails by which frames are compared: 32 x 18 blocks of luma. A block has changed from 12 levels up, far above what
# coding does to a still; a scene is new once 3 % of the blocks differ from its first frame, which a clock does not
# reach.
_BLOCKS = (32, 18)
_CHANGED_LEVELS = 12
_NEW_SCENE_SHARE = 0.03
# A frame of which no block differs by this much from the one before is the same picture.
_SAME_LEVELS = 3
_ROWS_A_PART = 1_000


@dataclass(frozen=True, slots=True)
class FilmSettings:
    """How a video is made ready.

    Attributes:
        step: Seconds between the frames that are kept.
        subtitles: Given subtitles; the sound is then not transcribed.
        layout: Whether slides are found and read by OCR as `debriefer video` does.
        said_digest: Names the given subtitles where they are not parsed yet; a digest of them where empty.
    """

    step: float = STEP_SECONDS
    subtitles: tuple[Cue, ...] = ()
    layout: bool = False
    said_digest: str = ""

    def identity(self, listener: str) -> dict[str, Any]:
        """Return what decides about the result beside the file, as JSON values."""
        digest = self.said_digest
        if self.subtitles and not digest:
            said = json.dumps([[cue.start, cue.end, cue.text] for cue in self.subtitles], ensure_ascii=False)
            digest = digest_of(said.encode())
        return {
            "format": FILM_FORMAT,
            "step": self.step,
            "speech": None if digest else listener,
            "subtitles": digest or None,
            "layout": self.layout,
        }


def find_film(root: Path, path: Path, settings: FilmSettings, listener: str) -> Path | None:
    """Return the folder of a video that was made ready before, or `None`; the file's content is not read again.

    The file is known by its place, size and time of change: a film of hours takes seconds to read.
    """
    wanted = settings.identity(listener)
    stat = path.stat()
    for index in sorted(root.glob(f"*/{INDEX_FILE}")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            facts = json.loads(index.read_bytes())
            if facts["settings"] == wanted and facts["file"] == _identity(path, stat):
                return index.parent
    return None


def make_film(
    root: Path,
    path: Path,
    settings: FilmSettings,
    makers: Makers | None,
    listener: Transcriber,
    say: Say = lambda *_: None,
) -> Film:
    """Make a video ready for questions below `root`, or return what was made before.

    Frames are decoded once and written as they come: memory does not grow with the film. The folder appears under its
    name only when it is complete.

    Args:
        root: Where videos that were made ready lie; made if it is not there.
        path: The video.
        settings: How.
        makers: Finds and reads slides where `settings.layout` is set.
        listener: Hears the sound where there are no subtitles.
        say: Told the step (`frames`, `speech`, and those of `brief`), how much is done and how much there is.

    Raises:
        MediaError: The file is no video, or holds no frame that can be decoded.
    """
    with open_video(path):
        pass
    root.mkdir(parents=True, exist_ok=True)
    # Who asks about the same file at one time waits for the first.
    with locked(root / f".{digest_of(str(path.resolve()).encode())}.lock"):
        known = find_film(root, path, settings, listener.name)
        if known is not None:
            return Film(known, path)
        stat = path.stat()
        partial = root / f".{uuid.uuid4().hex}.partial"
        try:
            (partial / FRAMES_FOLDER).mkdir(parents=True)
            sha256 = _build(partial, path, settings, makers, listener, say)
            facts = json.loads((partial / INDEX_FILE).read_bytes())
            facts |= {"file": _identity(path, stat), "settings": settings.identity(listener.name)}
            (partial / INDEX_FILE).write_text(json.dumps(facts, ensure_ascii=False, indent=1), encoding="utf-8")
            key = digest_of(json.dumps(facts["settings"], sort_keys=True).encode())
            folder = root / f"{_slug(path.stem)}-{sha256[:12]}-{key}"
            shutil.rmtree(folder, ignore_errors=True)
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return Film(folder, path)


def _build(
    folder: Path, path: Path, settings: FilmSettings, makers: Makers | None, listener: Transcriber, say: Say
) -> str:
    """Write frames, texts and facts into `folder`; return the file's SHA-256."""
    with open_video(path) as video:
        start = start_of(video)
    briefing = rebased(_briefing(folder, path, settings, makers, listener, say), start)
    store = VideoStore.write(briefing, folder / STORE_FOLDER, folder)
    rows: list[dict[str, Any]] = []
    number, end, notes = 0, 0.0, []
    with open_video(path) as video:
        promised = max(0.0, (video.promised or 0.0) - start)
        for frame in _grid(video, settings.step):
            rows.append(_write_frame(folder, number, frame, start))
            end, number = frame.until - start, number + 1
            if len(rows) >= _ROWS_A_PART:
                store.append("frame", rows)
                rows = []
                say("frames", end, promised)
        notes = [*video.notes, *([f"{video.damaged} packets cannot be decoded"] if video.damaged else [])]
    store.append("frame", rows)
    if not number:
        message = f"`{path.name}` holds no frame that can be decoded"
        raise MediaError(message, hint="check that the file is whole")
    store.append(
        "text",
        [
            {
                "id": f"subtitle-{place:05d}",
                "t0": cue.start,
                "t1": cue.end,
                "source": "subtitle",
                "text": cue.text,
                "role": "narration",
                "producer": "file",
            }
            for place, cue in enumerate(settings.subtitles, start=1)
        ],
    )
    if settings.said_digest and not settings.subtitles:
        notes.append("the given subtitles end before the video begins: none is left")
    facts = {
        "format": FILM_FORMAT,
        "name": path.name,
        "start": start,
        "duration": round(max(end, briefing.duration), 3),
        "step": settings.step,
        "frames": number,
        "sha256": briefing.sha256,
        "speech": None if settings.subtitles else briefing.transcript.reason,
        "notes": [*notes, *briefing.notes, *briefing.transcript.notes],
    }
    (folder / INDEX_FILE).write_text(json.dumps(facts, ensure_ascii=False, indent=1), encoding="utf-8")
    return briefing.sha256


def _briefing(
    folder: Path, path: Path, settings: FilmSettings, makers: Makers | None, listener: Transcriber, say: Say
) -> Briefing:
    if settings.layout and makers is not None:
        listener = Deaf("subtitles are given") if settings.subtitles else listener
        return brief(path, folder, replace(makers, listener=listener), say=say)
    say("speech", 0, 0)
    transcript = Transcript(reason="subtitles are given") if settings.subtitles else listener.transcribe(path)
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    with open_video(path) as video:
        streams = ({"index": 0, "type": "video", "time_base": str(video.stream.time_base)},)
        width, height = video.stream.width, video.stream.height
        length = (video.promised or 0.0) - start_of(video)
    return Briefing(
        video=path.name,
        sha256=sha256,
        streams=streams,
        views=(),
        transcript=transcript,
        timeline=(),
        duration=round(max(length, transcript.duration), 3),
        width=width,
        height=height,
        method=None,
        reason="slides were not looked for",
        frames_decoded=0,
        layout_name=None,
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    pts: float
    until: float
    image: NDArray[np.uint8]
    same: bool
    scene: int


def _grid(video: Video, step: float) -> Iterator[_Shown]:
    """Yield the frame on screen at each multiple of `step`, each frame once, with its own pts."""
    rate = float(video.stream.average_rate or 0)
    if rate * step > _SPARE:
        video.stream.codec_context.skip_frame = "NONREF"
    eyes = _Eyes()
    usual = 1 / rate if rate else step
    held: tuple[float, Any] | None = None
    wanted = 0.0
    for pts, frame in frames_of(video):
        if held is None:
            wanted = pts
        elif pts <= held[0]:
            continue
        elif pts > wanted:
            yield eyes.look(held, pts)
            wanted += math.ceil((pts - wanted) / step - 1e-9) * step
        held = (pts, frame)
    if held is not None and (wanted < held[0] + usual or eyes.blind):
        yield eyes.look(held, held[0] + usual)


class _Eyes:
    """Tells same pictures and new scenes."""

    def __init__(self) -> None:
        self._before: NDArray[np.int16] | None = None
        self._first: NDArray[np.int16] | None = None
        self._scene = 0

    @property
    def blind(self) -> bool:
        """Whether nothing was looked at yet."""
        return self._before is None

    def look(self, held: tuple[float, Any], until: float) -> _Shown:
        pts, frame = held
        image = fitted(rgb(frame, frame.width, frame.height))
        cv2 = needed("cv2")
        luma = cv2.resize(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), _BLOCKS, interpolation=cv2.INTER_AREA)
        blocks = luma.astype(np.int16)
        same = self._before is not None and int(np.abs(blocks - self._before).max()) < _SAME_LEVELS
        if self._first is None:
            self._first = blocks
        elif float((np.abs(blocks - self._first) >= _CHANGED_LEVELS).mean()) >= _NEW_SCENE_SHARE:
            self._first, self._scene = blocks, self._scene + 1
        self._before = blocks
        return _Shown(pts, until, image, same, self._scene)


def _write_frame(folder: Path, number: int, shown: _Shown, start: float) -> dict[str, Any]:
    data = jpeg(shown.image)
    height, width = shown.image.shape[:2]
    name = f"{FRAMES_FOLDER}/{number:06d}_{digest_of(data)}.jpg"
    (folder / name).write_bytes(data)
    return {
        "id": f"uniform-{number:06d}",
        "pts_s": round(shown.pts - start, 6),
        "kind": "uniform",
        "blob_ref": name,
        "w": width,
        "h": height,
        "scene_id": str(shown.scene),
        "representative_of": f"uniform-{number - 1:06d}" if shown.same else None,
    }


def _identity(path: Path, stat: os.stat_result) -> list[Any]:
    return [str(path.resolve()), stat.st_size, stat.st_mtime_ns]


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)[:40].strip("-") or "video"
