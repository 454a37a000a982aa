"""The transcript of an attempt as Markdown, and a turn as one line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from debriefer.pipeline.outcome import Attempt

_LINE_CHARACTERS = 160
_ARGUMENT_CHARACTERS = 80
_SQL_WORD = re.compile(r"\s*(SELECT|WITH|FROM|DESCRIBE|SHOW|SUMMARIZE)\b", re.IGNORECASE)


def attempt_markdown(task_id: str, question: str, attempt: Attempt, transcript: Mapping[str, Any]) -> str:
    """Return an attempt as Markdown that a person can follow: what was asked, each turn, how it ended.

    Args:
        task_id: Identifier of the task.
        question: The task's question.
        attempt: How the attempt ended.
        transcript: `SolverResult.to_dict()`, or at least its `turns`.
    """
    verdict = "accepted" if attempt.accepted else f"rejected ({attempt.reason})"
    lines = [f"# {task_id}, attempt {attempt.number}: {verdict}", "", *_quoted(question), ""]
    cached = f" ({attempt.cached_tokens:,} from the provider's cache)" if attempt.cached_tokens else ""
    lines.append(
        f"{counted(attempt.turns, 'turn')}, {counted(attempt.requests, 'request')}, "
        f"{attempt.input_tokens:,} tokens in{cached}, "
        f"{attempt.output_tokens:,} out, {attempt.seconds:.1f} s"
    )
    if attempt.detail:
        lines += ["", f"**Why it ended:** {attempt.detail}"]
    briefing = transcript.get("briefing") or {}
    if briefing.get("remark"):
        lines += ["", f"**Told at the start:** {briefing['remark']}"]
    if briefing.get("notes"):
        lines += ["", *(f"- {note}" for note in briefing["notes"])]
    compressions = {one["before_turn"]: one for one in transcript.get("compressions", ())}
    for turn in transcript.get("turns", ()):
        lines += _compressed(compressions.get(turn["number"]))
        lines += _turn(turn)
    lines += ["", "## End", "", f"The attempt was {verdict}."]
    if transcript.get("message"):
        lines += ["", "Closing message:", "", *_quoted(transcript["message"])]
    if briefing:
        lines += _briefing(briefing)
    return "\n".join(lines) + "\n"


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "turn"), counted(2, "turn")
    ('1 turn', '2 turns')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def turn_line(turn: Mapping[str, Any]) -> str:
    """Return a turn in one line: its calls, each with the first line of what came back."""
    if turn.get("unreadable") is not None:
        return _short(f"a reply that could not be read: {turn['unreadable']}", _LINE_CHARACTERS)
    if not turn["calls"]:
        return _short(f"ends: {turn['thought']}", _LINE_CHARACTERS)
    parts = []
    for call, seen in zip(turn["calls"], turn["observations"], strict=False):
        shown = ", ".join(_short(str(value), _ARGUMENT_CHARACTERS) for value in call["arguments"].values())
        text = str(seen["text"]).strip()
        parts.append(f"{call['tool']}({shown}) → {text.splitlines()[0] if text else '(empty)'}")
    return _short("; ".join(parts), 2 * _LINE_CHARACTERS)


def _turn(turn: Mapping[str, Any]) -> list[str]:
    lines = ["", f"## Turn {turn['number']}"]
    if turn.get("unreadable") is not None:
        told = str(turn.get("correction", "")).partition("\n")[0]
        return [*lines, "", "A reply that could not be read:", "", *_fenced(turn["unreadable"]), "", f"Told: {told}"]
    if turn["thought"]:
        lines += ["", *_quoted(turn["thought"])]
    for call, seen in zip(turn["calls"], turn["observations"], strict=False):
        lines += _call(call)
        lines += ["", "came back:" if not seen.get("refused") else "was refused:", "", *_fenced(seen["text"])]
        lines += [f"- image: {image}" for image in seen.get("images", ())]
    return lines


def _call(call: Mapping[str, Any]) -> list[str]:
    """Return a call: short arguments in its heading, code and statements in blocks."""
    short: list[str] = []
    long: list[str] = []
    for name, value in call["arguments"].items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and ("\n" in text or len(text) > _ARGUMENT_CHARACTERS or _SQL_WORD.match(text)):
            language = "sql" if _SQL_WORD.match(text) else "python" if name == "new_content" else ""
            long += ["", f"`{name}`:", "", *_fenced(text, language)]
        else:
            short.append(f"{name}={text}")
    heading = f"{call['tool']}({', '.join(short)})"
    return ["", f"### {_code(heading)}", *long]


def _compressed(compression: Mapping[str, Any] | None) -> list[str]:
    if compression is None:
        return []
    before, after = compression["tokens"]
    notes = compression["notes"]
    by = "the model" if compression["by_model"] else "rule"
    lines = [
        "",
        f"*{notes['turns']} turns so far were compressed by {by}, about {before:,} → {after:,} tokens. What is kept:*",
        "",
    ]
    lines += [f"{number}. {' '.join(str(text).split())}" for number, text in notes["conclusions"]]
    if notes["next_step"]:
        lines += ["", f"Next: {notes['next_step']}"]
    return lines


def _briefing(briefing: Mapping[str, Any]) -> list[str]:
    """Return what the attempt was given, at the end, folded where Markdown is rendered."""
    evidence = "".join(_block(block) for block in briefing.get("evidence", ()))
    lines = ["", "## What the model was given"]
    for title, text in (("Task", briefing.get("knowledge", "")), ("Evidence", evidence), ("Rules", briefing["rules"])):
        if str(text).strip():
            lines += ["", f"<details><summary>{title}</summary>", "", *_fenced(text), "", "</details>"]
    return lines


def _block(block: Mapping[str, Any]) -> str:
    return str(block["text"]) if block["type"] == "text" else f"[image: {block.get('image')}]\n"


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.strip().splitlines() or [""]]


def _fenced(text: str, language: str = "") -> list[str]:
    """Return text in a fence that is longer than any run of backticks inside it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *text.rstrip("\n").split("\n"), fence]


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks}{text}{ticks}" if longest == 0 else f"{ticks} {text} {ticks}"


def _short(text: str, characters: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def turns_of(turns: Sequence[Any]) -> list[dict[str, Any]]:
    """Return turns of the Solver as JSON values, as `SolverResult.to_dict` has them.

    For attempts that ended by an exception, of which there is no result.
    """
    values = []
    for turn in turns:
        value: dict[str, Any] = turn.model_dump(mode="json")
        for seen in value["observations"]:
            seen["images"] = [_placeholder(url) for url in seen["images"]]
        values.append(value)
    return values


def _placeholder(url: str) -> str:
    if url.startswith("data:"):
        kind = url.removeprefix("data:").partition(";")[0]
        return f"[{kind}, {len(url)} characters]"
    return url.partition("?")[0]
