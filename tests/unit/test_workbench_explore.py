"""Looking at the data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from debriefer import Catalog, Workbench
from debriefer.errors import SqlError
from debriefer.task import Task
from debriefer.workbench.explore import explore

ORDERS = "id,city,amount,note\n" + "".join(
    f"{i},{'北京' if i % 2 else '上海'},{i}.5,{'' if i % 4 else 'x'}\n" for i in range(1, 601)
)


@pytest.fixture
def bench(task_with: Callable[..., Path], tmp_path: Path) -> Iterator[Workbench]:
    folder = task_with(csv={"Orders 2024.csv": ORDERS, "codes.csv": "code,name\n000021,深科技\n300707, padded\n"})
    copy = Task.open(folder).working_copy(tmp_path / "work")
    with Workbench.create(copy.folder) as opened:
        Catalog.build(copy).close()
        yield opened


def orders(bench: Workbench) -> str:
    return next(name for name in bench.catalog.tables if "orders" in name.casefold())


def test_tables_are_listed_with_rows_columns_and_source(bench: Workbench) -> None:
    lines = bench.explore_data(r"\tables").split("\n")
    assert lines[0] == "2 tables"
    assert "codes: 2 rows, 2 columns, from csv/codes.csv" in lines
    assert bench.explore_data("\\\\tables") == "\n".join(lines)


def test_schema_gives_types_nulls_and_examples(bench: Workbench) -> None:
    lines = bench.explore_data(rf'\schema "{orders(bench)}"').split("\n")
    assert lines[0].endswith("600 rows, 4 columns, from csv/Orders 2024.csv")
    assert any(line.startswith("- \"city\" VARCHAR nullable=N e.g. '北京', '上海'") for line in lines)
    assert any(line.startswith("- \"note\" VARCHAR nullable=Y (450 NULL) e.g. 'x'") for line in lines)


def test_schema_says_how_json_gives_text(tmp_path: Path, task_with: Callable[..., Path]) -> None:
    folder = task_with(json={"places.json": '[{"spot": {"k": null}}, {"spot": {"k": "x"}}]'})
    copy = Task.open(folder).working_copy(tmp_path / "work")
    with Workbench.create(copy.folder) as opened:
        Catalog.build(copy).close()
        assert """JSON: "spot" ->> '$.key' gives text and NULL""" in opened.explore_data(r"\schema places")
        assert opened.explore_data("SELECT spot ->> '$.k' AS k FROM places WHERE k IS NOT NULL").startswith("1 row")


def test_schema_of_an_unknown_table_names_the_nearest(bench: Workbench) -> None:
    assert bench.explore_data(r"\schema code") == (
        "error: `code` is no table of this catalog\nhint: the nearest: `codes`; `\\tables` lists all"
    )


@pytest.mark.parametrize("query", [r"\schema", r"\describe x", "", "  "])
def test_an_unknown_command_lists_the_known_ones(bench: Workbench, query: str) -> None:
    observation = bench.explore_data(query)
    assert observation.startswith("error: ")
    assert r"hint: ask with `\tables`, `\schema NAME`, `\documents`" in observation


def test_a_statement_gives_total_types_and_rows(bench: Workbench) -> None:
    observation = bench.explore_data(f"SELECT city, count(*) AS n FROM {orders(bench)} GROUP BY city ORDER BY city;")
    assert observation == "2 rows\ncity VARCHAR | n BIGINT\n上海 | 300\n北京 | 300"


@pytest.mark.parametrize(("limit", "shown"), [(None, 50), (3, 3), (0, 1), (-5, 1), (9999, 500)])
def test_rows_are_limited_and_the_total_is_given(bench: Workbench, limit: int | None, shown: int) -> None:
    query = f"SELECT id FROM {orders(bench)}"
    observation = bench.explore_data(query) if limit is None else bench.explore_data(query, limit)
    assert observation.startswith(f"600 rows, the first {shown} shown\n")
    bounded = f"\nlimit {limit} is outside 1 to 500: {shown} was taken"
    assert observation.endswith(bounded) == (limit in (0, -5, 9999))
    assert observation.removesuffix(bounded).count("\n") == shown + 1


def test_a_limit_may_be_text_and_must_be_a_number(bench: Workbench) -> None:
    query = f"SELECT id FROM {orders(bench)}"
    assert bench.explore_data(query, "3") == bench.explore_data(query, 3)  # type: ignore[arg-type]
    assert "`limit` is no whole number: 'many'" in bench.explore_data(query, "many")  # type: ignore[arg-type]


def test_long_cells_are_cut_and_marked(bench: Workbench) -> None:
    cell = bench.explore_data("SELECT repeat('长', 500) AS t").split("\n")[-1]
    assert cell == "长" * 199 + "…"


def test_cells_cannot_be_mistaken(bench: Workbench) -> None:
    observation = bench.explore_data(
        "SELECT NULL AS a, 'NULL' AS b, '' AS c, ' x' AS d, E'two\\nlines' AS e, 1e20 AS f"
    )
    assert observation.split("\n")[-1] == "NULL | 'NULL' | '' | ' x' | two\\nlines | 100000000000000000000.0"


def test_very_wide_rows_are_shown_as_far_as_they_fit(bench: Workbench) -> None:
    columns = ", ".join(f"repeat('x', 300) AS c{i}" for i in range(50))
    observation = bench.explore_data(f"SELECT {columns} FROM range(400)", 400)
    assert observation.startswith("400 rows, the first 4 shown\n")
    assert len(observation.split("\n")) == 6


def test_a_schema_of_very_many_columns_is_cut(tmp_path: Path, task_with: Callable[..., Path]) -> None:
    wide = ",".join(f"c{i}" for i in range(510)) + "\n" + ",".join("1" * 510) + "\n"
    copy = Task.open(task_with(task_id="wide", csv={"wide.csv": wide})).working_copy(tmp_path / "wide_work")
    with Catalog.build(copy) as catalog:
        assert explore(catalog, r"\schema wide").split("\n")[-1] == "[10 columns left out]"


def test_rewrites_are_reported(bench: Workbench) -> None:
    observation = bench.explore_data("SELECT 1 AS `n`")
    assert observation.splitlines()[0] == "1 row"
    assert "rewritten: " in observation
    assert "`n`" in observation
    assert '"n"' in observation
    assert observation.endswith("n INTEGER\n1")


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE codes",
        "SELECT 1; SELECT 2",
        "SELEC 1",
        "SELECT nope FROM codes",
        "SELECT * FROM read_csv('/etc/passwd')",
    ],
)
def test_refused_and_failed_statements_are_short_observations(bench: Workbench, query: str) -> None:
    observation = bench.explore_data(query)
    assert observation.startswith("error: ")
    assert "Traceback" not in observation
    assert len(observation) < 1000


def test_a_statement_is_stopped_in_time(bench: Workbench) -> None:
    begin = time.monotonic()
    with pytest.raises(SqlError, match=r"stopped after 0\.3 s"):
        explore(
            bench.catalog,
            "SELECT count(*) FROM range(300000) a, range(300000) b WHERE a.range * b.range % 7 = 3",
            seconds=0.3,
        )
    assert time.monotonic() - begin < 5
    # The catalog is not harmed by it.
    assert bench.explore_data("SELECT 1 AS n") == "1 row\nn INTEGER\n1"
