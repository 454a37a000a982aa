"""What has happened in a run so far: turns of thought, calls and observations, and the conclusions of older ones."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pydantic

from debriefer.models import neutralise

_FROZEN = pydantic.ConfigDict(frozen=True, extra="forbid")


class Call(pydantic.BaseModel):
    """One tool call as the model asked for it.

    Attributes:
        id: Identifier that pairs the call with its observation; unique in a run.
        tool: Name of the tool, as the model spelled it.
        arguments: Arguments by name, not yet checked.
    """

    model_config = _FROZEN

    id: str
    tool: str
    arguments: dict[str, Any] = {}


class Observation(pydantic.BaseModel):
    """What came back from one tool call.

    Attributes:
        call_id: Identifier of the call.
        tool: Name of the tool.
        text: The text that the model is shown.
        images: Image URLs (`data:` or `https:`) that the model is shown after the text, if it sees.
        refused: Whether the call could not be made (unknown tool, bad arguments), as opposed to what the tool said.
    """

    model_config = _FROZEN

    call_id: str
    tool: str
    text: str
    images: tuple[str, ...] = ()
    refused: bool = False


class Turn(pydantic.BaseModel):
    """One reply of the model and what it led to.

    Attributes:
        number: Counts the turns of a run from 1.
        thought: The model's reasoning, or its closing message where it called no tool.
        calls: Tool calls, in the order in which they ran.
        observations: One for each call, in the same order.
        unreadable: The reply itself where it could not be read as a turn, else `None`.
        correction: What the model was told about an unreadable reply, else empty.
    """

    model_config = _FROZEN

    number: int
    thought: str = ""
    calls: tuple[Call, ...] = ()
    observations: tuple[Observation, ...] = ()
    unreadable: str | None = None
    correction: str = ""

    def text(self) -> str:
        """Return the turn as plain text, images as placeholders."""
        lines = [f"Turn {self.number}"]
        if self.unreadable is not None:
            lines += ["unreadable reply:", self.unreadable, f"correction: {self.correction}"]
            return "\n".join(lines)
        if self.thought:
            lines.append(f"thought: {self.thought}")
        for call, observation in zip(self.calls, self.observations, strict=False):
            lines.append(f"call: {call_text(call)}")
            lines.append(f"observation of {observation.tool}:\n{observation.text}")
            lines += ["[image]" for _ in observation.images]
        return "\n".join(lines)


class Notes(pydantic.BaseModel):
    """What is kept of turns that no longer fit the model's window.

    Attributes:
        conclusions: Facts and decisions with a number each that stays theirs, oldest first.
        next_step: What the model meant to do next when the last turns were compressed.
        turns: Number of turns that the notes stand for.
        dropped: Number of conclusions that were left out for lack of room.
    """

    model_config = _FROZEN

    conclusions: tuple[tuple[int, str], ...] = ()
    next_step: str = ""
    turns: int = 0
    dropped: int = 0

    def text(self) -> str:
        """Return the notes as the model reads them in place of the turns."""
        if not self.turns:
            return "(nothing yet)"
        lines = [f"The first {self.turns} turns are compressed to save room. Their conclusions:"]
        if self.dropped:
            lines.append(f"({self.dropped} of the oldest conclusions were left out for lack of room)")
        lines += [f"{number}. {conclusion}" for number, conclusion in self.conclusions]
        if self.next_step:
            lines.append(f"Next step at that point: {self.next_step}")
        return "\n".join(lines)


class Trajectory(dspy.Type):
    """A run so far, oldest turn first. Immutable: each request gets one of its own, so that traces stay true.

    Attributes:
        notes: Conclusions of the turns that were compressed, or `None`.
        turns: Turns in full.
    """

    model_config = _FROZEN

    notes: Notes | None = None
    turns: tuple[Turn, ...] = ()

    def format(self) -> list[dict[str, Any]]:
        """Return content blocks: text, and images between it where tools returned any."""
        blocks: list[dict[str, Any]] = []
        if self.notes is not None:
            blocks.append(_text_block(neutralise(self.notes.text()) + "\n"))
        for turn in self.turns:
            blocks.append(_text_block(neutralise(turn.text()) + "\n"))
            blocks += [image_block(url) for observation in turn.observations for url in observation.images]
        return blocks or [_text_block("Nothing has been done yet.")]

    def text(self) -> str:
        """Return the run as plain text, images as placeholders."""
        parts = [] if self.notes is None else [self.notes.text()]
        return "\n\n".join(parts + [turn.text() for turn in self.turns])


def call_text(call: Call) -> str:
    """Return a call as one line of text: the tool and its arguments as JSON.

    >>> call_text(Call(id="c1", tool="run_solver", arguments={"rows": 3}))
    'run_solver({"rows": 3})'
    """
    return f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False, default=str)})"


def image_block(url: str) -> dict[str, Any]:
    """Return the content block of an image."""
    return {"type": "image_url", "image_url": {"url": url}}


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
