"""Everything that is to be known about one model before it can be asked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from debriefer.errors import ModelError
from debriefer.models.families import family_of

# Names of the jobs that a model can be chosen for. A closed list, so that a misspelt one is an error.
ROLES = (
    "solver",
    "compression",
    "judge",
    "vision",
    "layout",
    "documents",
    "relevance",
    "planner",
    "grounding",
    "subtitles",
    "reflection",
)

ReasoningMode = Literal["strip", "keep"]
# The words of `dspy.lm15.Reasoning`.
_EFFORTS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, repr=False)
class ModelSettings:
    """One model, where it is served, and what it can do.

    Attributes:
        model: A DSPy string (`openai/gpt-4o`, `anthropic/claude-…`, `ollama_chat/llama3`, `vllm:Qwen/…`), or, with
            `base_urls`, the bare name that the server knows.
        base_urls: Addresses of OpenAI-compatible servers that serve the same model; they are used in turn. Empty:
            the provider's own address. A missing path becomes `/v1`, an ending `/chat/completions` is dropped.
        api_key: The key sent to each of them. Never part of a representation, record, message or cache key.
        dialect: Which OpenAI-compatible dialect the servers speak (`vllm`, `openai`, `ollama`, `sglang`, `qwen`,
            `openrouter`, `deepseek`, ...); `None` decides by the host, `vllm` where nothing is known.
        timeout_seconds: Bound on one attempt. A reply that trickles can take up to twice as long.
        max_output_tokens: Bound on one reply; `None` leaves it to the endpoint.
        context_window: Tokens that prompt and reply may have together; programs compress before it fills.
        temperature: Sampling temperature; `None` leaves it to the endpoint. Dropped, with a note, for families
            that refuse one.
        vision: Whether images are sent. Without it every image becomes a line of text that says so.
        native_tools: Whether the endpoint returns tool calls; DSPy's text protocol is used otherwise.
        response_schema: Whether the endpoint constrains replies to a JSON schema.
        reasoning: `strip` takes `<think>…</think>` and `reasoning_content` out of replies; `keep` hands them to
            DSPy as reasoning, never as part of the answer.
        reasoning_effort: `off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`; `None` leaves it to the endpoint.
        image_pixel_budget: Pixels an image may have; larger ones are scaled down.
        input_price: Price of a million prompt tokens.
        output_price: Price of a million reply tokens.
        cached_price: Price of a million prompt tokens that the provider's cache served; `None`: as `input_price`.
    """

    model: str
    base_urls: tuple[str, ...] = ()
    api_key: str | None = field(default=None)
    dialect: str | None = None
    timeout_seconds: float = 120.0
    max_output_tokens: int | None = None
    context_window: int = 32_768
    temperature: float | None = None
    vision: bool = False
    native_tools: bool = False
    response_schema: bool = False
    reasoning: ReasoningMode = "strip"
    reasoning_effort: str | None = None
    # 1568 × 1568, the side beyond which hosted vision models scale down themselves.
    image_pixel_budget: int = 2_458_624
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None

    def __post_init__(self) -> None:
        if not self.model.strip():
            message = "the model has no name"
            raise ModelError(message, hint="give `provider/model`, or set `MODEL_NAME`")
        object.__setattr__(self, "base_urls", tuple(_normal_url(url) for url in self.base_urls))
        if self.reasoning_effort not in {None, *_EFFORTS}:
            message = f"`{self.reasoning_effort}` is no reasoning effort"
            raise ModelError(message, hint=f"the efforts are {', '.join(_EFFORTS)}")
        for name in ("timeout_seconds", "context_window", "image_pixel_budget"):
            if getattr(self, name) <= 0:
                message = f"`{name}` of model `{self.model}` must be positive, got {getattr(self, name)}"
                raise ModelError(message)

    @classmethod
    def of(cls, model: str, **values: Any) -> ModelSettings:  # noqa: ANN401 -- fields of several types
        """Return settings for `model` with what its family is known for; `values` come first."""
        family = family_of(model)
        known = {
            "context_window": family.context_window,
            "vision": family.vision,
            "native_tools": family.native_tools,
            "response_schema": family.response_schema,
        }
        return cls(model, **{**known, **values})

    def with_values(self, **values: Any) -> ModelSettings:  # noqa: ANN401
        """Return a copy with some values changed."""
        return replace(self, **values)

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Host and port of each address, without credentials or path; the provider's name where none is given."""
        if not self.base_urls:
            return (self.model.split(":", 1)[0].split("/", 1)[0] if set(self.model) & {"/", ":"} else "default",)
        return tuple(urlsplit(url).netloc.rpartition("@")[2] for url in self.base_urls)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown: the key, and credentials inside an address."""
        found = [self.api_key] if self.api_key else []
        for url in self.base_urls:
            parts = urlsplit(url)
            found += [value for value in (parts.password, parts.query) if value]
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON-able values, without key and with hosts for addresses."""
        values = asdict(self)
        del values["api_key"]
        values["base_urls"] = list(self.endpoints) if self.base_urls else []
        return values

    @property
    def fingerprint(self) -> str:
        """Eight hex digits that differ when another endpoint, model or setting could give another reply.

        The key takes no part in it.
        """
        values = asdict(self)
        del values["api_key"]
        text = json.dumps(values, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]

    @property
    def identity(self) -> str:
        """The name that DSPy is told: model, endpoints and fingerprint.

        DSPy's cache knows a model by its name alone, so that two endpoints with one name would share answers
        (dspy-and-local-lm.md, section 5). The last segment also keeps DSPy from reading a family into the name.
        """
        return f"{self.model}@{'+'.join(self.endpoints)}/{self.fingerprint}"

    def __repr__(self) -> str:
        key = "set" if self.api_key else "none"
        return f"ModelSettings({self.model!r}, endpoints={list(self.endpoints)!r}, api_key={key})"


def _normal_url(url: str) -> str:
    """Return `url` as the root of an OpenAI-compatible server."""
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = parts.netloc.rpartition("@")[2] or "it"
        message = f"`MODEL_API_URL` must be an `http://` or `https://` address, {shown} is none"
        raise ModelError(message, hint="for example `http://localhost:8000/v1`")
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
