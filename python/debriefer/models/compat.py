"""The one place that touches DSPy's private names; a new version of DSPy is met here.

Private today (3.4.1): the native engine and the LiteLLM engine, the serialiser of requests, and the transport
below them. Everything else in `debriefer.models` uses the public `dspy.LM` and `dspy.lm15`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from debriefer.errors import ModelError
from debriefer.models.local import is_local, local_sender
from debriefer.models.overflow import says_overflow
from debriefer.models.replies import with_sound_usage
from debriefer.models.settings import ModelSettings

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response

# One attempt at one endpoint: the request and the seconds it may take.
Sender = Callable[["Request", float], "Response"]
# From settings, the number of an endpoint and the environment to its sender.
SenderFactory = Callable[[ModelSettings, int, Mapping[str, str]], Sender]

_DEADLINE: ContextVar[float | None] = ContextVar("debriefer_model_deadline", default=None)
_PROVIDER = "endpoint"
# Hosts whose dialect differs from the one that vLLM, llama.cpp and most gateways share.
_DIALECTS = {
    "api.openai.com": "openai",
    "openrouter.ai": "openrouter",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "dashscope.aliyuncs.com": "qwen",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What an engine needs to know of a failed attempt.

    Attributes:
        status: The kind, as in `Call.status`.
        error: The error to raise if the request is given up.
        transient: Whether the same request may succeed later.
        elsewhere: Whether it may succeed at another endpoint at once.
        reached: Whether it reached the endpoint, and so counts against budgets.
        http_status: HTTP status, where there was one.
        retry_after: Seconds that the endpoint asked to wait.
    """

    status: str
    error: Exception
    transient: bool = False
    elsewhere: bool = False
    reached: bool = True
    http_status: int | None = None
    retry_after: float | None = None


def _vendored(name: str) -> Any:  # noqa: ANN401 -- a module
    """Return a module of the HTTP client that DSPy carries.

    Not an import statement: these modules carry type hints and `dspy` carries none, so that mypy would take
    `dspy` for an empty namespace.
    """
    return importlib.import_module(f"dspy._vendor.lm15.{name}")


def native_sender(settings: ModelSettings, number: int, environment: Mapping[str, str]) -> Sender:
    """Return a sender over DSPy's bundled HTTP client, or over LiteLLM where that client knows no way.

    With an address the server is taken as OpenAI-compatible under the bare model name. Without one the model
    string is DSPy's, and its provider's own environment variables hold (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, ...).
    `local:` names a file, which is asked in this process.
    """
    if is_local(settings.model):
        return local_sender(settings.model, settings.context_window)
    # Without this the first look-up of LiteLLM asks the internet for prices.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from dspy import lm15  # noqa: PLC0415
    from dspy.clients.engines.lm15_engine import LM15Engine  # noqa: PLC0415

    transport = _DeadlineTransport(settings.timeout_seconds)
    if settings.base_urls:
        url = settings.base_urls[number]
        try:
            dialect = lm15.OpenAIChatCompat.preset(settings.dialect or _dialect(url))
        except ValueError:
            message = f"`{settings.dialect}` is no dialect of an OpenAI-compatible server"
            raise ModelError(message, hint="`vllm` fits most servers; set `MODEL_DIALECT` or leave it out") from None
        access = lm15.AccessPolicy(provider=_PROVIDER, base_url=url)
        definition = lm15.ProviderDefinition.chat(access, compat=dialect)
        # A server without keys accepts any; the client insists on one.
        keys = {_PROVIDER: settings.api_key or "none"}
        config = lm15.RouterConfig(env={}, api_keys=keys, transport=transport, providers=(definition,))
        return _sender(LM15Engine(config), f"{_PROVIDER}:{settings.model}")
    gateway = _gateway(settings.model, environment)
    try:
        provider = LM15Engine(lm15.RouterConfig(env={})).resolve(settings.model).provider
    except (lm15.UnknownModelError, lm15.UnsupportedFeatureError):
        return _litellm_sender(settings, gateway)
    config = lm15.RouterConfig(
        env=environment,
        api_keys={provider: settings.api_key} if settings.api_key else None,
        base_urls={provider: gateway} if gateway else None,
        transport=transport,
    )
    return _sender(LM15Engine(config), settings.model)


def _gateway(model: str, environment: Mapping[str, str]) -> str | None:
    """Return the address that a provider's own variable gives, such as `OPENAI_BASE_URL`."""
    prefix = model.replace(":", "/").split("/", 1)[0].upper().replace("-", "_")
    return environment.get(f"{prefix}_API_BASE") or environment.get(f"{prefix}_BASE_URL") or None


def _sender(engine: Any, model: str) -> Sender:  # noqa: ANN401 -- a private class
    def send(request: Request, seconds: float) -> Response:
        token = _DEADLINE.set(time.monotonic() + seconds)
        try:
            response: Response = engine.complete(replace(request, model=model))
        finally:
            _DEADLINE.reset(token)
        return response

    return send


def _litellm_sender(settings: ModelSettings, gateway: str | None) -> Sender:
    """Return a sender over LiteLLM, which reads the provider's key from the process's environment."""
    from dspy.clients.engines.litellm_engine import LiteLLMEngine  # noqa: PLC0415

    def send(request: Request, seconds: float) -> Response:
        given = {"api_key": settings.api_key, "api_base": gateway}
        options = {name: value for name, value in given.items() if value}
        engine = LiteLLMEngine(timeout=seconds, **options)
        response: Response = engine.complete(replace(request, model=settings.model))
        return response

    return send


def _dialect(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return next((name for known, name in _DIALECTS.items() if host == known or host.endswith("." + known)), "vllm")


class _DeadlineTransport:
    """DSPy's standard-library transport, with a bound on the whole reply as well as on each read."""

    def __init__(self, timeout: float) -> None:
        self._inner = _vendored("transports").StdlibTransport(
            connect_timeout=min(10.0, timeout), read_timeout=timeout, write_timeout=timeout, pool_timeout=timeout
        )

    def stream(self, request: Any) -> Any:  # noqa: ANN401 -- private classes
        deadline = _DEADLINE.get()
        if deadline is None:
            return self._inner.stream(request)
        left = max(0.001, deadline - time.monotonic())
        response = self._inner.stream(
            replace(request, connect_timeout=min(10.0, left), read_timeout=left, write_timeout=left)
        )
        chunks = _until(deadline, response._chunks)  # noqa: SLF001 -- this module's reason to be
        response._chunks = _repaired(chunks) if _is_json(response) else chunks  # noqa: SLF001 -- as above
        return response

    def close(self) -> None:
        self._inner.close()


def _until(deadline: float, chunks: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk
        if time.monotonic() > deadline:
            message = "the reply took longer than the time-out"
            raise _vendored("transports").ReadTimeout(message)


def _is_json(response: Any) -> bool:  # noqa: ANN401 -- a private class
    kinds = [value for name, value in response.headers if name.lower() == "content-type"]
    return any("json" in kind.lower() for kind in kinds)


def _repaired(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield with_sound_usage(b"".join(chunks))


def failure(error: Exception) -> Failure:
    """Return what a sender's error means."""
    from dspy import lm15  # noqa: PLC0415

    network = _vendored("transports")
    if isinstance(error, json.JSONDecodeError):
        unreadable = lm15.ServerError("the endpoint's reply is not JSON")
        unreadable.__cause__ = error
        return Failure("malformed", unreadable, transient=True, elsewhere=True)
    if isinstance(error, lm15.TransportError):
        cause = error.__cause__
        reached = not isinstance(cause, network.ConnectError)
        timed_out = isinstance(cause, (network.ReadTimeout, network.WriteTimeout))
        status = "timeout" if timed_out else "transport" if reached else "unreachable"
        return Failure(status, error, transient=True, elsewhere=True, reached=reached)
    if isinstance(error, lm15.LM15Error) and _is_overflow(error):
        return Failure("overflow", _as_overflow(error), http_status=error.status)
    kinds: tuple[tuple[type[Exception], str, bool, bool], ...] = (
        # class, status, worth another try later, worth another endpoint now
        (lm15.RateLimitError, "rate_limited", True, True),
        (lm15.TimeoutError, "timeout", True, True),
        (lm15.ServerError, "server_error", True, True),
        (lm15.AuthError, "auth", False, True),
        (lm15.BillingError, "billing", False, True),
        (lm15.UnsupportedModelError, "invalid", False, True),
        (lm15.InvalidRequestError, "invalid", False, False),
        (lm15.CapabilityError, "unsupported", False, False),
        (lm15.ProviderError, "malformed", True, True),
    )
    for kind, status, transient, elsewhere in kinds:
        if isinstance(error, kind):
            http, after = getattr(error, "status", None), getattr(error, "retry_after", None)
            return Failure(status, error, transient, elsewhere, http_status=http, retry_after=after)
    return Failure("unexpected", error)


def _as_overflow(error: Any) -> Exception:  # noqa: ANN401 -- an LM15Error
    """Return `error` as the class that DSPy shows as `ContextWindowExceededError`."""
    from dspy import lm15  # noqa: PLC0415

    if isinstance(error, lm15.ContextLengthError):
        found: Exception = error
        return found
    mapped: Exception = lm15.ContextLengthError(error.message, status=error.status, provider=error.provider)
    mapped.__cause__ = error
    return mapped


def _is_overflow(error: Any) -> bool:  # noqa: ANN401 -- an LM15Error
    from dspy import lm15  # noqa: PLC0415

    if isinstance(error, lm15.ContextLengthError):
        return True
    if not isinstance(error, (lm15.InvalidRequestError, lm15.ServerError)):
        return False
    return says_overflow(f"{error.provider_code or ''} {error.message}")


def request_digest(request: Request) -> str:
    """Return a digest of what a request says, for the jitter of its retries."""
    text = json.dumps(_vendored("serde").request_to_dict(request), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def response_values(response: Response) -> dict[str, Any]:
    """Return a response as JSON values."""
    values: dict[str, Any] = _vendored("serde").response_to_dict(response)
    return values


def response_of(values: Mapping[str, Any]) -> Response:
    """Return the response that `response_values` wrote.

    Raises:
        KeyError: The values are no response's; TypeError and ValueError, likewise.
    """
    response: Response = _vendored("serde").response_from_dict(values)
    return response


def is_overflow(error: Exception) -> bool:
    """Return whether a sender's error says that the request is too long for the model."""
    return failure(error).status == "overflow"


def overflow_error(message: str) -> Exception:
    """Return the error of a request that is too long."""
    from dspy import lm15  # noqa: PLC0415

    error: Exception = lm15.ContextLengthError(message)
    return error


def make_lm(engine: Any, async_engine: Any, settings: ModelSettings, *, cache: bool) -> dspy.LM:  # noqa: ANN401
    """Return the `dspy.LM` over an engine of ours.

    DSPy repeats nothing (`num_retries=0`), since it would do so behind the engine's back.
    """
    import dspy  # noqa: PLC0415

    return dspy.LM(
        settings.identity,
        temperature=settings.temperature,
        max_tokens=settings.max_output_tokens,
        cache=cache,
        num_retries=0,
        engine=engine,
        async_engine=async_engine,
    )
