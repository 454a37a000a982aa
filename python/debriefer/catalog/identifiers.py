"""SQL text for names and values."""

from __future__ import annotations


def quote_identifier(name: str) -> str:
    """Return `name` as a quoted SQL identifier.

    >>> quote_identifier('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_literal(value: str) -> str:
    """Return `value` as an SQL string.

    >>> quote_literal("O'Neil")
    "'O''Neil'"
    """
    return "'" + value.replace("'", "''") + "'"
