"""Speech with word times that are exact by construction: espeak-ng's library tells the sample at which a word begins.

Debian's espeak-ng cannot speak Hanzi, so what it says is English. Mandarin comes from recordings.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes.util import find_library
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.briefings.manifest import Narration, SpokenSegment, SpokenWord

# espeak_ng/speak_lib.h: output without playback, plain text in UTF-8, event types, and the rate parameter.
_SYNCHRONOUS = 2
_CHARS_UTF8 = 1
_POSITION_CHARACTER = 1
_EVENT_END_OF_LIST = 0
_EVENT_WORD = 1
_PARAMETER_RATE = 1
WORDS_PER_MINUTE = 155
VOICES = ("en-us", "en-gb")
# Quieter than this share of the peak is silence: espeak-ng leaves up to 0.3 s of it after a clause.
_SILENCE = 0.01


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", ctypes.c_char * 8),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass(frozen=True, slots=True)
class Utterance:
    """One sentence as sound.

    Attributes:
        text: What is said.
        samples: Mono, `int16`.
        words: Words with times in seconds from its begin.
    """

    text: str
    samples: NDArray[np.int16]
    words: tuple[SpokenWord, ...]


@dataclass(frozen=True, slots=True)
class Sound:
    """The sound track of a video: mono samples at `rate`, and what is said in it."""

    samples: NDArray[np.int16]
    rate: int
    narration: Narration


class Speaker:
    """espeak-ng's library, loaded once."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.rate: int = library.espeak_Initialize(_SYNCHRONOUS, 0, None, 0)
        if self.rate <= 0:
            message = "espeak-ng's library does not start"
            raise OSError(message)
        self._samples: list[NDArray[np.int16]] = []
        self._marks: list[tuple[int, int, int]] = []
        # Kept alive as long as the library may call it.
        self._callback = _Callback(self._collect)
        library.espeak_SetSynthCallback(self._callback)

    def _collect(self, wave: ctypes._Pointer[ctypes.c_short], number: int, events: ctypes._Pointer[_Event]) -> int:
        if number > 0:
            self._samples.append(np.ctypeslib.as_array(wave, (number,)).astype(np.int16))
        index = 0
        while events[index].type != _EVENT_END_OF_LIST:
            event = events[index]
            if event.type == _EVENT_WORD:
                self._marks.append((event.sample, event.text_position - 1, event.length))
            index += 1
        return 0

    def say(self, text: str, voice: str) -> Utterance:
        """Speak one sentence of English."""
        self._samples, self._marks = [], []
        self._library.espeak_SetVoiceByName(voice.encode())
        self._library.espeak_SetParameter(_PARAMETER_RATE, WORDS_PER_MINUTE, 0)
        raw = text.encode()
        self._library.espeak_Synth(raw, len(raw) + 1, 0, _POSITION_CHARACTER, 0, _CHARS_UTF8, None, None)
        self._library.espeak_Synchronize()
        samples = np.concatenate(self._samples) if self._samples else np.zeros(0, np.int16)
        return Utterance(text, samples, tuple(self._words(text, samples)))

    def _words(self, text: str, samples: NDArray[np.int16]) -> list[SpokenWord]:
        loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _SILENCE * max(1, int(np.abs(samples).max(initial=0))))
        words = []
        for number, (sample, position, _) in enumerate(self._marks):
            last = number + 1 == len(self._marks)
            following, stop = (len(samples), len(text)) if last else self._marks[number + 1][:2]
            inside = loud[np.searchsorted(loud, sample) : np.searchsorted(loud, following)]
            start, end = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (sample, following)
            # espeak-ng tells no begin for a word that leans on the one before (`from the`): they stay together.
            spoken_text = text[position:stop].strip(" .,;:!?")
            words.append(SpokenWord(spoken_text, round(start / self.rate, 4), round(end / self.rate, 4)))
        return words


@cache
def speaker() -> Speaker | None:
    """Return espeak-ng, or `None` where its library is not installed."""
    name = find_library("espeak-ng")
    if name is None:
        return None
    try:
        return Speaker(ctypes.CDLL(name))
    except OSError:
        return None


def spoken(lines: Sequence[tuple[float, str]], duration: float, voice: str) -> Sound | Narration:
    """Speak sentences, each from a given time on or after the one before, whichever is later.

    Args:
        lines: Time of begin in seconds, and the sentence; empty sentences are left out.
        duration: Length of the video, in seconds; a sentence that would pass its end is left out.
        voice: Name of the voice.

    Returns:
        The sound track, or a narration that says why there is none.
    """
    engine = speaker()
    if engine is None:
        return Narration(reason="espeak-ng is not installed")
    samples = np.zeros(round(duration * engine.rate), np.int16)
    segments: list[SpokenSegment] = []
    words: list[SpokenWord] = []
    free = 0.0
    for begin, text in lines:
        if not text:
            continue
        utterance = engine.say(text, voice)
        first = round(max(begin, free) * engine.rate)
        last = first + len(utterance.samples)
        if last > len(samples):
            continue
        samples[first:last] = utterance.samples
        start = first / engine.rate
        words += [
            SpokenWord(word.text, round(start + word.start, 4), round(start + word.end, 4)) for word in utterance.words
        ]
        segments.append(SpokenSegment(text, round(start, 4), round(last / engine.rate, 4)))
        free = last / engine.rate + 0.1
    if not segments:
        return Narration(reason="nothing is said")
    return Sound(samples, engine.rate, Narration("en", "espeak-ng", tuple(segments), tuple(words)))


def recorded(path: Path, text: str, language: str, begin: float, duration: float) -> Sound:
    """Lay a recording under a video from `begin` on, in seconds; what passes `duration` is cut off."""
    import av  # noqa: PLC0415 - only recordings need it here

    rate = 16000
    resampler = av.AudioResampler(format="s16", layout="mono", rate=rate)
    parts: list[NDArray[np.int16]] = []
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            parts += [piece.to_ndarray().reshape(-1).astype(np.int16) for piece in resampler.resample(frame)]
    parts += [piece.to_ndarray().reshape(-1).astype(np.int16) for piece in resampler.resample(None)]
    sound = np.concatenate(parts)
    samples = np.zeros(round(duration * rate), np.int16)
    first = round(begin * rate)
    kept = sound[: len(samples) - first]
    samples[first : first + len(kept)] = kept
    segment = SpokenSegment(
        text if len(kept) == len(sound) else "", round(begin, 4), round(begin + len(kept) / rate, 4)
    )
    return Sound(samples, rate, Narration(language, path.name, (segment,)))
