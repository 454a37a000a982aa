"""The compiled extension and its stub; `make lint` compares their signatures with stubtest."""

from __future__ import annotations

import ast

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


def test_every_function_is_used_by_a_python_wrapper() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "python" / "debriefer").rglob("*.py")]
    # A class that cannot be called is wrapped by the function that gives it.
    functions = [node.name for node in STUB.body if isinstance(node, ast.FunctionDef)]
    unused = [name for name in functions if not any(f"_core.{name}" in source for source in sources)]
    assert unused == []


def test_classes_are_frozen() -> None:
    # A frozen class may be shared between threads without a lock or a borrow that can fail.
    classes = []
    for path in sorted((ROOT / "rust" / "bindings" / "src").glob("*.rs")):
        classes += [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if "#[pyclass" in line]
    assert len(classes) >= len([node for node in STUB.body if isinstance(node, ast.ClassDef)])
    assert [line for line in classes if "frozen" not in line] == []
