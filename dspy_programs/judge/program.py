"""One round of the judge as a DSPy program: EXTRACT, ALIGN, DECIDE."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError, LMError

from debriefer.errors import BudgetExceededError, first_line
from debriefer.judgement import AnswerShape, Decision, Round, VideoClaim
from debriefer.models import budget_error, neutralise
from dspy_programs.judge.alignment import shape_kept
from dspy_programs.judge.material import Material
from dspy_programs.judge.signatures import AlignClaim, DecideUse, ExtractClaim

# What a model, an endpoint or a bound does to a step; anything else is a fault of ours and is raised.
FAILURES = (LMError, AdapterParseError, ValueError, BudgetExceededError)


@dataclass(frozen=True, slots=True)
class Ask:
    """A step of a round that needs the model."""

    step: str
    predictor: dspy.Predict
    inputs: Mapping[str, Any]


@dataclass(slots=True)
class RoundLog:
    """What a round was asked and what it answered, as JSON values.

    Attributes:
        steps: By step: `messages`, pictures as placeholders, and `reply` or `error`.
    """

    steps: dict[str, dict[str, Any]] = field(default_factory=dict)


class VideoJudge(dspy.Module):
    """Whether a video shows the answer, in three steps; each predictor can be compiled.

    The language model is DSPy's current one (`with models.using("judge", meter): ...`). One request a step; a reply
    that cannot be read is a failed step and is not asked for again: the vote refills rounds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.extract = dspy.Predict(ExtractClaim)
        self.align = dspy.Predict(AlignClaim)
        self.decide = dspy.Predict(DecideUse)

    def forward(self, material: Material, number: int = 1, config: Mapping[str, Any] | None = None) -> dspy.Prediction:
        """Run one round.

        Args:
            material: What the judge reads.
            number: The round's number.
            config: How replies are sampled, where not as the model's settings say.

        Returns:
            A prediction with `round` (`Round`) and `log` (`RoundLog`). A step that fails is recorded in the round.
        """
        log = RoundLog()
        steps = self._steps(material, number, log)
        with dspy.context(adapter=_adapter()):
            try:
                ask = next(steps)
                while True:
                    try:
                        reply = ask.predictor(**ask.inputs, config=dict(config or {}))
                    except FAILURES as error:
                        ask = steps.throw(error)
                    else:
                        ask = steps.send(reply)
            except StopIteration as end:
                return dspy.Prediction(round=end.value, log=log)

    async def aforward(
        self, material: Material, number: int = 1, config: Mapping[str, Any] | None = None
    ) -> dspy.Prediction:
        """Run one round with the model asked asynchronously; else as `forward`."""
        log = RoundLog()
        steps = self._steps(material, number, log)
        with dspy.context(adapter=_adapter()):
            try:
                ask = next(steps)
                while True:
                    try:
                        reply = await ask.predictor.acall(**ask.inputs, config=dict(config or {}))
                    except FAILURES as error:
                        ask = steps.throw(error)
                    else:
                        ask = steps.send(reply)
            except StopIteration as end:
                return dspy.Prediction(round=end.value, log=log)

    def _steps(self, material: Material, number: int, log: RoundLog) -> Generator[Ask, dspy.Prediction, Round]:
        errors: dict[str, str] = {}
        reply = yield from self._asked(
            Ask("extract", self.extract, {"question": material.question, "timeline": material.timeline}), log, errors
        )
        claim: VideoClaim | None = None if reply is None else reply.claim
        if claim is None or not claim.has_displayed_answer:
            return Round(number, claim, errors=errors)
        said = neutralise(claim.model_dump_json(indent=1))
        shared = {"question": material.question, "claim": said}
        reply = yield from self._asked(
            Ask("align", self.align, {**shared, "knowledge": material.knowledge, "tables": material.tables}),
            log,
            errors,
        )
        shape: AnswerShape | None = None if reply is None else shape_kept(claim, reply.shape)
        aligned = neutralise(shape.model_dump_json(indent=1)) if shape is not None else _NOT_ALIGNED
        reply = yield from self._asked(
            Ask("decide", self.decide, {**shared, "alignment": aligned, "tables": material.short_tables}), log, errors
        )
        decision: Decision | None = None if reply is None else reply.decision
        return Round(number, claim, shape, decision, errors)

    def _asked(
        self, ask: Ask, log: RoundLog, errors: dict[str, str]
    ) -> Generator[Ask, dspy.Prediction, dspy.Prediction | None]:
        """Yield one step and return the reply, or `None` where it failed, which is recorded."""
        entry = log.steps[ask.step] = {"messages": messages_of(ask)}
        try:
            reply = yield ask
        except FAILURES as error:
            spent = budget_error(error)
            if spent is None and isinstance(error, AdapterParseError):
                entry["unreadable"] = error.lm_response
                message = "the reply has no form that can be read"
            else:
                message = spent.message if spent is not None else first_line(error)
            entry["error"] = errors[ask.step] = message
            return None
        entry["reply"] = json.loads(json.dumps(reply.toDict(), default=_plain, ensure_ascii=False))
        return reply


_NOT_ALIGNED = "(the alignment failed; the values are as they were read, and units were not compared)"


def _adapter() -> dspy.Adapter:
    # DSPy would ask again in JSON behind a reply that it cannot read; here that is a failed step, and the vote's.
    return dspy.ChatAdapter(use_json_adapter_fallback=False)


def messages_of(ask: Ask) -> list[dict[str, Any]]:
    """Return the messages of a step as they are sent, pictures as placeholders."""
    predictor = ask.predictor
    messages = _adapter().format(predictor.signature, list(predictor.demos), dict(ask.inputs))
    return [{"role": message["role"], "content": _without_pictures(message["content"])} for message in messages]


def _without_pictures(content: Any) -> Any:  # noqa: ANN401 -- text, or blocks of DSPy's
    if not isinstance(content, list):
        return content
    shown = []
    for block in content:
        url = block.get("image_url", {}).get("url", "") if isinstance(block, dict) else ""
        shown.append({"type": "image", "image": f"[picture, {len(url)} characters]"} if url else block)
    return shown


def _plain(value: Any) -> Any:  # noqa: ANN401 -- whatever a signature gives back
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)
