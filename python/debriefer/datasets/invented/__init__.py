"""The set of invented data that comes with this package; `writing.make` writes it."""
