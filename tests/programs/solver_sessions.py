"""Scripted models for the Solver: they answer from what they were sent, so a wrong observation breaks a session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dspy.lm15 import (
    ContextLengthError,
    ImagePart,
    Message,
    Request,
    Response,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)

from debriefer.catalog import Catalog
from debriefer.models import Models, ModelSettings, count_tokens
from debriefer.task import Task
from debriefer.workbench import Workbench
from tests.doubles.scripted import AT_ONCE


@dataclass(frozen=True)
class Say:
    """A reply: a thought and calls, or `raw` text as it is."""

    thought: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    raw: str | None = None


def say(thought: str, *calls: tuple[str, dict[str, Any]]) -> Say:
    return Say(thought, calls)


def call(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
    return tool, arguments


@dataclass(frozen=True)
class Seen:
    """What a request shows."""

    request: Request

    @property
    def system(self) -> str:
        system = self.request.system
        return system if isinstance(system, str) else "".join(part.text for part in system or ())

    @property
    def texts(self) -> list[str]:
        return [text_of(message) for message in self.request.messages]

    @property
    def text(self) -> str:
        return "\n".join([self.system, *self.texts])

    @property
    def last(self) -> str:
        """What came back last: the tool messages or the user message at the end."""
        texts = []
        for message in reversed(self.request.messages):
            if message.role == "assistant":
                break
            texts.insert(0, text_of(message))
        return "\n".join(texts)

    @property
    def images(self) -> list[ImagePart]:
        return [part for message in self.request.messages for part in message.parts if isinstance(part, ImagePart)]

    @property
    def compresses(self) -> bool:
        return "conclusions" in self.system and "withdrawn" in self.system

    def line(self, content: str) -> tuple[int, str]:
        """Return number and hash of the last shown line of `solver.py` with this content."""
        found = re.findall(rf"^(\d+)\|([a-z]{{2}})\|{re.escape(content)}$", self.text, re.MULTILINE)
        number, letters = found[-1]
        return int(number), letters

    def region(self) -> tuple[int, int, str, str]:
        """Return first line, last line and their hashes of the editable region, as last shown."""
        first, last = (int(n) for n in re.findall(r"lines (\d+) to (\d+) may be edited", self.text)[-1])
        hashes = dict(re.findall(r"^(\d+)\|([a-z]{2})\|", self.text, re.MULTILINE))
        return first, last, hashes[str(first)], hashes[str(last)]


def text_of(message: Message) -> str:
    pieces = []
    for part in message.parts:
        if isinstance(part, TextPart):
            pieces.append(part.text)
        elif isinstance(part, ToolCallPart):
            pieces.append(f"<{part.name} {json.dumps(part.input, ensure_ascii=False)}>")
        elif isinstance(part, ToolResultPart):
            pieces += [inner.text for inner in part.content if isinstance(inner, TextPart)]
    return "".join(pieces)


def write_query(seen: Seen, sql: str, reading: str) -> tuple[str, dict[str, Any]]:
    """Return the edit that replaces the whole region by one query, with the hashes that the model was shown."""
    first, last, start_hash, end_hash = seen.region()
    content = f'# {reading}\nresult = run_sql("""\n{sql}\n""")'
    return call(
        "edit_solver",
        start_line=first,
        end_line=last,
        start_hash=start_hash,
        end_hash=end_hash,
        new_content=content,
    )


Script = Callable[[Seen], Say]


@dataclass
class Engine:
    """Plays a script in process, in the text protocol or by native tool calls.

    A script is a generator function of the first request; it is sent each later one and yields replies.
    """

    script: Callable[[Seen], Iterator[Say]]
    native: bool = False
    vision: bool = False
    window: int | None = None
    compress: Callable[[Seen], str] | None = None
    requests: list[Request] = field(default_factory=list)
    seen_error: BaseException | None = None
    _run: Any = None

    def complete(self, request: Request) -> Response:
        seen = Seen(request)
        if self.window is not None and count_tokens(seen.text) > self.window:
            message = "this model's maximum context length is exceeded"
            raise ContextLengthError(message)
        self.requests.append(request)
        if seen.compresses:
            assert self.compress is not None
            return _response(request, Say(raw=self.compress(seen)), native=False)
        try:
            if self._run is None:
                self._run = self.script(seen)
                reply = next(self._run)
            else:
                reply = self._run.send(seen)
        except StopIteration:
            message = "the script is over, but the program asked again"
            raise AssertionError(message) from None
        return _response(request, reply, native=self.native)

    @property
    def seen(self) -> list[Seen]:
        return [Seen(request) for request in self.requests]

    def models(self) -> Models:
        """Return models whose every role this engine plays, behind the package's own engine."""
        settings = ModelSettings("openai/scripted", native_tools=self.native, vision=self.vision)
        return Models(
            settings,
            sender_factory=lambda *_: lambda request, _seconds: self.complete(request),
            policy=AT_ONCE,
            environment={},
        )


def _response(request: Request, reply: Say, *, native: bool) -> Response:
    parts: list[Any]
    if reply.raw is not None:
        parts = [TextPart(reply.raw)] if reply.raw else []
    elif native:
        parts = [TextPart(reply.thought)] if reply.thought else []
        parts += [ToolCallPart(f"id{i}", name, arguments) for i, (name, arguments) in enumerate(reply.calls)]
    else:
        calls = [{"name": name, "args": arguments} for name, arguments in reply.calls]
        text = (
            f"[[ ## thought ## ]]\n{reply.thought}\n\n"
            f"[[ ## tool_calls ## ]]\n{json.dumps({'tool_calls': calls}, ensure_ascii=False)}\n\n[[ ## completed ## ]]"
        )
        parts = [TextPart(text)]
    return Response(
        id=None,
        model=request.model,
        message=Message("assistant", tuple(parts or [TextPart("")])),
        finish_reason="tool_call" if native and reply.calls else "stop",
        usage=Usage(input_tokens=1, output_tokens=1, total_tokens=2),
    )


def lay_out(folder: Path, question: str, files: Mapping[str, str]) -> Path:
    """Write a task with these files below `context/` and return its working copy with its catalog."""
    task = folder / "task"
    for name, content in files.items():
        path = task / "context" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (task / "task.json").write_text(json.dumps({"task_id": "task_1", "question": question}), encoding="utf-8")
    return prepare(task, folder / "work")


def prepare(task: Path, work: Path) -> Path:
    """Lay out a working copy with its catalog, as the pipeline does before a run."""
    copy = Task.open(task).working_copy(work)
    Workbench.create(copy.folder)
    Catalog.build(copy, copy.folder / "workdir" / "catalog.duckdb").close()
    return copy.folder
