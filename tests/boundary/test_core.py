"""The compiled extension and its stub; `make lint` compares their signatures with stubtest."""

from __future__ import annotations

import ast

import pytest

from debriefer import _core
from tests.conftest import ROOT

STUB = ast.parse((ROOT / "python" / "debriefer" / "_core.pyi").read_text(encoding="utf-8"))


def test_every_export_is_documented_in_the_stub() -> None:
    documented = {
        node.name: ast.get_docstring(node) for node in STUB.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    exported = {name for name in dir(_core) if not name.startswith("_")}
    assert set(documented) == exported == set(_core.__all__)
    assert [name for name, text in documented.items() if not text] == []


def test_every_export_is_used_by_a_python_wrapper() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "python" / "debriefer").rglob("*.py")]
    unused = [name for name in _core.__all__ if not any(f"_core.{name}" in source for source in sources)]
    assert unused == []


@pytest.mark.parametrize("name", [node.name for node in STUB.body if isinstance(node, ast.ClassDef)])
def test_classes_are_frozen(name: str) -> None:
    # A frozen class of PyO3 cannot be given new attributes, and is safe to share between threads.
    with pytest.raises(TypeError):
        getattr(_core, name).added_by_a_test = 1
