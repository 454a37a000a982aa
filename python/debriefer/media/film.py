"""A long video made ready for questions: frames on disk with their times, texts, and one store for all of it."""

from __future__ import annotations

import bisect
import contextlib
import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import numpy as np

from debriefer.errors import MediaError
from debriefer.media.packages import needed
from debriefer.media.places import STORE_FOLDER
from debriefer.media.sampling import Span, decoded, even_times, within_side
from debriefer.media.store import VideoStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

# 2: times count from the video's start.
FILM_FORMAT = 2
Line = tuple[str, float, float, str]
"""Id, begin and end in seconds, and text of something said."""
_TABLE = re.compile(r"\bFROM (\w+)")
INDEX_FILE = "index.json"
FRAMES_FOLDER = "frames"
# Frames are kept at most at 720p, as the published system shows them.
MOST_WIDTH, MOST_HEIGHT = 1_280, 720
_JPEG_QUALITY = 85


class Kept(NamedTuple):
    """A frame on disk; a tuple, as two hours have 14,400 of them.

    Attributes:
        id: In the store.
        pts: When it comes on screen, in seconds from the video's start.
        file: Its JPEG, below the index's folder.
        scene: Number of its scene, from 0.
        digest: Of the JPEG's bytes.
    """

    id: str
    pts: float
    file: str
    scene: int
    digest: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame as a model is shown it.

    Attributes:
        time: A moment at which it is on screen, in seconds: its pts, or the begin of the stretch it was asked for.
        data: The JPEG.
        digest: Of `data`.
        frame_id: Its id in the store; empty for one that was decoded for this look alone.
        scene: Number of its scene, -1 where that is not known.
    """

    time: float
    data: bytes = field(repr=False)
    digest: str
    frame_id: str = ""
    scene: int = -1


@dataclass(frozen=True, slots=True)
class Sample:
    """What sampling gave.

    Attributes:
        pictures: In order of time.
        missing: Times of frames whose file is gone or broken.
    """

    pictures: tuple[Picture, ...]
    missing: tuple[float, ...] = ()


class Film:
    """A long video that was made ready.

    Attributes:
        folder: Holds `index.json`, `frames/` and `store/`.
        store: Texts, captions, calls and evidence.
        video: The file, or `None` where it is no longer at hand: then nothing is decoded beyond the frames on disk.
        name: The file's name.
        duration: In seconds.
        start: Time stamp of the file at which the film's times begin, in seconds.
        frames: The frames on disk, in order of time.
        facts: What `index.json` holds.
    """

    def __init__(self, folder: Path, video: Path | None = None) -> None:
        """Open what `make_film` wrote into `folder`.

        Raises:
            MediaError: There is nothing, or nothing that this version reads.
        """
        try:
            self.facts: Mapping[str, Any] = json.loads((folder / INDEX_FILE).read_bytes())
            right = self.facts["format"] == FILM_FORMAT
        except (OSError, ValueError, KeyError, TypeError):
            right = False
        if not right:
            message = f"`{folder}` holds no video that was made ready for questions"
            raise MediaError(message, hint="ask again; the folder is made anew")
        self.folder = folder
        self.store = VideoStore.open(folder / STORE_FOLDER, folder)
        self.video = video if video is not None and video.is_file() else None
        self.name: str = self.facts["name"]
        self.duration: float = self.facts["duration"]
        self.start: float = self.facts["start"]
        self._lock = threading.RLock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._views: set[str] = set()
        self._spoken: tuple[Line, ...] | None = None
        rows = self.sql(
            "SELECT id, pts_s, blob_ref, CAST(scene_id AS INTEGER), regexp_extract(blob_ref, '_([0-9a-f]+)[.]jpg$', 1) "
            "FROM frame WHERE kind = 'uniform' ORDER BY pts_s, id"
        )
        self.frames = tuple(map(Kept._make, rows))
        self._times = [frame.pts for frame in self.frames]

    def sample(self, spans: Sequence[Span], budget: int) -> Sample:
        """Return at most `budget` pictures at even distances over the spans, each frame once.

        Where the frames on disk are too sparse for that, the file is decoded, if it is at hand.
        """
        return self.at(even_times(spans, budget), spans)

    def at(self, times: Iterable[float], spans: Sequence[Span] = ()) -> Sample:
        """Return the pictures on screen at some times that ascend, each once.

        Args:
            times: In seconds.
            spans: What they were taken from; no picture is dated before the span that it is shown for.
        """
        wanted = list(times)
        if not wanted:
            return Sample(())
        dense = len(wanted) > 1 and (wanted[-1] - wanted[0]) / (len(wanted) - 1) < self._step() * 0.9
        if dense and self.video is not None:
            with contextlib.suppress(MediaError):
                return Sample(tuple(self._decoded(self.video, wanted, spans)))
        found: list[Picture] = []
        missing: list[float] = []
        last = -1
        for time in wanted:
            place = max(0, bisect.bisect_right(self._times, time + 1e-6) - 1)
            if place == last or place >= len(self.frames):
                continue
            last = place
            picture = self.read(self.frames[place], _dated(self.frames[place].pts, spans))
            if picture is None:
                missing.append(self.frames[place].pts)
            else:
                found.append(picture)
        return Sample(tuple(found), tuple(missing))

    def read(self, frame: Kept, time: float | None = None) -> Picture | None:
        """Return a frame on disk, or `None` where its file is gone or is no JPEG."""
        try:
            data = (self.folder / frame.file).read_bytes()
        except OSError:
            return None
        if not data.startswith(b"\xff\xd8"):
            return None
        return Picture(frame.pts if time is None else time, data, frame.digest, frame.id, frame.scene)

    def scenes(self, spans: Sequence[Span] | None = None) -> tuple[Kept, ...]:
        """Return the second frame of each scene within the spans, past a cut's own blur, or its only one."""
        firsts: dict[int, Kept] = {}
        seen: dict[int, int] = {}
        for frame in self.frames:
            if spans is not None and not any(begin <= frame.pts < end for begin, end in spans):
                continue
            seen[frame.scene] = seen.get(frame.scene, 0) + 1
            if seen[frame.scene] <= 2:  # noqa: PLR2004 -- the second replaces the first
                firsts[frame.scene] = frame
        return tuple(sorted(firsts.values(), key=lambda frame: frame.pts))

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement over the store's tables, on one connection that is kept; return its rows.

        A film is asked about many times a minute, and a connection with views of all tables costs a tenth of a second.
        """
        with self._lock:
            if self._connection is None:
                self._connection = duckdb.connect()
                self._connection.execute("SET preserve_insertion_order = true; SET TimeZone = 'UTC'")
            for table in set(_TABLE.findall(query)) - self._views:
                parts = [str(part) for part in sorted((self.store.folder / table).glob("part-*.parquet"))]
                self._connection.read_parquet(parts, union_by_name=True).create_view(table, replace=True)
                self._views.add(table)
            return self._connection.execute(query, list(parameters)).fetchall()

    def spoken(self) -> tuple[Line, ...]:
        """Return what is said, in order of time: id, begin, end and text of each line."""
        with self._lock:
            if self._spoken is None:
                rows = self.sql(
                    "SELECT id, t0, t1, text FROM text WHERE source IN ('subtitle', 'asr') AND text IS NOT NULL "
                    "ORDER BY t0, id"
                )
                self._spoken = tuple((str(name), float(t0), float(t1), str(text)) for name, t0, t1, text in rows)
            return self._spoken

    def append(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows to the store; processes and threads that add at one time wait for each other."""
        if not rows:
            return
        with self._lock, locked(self.folder / ".lock"):
            self.store.append(table, rows)
            self._views.discard(table)

    def _step(self) -> float:
        return float(self.facts["step"])

    def _decoded(self, video: Path, times: Sequence[float], spans: Sequence[Span]) -> Iterator[Picture]:
        for stamp, image in decoded(video, [time + self.start for time in times]):
            pts = round(stamp - self.start, 6)
            data = jpeg(fitted(image))
            place = bisect.bisect_right(self._times, pts + 1e-6) - 1
            scene = self.frames[place].scene if 0 <= place < len(self.frames) else -1
            yield Picture(_dated(pts, spans), data, digest_of(data), "", scene)


def fitted(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an RGB picture within 720p, upright pictures within 720 x 1280; smaller ones as they are."""
    height, width = image.shape[:2]
    long, short = max(height, width), min(height, width)
    share = min(1.0, MOST_WIDTH / long, MOST_HEIGHT / short)
    return within_side(image, int(long * share)) if share < 1 else image


def jpeg(image: NDArray[np.uint8]) -> bytes:
    """Return an RGB picture as JPEG.

    Raises:
        MediaError: It cannot be encoded.
    """
    cv2 = needed("cv2")
    done, data = cv2.imencode(".jpg", image[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not done:
        message = "a frame cannot be written as JPEG"
        raise MediaError(message)
    return bytes(data.tobytes())


def pixels(data: bytes) -> NDArray[np.uint8] | None:
    """Return a JPEG as RGB, or `None` where it is none."""
    cv2 = needed("cv2")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    return None if image is None else np.ascontiguousarray(image[:, :, ::-1])


def digest_of(data: bytes) -> str:
    """Return 16 hex digits for some bytes (BLAKE2b)."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _dated(pts: float, spans: Sequence[Span]) -> float:
    """Return the moment that a picture is dated by: its pts, or the begin of the span it stays on screen for."""
    if not spans or any(begin <= pts <= end for begin, end in spans):
        return pts
    return min((begin for begin, _ in spans if begin > pts), default=pts)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; the kernel frees the lock of a process that dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
