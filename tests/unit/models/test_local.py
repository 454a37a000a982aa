# ruff: noqa: ANN401 -- requests and replies are classes of DSPy, which has no type hints
"""A GGUF file as a model: its name, what is refused, and how one is asked; `tests/integration` asks a real one."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dspy import lm15

from debriefer.errors import ModelError
from debriefer.models import Models, ModelSettings
from debriefer.models import local as local_module
from debriefer.models.local import LocalModel, local_sender, messages_of, weights_of


class Weights:
    """In place of `llama_cpp.Llama`: says what it is told, a chunk at a time, and remembers how it was asked."""

    def __init__(self, *chunks: str, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.n_tokens = 7
        self.asked: list[dict[str, Any]] = []
        self.inside = 0
        self.most_inside = 0
        self._chunks, self._seconds, self._error = chunks, seconds, error

    def create_chat_completion(self, messages: list[dict[str, str]], **options: Any) -> Iterator[dict[str, Any]]:
        self.asked.append({"messages": messages, **options})
        if self._error is not None and messages[0]["role"] == "system":
            raise self._error
        return self._said()

    def _said(self) -> Iterator[dict[str, Any]]:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        yield {"choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]}
        for chunk in self._chunks:
            time.sleep(self._seconds)
            yield {"choices": [{"delta": {"content": chunk}, "finish_reason": None}]}
        self.inside -= 1
        yield {"choices": [{"delta": {}, "finish_reason": "stop"}]}

    def tokenize(self, text: bytes, *, add_bos: bool) -> list[int]:
        return [] if add_bos else list(range(len(text.split())))


def model(weights: Weights) -> LocalModel:
    found = LocalModel("local:/m.gguf", Path("/m.gguf"), 4_096)
    found._llama = weights
    return found


def request(text: str = "hello", system: str | None = "be brief", **config: Any) -> Any:
    return lm15.Request(
        model="m", system=system, messages=(lm15.Message.user([lm15.TextPart(text)]),), config=lm15.Config(**config)
    )


needs_package = pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None, reason="`debriefer[local]` is not installed"
)


@pytest.fixture
def weights_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.gguf"
    path.write_bytes(b"GGUF and more")
    return path


@needs_package
def test_the_name_of_a_file_needs_no_address_and_is_never_sent_to_one(weights_file: Path) -> None:
    name = f"local:{weights_file}"
    for models in (
        Models.from_environment(lm=name, environment={}),
        Models.from_environment(environment={"MODEL_NAME": name}),
        Models.from_environment(lm=name, environment={"MODEL_API_URL": "http://h/v1", "MODEL_API_KEY": "sk-1"}),
    ):
        assert models is not None
        settings = models.settings("solver")
        assert (settings.model, settings.base_urls, settings.api_key) == (name, (), None)
        assert settings.endpoints == ("local",)
        assert settings.response_schema
        assert not settings.native_tools


@needs_package
def test_one_role_may_have_a_file(weights_file: Path) -> None:
    environment = {
        "MODEL_API_URL": "http://h/v1",
        "MODEL_NAME": "big",
        "DEBRIEFER_MODEL_JUDGE": f"local:{weights_file}",
    }
    models = Models.from_environment(environment=environment)
    assert models is not None
    assert models.settings("judge").base_urls == ()
    assert models.settings("solver").base_urls == ("http://h/v1",)


def test_what_is_no_file_of_weights_is_refused_at_once(tmp_path: Path) -> None:
    other = tmp_path / "model.safetensors"
    other.write_bytes(b"{}")
    for name, message in (
        (f"local:{tmp_path / 'absent.gguf'}", "absent.gguf` does not exist"),
        ("local:", "`local:` names no file"),
        (f"local:{other}", "model.safetensors` is no GGUF file"),
    ):
        with pytest.raises(ModelError, match=message) as caught:
            Models.from_environment(lm=name, environment={})
        assert caught.value.hint


def test_a_missing_package_is_named_with_the_extra(weights_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ModelError) as caught:
        weights_of(f"local:{weights_file}")
    assert "llama-cpp-python" in caught.value.message
    assert caught.value.hint == "pip install 'debriefer[local]'"


@needs_package
def test_one_file_is_one_model_whoever_asks(weights_file: Path) -> None:
    name = f"local:{weights_file}"
    assert local_sender(name, 4_096) is local_sender(name, 4_096)
    assert local_sender(name, 4_096) is not local_sender(name, 8_192)


def test_a_reply_is_joined_and_counted() -> None:
    weights = Weights("SELECT ", "1")
    response = model(weights)(request(temperature=0.0, max_tokens=20), 10.0)
    assert response.message.parts[0].text == "SELECT 1"
    assert (response.usage.input_tokens, response.usage.output_tokens, response.finish_reason) == (7, 2, "stop")
    assert weights.asked[0]["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hello"},
    ]
    assert (weights.asked[0]["max_tokens"], weights.asked[0]["temperature"]) == (20, 0.0)


def test_replies_are_bounded_where_nobody_bounds_them() -> None:
    weights = Weights("x")
    model(weights)(request(), 10.0)
    assert weights.asked[0]["max_tokens"] == 512


def test_seeds_are_fixed_by_the_request_and_differ_between_rounds() -> None:
    first, second = Weights("x"), Weights("x")
    for weights in (first, second):
        asked = model(weights)
        for text in ("a", "a", "b"):
            asked(request(text, temperature=0.7), 10.0)
    seeds = [one["seed"] for one in first.asked]
    assert seeds == [one["seed"] for one in second.asked]
    assert len(set(seeds)) == 3
    model(first)(request(seed=11), 10.0)
    assert first.asked[-1]["seed"] == 11


def test_a_reply_that_takes_too_long_ends_there() -> None:
    response = model(Weights(*["word "] * 50, seconds=0.02))(request(), 0.1)
    assert response.finish_reason == "length"
    assert 0 < len(response.message.parts[0].text.split()) < 50


def test_requests_wait_for_each_other() -> None:
    weights = Weights("a", "b", seconds=0.01)
    asked = model(weights)
    threads = [threading.Thread(target=asked, args=(request(str(n)), 10.0)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(weights.asked), weights.most_inside) == (4, 1)


def test_a_template_without_system_messages_gets_one_message() -> None:
    weights = Weights("x", error=ValueError("System role not supported"))
    model(weights)(request(), 10.0)
    assert weights.asked[-1]["messages"] == [{"role": "user", "content": "be brief\n\nhello"}]


def test_errors_of_the_library_get_their_kind() -> None:
    overflow = Weights(error=ValueError("Requested tokens (5000) exceed context window of 4096"))
    with pytest.raises(lm15.ContextLengthError):
        model(overflow)(request(), 10.0)
    with pytest.raises(lm15.InvalidRequestError, match="strange"):
        model(Weights(error=ValueError("strange")))(request(), 10.0)


def test_parts_that_are_no_text_are_shown_as_text() -> None:
    call = lm15.ToolCallPart(id="c1", name="f", input={"a": 1})
    asked = lm15.Request(model="m", messages=(lm15.Message.user([lm15.TextPart("x")]), lm15.Message.assistant([call])))
    assert messages_of(asked) == [{"role": "user", "content": "x"}, {"role": "assistant", "content": "{'a': 1}"}]


def test_threads_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBRIEFER_LOCAL_THREADS", "3")
    assert local_module._threads() == 3
    monkeypatch.setenv("DEBRIEFER_LOCAL_THREADS", "many")
    with pytest.raises(ModelError, match="`DEBRIEFER_LOCAL_THREADS` cannot be read: `many`"):
        local_module._threads()


def test_settings_of_a_file_say_so() -> None:
    settings = ModelSettings.of("local:/models/gpt-4o.gguf")
    assert (settings.context_window, settings.vision, settings.response_schema) == (8_192, False, True)
