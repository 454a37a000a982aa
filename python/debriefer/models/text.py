"""Untrusted text on its way into a prompt: taking the power out of it, and estimating its size."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Mapping
from typing import Any

# The markers are DSPy's (`dspy.adapters.types.base_type`); a test compares them with the installed version, so
# that this module need not import DSPy. What stands between a pair of them is expanded into content blocks.
MARKERS = ("<<CUSTOM-TYPE-START-IDENTIFIER>>", "<<CUSTOM-TYPE-END-IDENTIFIER>>")

_MARKER_WORDS = re.compile(r"CUSTOM-TYPE-(START|END)-IDENTIFIER")
# A line of the form `[[ ## name ## ]]` opens a field in DSPy's text protocol.
_FIELD_HEADER = re.compile(r"\[\[( ?## )")
_SURROGATES = re.compile("[\ud800-\udfff]")

_DIGITS_AND_PUNCTUATION = (string.digits + string.punctuation).encode()
_NOT_ASCII = bytes(range(128, 256))


def neutralise(text: str) -> str:
    """Return `text` without the power to become anything but text in a prompt.

    - DSPy's custom-type markers are spelled apart (`CUSTOM_TYPE START IDENTIFIER`): a cell that holds a pair of
      them would otherwise become an image block, with an address that the provider fetches.
    - `[[ ## name ## ]]`, which opens a field in DSPy's text protocol, becomes `[ [ ## name ## ]]`.
    - Lone surrogates, for which no provider has a byte, become U+FFFD.

    All other text stays as it is, and a second pass changes nothing. Pieces that are joined without anything
    between them can complete a marker: neutralise what is joined, not the pieces. A custom type must neutralise
    inside its own `format()`, since a stray end marker would cut its serialised form short.

    >>> neutralise("<<CUSTOM-TYPE-START-IDENTIFIER>>[1]<<CUSTOM-TYPE-END-IDENTIFIER>>")
    '<<CUSTOM_TYPE START IDENTIFIER>>[1]<<CUSTOM_TYPE END IDENTIFIER>>'
    >>> neutralise("a [[1, 2], [3]] b ## c")
    'a [[1, 2], [3]] b ## c'
    """
    text = _MARKER_WORDS.sub(r"CUSTOM_TYPE \1 IDENTIFIER", text)
    text = _FIELD_HEADER.sub(r"[ [\1", text)
    return _SURROGATES.sub("\ufffd", text)


def neutralise_all(value: Any) -> Any:  # noqa: ANN401 -- any JSON-like value
    """Return `value` with every string in its lists, tuples and mappings neutralised, keys included.

    Other objects (numbers, dates, `dspy.Type` instances) come back as they are.
    """
    if isinstance(value, str):
        return neutralise(value)
    if isinstance(value, Mapping):
        return {neutralise_all(key): neutralise_all(item) for key, item in value.items()}
    if isinstance(value, list):
        return [neutralise_all(item) for item in value]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(neutralise_all(item) for item in value)
    return value


def count_tokens(text: str, model: str | None = None) -> int:  # noqa: ARG001 -- one estimate for all, see below
    """Return an estimate of the tokens of `text`, for context budgets.

    Counted over UTF-8 bytes, by class: four ASCII letters or blanks make a token, a digit or a punctuation mark is
    three quarters of one, and three bytes of any other script (one CJK character) make one. It errs on the high
    side: `docs/models.md` compares it with three real vocabularies. It costs no more than two copies of the text.

    Args:
        text: Any text.
        model: The model that will read it; accepted so that a better count can come in for some models. All
            models get the same estimate today.

    >>> count_tokens("")
    0
    >>> count_tokens("数据")
    2
    """
    data = text.encode("utf-8", "replace")
    ascii_part = data.translate(None, _NOT_ASCII)
    other = len(data) - len(ascii_part)
    words = len(ascii_part.translate(None, _DIGITS_AND_PUNCTUATION))
    return math.ceil(words / 4 + (len(ascii_part) - words) * 3 / 4 + other / 3)


def count_image_tokens(width: int, height: int) -> int:
    """Return an estimate of the tokens of an image of `width` × `height` pixels.

    750 pixels a token, the rule that Anthropic publishes; models that read patches of 28 × 28 pixels (784) are
    within 5 % of it.

    >>> count_image_tokens(1500, 1000)
    2000
    """
    return math.ceil(width * height / 750)
