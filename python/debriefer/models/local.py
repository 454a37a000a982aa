"""A GGUF file as a model, in this process, through llama-cpp-python (extra `local`).

The name is `local:` with the path of the file: `local:/models/small.gguf`. Replies are constrained to the JSON schema
of a typed signature by a grammar, so that even a model of half a billion parameters answers in the right form. One
file is loaded once a process and answers one request at a time.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.errors import ModelError
from debriefer.models.overflow import says_overflow

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response

PREFIX = "local:"
# A model of this size that has said nothing by then is repeating itself.
_REPLY_TOKENS = 512
_MAGIC = b"GGUF"
# Tokens that are computed at once; of the prompt before whole batches are kept.
_BATCH = 128
_THREADS = "DEBRIEFER_LOCAL_THREADS"
_JSON = '{"type": "object"}'


def is_local(model: str) -> bool:
    """Return whether a model string names a file.

    >>> is_local("local:/models/small.gguf"), is_local("ollama_chat/llama3")
    (True, False)
    """
    return model.startswith(PREFIX)


def weights_of(model: str) -> Path:
    """Return the file that `local:PATH` names, after looking that it can be used.

    Raises:
        ModelError: There is no such file, it is no GGUF file, or llama-cpp-python is not installed.
    """
    given = model.removeprefix(PREFIX)
    path = Path(given).expanduser()
    if not given or not path.is_file():
        message = f"`{given}` does not exist" if given else f"`{model}` names no file"
        raise ModelError(message, hint="name a GGUF file: `--lm local:/path/to/model.gguf`")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        message = f"`{given}` cannot be read: {error.strerror or error}"
        raise ModelError(message) from error
    if magic != _MAGIC:
        message = f"`{given}` is no GGUF file"
        raise ModelError(message, hint="other formats must be converted with llama.cpp's tools first")
    if importlib.util.find_spec("llama_cpp") is None:
        message = "models in this process need llama-cpp-python, which is not installed"
        raise ModelError(message, hint="pip install 'debriefer[local]'")
    return path.resolve()


def local_sender(model: str, context_window: int) -> LocalModel:
    """Return what answers requests to a model; all senders of one file and window share its weights and its lock.

    Raises:
        ModelError: As `weights_of`.
    """
    key = weights_of(model), context_window
    with _LOADED_LOCK:
        if key not in _LOADED:
            _LOADED[key] = LocalModel(model, *key)
        return _LOADED[key]


@dataclass(slots=True)
class LocalModel:
    """One file of weights; calling it answers one request, others wait.

    Attributes:
        name: The model string.
        path: The file.
        context_window: Tokens that prompt and reply may have together.
    """

    name: str
    path: Path
    context_window: int
    _llama: Any = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _asked: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def __call__(self, request: Request, seconds: float) -> Response:
        """Answer a request.

        At temperature 0, where nothing else is asked for, the same prompt gets the same reply. Else the seed is made of
        the request and of how often it was asked: the second round of a vote differs from the first, and a run is
        repeated by the next one.

        Args:
            request: What DSPy asks.
            seconds: Wall time of the reply once it is this request's turn. A reply that takes longer ends there, as at
                a bound on its length.

        Raises:
            dspy.lm15.ContextLengthError: The prompt does not fit the window.
            dspy.lm15.InvalidRequestError: The schema or the messages cannot be used.
            ModelError: The file cannot be loaded.
        """
        from dspy import lm15  # noqa: PLC0415 -- half a second; only who asks a model pays it

        with self._lock:
            if self._llama is None:
                self._llama = _load(self.path, self.context_window)
            began = time.monotonic()
            try:
                reply = self._answer(request, began + seconds)
            except (ValueError, RuntimeError) as error:
                text = str(error)
                kind: Any = lm15.ContextLengthError if says_overflow(text) else lm15.InvalidRequestError
                raise kind(text) from error
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(reply.text)]),
            finish_reason=reply.finish_reason,
            usage=lm15.Usage(input_tokens=reply.given, output_tokens=reply.made, total_tokens=reply.given + reply.made),
        )

    def _answer(self, request: Request, deadline: float) -> _Reply:
        config = request.config
        asked = messages_of(request)
        options = {
            "temperature": config.temperature or 0.0,
            "max_tokens": config.max_tokens or _REPLY_TOKENS,
            "top_p": 1.0 if config.top_p is None else config.top_p,
            "top_k": config.top_k or 40,
            "min_p": 0.0,
            "stop": list(config.stop),
            "seed": self._seed(request, config.seed),
            "grammar": _grammar(config.response_format),
        }
        try:
            chunks = self._llama.create_chat_completion(asked, stream=True, **options)
            return self._collected(chunks, deadline)
        except Exception as error:
            # Some chat templates know no system message and say so by an exception of the template engine.
            if "system" not in str(error).lower() or asked[0]["role"] != "system":
                raise
            folded = [{"role": "user", "content": f"{asked[0]['content']}\n\n{asked[1]['content']}"}, *asked[2:]]
            return self._collected(self._llama.create_chat_completion(folded, stream=True, **options), deadline)

    def _collected(self, chunks: Iterator[Mapping[str, Any]], deadline: float) -> _Reply:
        parts: list[str] = []
        reason = "stop"
        given: int | None = None
        for chunk in chunks:
            if given is None:
                given = int(self._llama.n_tokens)
            choice = chunk["choices"][0]
            parts.append(choice["delta"].get("content") or "")
            if choice["finish_reason"] is not None:
                reason = choice["finish_reason"]
            elif time.monotonic() > deadline:
                reason = "length"
                break
        text = "".join(parts)
        made = len(self._llama.tokenize(text.encode(), add_bos=False)) if text else 0
        return _Reply(text, "length" if reason == "length" else "stop", given or 0, made)

    def _seed(self, request: Request, given: int | None) -> int:
        if given is not None:
            return given
        from debriefer.models.compat import request_digest  # noqa: PLC0415 -- it imports this module

        digest = request_digest(request)
        self._asked[digest] += 1
        return (int(digest[:8], 16) + self._asked[digest]) % (1 << 31)


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    finish_reason: Any
    given: int
    made: int


_LOADED: dict[tuple[Path, int], LocalModel] = {}
_LOADED_LOCK = threading.Lock()


def _load(path: Path, context_window: int) -> Any:  # noqa: ANN401 -- a class of an optional package
    # Waiting threads that spin take the processor from those that work: 22 tokens a second became 1.2
    # (dspy-and-local-lm.md, section 8). OpenMP reads this when it is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    # Not an import statement, so that types are checked alike with the package and without it.
    llama_cpp: Any = importlib.import_module("llama_cpp")

    class Repeatable(llama_cpp.Llama):  # type: ignore[misc]
        """Keeps of the prompt before whole batches only, so that a reply does not depend on what was asked before.

        A token that is computed alone, or in a batch of another size, differs in its last digits, and a small model
        then says something else. Whole batches of the same tokens are computed alike.
        """

        n_tokens: int
        prompt_tokens = 0

        def generate(self, tokens: Sequence[int], *arguments: Any, **options: Any) -> Iterator[int]:  # noqa: ANN401
            asked = list(tokens)
            known = self.input_ids[: min(self.prompt_tokens, self.n_tokens)].tolist()
            self.n_tokens = kept_tokens(known, asked)
            self.prompt_tokens = len(asked)
            found: Iterator[int] = super().generate(asked, *arguments, **options)
            return found

    options: dict[str, Any] = {"n_batch": _BATCH, "n_ubatch": _BATCH, "seed": 0, "verbose": False}
    try:
        return Repeatable(str(path), n_ctx=context_window, n_threads=_threads(), n_threads_batch=_threads(), **options)
    except (ValueError, RuntimeError, OSError) as error:
        message = f"`{path.name}` cannot be loaded: {error}"
        raise ModelError(message, hint="is the file complete, and is there memory for it?") from error


def kept_tokens(known: Sequence[int], asked: Sequence[int]) -> int:
    """Return how many tokens of the prompt before need not be computed anew: whole batches that both begin with.

    >>> kept_tokens(range(300), range(300)), kept_tokens(range(256), range(256)), kept_tokens([1], [2])
    (256, 128, 0)
    """
    common = next(
        (n for n, (a, b) in enumerate(zip(known, asked, strict=False)) if a != b), min(len(known), len(asked))
    )
    # The last token is always computed: from it the reply begins.
    return min(common, len(asked) - 1) // _BATCH * _BATCH


def _threads() -> int:
    text = os.environ.get(_THREADS, "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        message = f"`{_THREADS}` cannot be read: `{text}` is not a positive whole number"
        raise ModelError(message)
    return int(text)


def _grammar(response_format: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 -- as above
    """Return the grammar of the JSON schema that a reply must have, or `None` for free text."""
    if response_format is None or response_format.get("type") not in ("json_schema", "json_object"):
        return None
    llama_cpp: Any = importlib.import_module("llama_cpp")
    schema = response_format.get("schema") or response_format.get("json_schema", {}).get("schema")
    text = _JSON if schema is None else json.dumps(schema, ensure_ascii=False)
    grammar: Any = llama_cpp
    return grammar.LlamaGrammar.from_json_schema(text, verbose=False)


def messages_of(request: Request) -> list[dict[str, str]]:
    """Return a request's messages as role and text; parts that are no text are shown as text."""
    system = request.system
    shown = system if isinstance(system, str) else "\n".join(_text(part) for part in system or ())
    messages = [{"role": "system", "content": shown}] if shown else []
    for message in request.messages:
        role = "assistant" if message.role == "assistant" else "user"
        messages.append({"role": role, "content": "\n".join(filter(None, map(_text, message.parts)))})
    return messages


def _text(part: Any) -> str:  # noqa: ANN401 -- any part of a message
    if hasattr(part, "content"):
        return "\n".join(filter(None, map(_text, part.content)))
    return str(getattr(part, "text", getattr(part, "input", "")))
