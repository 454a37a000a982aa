"""From environment variables and `--lm` to settings for each role."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from debriefer.errors import ModelError
from debriefer.models.local import is_local, weights_of
from debriefer.models.settings import ROLES, ModelSettings, ReasoningMode

# Prefixes that mean "an OpenAI-compatible server": with an address of our own, only the name behind them counts.
_OPENAI_SHAPED = {"openai", "openai-chat", "vllm", "hosted_vllm", "ollama", "ollama_chat", "lmstudio", "sglang"}
# Prefixes of providers that speak another protocol or live at a fixed address: `MODEL_API_URL` is not theirs.
_ELSEWHERE = {"anthropic", "gemini", "vertex_ai", "bedrock", "azure", "groq", "openrouter", "xai", "cohere", "mistral"}
_DIALECT_OF = {"hosted_vllm": "vllm", "ollama_chat": "ollama", "openai-chat": "openai"}


def _flag(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in {"1", "true", "yes", "on"}:
        return True
    if lowered in {"0", "false", "no", "off"}:
        return False
    message = "is not a yes or no"
    raise ValueError(message)


def _reasoning(text: str) -> str:
    if text not in get_args(ReasoningMode):
        message = f"is none of {', '.join(get_args(ReasoningMode))}"
        raise ValueError(message)
    return text


# Variable -> (field, parser). They hold for every role; a role's own model keeps its family's capabilities
# unless the variable says otherwise.
_VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "MODEL_DIALECT": ("dialect", str),
    "MODEL_TIMEOUT": ("timeout_seconds", float),
    "MODEL_MAX_OUTPUT_TOKENS": ("max_output_tokens", int),
    "MODEL_CONTEXT_WINDOW": ("context_window", int),
    "MODEL_TEMPERATURE": ("temperature", float),
    "MODEL_VISION": ("vision", _flag),
    "MODEL_NATIVE_TOOLS": ("native_tools", _flag),
    "MODEL_RESPONSE_SCHEMA": ("response_schema", _flag),
    "MODEL_REASONING": ("reasoning", _reasoning),
    "MODEL_REASONING_EFFORT": ("reasoning_effort", str),
    "MODEL_IMAGE_PIXELS": ("image_pixel_budget", int),
    "MODEL_INPUT_PRICE": ("input_price", float),
    "MODEL_OUTPUT_PRICE": ("output_price", float),
    "MODEL_CACHED_PRICE": ("cached_price", float),
}


@dataclass(frozen=True, slots=True)
class Configured:
    """What the environment says: one model for all roles, other models for some, and the limiter's bounds."""

    default: ModelSettings
    roles: dict[str, ModelSettings] = field(default_factory=dict)
    concurrency: int = 8
    slots: str | None = None


def configured(
    lm: str | None, environment: Mapping[str, str], roles: Mapping[str, str] | None = None
) -> Configured | None:
    """Read the environment; see `Models.from_environment`.

    Raises:
        ModelError: The environment is half configured or a value cannot be read; the variable is named.
    """
    env = {name: value.strip() for name, value in environment.items() if value.strip()}
    url, key, name = env.get("MODEL_API_URL"), env.get("MODEL_API_KEY"), env.get("MODEL_NAME")
    lm = lm.strip() if lm else None
    chosen = _role_models(env, roles)
    if not (lm or url or key or name or chosen):
        return None
    values = _values(env)
    if lm is None and name is not None and url is None and is_local(name):
        lm = name
    if lm is None:
        if name is None:
            message = f"`MODEL_NAME` is not set, but `{'MODEL_API_URL' if url else _first_set(env, chosen)}` is"
            raise ModelError(message, hint="set `MODEL_NAME`, or give `--lm provider/model`")
        if url is None:
            message = "`MODEL_API_URL` is not set, but `MODEL_NAME` is"
            raise ModelError(message, hint="set `MODEL_API_URL`, or give `--lm provider/model` instead of a name")
        # The name is the server's own and may hold slashes (`Qwen/Qwen2.5-7B`), so that no prefix is read into it.
        default = ModelSettings.of(name, base_urls=_urls(url), api_key=key, **values)
    else:
        default = _settings(lm, url, key, values)
    return Configured(
        default,
        {
            role: _settings(model, *_role_endpoint(env, role, url, key if _same_home(model, lm, url) else None), values)
            for role, model in chosen.items()
        },
        _number(env, "MODEL_CONCURRENCY", 8),
        env.get("MODEL_SLOTS"),
    )


def _settings(model: str, url: str | None, key: str | None, values: Mapping[str, Any]) -> ModelSettings:
    """Return settings for a model string as `--lm` takes it."""
    if is_local(model):
        # Said now, not at the first question.
        weights_of(model)
        return ModelSettings.of(model, **values)
    prefix = re.split(r"[/:]", model, maxsplit=1)[0].lower()
    if prefix in _ELSEWHERE and url is not None:
        # Its protocol or address is another one, and the key of `MODEL_API_URL` is not for it.
        url = key = None
    if url is None:
        if not re.search(r"[/:]", model):
            message = f"`{model}` names no provider, and `MODEL_API_URL` is not set"
            raise ModelError(message, hint=f"give `provider/{model}`, or set `MODEL_API_URL`")
        return ModelSettings.of(model, api_key=key, **values)
    if prefix in _OPENAI_SHAPED and re.search(r"[/:]", model):
        if prefix != "openai":
            values = {"dialect": _DIALECT_OF.get(prefix, prefix), **values}
        model = re.split(r"[/:]", model, maxsplit=1)[1]
    return ModelSettings.of(model, base_urls=_urls(url), api_key=key, **values)


def _role_models(env: Mapping[str, str], roles: Mapping[str, str] | None) -> dict[str, str]:
    """Return the models chosen for single roles; the mapping comes before `DEBRIEFER_MODEL_<ROLE>`."""
    chosen: dict[str, str] = {}
    for variable, value in sorted(env.items()):
        if not variable.startswith("DEBRIEFER_MODEL_"):
            continue
        rest = variable.removeprefix("DEBRIEFER_MODEL_").lower()
        role = rest.removesuffix("_url").removesuffix("_key")
        if role not in ROLES:
            message = f"`{variable}` names no role"
            raise ModelError(message, hint=f"the roles are {', '.join(ROLES)}")
        if rest == role:
            chosen[role] = value
        elif f"DEBRIEFER_MODEL_{role.upper()}" not in env and role not in (roles or {}):
            message = f"`DEBRIEFER_MODEL_{role.upper()}` is not set, but `{variable}` is"
            raise ModelError(message, hint="name the role's model, or unset the variable")
    for role, model in (roles or {}).items():
        if role not in ROLES:
            message = f"`{role}` is no role"
            raise ModelError(message, hint=f"the roles are {', '.join(ROLES)}")
        chosen[role] = model
    return chosen


def _same_home(model: str, lm: str | None, url: str | None) -> bool:
    """Return whether the common key is meant for `model` too: one address, or one provider."""
    return url is not None or lm is None or re.split(r"[/:]", model)[0] == re.split(r"[/:]", lm)[0]


def _role_endpoint(
    env: Mapping[str, str], role: str, url: str | None, key: str | None
) -> tuple[str | None, str | None]:
    """Return address and key of a role: its own, else the common ones. A key never follows another address."""
    own_url = env.get(f"DEBRIEFER_MODEL_{role.upper()}_URL")
    own_key = env.get(f"DEBRIEFER_MODEL_{role.upper()}_KEY")
    if own_url is not None:
        return own_url, own_key
    return url, own_key or key


def _values(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for variable, (name, parse) in _VALUES.items():
        if variable in env:
            try:
                values[name] = parse(env[variable])
            except ValueError as error:
                message = f"`{variable}` cannot be read: `{env[variable]}` {_reason(error, parse)}"
                raise ModelError(message) from None
    return values


def _number(env: Mapping[str, str], variable: str, default: int) -> int:
    text = env.get(variable)
    if text is None:
        return default
    if not text.isdecimal() or int(text) < 1:
        message = f"`{variable}` cannot be read: `{text}` is not a positive whole number"
        raise ModelError(message)
    return int(text)


def _reason(error: ValueError, parse: Callable[[str], Any]) -> str:
    return "is not a number" if parse in {int, float} else str(error)


def _urls(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _first_set(env: Mapping[str, str], chosen: Mapping[str, str]) -> str:
    if "MODEL_API_KEY" in env:
        return "MODEL_API_KEY"
    return next((f"DEBRIEFER_MODEL_{role.upper()}" for role in chosen), "DEBRIEFER_MODEL_…")
