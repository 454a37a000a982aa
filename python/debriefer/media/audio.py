"""The sound of a video: its first audio track as 16 kHz mono on the clock of its pts, in chunks of bounded size."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.packages import needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_RATE = 16_000
# Ten minutes of float32 are 38 MB, whatever the length of the film; a chunk ends where it is quietest in its last 30 s.
CHUNK_SECONDS = 600.0
_CUT_SECONDS = 30.0
_QUIET_SECONDS = 0.3
# Timestamps of containers are rounded to milliseconds; what is further apart is a gap in the recording.
_GAP_SECONDS = 0.1
# A longer jump is a broken timestamp, not silence.
_LARGEST_GAP_SECONDS = 10_800.0
# Silence is made in pieces, so that a gap of hours needs no memory of hours.
_PIECE_SECONDS = 60.0
# A file whose packets cannot be decoded one after the other is no audio.
_MOST_ERRORS = 1_000


class NoAudioTrackError(MediaError):
    """The file has no audio track."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of sound.

    Attributes:
        start: Time of the first sample, in seconds on the video's clock.
        samples: Shape (n,), 16 kHz, in [-1, 1].
    """

    start: float
    samples: NDArray[np.float32] = field(repr=False, compare=False)

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.samples) / SAMPLE_RATE


class Soundtrack:
    """The first audio track of a file.

    Times are the track's pts, as slides are timed by the pts of theirs: it may begin before or after the pictures, and
    gaps in its timestamps come as silence.

    Attributes:
        path: The file.
        seconds: Length that was decoded so far, gaps included.
        notes: What was odd about the track.
    """

    def __init__(self, path: Path) -> None:
        """Look at the file at `path`.

        Raises:
            NoAudioTrackError: It has no audio track.
            MediaError: It cannot be opened, or PyAV is not installed.
        """
        self.path = path
        self.seconds = 0.0
        self.notes: list[str] = []
        with opened(path) as container:
            if not container.streams.audio:
                message = f"`{path}` has no audio track"
                raise NoAudioTrackError(message)

    def chunks(self, seconds: float = CHUNK_SECONDS) -> Iterator[Chunk]:
        """Decode the track once, from its begin to its end.

        Args:
            seconds: Length above which a chunk is cut, at the quietest place of its last 30 s.

        Raises:
            MediaError: The file cannot be opened.
        """
        size = int(seconds * SAMPLE_RATE)
        start, held, parts = 0.0, 0, []
        for piece in self._pieces():
            if not held:
                start = piece.start
            parts.append(piece.samples)
            held += len(piece.samples)
            while held >= size:
                samples = np.concatenate(parts)
                end = _quietest(samples[:size])
                yield Chunk(start, samples[:end])
                start += end / SAMPLE_RATE
                parts, held = [samples[end:]], len(samples) - end
        if held:
            yield Chunk(start, np.concatenate(parts))

    def _pieces(self) -> Iterator[Chunk]:
        """Yield what the decoder gives, and silence for gaps, without a hole between two pieces."""
        av = needed("av")
        begun: float | None = None
        produced = 0
        with opened(self.path) as container:
            stream = container.streams.audio[0]
            resampling = _Resampling(av)
            for frame in self._frames(container, stream):
                time = None if frame.pts is None else float(frame.pts * frame.time_base)
                if begun is None:
                    begun = time or 0.0
                gap = 0.0 if time is None else time - begun - (produced + resampling.pending) / SAMPLE_RATE
                before = itertools.chain(resampling.flush(), self._silence(gap)) if gap > _GAP_SECONDS else ()
                for samples in itertools.chain(before, resampling.push(frame)):
                    yield Chunk(begun + produced / SAMPLE_RATE, samples)
                    produced += len(samples)
                self.seconds = produced / SAMPLE_RATE
            for samples in resampling.flush():
                yield Chunk((begun or 0.0) + produced / SAMPLE_RATE, samples)
                produced += len(samples)
            self.seconds = produced / SAMPLE_RATE

    def _frames(self, container: Any, stream: Any) -> Iterator[Any]:  # noqa: ANN401 -- PyAV's, imported late
        """Yield decoded frames; packets that cannot be decoded are left out, with a note."""
        av = needed("av")
        errors = 0
        packets = container.demux(stream)
        while errors < _MOST_ERRORS:
            try:
                packet = next(packets)
                yield from packet.decode()
            except StopIteration:
                break
            except av.FFmpegError as error:
                errors += 1
                reason = error.strerror or str(error)
        if errors:
            self.notes.append(f"{errors} audio packet{'' if errors == 1 else 's'} left out: {reason}")

    def _silence(self, gap: float) -> Iterator[NDArray[np.float32]]:
        if gap > _LARGEST_GAP_SECONDS:
            self.notes.append(f"a jump of {gap:.0f} s in the audio's timestamps was not followed")
            return
        left = round(gap * SAMPLE_RATE)
        while left > 0:
            size = min(left, int(_PIECE_SECONDS * SAMPLE_RATE))
            yield np.zeros(size, np.float32)
            left -= size


class _Resampling:
    """A resampler that is renewed when the track changes its rate, layout or format, and after each gap."""

    def __init__(self, av: Any) -> None:  # noqa: ANN401
        self._av = av
        self._shape: tuple[Any, ...] | None = None
        self._resampler: Any = None
        self._taken = 0.0
        self._given = 0

    @property
    def pending(self) -> int:
        """Samples that went in and have not come out yet."""
        return max(0, round(self._taken) - self._given)

    def push(self, frame: Any) -> list[NDArray[np.float32]]:  # noqa: ANN401
        shape = (frame.format.name, frame.layout.name, frame.sample_rate)
        out = []
        if shape != self._shape:
            out = self.flush()
            self._shape = shape
            self._resampler = self._av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
        self._taken += frame.samples * SAMPLE_RATE / frame.sample_rate
        return out + self._arrays(frame)

    def flush(self) -> list[NDArray[np.float32]]:
        out = [] if self._resampler is None else self._arrays(None)
        self._resampler, self._shape, self._taken, self._given = None, None, 0.0, 0
        return out

    def _arrays(self, frame: Any) -> list[NDArray[np.float32]]:  # noqa: ANN401
        arrays = [out.to_ndarray().reshape(-1) for out in self._resampler.resample(frame)]
        self._given += sum(map(len, arrays))
        return [array for array in arrays if len(array)]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a media file with PyAV.

    Raises:
        MediaError: It is absent, is no media file, or PyAV is not installed.
    """
    av = needed("av")
    try:
        container = av.open(str(path), metadata_errors="replace")
    except (av.FFmpegError, OSError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        message = f"`{path}` cannot be opened as a video: {reason}"
        raise MediaError(message, hint="check that the file is complete and plays elsewhere") from error
    with container:
        yield container


def _quietest(samples: NDArray[np.float32]) -> int:
    """Return the middle of the quietest 0.3 s in the last 30 s of `samples`; its index is above 0."""
    window = min(int(_QUIET_SECONDS * SAMPLE_RATE), len(samples))
    first = max(0, len(samples) - int(_CUT_SECONDS * SAMPLE_RATE), len(samples) // 2)
    energy = np.cumsum(np.square(samples[first:], dtype=np.float64))
    if len(energy) <= window:
        return len(samples)
    sums = energy[window:] - energy[:-window]
    return first + int(np.argmin(sums)) + window // 2 + 1
