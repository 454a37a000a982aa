"""Speech to words with times by faster-whisper on the processor, bounded in memory and time."""

from __future__ import annotations

import hashlib
import math
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.audio import SAMPLE_RATE, Chunk, NoAudioTrackError, Soundtrack
from debriefer.media.chinese import simplified
from debriefer.media.hotwords import MOST_TOKENS, for_language
from debriefer.media.packages import needed
from debriefer.media.speech import Segment, Transcript, Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS_FILE = "model.bin"
_BEAM = 5
# 0 alone is repeatable by itself. One step of fallback gets out of a loop; each further one would cost a decode of the
# window for text that is doubtful anyway, and doubtful segments are read again at full precision.
_TEMPERATURES = (0.0, 0.4)
_SAMPLES_OF_FALLBACK = 2
_SEED = 0
# Windows of 30 s, spread over the first stretch that holds speech, whose language probabilities are averaged.
_LANGUAGE_WINDOWS = 4
_WINDOW_SECONDS = 30
# Below these a reading is doubtful: geometric mean of its words' probabilities, and its least sure word.
_DOUBTFUL_SEGMENT = 0.75
_DOUBTFUL_WORD = 0.45
# Text that compresses better repeats itself (the bound of Whisper's own fallback); it does not see short loops.
_REPETITIVE = 2.4
_LOOP = re.compile(r"(\D{1,12}?)\1{3,}")
# Nobody speaks more tokens a second; without a bound a loop fills the whole window, and each fallback does again.
_TOKENS_PER_SECOND = 12
_TOKENS_OF_MARGIN = 20
_MOST_NEW_TOKENS = 320
# A doubtful segment is read again with this much sound on either side, but not with its neighbours' words, whose times
# are good to about a tenth of a second.
_MARGIN_SECONDS = 0.5
_OVERLAP_SECONDS = 0.1
# A second reading shorter than this share of the first has lost something.
_LEAST_SHARE = 0.8
_DIGEST_BYTES = 1 << 20
# A pause this long parts two stretches of speech, and a segment that lies in speech for less than this share was made
# up: the decoder is given margins of 0.4 s around speech, and fills them with terms that it was told to expect.
_PAUSE_MILLISECONDS = 500
_LEAST_SPOKEN = 0.2
# What stands between the terms turns up in the text where the language writes it otherwise.
_COMMAS = {"zh": "，", "yue": "，", "ja": "、"}

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long transcription may take, so that a loop or a slow machine cannot hold a task for ever.

    Attributes:
        least: Seconds granted to any video.
        per_second: Seconds granted for each second of sound. Whisper-base needs 0.05 on two cores, medium about 0.5.
    """

    least: float = 120.0
    per_second: float = 2.0

    def of(self, seconds: float) -> float:
        """Return the seconds granted for a length of sound."""
        return self.least + self.per_second * seconds


@dataclass(frozen=True, slots=True)
class _Language:
    code: str
    probability: float


class FasterWhisper:
    """faster-whisper on the processor: int8, and float32 for what int8 leaves in doubt.

    Both instances are loaded once a process, when they are first needed, and shared by threads. `transcribe` never
    raises: a transcript without segments says why it has none.

    Attributes:
        model: A folder with `model.bin`, or a name that faster-whisper knows (`base`, `medium`, `owner/repository`).
    """

    def __init__(
        self,
        model: str | Path,
        *,
        downloads: bool = False,
        second_pass: bool = True,
        patience: Patience = Patience(),
        progress: Progress | None = None,
    ) -> None:
        """Name the model; nothing is loaded yet.

        Args:
            model: Folder or name.
            downloads: Whether a name that is not in the local cache may be fetched from its hub.
            second_pass: Whether doubtful segments are read again at full precision.
            patience: Bounds on wall time.
            progress: Told the seconds of sound that are done.
        """
        self.model = model
        self._downloads = downloads
        self._second_pass = second_pass
        self._patience = patience
        self._progress = progress

    @property
    def name(self) -> str:
        """The model as it was named, and for a folder a digest of its weights."""
        folder = Path(self.model).expanduser()
        weights = folder / WEIGHTS_FILE
        return f"{folder.name} {_weights_digest(weights)}" if weights.is_file() else str(self.model)

    def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> Transcript:
        """Transcribe the first audio track of the file at `path`; see `debriefer.media.speech.Transcriber`."""
        try:
            track = Soundtrack(path)
        except NoAudioTrackError:
            return Transcript(reason="no audio track")
        except MediaError as error:
            return Transcript(reason=f"the audio cannot be read: {error.message}", passing=True)
        try:
            whisper = _loaded(self.model, "int8", downloads=self._downloads)
        except MediaError as error:
            return Transcript(reason=f"no speech model at hand: {error.message}", passing=True)
        try:
            return self._listen(track, whisper, hotwords)
        except Exception as error:  # noqa: BLE001 -- whatever the engine fails with, the video is still seen
            return Transcript(
                duration=track.seconds,
                model=self.name,
                reason=f"transcription failed: {getattr(error, 'message', None) or error}",
                passing=True,
                notes=tuple(track.notes),
            )

    def _listen(self, track: Soundtrack, whisper: Any, hotwords: tuple[str, ...]) -> Transcript:  # noqa: ANN401
        began = time.monotonic()
        language: _Language | None = None
        terms: tuple[str, ...] = ()
        segments: list[Segment] = []
        notes: list[str] = []
        unread = 0
        empty = Transcript(model=self.name)
        for chunk in track.chunks():
            deadline = began + self._patience.of(track.seconds)
            speech = _speech(chunk)
            if not speech:
                continue
            if language is None:
                language = _detect(whisper, chunk, speech)
                terms = _fitting(whisper, for_language(hotwords, language.code))
            if time.monotonic() >= deadline:
                notes.append(_not_reached(chunk.start, chunk.start + chunk.seconds))
                continue
            heard, reached = self._read(whisper, chunk, language, terms, deadline)
            if reached < chunk.seconds:
                notes.append(_not_reached(chunk.start + reached, chunk.start + chunk.seconds))
            if self._second_pass:
                heard, left = self._read_again(chunk, heard, language, terms, deadline)
                unread += left
            kept = [segment for segment in heard if _is_spoken(segment, speech)]
            notes.extend(_left_out(segment) for segment in heard if segment not in kept)
            segments.extend(kept)
        if unread:
            several = "" if unread == 1 else "s"
            notes.append(f"{unread} doubtful segment{several} not read again at full precision: no time or memory left")
        return _transcript(track, language, segments, notes, replace(empty, hotwords=terms))

    def _read(
        self,
        whisper: Any,  # noqa: ANN401
        chunk: Chunk,
        language: _Language,
        terms: tuple[str, ...],
        deadline: float,
    ) -> tuple[list[Segment], float]:
        """Return the segments of a chunk on the video's clock, and how far into it they reach."""
        read: list[Segment] = []
        for found in _segments(whisper, chunk.samples, language.code, terms, vad_filter=True):
            read.append(_segment(found, chunk.start))
            if self._progress is not None:
                self._progress(read[-1].end)
            if time.monotonic() >= deadline:
                return read, min(chunk.seconds, float(found.end))
        return read, chunk.seconds

    def _read_again(
        self, chunk: Chunk, heard: list[Segment], language: _Language, terms: tuple[str, ...], deadline: float
    ) -> tuple[list[Segment], int]:
        """Return the segments with doubtful ones at their better reading, and how many there was no time for."""
        doubtful = [index for index, segment in enumerate(heard) if is_doubtful(segment)]
        if not doubtful:
            return heard, 0
        try:
            whisper = _loaded(self.model, "float32", downloads=False)
        except MediaError:
            # Float32 takes four times the memory of int8; without it the first reading stands.
            return heard, len(doubtful)
        result = list(heard)
        for done, index in enumerate(doubtful):
            if time.monotonic() >= deadline:
                return result, len(doubtful) - done
            result[index] = _second_reading(whisper, chunk, heard, index, language, terms)
        return result, 0


def _transcript(
    track: Soundtrack, language: _Language | None, segments: Sequence[Segment], notes: list[str], empty: Transcript
) -> Transcript:
    """Put what was heard into a transcript, in Simplified characters where it is Chinese."""
    empty = replace(empty, duration=track.seconds, notes=tuple(track.notes))
    if language is None:
        return replace(empty, reason="silence")
    if language.code == "zh":
        try:
            segments = simplified(segments)
        except MediaError as error:
            notes.append(f"Traditional characters were left as they are: {error.message}")
    return replace(
        empty,
        segments=tuple(segments),
        language=language.code,
        language_probability=round(language.probability, 4),
        reason=None if segments else "nothing was understood",
        notes=(*track.notes, *notes),
    )


def is_doubtful(segment: Segment) -> bool:
    """Return whether a reading is unsure enough to be read again: as a whole, at one word, or because it loops."""
    if segment.confidence is None:
        return False
    least = min((word.probability for word in segment.words if word.probability is not None), default=1.0)
    return segment.confidence < _DOUBTFUL_SEGMENT or least < _DOUBTFUL_WORD or _repeats(segment.text)


def _second_reading(
    whisper: Any,  # noqa: ANN401
    chunk: Chunk,
    heard: Sequence[Segment],
    index: int,
    language: _Language,
    terms: tuple[str, ...],
) -> Segment:
    """Return the more confident of the reading `heard[index]` and a new one of the same sound at full precision."""
    first = heard[index]
    least = max(0.0, heard[index - 1].end - chunk.start) if index else 0.0
    most = heard[index + 1].start - chunk.start if index + 1 < len(heard) else chunk.seconds
    begin = max(0.0, first.start - chunk.start - _MARGIN_SECONDS, least - _OVERLAP_SECONDS)
    end = min(chunk.seconds, first.end - chunk.start + _MARGIN_SECONDS, most + _OVERLAP_SECONDS)
    sound = chunk.samples[int(begin * SAMPLE_RATE) : int(end * SAMPLE_RATE)]
    words = [
        _clamped(word, chunk.start + least, chunk.start + most)
        for found in _segments(whisper, sound, language.code, terms, vad_filter=False)
        for word in _segment(found, chunk.start + begin).words
    ]
    again = replace(first, second_pass=True)
    confidence = _confidence(words)
    text = "".join(word.text for word in words)
    if confidence is None or confidence <= (first.confidence or 0.0) or _repeats(text):
        return again
    # A reading that leaves words out is surer of the others.
    if len(text) < _LEAST_SHARE * len(first.text) and not _repeats(first.text):
        return again
    start, stop = words[0].start, max(word.end for word in words)
    return replace(again, start=start, end=stop, text=text, words=tuple(words), confidence=confidence)


def _clamped(word: Word, least: float, most: float) -> Word:
    """Return the word with times that do not run into the neighbours of its segment."""
    start = round(min(max(word.start, least), most), 3)
    return replace(word, start=start, end=round(max(start, min(word.end, most)), 3))


def _segments(
    whisper: Any,  # noqa: ANN401
    samples: NDArray[np.float32],
    language: str,
    terms: Sequence[str],
    *,
    vad_filter: bool,
) -> Iterable[Any]:
    # The fallback draws samples; the draw must not depend on what was transcribed before.
    needed("ctranslate2").set_random_seed(_SEED)
    found, _ = whisper.transcribe(
        samples,
        language=language,
        beam_size=_BEAM,
        best_of=_SAMPLES_OF_FALLBACK,
        temperature=list(_TEMPERATURES),
        max_new_tokens=min(_MOST_NEW_TOKENS, _TOKENS_OF_MARGIN + _TOKENS_PER_SECOND * len(samples) // SAMPLE_RATE),
        condition_on_previous_text=False,
        word_timestamps=True,
        vad_filter=vad_filter,
        hotwords=_COMMAS.get(language, ", ").join(terms) or None,
    )
    segments: Iterable[Any] = found
    return segments


def _segment(found: Any, offset: float) -> Segment:  # noqa: ANN401 -- faster-whisper's
    words = tuple(
        Word(
            round(offset + float(word.start), 3),
            round(offset + float(word.end), 3),
            word.word,
            round(float(word.probability), 4),
        )
        for word in found.words or ()
    )
    confidence = _confidence(words)
    return Segment(
        start=round(offset + float(found.start), 3),
        end=round(offset + float(found.end), 3),
        text=found.text,
        words=words,
        confidence=round(math.exp(min(0.0, float(found.avg_logprob))), 4) if confidence is None else confidence,
    )


def _confidence(words: Sequence[Word]) -> float | None:
    """Return the geometric mean of the words' probabilities, or `None` where there are none."""
    known = [max(word.probability, 1e-6) for word in words if word.probability is not None]
    return round(math.exp(sum(map(math.log, known)) / len(known)), 4) if known else None


def _repeats(text: str) -> bool:
    raw = text.encode()
    return bool(_LOOP.search(text)) or len(raw) / max(1, len(zlib.compress(raw))) > _REPETITIVE


def _speech(chunk: Chunk) -> list[tuple[float, float]]:
    """Return where somebody speaks, in seconds on the video's clock, without the margins that a decoder wants."""
    vad = needed("faster_whisper.vad")
    options = vad.VadOptions(speech_pad_ms=0, min_silence_duration_ms=_PAUSE_MILLISECONDS)
    return [
        (chunk.start + stretch["start"] / SAMPLE_RATE, chunk.start + stretch["end"] / SAMPLE_RATE)
        for stretch in vad.get_speech_timestamps(chunk.samples, options)
    ]


def _is_spoken(segment: Segment, speech: Sequence[tuple[float, float]]) -> bool:
    """Return whether a segment lies where somebody speaks; in the silence behind speech the model makes words up."""
    overlap = sum(max(0.0, min(end, segment.end) - max(begin, segment.start)) for begin, end in speech)
    return overlap >= _LEAST_SPOKEN * max(segment.end - segment.start, 0.02)


def _left_out(segment: Segment) -> str:
    return f"left out at {segment.start:.1f}-{segment.end:.1f} s, where nobody speaks: {segment.text.strip()[:40]}"


def _detect(whisper: Any, chunk: Chunk, speech: Sequence[tuple[float, float]]) -> _Language:  # noqa: ANN401
    """Return the language of a chunk from the sum of several windows' probabilities."""
    if not whisper.model.is_multilingual:
        return _Language("en", 1.0)
    places = [
        (int((begin - chunk.start) * SAMPLE_RATE), int((end - chunk.start) * SAMPLE_RATE)) for begin, end in speech
    ]
    voiced = np.concatenate([chunk.samples[begin:end] for begin, end in places])
    size = _WINDOW_SECONDS * SAMPLE_RATE
    windows = min(_LANGUAGE_WINDOWS, -(-len(voiced) // size))
    starts = np.linspace(0, max(0, len(voiced) - size), windows).astype(int)
    sums: dict[str, float] = {}
    for start in starts:
        _, _, probabilities = whisper.detect_language(voiced[start : start + size])
        for code, probability in probabilities:
            sums[code] = sums.get(code, 0.0) + float(probability)
    best = max(sorted(sums), key=lambda code: sums[code])
    return _Language(best, sums[best] / windows)


def _fitting(whisper: Any, terms: Sequence[str]) -> tuple[str, ...]:  # noqa: ANN401
    """Return the first terms that fit the bound by the model's own tokens."""
    kept: list[str] = []
    for term in terms:
        if len(whisper.hf_tokenizer.encode(", ".join([*kept, term]), add_special_tokens=False).ids) <= MOST_TOKENS:
            kept.append(term)
    return tuple(kept)


def _not_reached(start: float, end: float) -> str:
    return f"not transcribed: {start:.1f}-{end:.1f} s, no time left"


@dataclass(slots=True)
class _Shelf:
    """The models that this process has loaded, by folder and precision."""

    models: dict[tuple[str, str], Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_shelf = _Shelf()


def _loaded(model: str | Path, precision: str, *, downloads: bool) -> Any:  # noqa: ANN401
    """Return the model, loaded once a process.

    Raises:
        MediaError: A package or the model is not at hand, or its files are broken.
    """
    engine = needed("faster_whisper")
    with _shelf.lock:
        folder = str(model_folder(model, downloads=downloads))
        key = (folder, precision)
        if key not in _shelf.models:
            try:
                _shelf.models[key] = engine.WhisperModel(
                    folder,
                    device="cpu",
                    compute_type=precision,
                    cpu_threads=len(os.sched_getaffinity(0)),
                    local_files_only=True,
                )
            except Exception as error:
                message = f"`{model}` cannot be loaded: {str(error).splitlines()[0] if str(error) else error!r}"
                raise MediaError(message, hint="name a folder with a CTranslate2 Whisper model") from error
        return _shelf.models[key]


def model_folder(model: str | Path, *, downloads: bool = False) -> Path:
    """Return the folder of a model that is named by folder or by name.

    Raises:
        MediaError: There is no such folder, or the name is not in the local cache and may not be fetched.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        if not (path / WEIGHTS_FILE).is_file():
            message = f"`{model}` holds no `{WEIGHTS_FILE}`"
            raise MediaError(message, hint="name a folder with a CTranslate2 Whisper model")
        return path.resolve()
    if str(model).startswith(("/", "./", "../", "~")):
        message = f"`{model}` is not a folder"
        raise MediaError(message, hint="name a folder with a CTranslate2 Whisper model")
    try:
        found = needed("faster_whisper.utils").download_model(str(model), local_files_only=not downloads)
    except MediaError:
        raise
    except Exception as error:
        where = "could not be fetched" if downloads else "is not in the local cache"
        message = f"the model `{model}` {where}"
        raise MediaError(message, hint="name a folder, or a model that was downloaded before") from error
    return Path(found)


def _weights_digest(weights: Path) -> str:
    """Return 12 hex digits for weights: their size, begin and end, as reading gigabytes for a key would be waste."""
    size = weights.stat().st_size
    digest = hashlib.blake2b(str(size).encode(), digest_size=6)
    with weights.open("rb") as stream:
        digest.update(stream.read(_DIGEST_BYTES))
        stream.seek(max(0, size - _DIGEST_BYTES))
        digest.update(stream.read(_DIGEST_BYTES))
    return digest.hexdigest()
