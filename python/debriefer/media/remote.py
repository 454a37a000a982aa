"""Speech to words by a remote endpoint that speaks OpenAI's transcription interface."""

from __future__ import annotations

import io
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import wave
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.audio import SAMPLE_RATE, Chunk, NoAudioTrackError, Soundtrack
from debriefer.media.chinese import simplified
from debriefer.media.hotwords import for_language
from debriefer.media.speech import Segment, Transcript, Word

_PATH = "/audio/transcriptions"
# The public endpoint takes 25 MB a request; ten minutes of 16-bit samples are 19 MB.
_CHUNK_SECONDS = 600.0
_TRIES = 3
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 20.0
_REQUEST_SECONDS = 300.0
_MOST_REPLY_BYTES = 64 << 20
_SHOWN_CHARACTERS = 200
# Answers that a repetition may mend.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# A stretch whose loudest sample is below -60 dB holds no speech, and a request for it costs money.
_SILENT = 1e-3
# OpenAI names languages in full.
_LANGUAGES = {
    "chinese": "zh", "mandarin": "zh", "english": "en", "japanese": "ja", "korean": "ko", "cantonese": "yue",
    "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt", "russian": "ru",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RemoteTranscriber:
    """A transcription endpoint.

    Attributes:
        url: Base address, as in `https://host/v1`.
        model: Name of the model there.
        key: Sent as bearer token; never shown and never logged.
        progress: Told the seconds of sound that are done.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    progress: Callable[[float], None] | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The model and the host that it runs on."""
        return f"{self.model}@{urllib.parse.urlsplit(self.url).netloc.rpartition('@')[2]}"

    def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> Transcript:
        """Transcribe the first audio track of the file at `path`; see `debriefer.media.speech.Transcriber`."""
        try:
            track = Soundtrack(path)
        except NoAudioTrackError:
            return Transcript(reason="no audio track")
        except MediaError as error:
            return Transcript(reason=f"the audio cannot be read: {error.message}", passing=True)
        segments: list[Segment] = []
        notes: list[str] = []
        passing = False
        language: str | None = None
        try:
            for chunk in track.chunks(_CHUNK_SECONDS):
                if not np.abs(chunk.samples).max(initial=0.0) > _SILENT:
                    continue
                try:
                    reply = self._ask(chunk, language, for_language(hotwords, language))
                except MediaError as error:
                    if not segments:
                        return Transcript(duration=track.seconds, model=self.name, reason=error.message, passing=True)
                    passing = True
                    notes.append(f"not transcribed from {chunk.start:.1f} s on: {error.message}")
                    break
                language = language or _code(reply.get("language"))
                segments.extend(_segments(reply, chunk))
                if self.progress is not None:
                    self.progress(chunk.start + chunk.seconds)
            if language == "zh":
                segments = list(simplified(segments))
        except MediaError as error:
            notes.append(error.message)
        return Transcript(
            segments=tuple(segments),
            language=language,
            duration=track.seconds,
            model=self.name,
            hotwords=for_language(hotwords, language),
            reason=None if segments else "silence",
            notes=(*track.notes, *notes),
            passing=passing,
        )

    def _ask(self, chunk: Chunk, language: str | None, terms: Sequence[str]) -> Mapping[str, Any]:
        """Send one chunk and return the reply.

        Raises:
            MediaError: The endpoint refuses, does not answer, or answers no JSON object.
        """
        fields = [
            ("model", self.model),
            ("response_format", "verbose_json"),
            ("timestamp_granularities[]", "word"),
            ("timestamp_granularities[]", "segment"),
            ("temperature", "0"),
        ]
        if language is not None:
            fields.append(("language", language))
        if terms:
            fields.append(("prompt", ", ".join(terms)))
        body, kind = _multipart(fields, _wave(chunk))
        headers = {"Content-Type": kind, "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url.rstrip("/") + _PATH, data=body, headers=headers)  # noqa: S310
        reply = self._send(request)
        try:
            value = json.loads(reply)
        except ValueError as error:
            message = f"the speech endpoint `{self.name}` did not answer JSON"
            raise MediaError(message, hint="is it an OpenAI-compatible transcription endpoint?") from error
        if not isinstance(value, dict):
            message = f"the speech endpoint `{self.name}` answered no JSON object"
            raise MediaError(message, hint="is it an OpenAI-compatible transcription endpoint?")
        return value

    def _send(self, request: urllib.request.Request) -> bytes:
        for attempt in range(1, _TRIES + 1):
            wait = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
            try:
                with opener.open(request, timeout=_REQUEST_SECONDS) as answer:
                    data: bytes = answer.read(_MOST_REPLY_BYTES)
                    return data
            except urllib.error.HTTPError as error:
                detail = self._without_key(error.read(_MOST_REPLY_BYTES).decode(errors="replace"))
                reason = f"answered {error.code}: {detail}"
                if error.code not in _PASSING:
                    break
                wait = _retry_after(error.headers.get("Retry-After"), wait)
            except (OSError, urllib.error.URLError, ValueError) as error:
                reason = self._without_key(f"cannot be reached: {getattr(error, 'reason', None) or error}")
            if attempt < _TRIES:
                time.sleep(wait)
        message = f"the speech endpoint `{self.name}` {reason}"
        raise MediaError(message, hint="check `--speech-model` and `DEBRIEFER_SPEECH_API_KEY`")

    def _without_key(self, text: str) -> str:
        shown = " ".join(text.split())
        if self.key:
            shown = shown.replace(self.key, "***")
        return shown[:_SHOWN_CHARACTERS]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        return None


opener = urllib.request.build_opener(_NoRedirect)


def _segments(reply: Mapping[str, Any], chunk: Chunk) -> list[Segment]:
    """Return the reply's segments on the video's clock; words stand inside segments or beside them."""
    loose = [word for word in map(_word, _list(reply.get("words"))) if word is not None]
    found = []
    listed = [item for item in _list(reply.get("segments")) if isinstance(item, dict)]
    if not listed and isinstance(reply.get("text"), str) and reply["text"].strip():
        end = loose[-1].end if loose else chunk.seconds
        listed = [{"start": loose[0].start if loose else 0.0, "end": end, "text": reply["text"]}]
    for number, item in enumerate(listed):
        text = item.get("text")
        start, end = _number(item.get("start"), 0.0), _number(item.get("end"), chunk.seconds)
        if not isinstance(text, str) or not text.strip():
            continue
        words = [word for word in map(_word, _list(item.get("words"))) if word is not None]
        if not words:
            last = number == len(listed) - 1
            until = math.inf if last else _number(listed[number + 1].get("start"), end)
            count = sum((word.start + word.end) / 2 < until for word in loose)
            words, loose = loose[:count], loose[count:]
        logarithm = item.get("avg_logprob")
        found.append(
            Segment(
                start=round(chunk.start + start, 3),
                end=round(chunk.start + max(start, end), 3),
                text=text,
                words=tuple(_moved(word, chunk.start) for word in _with_marks(text, words)),
                confidence=round(math.exp(min(0.0, logarithm)), 4) if isinstance(logarithm, int | float) else None,
            )
        )
    return found


def _with_marks(text: str, words: Sequence[Word]) -> list[Word]:
    """Return the words as they stand in the text, with the marks and spaces around them, which OpenAI leaves out."""
    places, position = [], 0
    for word in words:
        place = text.find(word.text.strip(), position)
        if place < 0:
            return [Word(word.start, word.end, _spaced(word.text), word.probability) for word in words]
        places.append(place)
        position = place + len(word.text.strip())
    # What stands between two words belongs to the first, but for the space.
    cuts = [0, *(_cut(text, place) for place in places[1:]), len(text)]
    return [
        Word(word.start, word.end, text[begin:end], word.probability)
        for word, begin, end in zip(words, cuts, cuts[1:], strict=False)
    ]


def _cut(text: str, place: int) -> int:
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place


def _spaced(text: str) -> str:
    return text if text[:1].isspace() or not text[:1].isascii() else " " + text


def _moved(word: Word, seconds: float) -> Word:
    return Word(round(word.start + seconds, 3), round(word.end + seconds, 3), word.text, word.probability)


def _word(item: Any) -> Word | None:  # noqa: ANN401
    if not isinstance(item, dict) or not isinstance(item.get("word"), str) or not item["word"].strip():
        return None
    start = _number(item.get("start"), 0.0)
    given = item.get("probability")
    probability = float(given) if isinstance(given, int | float) and 0 <= given <= 1 else None
    return Word(start, max(start, _number(item.get("end"), start)), item["word"], probability)


def _number(value: Any, default: float) -> float:  # noqa: ANN401
    return float(value) if isinstance(value, int | float) and math.isfinite(value) and value >= 0 else default


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else []


def _code(language: Any) -> str | None:  # noqa: ANN401
    if not isinstance(language, str) or not language:
        return None
    lowered = language.casefold()
    return _LANGUAGES.get(lowered, lowered.partition("-")[0])


def _retry_after(header: str | None, wait: float) -> float:
    try:
        return min(_LONGEST_WAIT_SECONDS, max(0.0, float(header))) if header else wait
    except ValueError:
        return wait


def _wave(chunk: Chunk) -> bytes:
    samples = (np.clip(chunk.samples, -1.0, 1.0) * 32_767).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(SAMPLE_RATE)
        stream.writeframes(samples.tobytes())
    return out.getvalue()


def _multipart(fields: Sequence[tuple[str, str]], sound: bytes) -> tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.wav"\r\n'
    parts += [f"{head}Content-Type: audio/wav\r\n\r\n".encode(), sound, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"
