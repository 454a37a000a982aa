"""Token counts of a server's reply that are none: a wrong count must not cost the reply."""

from __future__ import annotations

import json
from typing import Any


def with_sound_usage(body: bytes) -> bytes:
    """Return a reply's body in which `usage` holds counts only; everything else, and a sound reply, stays as it is.

    Some servers send `null`, -1 or a text for what they did not count. The client refuses such a reply as a whole,
    although its answer is there and was paid for. A count that is left out is estimated by the engine.

    >>> with_sound_usage(b'{"id":"a","usage":{"prompt_tokens":-1,"completion_tokens":3}}')
    b'{"id": "a", "usage": {"completion_tokens": 3}}'
    """
    if b'"usage"' not in body:
        return body
    try:
        reply = json.loads(body)
    except ValueError:
        return body
    if not isinstance(reply, dict) or "usage" not in reply:
        return body
    usage = reply["usage"]
    sound = _counts(usage) if isinstance(usage, dict) else {}
    if sound == usage:
        return body
    return json.dumps(reply | {"usage": sound}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _counts(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values without counts that are none; what is not called a count is the server's own business."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found[name] = _counts(value)
        elif name.endswith("_tokens"):
            if not isinstance(value, bool) and isinstance(value, (int, float)) and value >= 0 and value == value // 1:
                found[name] = int(value)
        elif not name.endswith("_details"):
            found[name] = value
    return found
