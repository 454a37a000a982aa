"""Digests of files: right whatever happens to the file, and read once while nothing does."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from debriefer import digests


def _expected(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def test_a_changed_file_has_another_digest_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content in (b"one", b"two", b"six", b"", b"ten"):
        path.write_bytes(content)
        assert digests.file_digest(path) == _expected(content)


def test_an_old_time_hides_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one")
    os.utime(path, (1, 1))
    time.sleep(0.1)
    assert digests.file_digest(path) == _expected(b"one")
    path.write_bytes(b"two")
    os.utime(path, (1, 1))
    assert digests.file_digest(path) == _expected(b"two")


def test_a_settled_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"content")
    time.sleep(0.1)
    first = digests.file_digest(path)
    monkeypatch.setattr(digests.hashlib, "file_digest", None)
    assert digests.file_digest(path) == first
    # The same file under another name.
    (tmp_path / "b").hardlink_to(path)
    monkeypatch.undo()
    assert digests.file_digest(tmp_path / "b") == first


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        digests.file_digest(tmp_path / "absent")
