"""What the doctor says of a model that is a file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from debriefer.cli import doctor


def test_a_file_of_weights_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.gguf"
    monkeypatch.setenv("MODEL_NAME", f"local:{path}")
    monkeypatch.delenv("MODEL_API_URL", raising=False)
    [check] = doctor._models()
    assert (check.verdict, check.detail) == ("broken", f"ModelError: `{path}` does not exist")
    assert "docs/local-models.md" in str(check.hint)
    path.write_bytes(b"GGUF")
    [check] = doctor._models()
    installed = importlib.util.find_spec("llama_cpp") is not None
    assert check.verdict == ("ok" if installed else "broken")
