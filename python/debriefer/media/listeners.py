"""From what a user names to a transcriber: a model in the local cache, a folder, a remote endpoint, or nothing."""

from __future__ import annotations

import contextlib
import os
import re
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from debriefer.errors import MediaError
from debriefer.media.remote import RemoteTranscriber
from debriefer.media.speech import Transcriber, Transcript
from debriefer.media.transcription import FasterWhisper, model_folder

MODEL_VARIABLE = "DEBRIEFER_SPEECH_MODEL"
KEY_VARIABLE = "DEBRIEFER_SPEECH_API_KEY"
# What is looked for in the local cache where nothing is named; `medium` is the published system's.
PREFERRED = ("medium", "small", "base", "tiny")
NONE = "none"
_REMOTE = re.compile(r"^(?:(?P<model>[^@\s]+)@)?(?P<url>https?://\S+)$")
_REMOTE_MODEL = "whisper-1"


@dataclass(frozen=True, slots=True)
class Deaf:
    """No model at all: the timeline goes on without narration and says why.

    Attributes:
        reason: What the transcript says.
    """

    reason: str

    @property
    def name(self) -> str:
        """The reason, as a cache key must change when a model appears."""
        return f"none: {self.reason}"

    def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> Transcript:
        """Return a transcript with nothing but the reason."""
        del path, hotwords
        return Transcript(reason=self.reason)


def transcriber(
    model: str | None = None,
    *,
    downloads: bool = False,
    environment: Mapping[str, str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Transcriber:
    """Return what listens to videos. Never raises: without a model it is `Deaf`, with the reason.

    Args:
        model: A folder, a name in the local cache (`medium`, `owner/repository`), a remote endpoint
            (`https://host/v1` or `model@https://host/v1`), or `none`; `None` for what `DEBRIEFER_SPEECH_MODEL` names,
            and without it the first of `PREFERRED` that the local cache holds.
        downloads: Whether a model may be fetched from its hub.
        environment: In place of the process's; `DEBRIEFER_SPEECH_API_KEY` is a remote endpoint's key. Where it is not
            set, `MODEL_API_KEY` serves an endpoint on the host of `MODEL_API_URL`.
        progress: Told the seconds of sound that are done.
    """
    environment = os.environ if environment is None else environment
    named = (model or environment.get(MODEL_VARIABLE) or "").strip()
    if named.casefold() == NONE:
        return Deaf("no speech model at hand: none is wanted")
    if match := _REMOTE.match(named):
        url = match["url"].rstrip("/").removesuffix("/audio/transcriptions")
        return RemoteTranscriber(url, match["model"] or _REMOTE_MODEL, _key(url, environment), progress)
    if named:
        return FasterWhisper(named, downloads=downloads, progress=progress)
    for name in PREFERRED:
        with contextlib.suppress(MediaError):
            model_folder(name)
            return FasterWhisper(name, progress=progress)
    return Deaf(
        f"no speech model at hand: name one by `--speech-model` or `{MODEL_VARIABLE}`; "
        "with `--download`, `debriefer video` fetches it"
    )


def _key(url: str, environment: Mapping[str, str]) -> str | None:
    if key := environment.get(KEY_VARIABLE):
        return key
    # The key of another host is nobody else's business.
    same = urllib.parse.urlsplit(environment.get("MODEL_API_URL", "")).netloc == urllib.parse.urlsplit(url).netloc
    return environment.get("MODEL_API_KEY") if same else None
