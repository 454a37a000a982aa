"""Lower floors never import higher ones (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

# One list a floor, lowest first; what stands on one floor may import its own floor and those below.
FLOORS = (
    ("debriefer._core", "debriefer.digests", "debriefer.errors", "debriefer.lazy", "debriefer.side_names"),
    (
        "debriefer.task",
        "debriefer.catalog",
        "debriefer.media",
        "debriefer.documents",
        "debriefer.workbench",
        "debriefer.judgement",
        "debriefer.datasets",
        "debriefer.scoring",
        "debriefer.models",
        "debriefer.media",
    ),
    ("debriefer.linking",),
    ("debriefer.offline",),
    ("dspy_programs",),
    ("debriefer.pipeline",),
    ("debriefer.cli", "debriefer.__main__"),
)


def floor_of(module: str) -> int | None:
    for level, names in enumerate(FLOORS):
        if any(module == name or module.startswith(name + ".") for name in names):
            return level
    return None


def modules() -> Iterator[tuple[str, Path]]:
    for root in (ROOT / "python", ROOT):
        package = "debriefer" if root.name == "python" else "dspy_programs"
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_lower_floors_never_import_higher_ones() -> None:
    wrong = []
    for module, path in modules():
        level = floor_of(module)
        for imported in imports(path):
            other = floor_of(imported)
            if level is not None and other is not None and other > level:
                wrong.append(f"{module} imports {imported}")
    assert wrong == []


def test_every_module_stands_on_a_floor() -> None:
    assert [name for name, _ in modules() if floor_of(name) is None] == ["debriefer"]


def test_engine_crates_do_not_know_python() -> None:
    for manifest in (ROOT / "rust").glob("*/Cargo.toml"):
        if manifest.parent.name != "bindings":
            assert "pyo3" not in manifest.read_text(encoding="utf-8"), manifest.parent.name
