"""Macros (INTERIM)."""

MACROS: tuple[str, ...] = ()
