"""Task Accuracy; expected values are the facts found by running the final benchmark's evaluator, and its rules."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring import (
    ColumnSpec,
    Comparison,
    ExactConfig,
    Table,
    exact,
    exact_score,
    infer_config,
    load_config,
)

TEXT = ColumnSpec("text")
INTEGER = ColumnSpec("number", Comparison("integer"))
DATE = ColumnSpec("date")
DATETIME = ColumnSpec("datetime")
BOOLEAN = ColumnSpec("boolean")


def decimals(digits: int, **more: object) -> ColumnSpec:
    return ColumnSpec("number", Comparison("decimal_places", digits), **more)  # type: ignore[arg-type]


def significant(digits: int) -> ColumnSpec:
    return ColumnSpec("number", Comparison("significant_digits", digits))


def csv(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def equal(spec: ColumnSpec, gold: str, guess: str) -> bool:
    """Tell whether two one-cell tables are equal under `spec`."""
    tables = (Table(("c",), ((cell,),), 1) for cell in (guess, gold))
    return exact_score(*tables, ExactConfig((spec,))).passed


@pytest.mark.parametrize(
    ("spec", "gold", "guess", "expected"),
    [
        (significant(12), "123.4567890123456", "123.456789012", True),
        (significant(12), "123.4567890123456", "123.46", False),
        (significant(3), "0", "0.000", True),
        (significant(2), "1250", "1.3e3", True),
        (decimals(2), "0.005", "0.01", True),
        (decimals(2), "-0.005", "-0.01", True),
        (decimals(2), "-0.001", "0", True),
        (decimals(2), "1.004", "1", True),
        (decimals(2), "1000", "1,000", True),
        (decimals(2), "1234567.5", "1,234,567.50", True),
        (decimals(2), "1000", "10,00", False),
        (decimals(2), "1000", "1_000", False),
        (decimals(2), "1000", "￥1000", False),
        (decimals(2), "1000", "inf", False),
        (decimals(2), "", "NaN", True),
        (decimals(2), "", "<NA>", True),
        (decimals(2), "", "N/A", False),
        (decimals(2), "12", "12%", False),
        (decimals(2, allow_percent_sign=True, unit="percentage_points"), "12", "12%", True),
        (decimals(4, allow_percent_sign=True, unit="fraction"), "0.1234", "12.34 %", True),
        (decimals(4, allow_percent_sign=True, unit="fraction"), "0.1234", "12.34", False),
        (INTEGER, "3", "3.0", True),
        (INTEGER, "3", "3.2", False),
        (INTEGER, "3000", "3e3", True),
        (INTEGER, "0", "-0", True),
        (TEXT, "NULL", "", False),
        (TEXT, "", "  ", True),
        (TEXT, "a\r\nb", "a\nb", True),
        (TEXT, "é", "e\u0301", True),
        (TEXT, "Ａ", "A", False),
        (TEXT, "East Asia", "east asia", False),
        (TEXT, "a b", "a  b", False),
        (TEXT, "1", "1.0", False),
        (DATE, "2024-03-01", "2024-03-01 00:00:00", True),
        (DATE, "2024-03-01", "2024-03-01T08:00:00+08:00", True),
        (DATE, "2024-03-01", "2024-03-01 08:00:00", False),
        (DATE, "2021-03-04", "2021/03/04", False),
        (DATE, "2021-03-04", "2021-3-4", False),
        (DATE, "", "NaT", True),
        (DATETIME, "2024-03-01T00:00:00Z", "2024-03-01 08:00:00+08:00", True),
        (DATETIME, "2024-03-01T00:00:00Z", "2024-03-01T00:00:00", False),
        (DATETIME, "2024-03-01", "2024-03-01T00:00:00", True),
        (BOOLEAN, "true", "是", True),
        (BOOLEAN, "1", "Y", True),
        (BOOLEAN, "否", "no", True),
        (BOOLEAN, "true", "0", False),
        (BOOLEAN, "", "null", True),
        (BOOLEAN, "true", "ja", False),
    ],
)
def test_cells_under_a_type(spec: ColumnSpec, gold: str, guess: str, expected: bool) -> None:
    assert equal(spec, gold, guess) is expected


TWO_TEXTS = ExactConfig((TEXT, TEXT))


@pytest.mark.parametrize(
    ("gold", "guess", "reason"),
    [
        (csv("a,b", "x,1"), csv("b,a", "1,x"), None),
        (csv("a,b", "x,1", "y,2"), csv("a,b", "y,2", "x,1"), None),
        (csv("a,b", "x,1", "x,1"), csv("a,b", "x,1", "x,1"), None),
        ("a,b\n", "c,d\n", None),
        (csv("a,b", "x,1"), csv("a,b,c", "x,1,"), "3 columns predicted, the gold has 2"),
        (csv("a,b", "x,1"), csv("a", "x"), "1 columns predicted, the gold has 2"),
        (csv("a,b", "John,Smith"), csv("n", "John Smith"), "1 columns predicted, the gold has 2"),
        (csv("a,b", "x,1"), csv("a,b", "x,1", "x,1"), "2 rows predicted, the gold has 1"),
        (csv("a,b", "x,1", "y,2"), csv("a,b", "x,2", "y,1"), "no order of them"),
        (csv("a,b", "x,1", "x,1", "y,2"), csv("a,b", "x,1", "y,2", "y,2"), "no predicted column equals gold column 1"),
        (csv("a,b", "x,1"), csv("a,b", "x"), "not rectangular"),
        (csv("a,b", "x,1"), "", "is not a file"),
    ],
)
def test_whole_tables(gold: str, guess: str, reason: str | None) -> None:
    score = exact_score(guess, gold, TWO_TEXTS)
    assert score.passed is (reason is None)
    assert (reason or "") in (score.reason or "")


def test_an_order_sensitive_task_compares_the_sequence() -> None:
    gold, guess = csv("n", "1", "2"), csv("n", "2", "1")
    assert exact_score(guess, gold, ExactConfig((INTEGER,))).passed
    assert not exact_score(guess, gold, ExactConfig((INTEGER,), order_sensitive=True)).passed
    assert exact_score(gold, gold, ExactConfig((INTEGER,), order_sensitive=True)).passed


def test_a_column_may_be_read_under_several_types_before_one_fits() -> None:
    gold = csv("flag,n", "1,0", "0,1")
    score = exact_score(csv("n,flag", "0.0,yes", "1.0,no"), gold, ExactConfig((BOOLEAN, INTEGER)))
    assert score.mapping == (1, 0)


def test_a_null_of_a_one_column_table_must_be_quoted() -> None:
    config = ExactConfig((INTEGER,))
    assert exact_score('n\n1\n""\n', 'n\n1\n""\n', config).passed
    score = exact_score("n\n1\n\n", 'n\n1\n""\n', config)
    assert not score.passed
    assert "blank line where row 2" in (score.reason or "")


def test_limits_of_a_file(tmp_path: Path) -> None:
    gold = csv("n", "1")
    path = tmp_path / "prediction.csv"

    def reason(content: bytes) -> str:
        path.write_bytes(content)
        return exact_score(path, gold).reason or ""

    assert reason(b"\xef\xbb\xbfn\n1\n") == ""
    assert "20971520 are allowed" in reason(b"n\n" + b"1" * (20 << 20))
    assert "100001 rows, 100000 are allowed" in reason(b"n\n" + b"1\n" * 100_001)
    assert "65 columns, 64 are allowed" in reason(b",".join([b"n"] * 65) + b"\n")
    assert "field larger than field limit" in reason(b"n\n" + b"x" * ((2 << 20) + 1) + b"\n")
    assert "NUL" in reason(b"n\n\0\n")
    assert "is not UTF-8" in reason("n\n金\n".encode("gb18030"))
    assert "no header" in reason(b"")
    path.write_text(gold, encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    assert "is a symbolic link" in (exact_score(link, gold).reason or "")
    assert exact_score(tmp_path / "none.csv", gold).reason == "there is no prediction"
    assert exact_score(None, gold).reason == "there is no prediction"


def test_a_gold_that_does_not_fit_its_configuration_is_an_error() -> None:
    with pytest.raises(ScoringError, match="does not fit its configuration: 'x' is no number"):
        exact_score(csv("n", "1"), csv("n", "x"), ExactConfig((INTEGER,)))
    with pytest.raises(ScoringError, match="1 columns, its configuration 2"):
        exact_score(csv("n", "1"), csv("n", "1"), TWO_TEXTS)


def shuffled(width: int, height: int, seed: int) -> Table:
    """Return columns that all hold the same cells, each in its own random order."""
    shuffle = random.Random(seed)  # noqa: S311  a fixed seed, no secret
    cells = [str(row % 7) for row in range(height)]
    return Table(
        tuple(map(str, range(width))), tuple(tuple(shuffle.sample(cells, height)) for _ in range(width)), height
    )


def test_sixty_four_columns_of_the_same_cells_are_told_apart_by_their_rows() -> None:
    gold = shuffled(64, 40, seed=1)
    order = list(reversed(range(64)))
    guess = Table(gold.header, tuple(gold.columns[index] for index in order), gold.height)
    config = ExactConfig((TEXT,) * 64)
    mapping = exact_score(guess, gold, config).mapping
    assert mapping is not None
    assert [order[column] for column in mapping] == list(range(64))
    assert "no order of them" in (exact_score(shuffled(64, 40, seed=3), gold, config).reason or "")


def test_a_search_that_takes_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_SEARCH_LIMIT", 1_000)
    score = exact_score(shuffled(20, 40, seed=3), shuffled(20, 40, seed=1), ExactConfig((TEXT,) * 20))
    assert "too many orders" in (score.reason or "")


@given(st.data())
def test_any_order_of_rows_and_columns_passes_and_one_other_cell_fails(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    cell = st.sampled_from(["", "a", "b", "1"])
    rows = data.draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=height, max_size=height))
    order = data.draw(st.permutations(range(width)))
    moved = [[row[index] for index in order] for row in data.draw(st.permutations(rows))]
    header = list(map(str, range(width)))
    config = ExactConfig((TEXT,) * width)
    gold = Table.from_rows(header, rows)
    assert exact_score(Table.from_rows(header, moved), gold, config).passed
    moved[0][0] = "other"
    assert not exact_score(Table.from_rows(header, moved), gold, config).passed


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("1", "", "-20"), INTEGER),
        (("1.5", "2"), significant(12)),
        (("1e3",), significant(12)),
        (("000021", "300707"), TEXT),
        (("0", "0.5"), significant(12)),
        (("1,000",), TEXT),
        (("12%",), TEXT),
        (("2024-03-01", "NULL"), DATE),
        (("2024-02-30",), TEXT),
        (("2024-03-01 10:00:00", "2024-03-01T11:00:00Z"), DATETIME),
        (("true", "False", ""), BOOLEAN),
        (("yes", "no"), TEXT),
        (("", "NULL"), TEXT),
        ((), TEXT),
    ],
)
def test_a_configuration_is_guessed_with_care(cells: tuple[str, ...], expected: ColumnSpec) -> None:
    config = infer_config(Table(("c",), (cells,), len(cells)))
    assert config == ExactConfig((expected,), order_sensitive=False, inferred=True)


def test_a_guessed_configuration_keeps_codes_and_refuses_rounded_numbers() -> None:
    assert not exact_score(csv("code", "21"), csv("code", "000021")).passed
    assert not exact_score(csv("n", "52.17"), csv("n", "52.17391304347826")).passed
    assert exact_score(csv("n", "52.173913043478265"), csv("n", "52.17391304347826")).passed


CONFIG: dict[str, Any] = {
    "schema_version": "1.0",
    "task_id": "task_7",
    "order_sensitive": True,
    "columns": [
        {"gold_index": 0, "gold_name": "name", "type": "text"},
        {
            "gold_index": 1,
            "gold_name": "share",
            "type": "number",
            "comparison": {"mode": "decimal_places", "digits": 2},
            "unit": "fraction",
            "allow_percent_sign": True,
        },
        {"gold_index": 2, "gold_name": "n", "type": "number", "comparison": {"mode": "integer"}},
    ],
}


def test_a_frozen_configuration_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    share = decimals(2, unit="fraction", allow_percent_sign=True)
    assert load_config(path) == ExactConfig((TEXT, share, INTEGER), order_sensitive=True)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "not an object"),
        ({**CONFIG, "schema_version": "2.0"}, '`schema_version` is "2.0"'),
        ({**CONFIG, "order_sensitive": 1}, "`order_sensitive` is 1"),
        ({"order_sensitive": False}, "`columns` is missing"),
        ({**CONFIG, "columns": []}, "`columns` is not a list"),
        ({**CONFIG, "columns": [7]}, "column 0 is not an object"),
        ({**CONFIG, "columns": [{"gold_index": 1, "type": "text"}]}, "column 0 has the `gold_index` 1"),
        ({**CONFIG, "columns": [{"type": "money"}]}, '`type` is "money"'),
        ({**CONFIG, "columns": [{"type": "number"}]}, "`comparison` is missing"),
        ({**CONFIG, "columns": [{"type": "number", "comparison": {"mode": "exact"}}]}, '`mode` is "exact"'),
        (
            {**CONFIG, "columns": [{"type": "number", "comparison": {"mode": "decimal_places", "digits": 31}}]},
            "`digits` is 31",
        ),
        (
            {**CONFIG, "columns": [{"type": "number", "comparison": {"mode": "decimal_places", "digits": True}}]},
            "`digits` is true",
        ),
        (
            {**CONFIG, "columns": [{"type": "number", "comparison": {"mode": "integer"}, "unit": "percent"}]},
            '`unit` is "percent"',
        ),
    ],
)
def test_a_broken_configuration_is_an_error_that_names_the_file(tmp_path: Path, document: object, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ScoringError, match=r"config\.json` is no valid configuration") as error:
        load_config(path)
    assert message in error.value.message


def test_a_configuration_that_is_no_json_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with pytest.raises(MissingFileError):
        load_config(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ScoringError, match="cannot be read as JSON"):
        load_config(path)
