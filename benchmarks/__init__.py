"""Measures, never asserts: suites over real data, and peers timed beside this package in one run."""
