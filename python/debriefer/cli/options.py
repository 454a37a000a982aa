"""Options that `solve` and `run` share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.text import Text

from debriefer.cli import console
from debriefer.models import Budget
from debriefer.pipeline import (
    DocumentsSettings,
    JudgeSettings,
    MediaSettings,
    ModelChoice,
    RelevanceSettings,
    RunSettings,
)
from debriefer.pipeline.settings import SolverName

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
SolverOption = Annotated[
    SolverName,
    typer.Option(
        "--solver",
        help="`agent`: four tools, many turns. `oneshot`: one statement, repaired and checked. `auto`: `oneshot` for a "
        "small local model.",
        rich_help_panel=_MODEL,
    ),
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
Hints = Annotated[
    bool,
    typer.Option(
        "--hints/--no-hints",
        help="Show the model what the offline baseline links the question's words to.",
        rich_help_panel=_MODEL,
    ),
]
ProgramState = Annotated[
    list[Path] | None,
    typer.Option(
        "--program-state",
        help="File of what a program has learned (`debriefer optimize`); it says itself whose. May be repeated.",
        rich_help_panel=_MODEL,
        show_default=False,
    ),
]
AlwaysAnswer = Annotated[
    bool, typer.Option("--always-answer", help="Let the offline baseline guess where no reading is confident.")
]
CacheFolder = Annotated[
    Path | None, typer.Option("--cache", help="Keep what stages made here; `.cache` in the output folder by default.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Make everything anew.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show one line a turn of the model.")]

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
JudgeRounds = Annotated[
    int,
    typer.Option(
        "--judge-rounds",
        min=0,
        help="Rounds of the vote on whether the video shows the answer; 0 for none.",
        rich_help_panel="Video",
    ),
]
DocumentsAsked = Annotated[
    int,
    typer.Option("--documents-asked", min=0, help="Documents that a model may read where rules left something open."),
]
RelevanceRounds = Annotated[
    int,
    typer.Option(
        "--relevance-rounds",
        min=0,
        help="Requests on which tables the question needs: 1, with links beside it, 5 for the vote, 0 for none.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on: leave what was delivered under the same inputs and settings.")
]


@dataclass(frozen=True, slots=True)
class Shared:
    """What `solve` and `run` have in common; each field is an option of both."""

    lm: Lm = None
    offline: Offline = False
    always_answer: AlwaysAnswer = False
    solver: SolverOption = _DEFAULTS.solver
    attempts: Attempts = _DEFAULTS.attempts
    max_requests: MaxRequests = _DEFAULTS.budget.requests or 80
    max_seconds: MaxSeconds = _DEFAULTS.budget.seconds or 1_800.0
    max_tokens: MaxTokens = None
    max_cost: MaxCost = None
    offline_fallback: Fallback = True
    hints: Hints = True
    program_state: ProgramState = None
    speech_model: SpeechModel = None
    judge_rounds: JudgeRounds = _DEFAULTS.judge.rounds
    documents_asked: DocumentsAsked = _DEFAULTS.documents.asked
    relevance_rounds: RelevanceRounds = _DEFAULTS.relevance.rounds
    cache: CacheFolder = None
    no_cache: NoCache = False
    resume: Resume = False
    verbose: Verbose = False

    def settings(self) -> RunSettings:
        """Return the settings that the options make."""
        budget = Budget(
            requests=self.max_requests, seconds=self.max_seconds, input_tokens=self.max_tokens, cost=self.max_cost
        )
        return RunSettings(
            self.attempts,
            budget,
            self.offline_fallback,
            self.always_answer,
            self.hints,
            MediaSettings(speech_model=self.speech_model),
            JudgeSettings(rounds=self.judge_rounds),
            self.solver,
            program_states=checked(self.program_state),
            documents=DocumentsSettings(asked=self.documents_asked),
            relevance=RelevanceSettings(rounds=self.relevance_rounds),
        )

    def choice(self) -> ModelChoice | None:
        """Return which models are used; `None` for the offline baseline."""
        return None if self.offline else ModelChoice(self.lm)

    def cache_folder(self, output: Path) -> Path | None:
        """Return the cache's folder, or `None` for none."""
        return None if self.no_cache else self.cache or output / CACHE_FOLDER


def checked(states: Sequence[Path] | None) -> tuple[str, ...]:
    """Return files of learned state as settings take them, after a look whether they fit.

    What was measured not to be better is used all the same, since it was asked for, and said.

    Raises:
        MissingFileError: A file does not exist.
        ProgramStateError: A file is no state, or was learned for another version of a signature.
    """
    if not states:
        return ()
    from dspy_programs.state import checked_states  # noqa: PLC0415 -- loads DSPy

    for name, record in checked_states(states).items():
        status = record.get("status")
        if status is not None and status != "improved":
            note = f"note: the state of `{name}` is marked `{status}`: its tasks do not support that it is better"
            console.messages.print(Text(note), style="yellow", soft_wrap=True)
    return tuple(str(path.resolve()) for path in states)


def with_shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options behind its own; it is handed them as one argument, `shared`."""

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:  # noqa: ANN401 -- options of several types
        shared = Shared(**{field.name: values.pop(field.name) for field in fields(Shared)})
        command(**values, shared=shared)

    # The command line is made from the signature: the command's own parameters, then the fields.
    own = inspect.signature(command, eval_str=True)
    types = get_type_hints(Shared, include_extras=True)
    parameters = [parameter for parameter in own.parameters.values() if parameter.name != "shared"]
    parameters += [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name]
        )
        for field in fields(Shared)
    ]
    wrapped.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del wrapped.__wrapped__
    return wrapped
