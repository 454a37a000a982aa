"""What is known of a model from its name alone; every value can be set in `ModelSettings` instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from debriefer.models.local import is_local


@dataclass(frozen=True, slots=True)
class Family:
    """Facts about a family of models.

    Attributes:
        context_window: Tokens that prompt and reply may have together.
        vision: Whether images are understood.
        native_tools: Whether the usual endpoints of the family return tool calls.
        response_schema: Whether the usual endpoints constrain the reply to a JSON schema.
        fixed_temperature: Whether a temperature other than the default is refused.
    """

    context_window: int = 32_768
    vision: bool = False
    native_tools: bool = False
    response_schema: bool = False
    fixed_temperature: bool = False


# Context windows are the providers' published ones, rounded down; an open model's window is a setting of the
# server that serves it, so that none is claimed here. First match wins.
_FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"gpt-5.*-chat", Family(128_000, vision=True, native_tools=True, response_schema=True)),
    (r"gpt-5", Family(272_000, vision=True, native_tools=True, response_schema=True, fixed_temperature=True)),
    (r"o[134](-|$)", Family(200_000, vision=True, native_tools=True, response_schema=True, fixed_temperature=True)),
    (r"gpt-4\.1", Family(1_000_000, vision=True, native_tools=True, response_schema=True)),
    (r"gpt-4o", Family(128_000, vision=True, native_tools=True, response_schema=True)),
    (r"claude-", Family(200_000, vision=True, native_tools=True)),
    (r"gemini-", Family(1_000_000, vision=True, native_tools=True, response_schema=True)),
    (r"deepseek-(chat|reasoner)", Family(128_000, native_tools=True)),
    (r".*(-vl|vision|llava|pixtral|internvl|minicpm-v|glm-[0-9.]+v)", Family(vision=True)),
)
# A file in this process: a grammar constrains replies; 8,192 tokens are SmolLM2's window and cost a 0.5B model 100 MB.
_LOCAL = Family(8_192, response_schema=True)


def family_of(model: str) -> Family:
    """Return what the name `model` (with or without a provider's prefix) tells, or careful defaults.

    >>> family_of("openai/gpt-5-mini").fixed_temperature
    True
    >>> family_of("Qwen/Qwen2.5-VL-7B-Instruct").vision
    True
    >>> family_of("my-model")
    Family(context_window=32768, vision=False, native_tools=False, response_schema=False, fixed_temperature=False)
    """
    if is_local(model):
        return _LOCAL
    name = re.split(r"[/:]", model, maxsplit=0)[-1].lower() if "/" in model or ":" in model else model.lower()
    for pattern, family in _FAMILIES:
        if re.match(pattern, name):
            return family
    return Family()
