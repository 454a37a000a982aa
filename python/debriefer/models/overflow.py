"""How servers say that a prompt is longer than the context window."""

from __future__ import annotations

import re

# One alternative a server, each from the server's own source or documentation.
_WORDINGS = re.compile(
    r"""
        context_length_exceeded  # OpenAI, error code
      | maximum\ context\ length  # OpenAI, vLLM, DeepSeek
      | exceeds?\ the\ available\ context\ size  # llama.cpp server
      | exceed_context_size_error  # llama.cpp server, error type
      | requested\ tokens\ \(\d+\)\ exceed\ context\ window  # llama-cpp-python
      | longer\ than\ the\ maximum\ model\ length  # vLLM
      | longer\ than\ the\ model'?s\ context\ length  # SGLang
      | exceeds?\ the\ (model'?s\ )?(maximum\ )?context\ (length|window|limit)  # Ollama, LM Studio, Gemini gateways
      | context\ (length|window|limit)\ (was\ |has\ been\ |is\ )?exceeded
      | exceeds?\ context\ (length|window|limit)  # Anthropic: `input length and max_tokens exceed context limit`
      | prompt\ is\ too\ long  # Anthropic
      | input\ (is\ )?too\ long  # Bedrock, Cohere
      | input\ token\ count\ .*\ exceeds\ the\ maximum  # Gemini
      | range\ of\ input\ length\ should\ be  # DashScope
      | (please\ )?reduce\ the\ length\ of\ (the|your)\ (messages|prompt|input)  # OpenAI, vLLM
    """,
    re.IGNORECASE | re.VERBOSE,
)


def says_overflow(message: str) -> bool:
    """Return whether an error message means that the prompt does not fit the context window.

    >>> says_overflow("the request exceeds the available context size (4096 tokens), try increasing it")
    True
    >>> says_overflow("max_tokens must be at least 1")
    False
    """
    return _WORDINGS.search(message) is not None
