from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from debriefer.errors import DebrieferError
from debriefer.pipeline.cache import Cache


def builder(calls: list[str], text: str = "made") -> Any:  # noqa: ANN401
    def build(folder: Path) -> Mapping[str, Any]:
        calls.append(text)
        (folder / "sub").mkdir()
        (folder / "sub" / "file.txt").write_text(text)
        return {"columns": ("a", "b")}

    return build


def test_a_product_is_made_once_and_found_again_by_another_process_s_cache(tmp_path: Path) -> None:
    calls: list[str] = []
    first, found = Cache(tmp_path).fetch("catalog", "ab12", builder(calls))
    assert not found
    second, found = Cache(tmp_path).fetch("catalog", "ab12", builder(calls))
    assert found
    assert calls == ["made"]
    assert first == second
    assert second.value == {"columns": ["a", "b"]}
    assert (second.folder / "sub" / "file.txt").read_text() == "made"


@pytest.mark.parametrize("damage", ["changed", "removed", "added", "manifest", "half"])
def test_an_entry_that_is_not_as_it_was_written_is_made_again(tmp_path: Path, damage: str) -> None:
    calls: list[str] = []
    product, _ = Cache(tmp_path).fetch("catalog", "ab12", builder(calls))
    file, manifest = product.folder / "sub" / "file.txt", product.folder.parent / "manifest.json"
    match damage:
        case "changed":
            file.write_text("fake")
        case "removed":
            file.unlink()
        case "added":
            (product.folder / "more").write_text("")
        case "manifest":
            manifest.write_text("[]")
        case "half":
            manifest.write_bytes(manifest.read_bytes()[:40])
    product, found = Cache(tmp_path).fetch("catalog", "ab12", builder(calls, "again"))
    assert not found
    assert file.read_text() == "again"
    assert Cache(tmp_path).fetch("catalog", "ab12", builder(calls))[1]
    assert calls == ["made", "again"]


def test_a_build_that_fails_leaves_no_entry(tmp_path: Path) -> None:
    def fails(folder: Path) -> Mapping[str, Any]:
        (folder / "half").write_text("")
        message = "no"
        raise ValueError(message)

    cache = Cache(tmp_path)
    with pytest.raises(ValueError, match="no"):
        cache.fetch("media", "ab12", fails)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    assert not cache.fetch("media", "ab12", builder([]))[1]


def test_who_wants_the_same_product_waits_for_the_one_that_makes_it(tmp_path: Path) -> None:
    calls: list[str] = []
    found: list[bool] = []

    def slow(folder: Path) -> Mapping[str, Any]:
        time.sleep(0.2)
        result: Mapping[str, Any] = builder(calls)(folder)
        return result

    threads = [
        threading.Thread(target=lambda: found.append(Cache(tmp_path).fetch("catalog", "ab12", slow)[1]))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["made"]
    assert sorted(found) == [False] + [True] * 5


def test_a_folder_that_cannot_be_used_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DebrieferError, match="cannot be used as a cache") as caught:
        Cache(tmp_path / "file")
    assert caught.value.hint
