"""What a video says: words with times and confidences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word.

    Attributes:
        start: Begin, in seconds from the pts, the clock of the slides too.
        end: End, in seconds.
        text: The word as transcribed, with the space that stands before it, if any.
        probability: The model's confidence in [0, 1]; `None` where the model gives none.
    """

    start: float
    end: float
    text: str
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech.

    Attributes:
        start: Begin, in seconds.
        end: End, in seconds.
        text: What was said.
        words: The words; empty where the model gives no word times.
        confidence: Geometric mean of its words' (or tokens') probabilities in [0, 1], or `None`.
        second_pass: Whether a doubtful first reading was decoded again at full precision.
    """

    start: float
    end: float
    text: str
    words: tuple[Word, ...] = ()
    confidence: float | None = None
    second_pass: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """The narration of one video, or the reason why there is none.

    Attributes:
        segments: What was said, in order of time; empty where `reason` is given.
        language: ISO 639-1 code, or `None` where nothing was said.
        language_probability: Confidence in the language in [0, 1].
        duration: Length of the audio, in seconds.
        model: Name of the model that listened; `None` if none did.
        hotwords: Terms that the model was told to expect.
        reason: Why there is no narration (`no audio track`, `silence`, `no speech model at hand: …`), or `None`.
        notes: What was not reached in time or was odd about the track.
        passing: Whether `reason` may be gone the next time: a server that was down, a package that was absent.
    """

    segments: tuple[Segment, ...] = ()
    language: str | None = None
    language_probability: float | None = None
    duration: float = 0.0
    model: str | None = None
    hotwords: tuple[str, ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()
    passing: bool = False

    @property
    def text(self) -> str:
        """All of the narration, one line a segment."""
        return "\n".join(segment.text.strip() for segment in self.segments)


class Transcriber(Protocol):
    """Whatever turns the audio of a video into a transcript."""

    @property
    def name(self) -> str:
        """What the model is called in logs and cache keys."""
        ...

    def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> Transcript:
        """Transcribe the first audio track of the file at `path`."""
        ...
