"""Digests of files, each computed once while the file stays as it is."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from pathlib import Path

_DIGEST_BYTES = 16
# Clocks of file systems tick every 10 ms at worst: a file that changed within the last tick may change again unseen.
_SETTLED_NANOSECONDS = 50_000_000
_MOST_KNOWN = 10_000

_Identity = tuple[int, int, int, int, int]
_known: dict[_Identity, str] = {}
_lock = threading.Lock()


def file_digest(path: Path) -> str:
    """Return 32 hex digits (BLAKE2b) for the content of a file.

    A stage's key and the catalog's manifest need the same digests, moments apart: the content is read again only where
    the file's size or times have changed, or had changed just before it was read.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as stream:
        before = _identity(stream.fileno())
        with _lock:
            digest = _known.get(before)
        if digest is not None:
            return digest
        digest = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=_DIGEST_BYTES)).hexdigest()
        after = _identity(stream.fileno())
    if before == after and time.time_ns() - max(after[3:]) > _SETTLED_NANOSECONDS:
        with _lock:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[after] = digest
    return digest


def _identity(descriptor: int) -> _Identity:
    stat = os.fstat(descriptor)
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
