"""Keeps keys out of messages, whatever an endpoint echoes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)
# Shorter values ("1", "none") would blank out ordinary words.
_LEAST = 6


class Redactor:
    """Replaces secrets by `***`. Its representation shows none.

    Args:
        secrets: Keys of the settings.
        environment: Values of variables named like keys are secrets too, since a provider may read its own.
    """

    def __init__(self, secrets: Iterable[str], environment: Mapping[str, str]) -> None:
        found = set(secrets) | {value for name, value in environment.items() if _SECRET_NAME.search(name)}
        # As they stand inside JSON and in addresses.
        found |= {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in found for ascii_ in (True, False)}
        found |= {quote(value, safe="") for value in found}
        # Longest first: one secret may be part of another.
        self._secrets = sorted((value for value in found if len(value) >= _LEAST), key=lambda v: (-len(v), v))

    def __call__(self, text: str) -> str:
        """Return `text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def error(self, error: BaseException) -> None:
        """Take secrets out of an error and of everything it was raised from."""
        seen: set[int] = set()
        current: BaseException | None = error
        while current is not None and id(current) not in seen:
            seen.add(id(current))
            current.args = tuple(self(arg) if isinstance(arg, str) else arg for arg in current.args)
            for name in ("message", "credential_hint"):
                value = getattr(current, name, None)
                if isinstance(value, str) and self(value) != value:
                    setattr(current, name, self(value))
            current = current.__cause__ or current.__context__
