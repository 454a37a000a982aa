# ruff: noqa: ANN401 -- DSPy has no types
"""What an optimiser runs in: choices that do not change from process to process, and a log for what it prints."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import tqdm.std
from dspy.utils.hasher import Hasher


@contextlib.contextmanager
def repeatable() -> Iterator[None]:
    """Let DSPy's digest of examples depend on what they say.

    `BootstrapFewShot` seeds a choice by it. It is taken of a pickle, which holds sets of names, whose order changes
    from process to process.
    """
    original = Hasher.__dict__["hash"]

    def stable(_cls: type, value: Any) -> str:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)
        digest: str = Hasher.hash_bytes(text.encode("utf-8", "surrogatepass"))
        return digest

    Hasher.hash = classmethod(stable)
    try:
        yield
    finally:
        Hasher.hash = original


def _plain(value: Any) -> Any:
    if isinstance(value, dspy.Example):
        return dict(value.items())
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return repr(value)


@contextlib.contextmanager
def logged(path: Path) -> Iterator[None]:
    """Send what DSPy and the optimisers print and log to a file, for the block.

    Progress bars and scores go to standard output otherwise, which is for data. Bars are left out altogether.
    """
    with path.open("a", encoding="utf-8") as stream, contextlib.redirect_stdout(stream), _without_bars():
        handler = logging.StreamHandler(stream)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
        loggers = [logging.getLogger(name) for name in ("dspy", "gepa")]
        before = [(logger, list(logger.handlers), logger.propagate, logger.level) for logger in loggers]
        for logger in loggers:
            logger.handlers, logger.propagate = [handler], False
            logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            for logger, handlers, propagate, level in before:
                logger.handlers, logger.propagate = handlers, propagate
                logger.setLevel(level)


@contextlib.contextmanager
def _without_bars() -> Iterator[None]:
    original = tqdm.std.tqdm.__init__

    def silent(self: Any, *args: Any, **options: Any) -> None:
        original(self, *args, **{**options, "disable": True})

    tqdm.std.tqdm.__init__ = silent
    try:
        yield
    finally:
        tqdm.std.tqdm.__init__ = original
