"""Names read off slides, and the task's tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from debriefer.catalog import Catalog
from debriefer.judgement.known import misread_names


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        ([["Foss Square", "971.37"], ["Ivory Court", "947.45"]], []),
        ([["Foss Square", "971.37"], ["1 Ivory Court", "947.45"]], ["1 Ivory Court"]),
        ([["branch 17", "1"], ["branch 18", "2"]], []),
        ([["O'Neill's", ""]], []),
        ([["12.5"]], []),
        ([], []),
    ],
)
def test_a_name_beside_known_ones_must_be_known_too(
    task_with: Callable[..., Path], tmp_path: Path, rows: list[list[str]], missing: list[str]
) -> None:
    folder = task_with(csv={"a.csv": "branch,amount\nFoss Square,971.37\nIvory Court,947.45\nO'Neill's,1\n"})
    with Catalog.build(folder, tmp_path / "catalog.duckdb") as catalog:
        assert misread_names(catalog, rows) == missing
