"""The one door to the models: bounds, repeats, what was shown before, and a record of all of it."""

from __future__ import annotations

import contextvars
import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from debriefer.errors import BudgetExceededError, ModelError
from debriefer.media.film import Film, digest_of
from debriefer.models import Meter, Models, budget_error, neutralise_all
from dspy_programs.longvideo.pictures import Frames
from dspy_programs.longvideo.settings import THREADS, LimitReachedError, Limits
from dspy_programs.longvideo.values import Answer

Value = TypeVar("Value", bound=Answer)
Result = TypeVar("Result")
# What a model, an endpoint or a bound does to a call; anything else is a fault of ours and is raised. DSPy's adapters
# raise `TypeError` and `AttributeError` on replies that are JSON of another shape.
_UNREADABLE = (AdapterParseError, ValueError, TypeError, AttributeError)
_FAILURES = (LMError, BudgetExceededError, LimitReachedError, ModelError, *_UNREADABLE)
# A reply that cannot be read is asked for once more; at temperature 0 the second would be the first.
_TRIES = 2
_AGAIN_TEMPERATURE = 0.5
# Signature by signature: whose model answers.
_ROLES = {
    "PlanStep": "planner",
    "ConcludeAnswer": "planner",
    "AnalyseQuestion": "grounding",
    "RankScenes": "grounding",
    "ReadSubtitles": "subtitles",
    "ReviewAnswer": "reflection",
}
_SEEING_ROLE = "vision"


@dataclass(frozen=True, slots=True)
class Reply(Generic[Value]):
    """What came back, or why nothing did: that is `unknown` and never "nothing relevant".

    Attributes:
        value: The typed answer, or `None`.
        error: Why there is none.
        spent: Name of the bound that refused the call, else empty.
        cached: Whether the answer was kept from an earlier time.
    """

    value: Value | None
    error: str = ""
    spent: str = ""
    cached: bool = False


@dataclass(slots=True)
class CallRecord:
    """One question to a model, as it stands in the transcript."""

    what: str
    role: str
    seconds: float = 0.0
    frames: int = 0
    tries: int = 0
    cached: bool = False
    reply: Any = None
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Asker:
    """Asks models for one run, within its limits. Safe to use from several threads.

    Attributes:
        models: By role.
        meter: Requests, tokens, money and time.
        limits: The run's bounds.
        film: Whose store keeps the answers to questions with pictures.
        remember: Whether kept answers are used.
        spent: Name of the first bound that refused a call, else empty.
        records: What was asked, in the order in which the questions ended.
        frames: Pictures shown so far.
    """

    models: Models
    meter: Meter
    limits: Limits
    film: Film
    remember: bool = True
    spent: str = ""
    records: list[CallRecord] = field(default_factory=list)
    frames: int = 0
    _kept: dict[str, str] | None = None
    _new: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def ask(self, predictor: dspy.Predict, output: str, kind: type[Value], **inputs: Any) -> Reply[Value]:  # noqa: ANN401
        """Ask once, and once more where the reply cannot be read. Never raises for what a model does.

        Args:
            predictor: Of one signature.
            output: Name of its output field.
            kind: The field's type.
            inputs: The signature's inputs; texts are taken the power of markers.
        """
        name = predictor.signature.__name__
        role = _ROLES.get(name, _SEEING_ROLE)
        frames = next((value for value in inputs.values() if isinstance(value, Frames)), None)
        record = CallRecord(name, role, frames=0 if frames is None else len(frames.images))
        given = {key: neutralise_all(value) for key, value in inputs.items()}
        key = "" if frames is None else self._key(predictor, role, given, frames)
        known = self._known(key, kind) if key else None
        if known is not None:
            record.cached, record.reply, record.frames = True, known.model_dump(mode="json"), 0
            self._done(record)
            return Reply(known, cached=True)
        began = time.perf_counter()
        try:
            reply = self._asked(predictor, output, kind, given, record, frames)
        finally:
            record.seconds = round(time.perf_counter() - began, 3)
            self._done(record)
        if key and reply.value is not None:
            self._keep(key, role, predictor, frames, reply.value)
        return reply

    def _asked(
        self,
        predictor: dspy.Predict,
        output: str,
        kind: type[Value],
        given: dict[str, Any],
        record: CallRecord,
        frames: Frames | None,
    ) -> Reply[Value]:
        if frames is not None:
            blind = self._blind(record.role)
            if blind or not frames.images:
                record.error = blind or "there is no frame to show"
                return Reply(None, record.error)
        for number in range(1, _TRIES + 1):
            record.tries = number
            try:
                if frames is not None:
                    self._count(len(frames.images))
                record.error = ""
                value = self._said(predictor, output, kind, given, record, again=number > 1)
            except _FAILURES as error:
                spent = error if isinstance(error, LimitReachedError) else budget_error(error)
                if spent is not None:
                    return self._refused(record, spent.message, spent.bound)
                record.error = _told(error)
                if not isinstance(error, _UNREADABLE):
                    break
            else:
                if value.usable:
                    record.reply = value.model_dump(mode="json")
                    return Reply(value)
                record.error = "the reply says nothing of what was asked"
        return Reply(None, record.error)

    def _said(
        self,
        predictor: dspy.Predict,
        output: str,
        kind: type[Value],
        given: dict[str, Any],
        record: CallRecord,
        *,
        again: bool,
    ) -> Value:
        config = {"temperature": _AGAIN_TEMPERATURE} if again else {}
        with dspy.context(lm=self.models.lm(record.role), adapter=_adapter(), disable_history=True):
            prediction = predictor(**given, config=config)
        value = getattr(prediction, output, None)
        return value if isinstance(value, kind) else kind.model_validate(value)

    def _refused(self, record: CallRecord, message: str, bound: str) -> Reply[Value]:
        record.error = message
        self.spent = self.spent or bound
        return Reply(None, message, spent=bound)

    def together(self, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
        """Run some tasks at once and return what they give, in their order."""
        if len(tasks) <= 1:
            return [task() for task in tasks]
        with ThreadPoolExecutor(min(THREADS, len(tasks)), thread_name_prefix="longvideo") as pool:
            # DSPy's settings and the meters live in the context of the thread that asks.
            futures = [pool.submit(contextvars.copy_context().run, task) for task in tasks]
            return [future.result() for future in futures]

    def save(self) -> None:
        """Write the answers that are new into the video's store."""
        with self._lock:
            rows, self._new = self._new, []
        self.film.append("call", rows)

    def producer(self, predictor: dspy.Predict) -> str:
        """Return what names a kept caption's maker: the model and the prompt's version."""
        return f"{self.models.settings(_SEEING_ROLE).fingerprint}:{prompt_version(predictor)}"

    def share_spent(self) -> float:
        """Return the largest share of a bound of the meter that is used up, from 0."""
        budget, totals = self.meter.budget, self.meter.totals()
        used = (
            (budget.requests, self.meter.requests),
            (budget.input_tokens, totals.input_tokens),
            (budget.output_tokens, totals.output_tokens),
            (budget.cost, totals.cost),
            (budget.seconds, self.meter.seconds),
            (self.limits.frames, self.frames),
        )
        return max((value / limit if limit else 1.0 for limit, value in used if limit is not None), default=0.0)

    def _blind(self, role: str) -> str:
        if self.models.settings(role).vision:
            return ""
        return "the model is not known to see pictures (set `MODEL_VISION=1` if it does)"

    def _count(self, number: int) -> None:
        with self._lock:
            if self.limits.frames is not None and self.frames + number > self.limits.frames:
                bound = "frames"
                raise LimitReachedError(bound)
            self.frames += number

    def _done(self, record: CallRecord) -> None:
        with self._lock:
            self.records.append(record)

    def _key(self, predictor: dspy.Predict, role: str, given: dict[str, Any], frames: Frames) -> str:
        parts = {
            "prompt": prompt_version(predictor),
            "model": self.models.settings(role).fingerprint,
            "frames": [[image.label, digest_of(image.url.encode())] for image in frames.images],
            "texts": {name: value for name, value in given.items() if isinstance(value, str)},
        }
        return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()

    def _known(self, key: str, kind: type[Value]) -> Value | None:
        if not self.remember:
            return None
        with self._lock:
            if self._kept is None:
                rows = self.film.sql("SELECT key, response FROM call WHERE error IS NULL AND response IS NOT NULL")
                self._kept = {str(name): str(response) for name, response in rows}
            text = self._kept.get(key)
        if text is None:
            return None
        try:
            return kind.model_validate_json(text)
        except ValueError:
            return None

    def _keep(self, key: str, role: str, predictor: dspy.Predict, frames: Frames | None, value: Value) -> None:
        text = value.model_dump_json()
        with self._lock:
            if self._kept is not None:
                self._kept[key] = text
            self._new.append(
                {
                    "key": key,
                    "model": self.models.settings(role).model,
                    "prompt_version": prompt_version(predictor),
                    "frame_ids": [image.label for image in frames.images] if frames else [],
                    "response": text,
                }
            )


def prompt_version(predictor: dspy.Predict) -> str:
    """Return a digest of everything that a predictor says by itself: instructions, fields, examples."""
    signature = predictor.signature
    parts = [
        signature.instructions,
        [[name, str(info.json_schema_extra)] for name, info in signature.fields.items()],
        [str(demo) for demo in predictor.demos],
    ]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()


def _adapter() -> dspy.Adapter:
    # DSPy would ask again in JSON behind a reply that it cannot read; here the repeat is counted and recorded.
    return dspy.ChatAdapter(use_json_adapter_fallback=False)


def _told(error: BaseException) -> str:
    if isinstance(error, AdapterParseError):
        return "the reply has no form that can be read"
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]
