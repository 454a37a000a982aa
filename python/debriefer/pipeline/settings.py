"""How a run answers its tasks, and with which models."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from debriefer.models import Budget, Models

# An attempt is bounded in time, so that one task cannot hold a place for ever. Eighty requests of a slow model of
# 20 s each fit into it.
_ATTEMPT_SECONDS = 1_800.0


LayoutChoice = Literal["ocr", "vlm", "none"]
SolverName = Literal["agent", "oneshot", "auto"]


@dataclass(frozen=True, slots=True)
class MediaSettings:
    """How videos are read.

    Attributes:
        layout: `ocr`, `vlm` (a vision model betters what OCR found) or `none`.
        speech_model: What `--speech-model` was given; `None` for what the environment or the local cache has.
        downloads: Whether a speech model may be fetched.
    """

    layout: LayoutChoice = "ocr"
    speech_model: str | None = None
    downloads: bool = False


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How it is judged whether a video shows the answer.

    Attributes:
        rounds: Rounds of the vote (5 in the specification); 0 for no judgement.
        seconds: Wall time of all rounds of a task together.
        state: File of what the judge has learned, as `dspy_programs.state` writes it; `None` for nothing.
    """

    rounds: int = 5
    seconds: float = 900.0
    state: str | None = None

    def __post_init__(self) -> None:
        if self.rounds < 0:
            message = f"judge rounds must not be negative, got {self.rounds}"
            raise ValueError(message)

    def budget(self) -> Budget:
        """Return the bound on all rounds of a task: three steps each, all refilled once, and as many retries."""
        return Budget(requests=12 * self.rounds, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class DocumentsSettings:
    """How documents are read.

    Attributes:
        asked: Documents that a model may read, those that share most with the question first; only those in which the
            reading by rule left something open are shown to it. 0 to ask none.
        requests: Requests for all documents of a task together.
        seconds: Wall time of these.
        state: File of what the program has learned, as `dspy_programs.state` writes it; `None` for nothing.
    """

    asked: int = 5
    requests: int = 200
    seconds: float = 900.0
    state: str | None = None

    def __post_init__(self) -> None:
        if self.asked < 0:
            message = f"documents to be asked about must not be negative, got {self.asked}"
            raise ValueError(message)

    def budget(self) -> Budget:
        """Return the bound on what a task's documents may cost."""
        return Budget(requests=self.requests, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """How it is judged which tables a question needs.

    Attributes:
        rounds: Requests: 1, with what the data says beside it, or more, which vote alone (5 in the specification); 0 to
            describe every table.
        seconds: Wall time of all requests of a task together.
        state: File of what the program has learned, as `dspy_programs.state` writes it; `None` for nothing.
    """

    rounds: int = 1
    seconds: float = 300.0
    state: str | None = None

    def __post_init__(self) -> None:
        if self.rounds < 0:
            message = f"relevance rounds must not be negative, got {self.rounds}"
            raise ValueError(message)

    def budget(self) -> Budget:
        """Return the bound on all requests of a task: each asked again once, and as many retries."""
        return Budget(requests=4 * self.rounds, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How tasks are answered.

    Attributes:
        attempts: Largest number of attempts with a model (5 in the specification, section 4.4.2).
        budget: Bounds on each attempt (80 requests in the specification).
        offline_fallback: Whether the offline baseline may answer where the model gave no output.
        always_answer: Whether the offline baseline gives its best reading, however unsure.
        hints: Whether the model is shown what the offline baseline links the question's words to.
        media: How videos are read.
        judge: How it is judged whether a video shows the answer.
        solver: `agent` (four tools, many turns), `oneshot` (one statement, repaired and checked), or `auto`, which
            takes `oneshot` for a small local model; `dspy_programs.oneshot.choice` has the rule.
        program_states: Files of what programs have learned, as `dspy_programs.state` writes them; each says itself
            whose it is. A program without one takes the state that ships, if any.
        relevance: How it is judged which tables the question needs.
        documents: How documents are read.
    """

    attempts: int = 5
    budget: Budget = field(default_factory=lambda: Budget(requests=80, seconds=_ATTEMPT_SECONDS))
    offline_fallback: bool = True
    always_answer: bool = False
    hints: bool = True
    media: MediaSettings = field(default_factory=MediaSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    solver: SolverName = "auto"
    program_states: tuple[str, ...] = ()
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)
    documents: DocumentsSettings = field(default_factory=DocumentsSettings)

    def __post_init__(self) -> None:
        if self.attempts < 1:
            message = f"attempts must be at least 1, got {self.attempts}"
            raise ValueError(message)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the settings that `to_dict` gave."""
        media = MediaSettings(**values["media"])
        judge = JudgeSettings(**values["judge"])
        relevance = RelevanceSettings(**values["relevance"])
        states = tuple(values["program_states"])
        budget = Budget(**values["budget"])
        documents = DocumentsSettings(**values["documents"])
        parts = {"budget": budget, "media": media, "judge": judge, "relevance": relevance, "documents": documents}
        return cls(**{**values, **parts, "program_states": states})


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which models a run uses: what the environment and `--lm` say. Holds no key, so that it can be handed on.

    Attributes:
        lm: What `--lm` was given; `None` for the environment alone.
    """

    lm: str | None = None

    def load(self, slots: Path | None = None) -> Models | None:
        """Return the models, or `None` where nothing is configured.

        Args:
            slots: Folder that makes the bound on requests at once hold over several processes, if the environment
                names none (`MODEL_SLOTS`).

        Raises:
            ModelError: The environment is half configured.
        """
        environment = dict(os.environ)
        if slots is not None and not environment.get("MODEL_SLOTS"):
            environment["MODEL_SLOTS"] = str(slots)
        return Models.from_environment(lm=self.lm, environment=environment)


def model_identity(models: Models | None) -> dict[str, Any]:
    """Return what of the models decides about answers: names and settings, neither addresses nor keys nor prices."""
    if models is None:
        return {}
    relevant = (
        "model",
        "max_output_tokens",
        "context_window",
        "temperature",
        "vision",
        "native_tools",
        "response_schema",
        "reasoning",
        "reasoning_effort",
        "image_pixel_budget",
    )

    def of(settings: dict[str, Any]) -> dict[str, Any]:
        return {name: settings[name] for name in relevant}

    described = models.to_dict()
    roles = {role: of(settings) for role, settings in described["roles"].items()}
    return {"default": of(described["default"]), "roles": roles}
