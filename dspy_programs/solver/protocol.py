"""How a turn goes out and comes back: messages that only ever grow at their end, and replies read with patience.

Each request repeats the one before byte for byte and adds to it, so that providers' prompt caches hold. Only a
compression rewrites what was said, and only behind the task's own message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from debriefer.models import neutralise, neutralise_all
from dspy_programs.solver.evidence import Evidence
from dspy_programs.solver.tools import TOOLS
from dspy_programs.solver.trajectory import Call, Trajectory, Turn, call_text, image_block

REPLY_FORM = """\
# Form of each reply

Reply in exactly this form, with nothing before or after it:

[[ ## thought ## ]]
what is known, what is missing, what comes next

[[ ## tool_calls ## ]]
{"tool_calls": [{"name": "explore_data", "args": {"query": "\\\\tables"}}]}

[[ ## completed ## ]]

Several calls of one reply run in order. To end the run, say in the thought what was delivered and give
{"tool_calls": []}."""

NATIVE_FORM = """\
# Form of each reply

Say briefly what is known, what is missing and what comes next, and call tools. Several calls of one reply run in order.
A reply without a tool call ends the run."""

# What is shown of a reply that could not be read, and of one example of another task.
_UNREADABLE_CHARACTERS = 2_000
_DEMO_CHARACTERS = 6_000
_LEFT_OUT = "[… earlier turns left out]"
_HEADER = re.compile(r"^\s*\[\[ ## (\w+) ## \]\][ \t]*", re.MULTILINE)
# The form in which several families write tool calls into the text when the server does not take them out.
_LEAKED_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_OBJECT = re.compile(r"(?:```(?:json)?\s*)?(\{.*\})(?:\s*```)?", re.DOTALL)
_NO_CALLS = frozenset({"", "none", "null", "[]", "{}", "no", "n/a"})


class SolverAdapter(dspy.ChatAdapter):
    """DSPy's chat adapter, with the run as a conversation of its own.

    The system message holds the instructions, the rules and the tools; the first user message the task and user layers;
    then each turn is an assistant message and what came back. For other signatures it is the chat adapter.

    A reply that cannot be read raises `AdapterParseError` and costs one request: there is no silent second one.
    """

    def __init__(self, *, native: bool = False) -> None:
        """Make the adapter.

        Args:
            native: Use the model's own tool calls, if the language model says that it has them.
        """
        super().__init__(use_native_function_calling=native, use_json_adapter_fallback=False)

    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Return the messages of a request."""
        if not _is_action(signature):
            messages: list[dict[str, Any]] = super().format(signature, demos, inputs)
            return messages
        native = "tool_calls" not in signature.output_fields
        trajectory: Trajectory = inputs["trajectory"]
        messages = [
            {"role": "system", "content": system_message(signature.instructions, inputs, demos, native=native)},
            {"role": "user", "content": _content(task_message(inputs, trajectory))},
        ]
        for turn in trajectory.turns:
            messages += _native_turn(turn) if native else _text_turn(turn)
        return messages

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Return the output fields of a reply.

        Read beside the form that was asked for: a missing thought, an empty list of calls in any spelling, and
        `<tool_call>` blocks in the text, and one JSON object with the fields. Text alone ends the run only in native
        mode.

        Raises:
            AdapterParseError: The reply has no calls that can be read.
        """
        if "thought" not in signature.output_fields:
            fields: dict[str, Any] = super().parse(signature, completion)
            return fields
        sections = _sections(completion)
        leaked = leaked_calls(completion)
        if leaked:
            thought = sections.get("thought", _LEAKED_CALL.sub("", completion)).strip()
            return {"thought": _LEAKED_CALL.sub("", thought).strip(), "tool_calls": leaked}
        bare = bare_object(completion) if len(sections) == 1 else None
        if bare is not None:
            sections = bare
        native = "tool_calls" not in signature.output_fields
        if native and "tool_calls" not in sections:
            return {"thought": sections.get("thought", completion).strip()}
        thought = sections.get("thought", sections.get("", "")).strip()
        calls = sections.get("tool_calls")
        if calls is not None and calls.strip().strip("`").casefold() in _NO_CALLS:
            return {"thought": thought, "tool_calls": dspy.ToolCalls(tool_calls=[])}
        if calls is None:
            raise self._unreadable(signature, completion, "it has no `[[ ## tool_calls ## ]]` section")
        try:
            read = self._read_calls(calls)
        except (AdapterParseError, ValueError, RecursionError) as error:
            raise self._unreadable(signature, completion, "its `tool_calls` are no JSON list of calls") from error
        return {"thought": thought, "tool_calls": read}

    def _read_calls(self, text: str) -> dspy.ToolCalls:
        """Read calls as they were written where they are JSON; only what is not goes through DSPy's repair."""
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            # The repair splits lines at characters that are none in JSON (U+0085, U+2028), so it comes second.
            return super().parse(_TextReply, f"[[ ## tool_calls ## ]]\n{text}")["tool_calls"]
        return dspy.ToolCalls.model_validate(value)

    @staticmethod
    def _unreadable(signature: type[dspy.Signature], completion: str, reason: str) -> AdapterParseError:
        return AdapterParseError(
            adapter_name="SolverAdapter", signature=signature, lm_response=completion, message=reason
        )


class _TextReply(dspy.Signature):
    """The part of a reply that DSPy parses."""

    anything: str = dspy.InputField()
    tool_calls: dspy.ToolCalls = dspy.OutputField()


def system_message(
    instructions: str, inputs: Mapping[str, Any], demos: Sequence[Mapping[str, Any]], *, native: bool
) -> str:
    """Return the system message: instructions, tools, form of a reply, examples, rules.

    What differs between tasks (the tree of the folder, at the end of the rules) comes last, so that tasks share
    the longest prefix.
    """
    parts = [instructions.strip()]
    if not native:
        documentation = [TOOLS[tool.name].documentation() for tool in inputs["tools"] if tool.name in TOOLS]
        parts.append("# Tools that can be called\n\n" + "\n\n".join(documentation))
    parts.append(NATIVE_FORM if native else REPLY_FORM)
    # Labelled examples without a turn (a task and its gold) show nothing of how to act.
    turns = [demo for demo in demos if demo.get("tool_calls") is not None]
    if turns:
        examples = [_demo(number, demo) for number, demo in enumerate(turns, start=1)]
        parts.append("# Good turns from other tasks\n\n" + "\n\n".join(examples))
    parts.append(str(inputs["rules"]).strip())
    return "\n\n".join(parts)


def task_message(inputs: Mapping[str, Any], trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return the content blocks of the first user message: task layer, user layer, conclusions of removed turns."""
    evidence: Evidence = inputs["evidence"]
    blocks = [_text(f"{inputs['knowledge']}\n\n"), *evidence.format(), _text(f"\n# Question\n\n{inputs['question']}\n")]
    if trajectory.notes is not None:
        blocks.append(_text(f"\n# Work so far\n\n{neutralise(trajectory.notes.text())}\n"))
    return blocks


def leaked_calls(text: str) -> dspy.ToolCalls | None:
    """Return the calls that stand in a text as `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, if any."""
    found = []
    for block in _LEAKED_CALL.findall(text):
        try:
            value = json.loads(block)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            found.append({"name": value["name"], "args": value.get("arguments", value.get("args")) or {}})
    return dspy.ToolCalls.from_dict_list(found) if found else None


def bare_object(text: str) -> dict[str, str] | None:
    """Return the fields of a reply that is one JSON object with `tool_calls`, perhaps in a code fence, else `None`."""
    found = _OBJECT.fullmatch(text.strip())
    try:
        value = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "tool_calls" not in value:
        return None
    return {"thought": str(value.get("thought", "")), "tool_calls": json.dumps(value["tool_calls"])}


def shown_reply(reply: str) -> str:
    """Return what a later request repeats of a reply that could not be read."""
    # Assistant messages are never expanded, so markers have no power here; lone surrogates have no bytes anywhere.
    reply = reply.encode("utf-8", "replace").decode().strip()
    if len(reply) <= _UNREADABLE_CHARACTERS:
        return reply or "(empty reply)"
    return f"{reply[:_UNREADABLE_CHARACTERS]}\n[… {len(reply) - _UNREADABLE_CHARACTERS} more characters]"


def correction(reason: str, *, native: bool) -> str:
    """Return what a model is told whose reply could not be read."""
    form = NATIVE_FORM if native else REPLY_FORM
    return f"Your reply could not be read: {reason}. Nothing was run. Send the turn again.\n\n{form}"


def _is_action(signature: type[dspy.Signature]) -> bool:
    return {"rules", "knowledge", "evidence", "question", "trajectory"} <= set(signature.input_fields)


def _text_turn(turn: Turn) -> list[dict[str, Any]]:
    if turn.unreadable is not None:
        return [_assistant(turn.unreadable), {"role": "user", "content": turn.correction}]
    calls = [{"name": call.tool, "args": call.arguments} for call in turn.calls]
    reply = (
        f"[[ ## thought ## ]]\n{neutralise(turn.thought)}\n\n[[ ## tool_calls ## ]]\n"
        f"{_json({'tool_calls': calls})}\n\n[[ ## completed ## ]]"
    )
    blocks: list[dict[str, Any]] = []
    for number, observation in enumerate(turn.observations, start=1):
        blocks.append(_text(f"[{number}. {observation.tool}]\n{neutralise(observation.text)}\n\n"))
        blocks += [image_block(url) for url in observation.images]
    return [_assistant(reply), {"role": "user", "content": _content(blocks)}]


def _native_turn(turn: Turn) -> list[dict[str, Any]]:
    if turn.unreadable is not None:
        return [_assistant(turn.unreadable), {"role": "user", "content": turn.correction}]
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _json(call.arguments)}}
        for call in turn.calls
    ]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": neutralise(turn.thought) or None, "tool_calls": calls}
    ]
    messages += [
        {"role": "tool", "tool_call_id": seen.call_id, "name": seen.tool, "content": neutralise(seen.text)}
        for seen in turn.observations
    ]
    # Tool messages carry text only; pictures follow in a message of their own.
    pictures = [image_block(url) for observation in turn.observations for url in observation.images]
    if pictures:
        messages.append({"role": "user", "content": [_text("Pictures returned by the tools:\n"), *pictures]})
    return messages


def _demo(number: int, demo: Mapping[str, Any]) -> str:
    """Return an example turn as text: the question, the last of what was seen, the turn that followed."""
    question = str(demo.get("question", "")).partition("\n")[0]
    seen = example_text(demo.get("trajectory", ""))
    calls = dspy.ToolCalls.model_validate(demo["tool_calls"])
    lines = [f"Example {number}. Question: {question}"]
    if seen:
        lines.append(f"So far:\n{seen}")
    lines.append(f"Next thought: {demo.get('thought', '')}")
    lines += [
        f"Next call: {call_text(Call(id='', tool=call.name, arguments=call.args))}" for call in calls.tool_calls
    ] or ["No call: the run ends."]
    return neutralise("\n".join(lines))


def example_text(trajectory: Trajectory | str) -> str:
    """Return what an example shows of the run before its turn: the end of it, as plain text."""
    text = trajectory.text() if isinstance(trajectory, Trajectory) else str(trajectory)
    if len(text) <= _DEMO_CHARACTERS:
        return text
    return f"{_LEFT_OUT}\n{text.removeprefix(_LEFT_OUT)[-_DEMO_CHARACTERS:].lstrip()}"


def _sections(completion: str) -> dict[str, str]:
    """Return the text below each `[[ ## name ## ]]` line, the first of a name; text before them under ``""``."""
    pieces = _HEADER.split(completion)
    sections = {"": pieces[0]}
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        sections.setdefault(name, text)
    return sections


def _assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _content(blocks: Sequence[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return blocks as one string where all are text, else with neighbouring text joined."""
    joined: list[dict[str, Any]] = []
    for block in blocks:
        if block["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = _text(joined[-1]["text"] + block["text"])
        else:
            joined.append(block)
    if all(block["type"] == "text" for block in joined):
        return "".join(block["text"] for block in joined)
    return joined


def _json(value: object) -> str:
    return json.dumps(neutralise_all(value), ensure_ascii=False, default=str)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
