"""A scripted model that can be taught: it answers better where its prompt holds a demonstration or a good instruction.

It reads everything off the prompt it is sent, so that a prompt which lost its demonstrations or its instruction, or
holds a demonstration that is wrong, gets the untaught answer. It plays every role of an optimisation: the judge, and
the model that writes instructions.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

# What a better instruction says.
LESSON = "Compare the period on each slide with the period in the question, and take no table of another period."
# One question in this many is beyond the model, taught or not.
_BEYOND = 9
_FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]")
_SLIDE = re.compile(r"\[layout of slide (\d+)\]\n(.*)")
_QUESTION = re.compile(r"What were the \w+ of (\w+) in (\d{4}Q\d)\?")
# From this temperature on equal prompts get different answers.
_WARM = 0.5

Messages = Sequence[tuple[str, str]]


@dataclass(slots=True)
class Teachable:
    """The model. Safe to ask from several threads; equal prompts count up, which makes warm answers differ.

    Attributes:
        asked: Digest of each prompt, in the order in which they came.
        prompts: The prompts themselves, where `keep` is set.
        keep: Whether to keep them.
    """

    asked: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    keep: bool = False
    _counts: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, messages: Messages, temperature: float | None) -> str:
        """Return the reply to a prompt.

        Args:
            messages: Role and text of each message.
            temperature: What the request says.
        """
        prompt = "\n".join(f"{role}: {text}" for role, text in messages)
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        with self._lock:
            self.asked.append(digest)
            if self.keep:
                self.prompts.append(prompt)
            count = self._counts[digest] = self._counts.get(digest, 0) + 1
        lucky = temperature is not None and temperature >= _WARM and int(f"{digest[:6]}{count}", 16) % 2 == 0
        last = messages[-1][1]
        wanted = last[last.rfind("Respond with") :]
        values = _written(prompt, wanted) or _judged(messages, lucky=lucky)
        if "JSON object" in wanted:
            return json.dumps(values, ensure_ascii=False)
        shown = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
        return (
            "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in shown.items()) + "\n\n[[ ## completed ## ]]"
        )


def _judged(messages: Messages, *, lucky: bool) -> dict[str, Any]:
    """Answer as the judge does in one of its three steps."""
    last = messages[-1][1]
    asked = set(_FIELD.findall(last))
    if "claim" in asked and "timeline" in asked:
        return _claim(last, taught=lucky or LESSON in messages[0][1] or _shown_how(messages[1:-1]))
    if "shape" in asked:
        claim = json.loads(last.split("[[ ## claim ## ]]\n")[1].split("\n\n[[ ##")[0])
        values = [[cell["value"] for cell in row] for row in claim["claimed_values"]]
        return {"shape": {"target_columns": ["value"], "normalized_values": values, "unit_consistent": True}}
    return {"decision": {"decision": "ADOPT", "confidence": 0.9, "reason": "the slide shows it"}}


def _shown_how(demonstrations: Messages) -> bool:
    """Whether there are demonstrations and all of them are right; one that is wrong teaches nothing."""
    pairs = list(zip(demonstrations[::2], demonstrations[1::2], strict=True))
    return bool(pairs) and all(_is_right(asked, answered) for (_, asked), (_, answered) in pairs)


def _is_right(asked: str, answered: str) -> bool:
    question = _QUESTION.search(asked)
    sources = re.search(r'"source_frames": \["(\d+)"\]', answered)
    layouts = dict(_SLIDE.findall(asked))
    if question is None:
        return False
    if sources is None:
        return not any(f'[:value "{question[2]}"]' in layout for layout in layouts.values())
    return f'[:value "{question[2]}"]' in layouts.get(sources[1], "")


def _claim(last: str, *, taught: bool) -> dict[str, Any]:
    found = _QUESTION.search(last)
    if found is None:
        return {"reading": "no question", "claim": {"has_displayed_answer": False}}
    region, period = found.groups()
    tables = [(number, layout) for number, layout in _SLIDE.findall(last) if "[:table" in layout]
    beyond = int(hashlib.sha256(found[0].encode()).hexdigest()[:6], 16) % _BEYOND == 0
    if taught and not beyond:
        tables = [(number, layout) for number, layout in tables if f'[:value "{period}"]' in layout]
    if not tables:
        return {"reading": "another period", "claim": {"has_displayed_answer": False}}
    number, layout = tables[0]
    value = re.search(rf'\[:td "{region}"\] \[:td "([^"]*)"\]', layout)
    cell = {"value": value[1] if value else "", "slides": [number]}
    claim = {"has_displayed_answer": True, "claimed_values": [[cell]], "source_frames": [number]}
    return {"reading": f"slide {number}", "claim": claim}


def _written(prompt: str, wanted: str) -> dict[str, Any] | None:
    """Answer as the model that writes instructions, `None` where none are asked for.

    It finds the lesson where it is shown what was wrong, or the instruction that is to be bettered.
    """
    if "new_instruction" in wanted:
        told = "is not the answer to the question" in prompt or "not those that the question asks for" in prompt
        return {"new_instruction": f"Read the answer off the video. {LESSON if told else 'Take care.'}"}
    if "proposed_instruction" in wanted:
        about = "Decide whether the video itself shows" in prompt
        return {"proposed_instruction": f"Read the answer off the video. {LESSON}" if about else "Do as asked."}
    if "module_advice" in wanted:
        names = json.loads(prompt.rsplit("[[ ## module_names ## ]]\n", maxsplit=1)[-1].split("\n\n", maxsplit=1)[0])
        return {"discussion": "another period", "module_advice": dict.fromkeys(names, LESSON)}
    texts = ("observations", "summary", "program_description", "module_description")
    asked = [name for name in texts if f"`[[ ## {name} ## ]]`" in wanted or f"`{name}`" in wanted]
    return dict.fromkeys(asked, "Questions about figures on slides.") or None


def sender_factory(model: Teachable) -> Callable[..., Any]:
    """Return what `debriefer.models.Models(sender_factory=…)` takes, with `model` at the other end."""
    from dspy import lm15  # noqa: PLC0415 -- as the package itself, DSPy only where a model is asked

    def send(request: Any, _seconds: float) -> Any:  # noqa: ANN401 -- DSPy's classes have no types
        reply = model.answer(messages_of(request), request.config.temperature)
        given = sum(len(text) for _, text in messages_of(request)) // 4
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(reply)]),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=given, output_tokens=len(reply) // 4),
        )

    return lambda *_: send


def messages_of(request: Any) -> list[tuple[str, str]]:  # noqa: ANN401 -- as above
    """Return role and text of each message of a request, the system message first."""

    def text(parts: Any) -> str:  # noqa: ANN401 -- as above
        return parts if isinstance(parts, str) else "".join(getattr(part, "text", "") for part in parts or ())

    system = [] if request.system is None else [("system", text(request.system))]
    return [*system, *((message.role, text(message.parts)) for message in request.messages)]
