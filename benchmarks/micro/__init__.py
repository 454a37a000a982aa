"""Micro benchmarks over `debriefer._core`: `pytest benchmarks/micro --benchmark-only`."""
