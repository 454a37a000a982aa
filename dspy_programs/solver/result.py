"""What a Solver run gives back, and its transcript as a person reads it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from debriefer.models import Totals
from dspy_programs.solver.prompt import Briefing
from dspy_programs.solver.trajectory import Call, Notes, Observation, Turn

Reason = Literal["finished", "budget", "unreadable replies", "context window", "model error"]

_WIDTH = 100
_RULE = "─" * _WIDTH


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression of older turns.

    Attributes:
        before_turn: Number of the turn that followed it.
        notes: The notes afterwards.
        by_model: Whether a model wrote the conclusions; otherwise they were taken from the turns by rule.
        tokens: Estimated size of the request before and after.
    """

    before_turn: int
    notes: Notes
    by_model: bool
    tokens: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SolverResult:
    """What became of one run of the Solver.

    Attributes:
        finished: Whether the model ended the run by a turn without tool calls. A run that hit a bound or an error
            is not finished, whatever it left in `workdir/`.
        reason: Why the run ended.
        detail: The error or the bound in words; empty where the run finished.
        message: The model's closing message.
        turns: All turns in full, also those that were compressed for the model.
        notes: The conclusions at the end, where turns were compressed.
        compressions: When and how turns were compressed.
        requests: Requests to the model, retries and compressions included.
        usage: Tokens, cost and time of these requests.
        briefing: What the run was given.
        prediction: Path of `prediction.csv` if the run left one, else `None`. Whether it is accepted is not decided
            here.
    """

    finished: bool
    reason: Reason
    detail: str
    message: str
    turns: tuple[Turn, ...]
    notes: Notes | None
    compressions: tuple[Compression, ...]
    requests: int
    usage: Totals
    briefing: Briefing
    prediction: Path | None = field(default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the result with its transcript as JSON-able values; images become placeholders."""
        return {
            "finished": self.finished,
            "reason": self.reason,
            "detail": self.detail,
            "message": self.message,
            "requests": self.requests,
            "usage": self.usage.to_dict(),
            "prediction": None if self.prediction is None else self.prediction.name,
            "briefing": {
                "rules": self.briefing.rules,
                "knowledge": self.briefing.knowledge,
                "evidence": [_without_image(block) for block in self.briefing.evidence.format()],
                "question": self.briefing.question,
                "remark": self.briefing.remark,
                "notes": list(self.briefing.notes),
            },
            "turns": [_turn(turn) for turn in self.turns],
            "notes": None if self.notes is None else self.notes.model_dump(mode="json"),
            "compressions": [
                {
                    "before_turn": compression.before_turn,
                    "notes": compression.notes.model_dump(mode="json"),
                    "by_model": compression.by_model,
                    "tokens": list(compression.tokens),
                }
                for compression in self.compressions
            ],
        }


def render_transcript(result: SolverResult, *, briefing: bool = False, lines_shown: int | None = 40) -> str:
    """Return a run as text that a person can follow.

    Args:
        result: The run.
        briefing: Show what the run was given, too, in full.
        lines_shown: Longest output of a tool, in lines; `None` for all of it. What is left out is counted.
    """
    question = result.briefing.question.partition("\n")[0]
    lines = [_RULE, f"Question: {question}", _RULE]
    lines += [f"note: {note}" for note in result.briefing.notes]
    if result.briefing.remark:
        lines.append(textwrap.fill(f"told: {result.briefing.remark}", _WIDTH))
    if briefing:
        evidence = "".join(block.get("text", "[image]\n") for block in result.briefing.evidence.format())
        for title, text in (
            ("Rules", result.briefing.rules),
            ("Task", result.briefing.knowledge),
            ("Evidence", evidence),
        ):
            lines += [f"── {title}", _indent(text), ""]
    compressions = {compression.before_turn: compression for compression in result.compressions}
    for turn in result.turns:
        lines += _compression_lines(compressions.get(turn.number))
        lines += _turn_lines(turn, lines_shown)
    lines.append(_RULE)
    ending = "finished" if result.finished else f"not finished: {result.reason}"
    usage = result.usage
    tokens = f", {usage.input_tokens} tokens in ({usage.cached_tokens} cached), {usage.output_tokens} out"
    lines.append(f"{ending}, {len(result.turns)} turns, {result.requests} requests{tokens if usage.requests else ''}")
    if result.detail:
        lines.append(f"detail: {result.detail}")
    lines.append(f"prediction: {'none' if result.prediction is None else result.prediction.name}")
    return "\n".join(lines) + "\n"


def _turn_lines(turn: Turn, lines_shown: int | None) -> list[str]:
    lines = ["", f"── Turn {turn.number}"]
    if turn.unreadable is not None:
        return [
            *lines,
            "reply that could not be read:",
            _indent(turn.unreadable),
            f"told: {turn.correction.split('. ')[0]}",
        ]
    if turn.thought:
        lines.append(textwrap.fill(turn.thought, _WIDTH, replace_whitespace=False, break_long_words=False))
    for call, seen in zip(turn.calls, turn.observations, strict=False):
        lines += _call_lines(call)
        lines += [_indent(_head(seen.text, lines_shown), "  │ "), *("  │ [image]" for _ in seen.images)]
    return lines


def _call_lines(call: Call) -> list[str]:
    """Return a call with its short arguments on one line and the long ones below, as they are."""
    short = {
        name: value for name, value in call.arguments.items() if "\n" not in str(value) and len(str(value)) <= _WIDTH
    }
    long = {name: value for name, value in call.arguments.items() if name not in short}
    shown = ", ".join(
        f"{name}={value!r}" if not isinstance(value, str) else f"{name}={value}" for name, value in short.items()
    )
    lines = [f"→ {call.tool}({shown})"]
    for name, value in long.items():
        lines += [f"  {name}:", _indent(str(value), "    ")]
    return lines


def _compression_lines(compression: Compression | None) -> list[str]:
    if compression is None:
        return []
    before, after = compression.tokens
    by = "by the model" if compression.by_model else "by rule"
    heading = f"── {compression.notes.turns} turns compressed {by}: about {before} → {after} tokens"
    return ["", heading, _indent(compression.notes.text())]


def _head(text: str, lines_shown: int | None) -> str:
    lines = text.rstrip("\n").split("\n")
    if lines_shown is None or len(lines) <= lines_shown:
        return text
    return "\n".join([*lines[:lines_shown], f"({len(lines) - lines_shown} more lines)"])


def _indent(text: str, prefix: str = "  ") -> str:
    return textwrap.indent(text.rstrip("\n"), prefix, lambda _: True)


def _turn(turn: Turn) -> dict[str, Any]:
    values = turn.model_dump(mode="json")
    values["observations"] = [_observation(seen) for seen in turn.observations]
    return values


def _observation(seen: Observation) -> dict[str, Any]:
    return {**seen.model_dump(mode="json"), "images": [_placeholder(url) for url in seen.images]}


def _without_image(block: dict[str, Any]) -> dict[str, Any]:
    return block if block["type"] == "text" else {"type": "image", "image": _placeholder(block["image_url"]["url"])}


def _placeholder(url: str) -> str:
    """Return an image in a few characters: its type and size, or its address without a query."""
    if url.startswith("data:"):
        header, _, data = url.partition(",")
        return f"[{header.removeprefix('data:').partition(';')[0]}, {len(data)} characters]"
    return url.partition("?")[0]
