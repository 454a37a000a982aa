"""Our models over real HTTP, against a server in its own process."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dspy
import pytest

from debriefer.models import Budget, Meter, Models, ModelSettings, budget_error
from tests.conftest import ROOT
from tests.doubles.server import Server

SCRIPT = Path(__file__).with_name("model_script.py")
KEY = "sk-served-key-1"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(SCRIPT, "--key", KEY) as running:
        yield running


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(function: str, *options: str) -> Server:
        running.append(Server(SCRIPT, *options, function=function))
        return running[-1]

    yield start
    for one in running:
        one.close()


def models_at(*servers: Server, **values: object) -> Models:
    settings = ModelSettings("double", base_urls=tuple(one.url for one in servers), api_key=KEY, timeout_seconds=0.5)
    return Models(settings.with_values(**values), environment={})


def ask(models: Models, question: str = "2+2", meter: Meter | None = None) -> str:
    with models.using("solver", meter):
        answer: str = dspy.Predict("question -> answer")(question=question).answer
        return answer


def test_a_request_and_its_reply(server: Server) -> None:
    models = models_at(server, temperature=0.25, max_output_tokens=77)
    assert ask(models) == "2+2 over"
    received = server.log()[-1]
    assert received["authorization"] == f"Bearer {KEY}"
    body = received["body"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("double", 0.25, 77)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    call = models.ledger.calls[0]
    assert (call.status, call.endpoint) == ("ok", f"127.0.0.1:{server.port}")
    assert call.input_tokens
    assert call.output_tokens


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("server error", "server_error"),
        ("malformed", "malformed"),
        ("dropped", "transport"),
        ("hang", "timeout"),
        ("trickle", "timeout"),
    ],
)
def test_a_passing_fault_is_outlasted(server: Server, fault: str, status: str) -> None:
    models, meter = models_at(server), Meter()
    assert ask(models, fault, meter) == f"{fault} over"
    assert [call.status for call in models.ledger.calls] == [status, "ok"]
    assert meter.requests == 2
    assert models.ledger.calls[0].seconds < 2


@pytest.mark.parametrize(
    ("usage", "given"),
    [
        ('{"prompt_tokens": -1, "completion_tokens": 3, "total_tokens": 2}', None),
        ('{"prompt_tokens": 70, "completion_tokens": null, "prompt_tokens_details": {"cached_tokens": "none"}}', 70),
        ('{"prompt_tokens": 70.0, "completion_tokens": true, "prompt_tokens_details": [1], "queue_time": 0.25}', 70),
    ],
)
def test_a_wrong_count_does_not_cost_the_reply(serve: Callable[..., Server], usage: str, given: int | None) -> None:
    models = models_at(serve("miscounts"))
    assert ask(models, usage) == "4"
    (call,) = models.ledger.calls
    assert call.input_tokens == given or (given is None and call.input_tokens)
    assert call.output_tokens
    assert call.status == "ok"


def test_retry_after_is_honoured(server: Server) -> None:
    models = models_at(server)
    assert ask(models, "rate limit") == "rate limit over"
    refusal, reply = server.log()[-2:]
    assert 1.0 <= reply["time"] - refusal["time"] < 4


def test_an_endpoint_that_is_down_for_a_while_is_outlasted_without_using_up_requests(
    serve: Callable[..., Server],
) -> None:
    models, meter = models_at(serve("respond")), Meter(Budget(requests=2))
    assert ask(models, "refused", meter) == "refused over"
    statuses = [call.status for call in models.ledger.calls]
    assert statuses[0] == "transport"
    assert set(statuses[1:-1]) == {"unreachable"}
    assert statuses[-1] == "ok"
    assert meter.requests == 2


@pytest.mark.parametrize("wording", ["openai overflow", "llama.cpp overflow"])
def test_an_overflow_is_one(server: Server, wording: str) -> None:
    with pytest.raises(dspy.ContextWindowExceededError):
        ask(models_at(server), wording)


def test_the_server_refuses_what_does_not_fit_its_window(serve: Callable[..., Server]) -> None:
    small = serve("respond", "--context-window", "300", "--overflow", "vllm")
    assert ask(models_at(small)) == "2+2 over"
    with pytest.raises(dspy.ContextWindowExceededError):
        ask(models_at(small), "word " * 400)


def test_a_wrong_key_fails_at_once_and_is_not_shown(server: Server) -> None:
    models = models_at(server, api_key="sk-wrong-key-2")
    with pytest.raises(dspy.LMAuthError) as caught:
        ask(models)
    assert len(models.ledger.calls) == 1
    assert "Incorrect API key provided: ***" in str(caught.value)
    assert "sk-wrong-key-2" not in f"{caught.value!r}{caught.value.__cause__!r}{models.ledger.to_dict()}"


def test_a_busy_endpoint_is_left_for_the_next(serve: Callable[..., Server], server: Server) -> None:
    models = models_at(serve("always_busy"), server)
    began = time.monotonic()
    assert [ask(models), ask(models)] == ["2+2 over"] * 2
    assert time.monotonic() - began < 5
    assert [call.http_status for call in models.ledger.calls] == [429, None, None]


def test_a_budget_stops_over_http(server: Server) -> None:
    models, meter = models_at(server), Meter(Budget(requests=2))
    before = len(server.log())
    ask(models, "a", meter)
    ask(models, "b", meter)
    with pytest.raises(dspy.LMError) as caught:
        ask(models, "c", meter)
    assert budget_error(caught.value) is not None
    assert len(server.log()) - before == 2


def test_reasoning_content_is_taken_out(serve: Callable[..., Server]) -> None:
    running = serve("reasons")
    assert ask(models_at(running)) == "4"
    kept = models_at(running, reasoning="keep").lm("solver")("2+2")[0]
    assert kept["reasoning_content"] == "two and two"


@pytest.mark.parametrize("vision", [True, False])
def test_images_over_http(serve: Callable[..., Server], vision: bool) -> None:
    class Look(dspy.Signature):
        """Describe the picture."""

        picture: dspy.Image = dspy.InputField()
        answer: str = dspy.OutputField()

    url = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(32)).decode()
    models = models_at(serve("looks"), vision=vision)
    with models.using("vision"):
        assert dspy.Predict(Look)(picture=dspy.Image(url)).answer == f"{int(vision)} images"


def test_a_schema_is_sent_where_the_endpoint_takes_one(serve: Callable[..., Server]) -> None:
    models = models_at(serve("schema"), response_schema=True)
    with models.using("solver", adapter=dspy.JSONAdapter()):
        assert dspy.Predict("question -> answer")(question="x").answer == "json_schema"


def test_native_tool_calls_with_null_content(serve: Callable[..., Server]) -> None:
    """The server's second step needs the hash of the first tool result, and one call's arguments are not JSON."""
    running = serve("tools")
    models = models_at(running, native_tools=True)

    def read_hash(name: str) -> str:
        """Return the hash of a file."""
        return f"{name} hash=k7"

    class Step(dspy.Signature):
        """Take the next step."""

        question: str = dspy.InputField()
        tools: list[dspy.Tool] = dspy.InputField()
        answer: str = dspy.OutputField()
        calls: dspy.ToolCalls = dspy.OutputField()

    tool = dspy.Tool(read_hash)
    with models.using("solver", adapter=dspy.ChatAdapter(use_native_function_calling=True)):
        step = dspy.Predict(Step)
        first = step(question="start", tools=[tool])
        assert first.calls.tool_calls[0].args == {"name": "solver.py"}
        second = step(question=f"start {tool(name='solver.py')}", tools=[tool])
    assert second.answer == "edit k7"
    assert running.log()[0]["body"]["tools"][0]["function"]["name"] == "read_hash"


def test_a_shared_prefix_counts_as_cached(serve: Callable[..., Server]) -> None:
    models = models_at(serve("respond"))
    ask(models, "the same beginning, one end")
    ask(models, "the same beginning, another end")
    first, second = models.ledger.calls
    assert first.cached_tokens == 0
    assert second.cached_tokens
    assert second.input_tokens
    assert 0 < second.cached_tokens < second.input_tokens


LITE = """
import socket, sys
real = socket.socket.connect
def connect(self, address):
    if address[0] != "127.0.0.1":
        raise SystemExit(f"start-up call to {address}")
    return real(self, address)
def resolve(host, *rest, **more):
    if host != "127.0.0.1":
        raise SystemExit(f"start-up look-up of {host}")
    return lookup(host, *rest, **more)
lookup, socket.getaddrinfo, socket.socket.connect = socket.getaddrinfo, resolve, connect

from debriefer.models import Models
assert "dspy" not in sys.modules
models = Models.from_environment(lm=sys.argv[1] if len(sys.argv) > 1 else None)
assert "dspy" not in sys.modules
import dspy
with models.using("solver"):
    print(dspy.Predict("question -> answer")(question="2+2").answer)
heavy = {"litellm", "openai", "numpy", "cv2"} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.parametrize("arguments", [(), ("openai/any",)])
def test_the_environment_is_enough_without_litellm_and_without_another_network_call(
    server: Server, arguments: tuple[str, ...]
) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(ROOT / "python"),
        "MODEL_API_URL": server.url,
        "MODEL_API_KEY": KEY,
    }
    if not arguments:
        environment["MODEL_NAME"] = "any"
    command = [sys.executable, "-c", LITE, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("2+2 over\n", 0), done.stderr
    assert server.log()[-1]["body"]["model"] == "any"


def test_a_providers_own_variables_hold_without_an_address(server: Server) -> None:
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
    models = Models.from_environment(lm="openai/any", environment=environment)
    assert models is not None
    assert ask(models) == "2+2 over"
    assert server.log()[-1]["authorization"] == f"Bearer {KEY}"


@pytest.mark.slow
def test_a_provider_without_a_native_client_goes_through_litellm(serve: Callable[..., Server]) -> None:
    server = serve("respond", "--key", KEY)
    environment = {"MODEL_API_KEY": KEY, "MISTRAL_API_BASE": server.url}
    models = Models.from_environment(lm="mistral/any", environment=environment)
    assert models is not None
    meter = Meter()
    assert ask(models, "through litellm", meter) == "through litellm over"
    assert meter.requests == 1
    with pytest.raises(dspy.ContextWindowExceededError):
        ask(models, "openai overflow")
