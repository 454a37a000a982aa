"""One module a suite: `python -m benchmarks.suites.NAME --data DIR [--json]`."""
