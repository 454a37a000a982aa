"""Compiling programs on labelled tasks: optimisers with fixed seeds, and what their results support."""
