# ruff: noqa: ANN401 -- JSON comes in
"""A small OpenAI-compatible server in its own process: plays a script, and faults, over loopback.

    python -m tests.doubles.server SCRIPT.py[:FUNCTION] [--key KEY] [--context-window N] [--overflow WORDING]
                                   [--refuse-first SECONDS] [--port N]

Prints `PORT <n>` once it listens. `FUNCTION` (default `respond`) takes a `Turn` and returns an answer. `GET /log`
returns what was received. It ends when its standard input does, unless that is a terminal. `Server` starts and
stops it for a test.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import traceback
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.conftest import ROOT
from tests.doubles.script import Fault, Reply, Script, ToolCall, Turn, overflow

# Prompts that the double's prompt cache holds.
_REMEMBERED = 100


class Server:
    """The server as a child process; a context manager.

    Attributes:
        url: Its address, for `MODEL_API_URL`.
    """

    def __init__(self, script: Path, *options: str, function: str = "respond") -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "tests.doubles.server", f"{script}:{function}", *options]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("PORT "):
            self.close()
            message = f"the server did not start: {line!r}"
            raise RuntimeError(message)
        self.port = int(line.split()[1])
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def log(self) -> list[dict[str, Any]]:
        """Return the requests received: `body`, `authorization`, `time` and the `outcome`."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/log", timeout=10) as answer:
            log: list[dict[str, Any]] = json.load(answer)
            return log

    def close(self) -> None:
        """Stop the process."""
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(5)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class State:
    """What the handlers share."""

    def __init__(self, script: Script, options: argparse.Namespace) -> None:
        self.script = script
        self.options = options
        self.log: list[dict[str, Any]] = []
        self.memory: dict[str, Any] = {}
        self.prompts: list[str] = []
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        self.refuse_seconds = 0.0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: State

    def do_GET(self) -> None:
        if self.path == "/log":
            with self.state.lock:
                self._send(200, json.dumps(self.state.log))
        elif self.path == "/v1/models":
            self._send(200, json.dumps({"object": "list", "data": []}))
        else:
            self._send(404, _error(Fault(status=404, message=f"no such path {self.path}")))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = {"body": body, "authorization": self.headers.get("Authorization"), "time": time.time()}
        state = self.state
        with state.lock:
            state.log.append(entry)
            answer = self._answer(body)
        entry["outcome"] = f"{answer.kind}: {answer.message}" if isinstance(answer, Fault) else "reply"
        if isinstance(answer, Fault):
            self._fail(answer)
        else:
            time.sleep(answer.delay)
            self._send(200, json.dumps(self._completion(answer, body), ensure_ascii=False))

    def _answer(self, body: dict[str, Any]) -> Reply | Fault:
        options = self.state.options
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.path != "/v1/chat/completions":
            return Fault(status=404, message=f"no such path {self.path}")
        if options.key and given != options.key:
            # OpenAI shows the key it was given; here all of it, so that the client has something to hide.
            return Fault(status=401, code="invalid_api_key", message=f"Incorrect API key provided: {given}")
        turn = turn_of(body, next(self.state.numbers), self.state.memory)
        if options.context_window and len(turn.text) // 4 > options.context_window:
            return overflow(options.overflow)
        try:
            answer = self.state.script(turn)
        except Exception as error:  # noqa: BLE001 -- a script that cannot go on is a broken session, told to the client
            message = f"script: {error!r:.300}\n{traceback.format_exc()}"
            return Fault(status=400, type="invalid_request_error", message=message)
        return Reply(answer) if isinstance(answer, str) else answer

    def _fail(self, fault: Fault) -> None:
        self.close_connection = True
        if fault.kind == "status":
            self._send(fault.status, _error(fault), fault.headers)
        elif fault.kind == "malformed":
            self._send(200, '{"id": "x", "choices": [{"message": {"con')
        elif fault.kind == "hang":
            time.sleep(fault.seconds)
        elif fault.kind == "trickle":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            end = time.monotonic() + fault.seconds
            while time.monotonic() < end:
                try:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(0.05)
        elif fault.kind == "refuse":
            self.state.refuse_seconds = fault.seconds
            threading.Thread(target=self.server.shutdown).start()

    def _completion(self, reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.reasoning is not None:
            message["reasoning_content"] = reply.reasoning
        if reply.tool_calls:
            message["tool_calls"] = [_tool_call(call, place) for place, call in enumerate(reply.tool_calls)]
        reason = reply.finish_reason or ("tool_calls" if reply.tool_calls else "stop")
        return {
            "id": "chatcmpl-double",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": reply.usage or self._usage(reply, body),
        }

    def _usage(self, reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
        """Four characters a token; what an earlier prompt began with counts as cached."""
        prompt = json.dumps(body["messages"], ensure_ascii=False)
        with self.state.lock:
            shared = max((_shared(prompt, old) for old in self.state.prompts[-_REMEMBERED:]), default=0)
            self.state.prompts.append(prompt)
        given, made = len(prompt) // 4, len(reply.text or "") // 4 + 8 * len(reply.tool_calls)
        return {
            "prompt_tokens": given,
            "completion_tokens": made,
            "total_tokens": given + made,
            "prompt_tokens_details": {"cached_tokens": shared // 4},
        }

    def _send(self, status: int, text: str, headers: Any = None) -> None:
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True  # the client has given up

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr; `/log` has it all."""


def turn_of(body: dict[str, Any], number: int, memory: dict[str, Any]) -> Turn:
    images = 0

    def text_of(content: Any) -> str:
        nonlocal images
        if isinstance(content, str):
            return content
        pieces = []
        for block in content or []:
            if block["type"] == "text":
                pieces.append(block["text"])
            elif block["type"] == "image_url":
                images += 1
                pieces.append(f"<image {len(block['image_url']['url'])} characters>")
        return "".join(pieces)

    def message_of(message: dict[str, Any]) -> tuple[str, str]:
        calls = [f"{c['function']['name']}({c['function']['arguments']})" for c in message.get("tool_calls") or []]
        return message["role"], "\n".join(part for part in (text_of(message.get("content")), *calls) if part)

    return Turn(
        number=number,
        model=body["model"],
        messages=tuple(message_of(message) for message in body["messages"]),
        tools=tuple(tool["function"]["name"] for tool in body.get("tools") or []),
        images=images,
        response_format=body.get("response_format"),
        temperature=body.get("temperature"),
        max_tokens=body.get("max_tokens") or body.get("max_completion_tokens"),
        state=memory,
    )


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning, found by halving: a comparison of each character takes seconds."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _tool_call(call: ToolCall, place: int) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    identity = call.id or f"call_{place}"
    return {"id": identity, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _error(fault: Fault) -> str:
    return json.dumps({"error": {"message": fault.message, "type": fault.type, "code": fault.code}})


def load(spec: str) -> Script:
    """Return the function of `path.py:function`."""
    path, _, function = spec.rpartition(":")
    module_spec = importlib.util.spec_from_file_location("script", path)
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    # Dataclasses look their module up.
    sys.modules[module_spec.name] = module
    module_spec.loader.exec_module(module)
    script: Script = getattr(module, function)
    return script


class Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error here; a script that fails is, and its trace helps."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def watch_parent() -> None:
    """End with the process that holds the other end of standard input, however that one ends."""
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("script")
    parser.add_argument("--key")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--context-window", type=int)
    parser.add_argument("--overflow", default="openai")
    parser.add_argument("--refuse-first", type=float, default=0.0)
    options = parser.parse_args()
    state = State(load(options.script), options)
    handler = type("BoundHandler", (Handler,), {"state": state})
    server = Listener(("127.0.0.1", options.port), handler)
    port = server.server_port
    state.refuse_seconds = options.refuse_first
    if not sys.stdin.isatty():
        threading.Thread(target=watch_parent, daemon=True).start()
    print(f"PORT {port}", flush=True)  # noqa: T201
    while True:
        if state.refuse_seconds:
            server.server_close()
            time.sleep(state.refuse_seconds)
            state.refuse_seconds = 0.0
            server = Listener(("127.0.0.1", port), handler)
        server.serve_forever(poll_interval=0.02)


if __name__ == "__main__":
    main()
