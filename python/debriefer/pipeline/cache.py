"""Products of stages in a folder, found again by the content that they were made from."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from debriefer.errors import DebrieferError
from debriefer.pipeline.content import files_digests
from debriefer.pipeline.stage import Product

_FORMAT = 1
_MANIFEST = "manifest.json"
_FILES = "files"

# A product whose value holds this with something true went without what may be at hand the next time (a server that
# was down, a package that was absent): it serves its run and is made again by the next.
PASSING = "passing"

Build = Callable[[Path], Mapping[str, Any]]


class Cache:
    """A folder of products: `<stage>/<two digits>/<key>/{manifest.json,files/}`.

    An entry appears under its name only when it is complete. Every look compares all its files with the digests in its
    manifest; an entry that differs is made again. Threads and processes that want the same product wait for the one
    that makes it, and a process that dies frees its place. The folder may be deleted at any time between runs.
    """

    def __init__(self, folder: str | Path) -> None:
        """Use `folder`, which is made if it is not there.

        Raises:
            DebrieferError: It cannot be made.
        """
        self.folder = Path(folder).resolve()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"`{folder}` cannot be used as a cache: {error.strerror}"
            raise DebrieferError(
                message, hint="name a folder that can be written to, or run with `--no-cache`"
            ) from error

    def fetch(self, stage: str, key: str, build: Build) -> tuple[Product, bool]:
        """Return the product of `key` and whether it was there already; else `build` makes it.

        Args:
            stage: Name of the stage.
            key: Digest of everything that the product depends on.
            build: Writes the product's files into the folder that it is given and returns its JSON values.

        Raises:
            OSError: The cache cannot be read or written. What `build` raises is passed on, and leaves no entry.
        """
        place = self.folder / stage / key[:2] / key
        place.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place.with_name(f"{key}.lock")):
            found = _read(place, key)
            if found is not None and not found.value.get(PASSING):
                return found, True
            _remove(place)
            partial = place.with_name(f"{key}.{uuid.uuid4().hex}.partial")
            try:
                files = partial / _FILES
                files.mkdir(parents=True)
                value = build(files)
                manifest = {
                    "format": _FORMAT,
                    "stage": stage,
                    "key": key,
                    "value": value,
                    "files": files_digests(files, _all_files(files)),
                }
                text = json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False)
                (partial / _MANIFEST).write_text(text + "\n", encoding="utf-8")
                partial.rename(place)
            finally:
                _remove(partial)
            # As it will be read: what JSON changes (tuples, keys) is changed from the first time on.
            return Product(key, json.loads(text)["value"], place / _FILES), False


def _read(place: Path, key: str) -> Product | None:
    """Return the entry at `place`, or `None` if it is absent or not as it was written."""
    try:
        manifest = json.loads((place / _MANIFEST).read_bytes())
        files = place / _FILES
        whole = (
            manifest["format"] == _FORMAT
            and manifest["key"] == key
            and isinstance(manifest["value"], dict)
            and manifest["files"] == files_digests(files, _all_files(files))
        )
        return Product(key, manifest["value"], files) if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _all_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; the kernel frees the lock of a process that dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
