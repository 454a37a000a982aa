"""Options that `solve` and `run` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from debriefer.models import Budget
from debriefer.pipeline import MediaSettings, ModelChoice, RunSettings

_MODEL = "With a model"
_DEFAULTS = RunSettings()
CACHE_FOLDER = ".cache"

Lm = Annotated[
    str | None,
    typer.Option(
        "--lm", help="The model, as `provider/model`; without it what `MODEL_API_*` say.", rich_help_panel=_MODEL
    ),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Ask no model, whatever the environment says.", rich_help_panel=_MODEL)
]
Attempts = Annotated[
    int, typer.Option("--attempts", min=1, help="Attempts at a task before it is given up.", rich_help_panel=_MODEL)
]
MaxRequests = Annotated[
    int, typer.Option("--max-requests", min=1, help="Requests an attempt, retries included.", rich_help_panel=_MODEL)
]
MaxSeconds = Annotated[
    float, typer.Option("--max-seconds", min=1, help="Wall time of an attempt.", rich_help_panel=_MODEL)
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, help="Prompt tokens of an attempt.", rich_help_panel=_MODEL)
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Money an attempt; needs `MODEL_*_PRICE`.", rich_help_panel=_MODEL),
]
Fallback = Annotated[
    bool,
    typer.Option(
        "--offline-fallback/--no-offline-fallback",
        help="Let the offline baseline answer where the model gave no output.",
        rich_help_panel=_MODEL,
    ),
]
AlwaysAnswer = Annotated[
    bool, typer.Option("--always-answer", help="Let the offline baseline guess where no reading is confident.")
]
CacheFolder = Annotated[
    Path | None, typer.Option("--cache", help="Keep what stages made here; `.cache` in the output folder by default.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Make everything anew.")]
SpeechModel = Annotated[
    str | None,
    typer.Option(
        "--speech-model",
        help="Whisper model: folder, name in the local cache, `model@https://host/v1`, or `none`; else "
        "`DEBRIEFER_SPEECH_MODEL`.",
        rich_help_panel="Video",
        show_default=False,
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show one line a turn of the model.")]

ATTEMPTS = _DEFAULTS.attempts
REQUESTS = _DEFAULTS.budget.requests or 80
SECONDS = _DEFAULTS.budget.seconds or 1_800.0


def settings_of(
    *,
    attempts: int,
    max_requests: int,
    max_seconds: float,
    max_tokens: int | None,
    max_cost: float | None,
    offline_fallback: bool,
    always_answer: bool,
    speech_model: str | None = None,
) -> RunSettings:
    """Return the settings that the options make."""
    budget = Budget(requests=max_requests, seconds=max_seconds, input_tokens=max_tokens, cost=max_cost)
    media = MediaSettings(speech_model=speech_model)
    return RunSettings(attempts, budget, offline_fallback, always_answer, media)


def choice_of(lm: str | None, *, offline: bool) -> ModelChoice | None:
    """Return which models are used; `None` for the offline baseline."""
    return None if offline else ModelChoice(lm)


def cache_of(cache: Path | None, output: Path, *, no_cache: bool) -> Path | None:
    """Return the cache's folder, or `None` for none."""
    return None if no_cache else cache or output / CACHE_FOLDER
