"""The column-signature score; expected values are worked out by hand from the competition's rules."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import MissingFileError, ScoringError
from debriefer.scoring import SignatureScore, Table, read_table, signature_score
from debriefer.scoring.cells import canonical_cell

CELLS = st.sampled_from(["", "NULL", "1", "1.00", "1.004", "2", "a", "A", " a", "x y", "2024-01-01", "1,000"])


def csv(*rows: str) -> str:
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("gold", "prediction", "expected"),
    [
        pytest.param(csv("n", "4", "9"), csv("n", "9.0", "4"), (1, 1, 1), id="row order and form of numbers"),
        pytest.param(csv("n", "4", "9"), csv("n", "4"), (0, 0, 0), id="one row missed"),
        pytest.param(csv("n", "4"), csv("n,x", "4,7"), (0.95, 0.90, 0.75), id="one extra"),
        pytest.param(csv("n", "4"), csv("n,a,b,c,d,e", "4,1,2,3,5,6"), (0.917, 0.833, 0.583), id="five extra"),
        pytest.param(csv("a,b", "1,2"), csv("a,b", "1,3"), (0.45, 0.40, 0.25), id="one of two"),
        pytest.param(csv("n", "12.5"), csv("n,m", "12.5,12.5"), (0.95, 0.90, 0.75), id="same column twice"),
        pytest.param(csv("a,b", "A,1", "B,2"), csv("a,b", "A,2", "B,1"), (1, 1, 1), id="pairing is not checked"),
        pytest.param(csv("a,b", "1,2"), csv("a,b,c,d,e,f", "1,2,3,4,5,6"), (0.933, 0.867, 0.667), id="four extra"),
    ],
)
def test_worked_examples_of_the_rules(gold: str, prediction: str, expected: tuple[float, ...]) -> None:
    score = signature_score(prediction, gold)
    assert [round(score.at(penalty), 3) for penalty in (0.1, 0.2, 0.5)] == list(expected)
    assert score.score == score.at(0.1)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (" a\r\n", "a"),
        ("Null", ""),
        ("NONE", ""),
        ("NaN", ""),
        ("NaT", ""),
        ("<NA>", ""),
        ("  ", ""),
        ("N/A", "N/A"),
        ("4200000", "4200000.00"),
        ("0.005", "0.01"),
        ("2.675", "2.68"),
        ("1.005", "1.01"),
        ("-0.005", "-0.01"),
        ("-0.004", "0.00"),
        ("0.0049999999999999999999999999", "0.00"),
        ("99999999999999999999999.995", "100000000000000000000000.00"),
        ("1e3", "1000.00"),
        (".5", "0.50"),
        ("+7", "7.00"),
        ("000021", "21.00"),
        ("0e5000", "0.00"),
        ("1e-400000000", "0.00"),
        ("1e999999999999999999999", "1e999999999999999999999"),
        ("1_000", "1_000"),
        ("Infinity", "Infinity"),
        ("1,000", "1,000"),
        ("12%", "12%"),
        ("￥5", "￥5"),
        ("true", "true"),
        ("East Asia", "East Asia"),
        ("2024-03-01", "2024-03-01"),
        ("2024-3-1", "2024-3-1"),
        ("2024-03-01 10:00:00", "2024-03-01 10:00:00"),
        ("2024-03-01T08:00:00+08:00", "2024-03-01T00:00:00Z"),
        ("2024-03-01 00:30:00.250-0530", "2024-03-01T06:00:00.25Z"),
        ("2024-03-01T00:00Z", "2024-03-01T00:00:00Z"),
        ("2024-02-30T00:00:00Z", "2024-02-30T00:00:00Z"),
        ("0001-01-01T00:00:00+08:00", "0001-01-01T00:00:00+08:00"),
    ],
)
def test_canonical_cell(cell: str, expected: str) -> None:
    assert canonical_cell(cell) == expected


def test_a_short_cell_does_not_become_a_long_string() -> None:
    assert len(canonical_cell("1e999999999")) < 20
    assert canonical_cell("1e999999999") == canonical_cell("10E999999998")


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6))
def test_numbers_round_half_up_to_two_decimals(value: Decimal) -> None:
    expected = value.quantize(Decimal("0.01"), ROUND_HALF_UP) + 0
    assert canonical_cell(format(value, "f")) == (str(expected) if expected else "0.00")


def test_null_counts_as_a_cell() -> None:
    assert signature_score(csv("n", "1", '""'), csv("n", "1", "NULL")).score == 1
    assert signature_score(csv("n", "1"), csv("n", "1", "NULL")).score == 0


def test_duplicate_columns_must_be_there_as_often() -> None:
    score = signature_score(csv("a", "1"), csv("a,b", "1,1"))
    assert (score.matched, score.recall, score.extra, score.score) == (1, 0.5, 0, 0.5)


def test_header_only_equals_header_only() -> None:
    assert signature_score("a\n", "b\n").score == 1
    assert signature_score("a\n", csv("b", "1")).score == 0


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (csv("first,last", "Jo,Smith", "An,Lee"), csv("name", "An Lee", "Jo Smith")),
        (csv("name", "An Lee", "Jo Smith"), csv("last,first", "Smith,Jo", "Lee,An")),
        (csv("name,n", "Jo Smith,3"), csv("n,first,last", "3.0,Jo,Smith")),
        (csv("first,last,n", "Jo,Smith,3"), csv("n,name", "3,Jo Smith")),
        (csv("first,last", "Jo,Smith", "Pele,"), csv("name", "Pele", "Jo Smith")),
    ],
)
def test_a_name_may_stand_in_one_column_or_in_two(gold: str, prediction: str) -> None:
    score = signature_score(prediction, gold)
    assert (score.score, score.extra, score.reason) == (1, 0, None)


@pytest.mark.parametrize(
    ("gold", "prediction", "why"),
    [
        (csv("f,l", "Jo,Smith", "An,Lee"), csv("n", "Jo Lee", "An Smith"), "joined row by row"),
        (csv("f,l", "Jo,Smith"), csv("n", "JoSmith"), "one space between"),
        (csv("f,l", "Jo,Smith"), csv("n", "Jo  Smith"), "only one space"),
        (csv("a,b", "1,2"), csv("n", "1 2"), "numbers are no names"),
        (csv("a,b", "2024-01-01,x"), csv("n", "2024-01-01 x"), "dates are no names"),
    ],
)
def test_what_is_no_name_is_not_joined(gold: str, prediction: str, why: str) -> None:
    assert signature_score(prediction, gold).score == 0, why


def test_a_full_name_counts_for_both_even_beside_the_first_name() -> None:
    score = signature_score(csv("first,name", "Jo,Jo Smith"), csv("first,last", "Jo,Smith"))
    assert (score.matched, score.predicted_columns, score.extra) == (2, 3, 1)
    assert score.score == pytest.approx(1 - 0.1 / 3)


@pytest.mark.parametrize(
    ("prediction", "reason"),
    [
        (None, "no prediction"),
        ("\n", "no header"),
        (csv("a,b", "1"), "row 1 has 1 fields, the header has 2"),
        ("a\n1\n\n2\n", "blank line where row 2"),
        ('a\n"1"2\n', "no valid CSV"),
        ('a\n"1\n', "no valid CSV"),
        ("a\n\0\n", "NUL"),
    ],
)
def test_a_bad_prediction_scores_zero_with_the_reason(prediction: str | None, reason: str) -> None:
    score = signature_score(prediction, csv("n", "1"))
    assert score.score == 0
    assert re.search(reason, score.reason or "")


def test_a_missing_or_foreign_file_scores_zero_with_the_reason(tmp_path: Path) -> None:
    gold = csv("n", "1")
    foreign = tmp_path / "prediction.csv"
    foreign.write_bytes("n\n金额\n".encode("gb18030"))
    assert signature_score(tmp_path / "none.csv", gold).reason == "there is no prediction"
    assert "is not UTF-8" in (signature_score(foreign, gold).reason or "")
    assert "is not a file" in (signature_score(tmp_path, gold).reason or "")


def test_a_broken_gold_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScoringError, match="row 1 has 1 fields"):
        signature_score(csv("n", "1"), csv("a,b", "1"))
    with pytest.raises(MissingFileError, match="does not exist"):
        signature_score(csv("n", "1"), tmp_path / "gold.csv")


@pytest.mark.parametrize("penalty", [-0.1, float("nan"), float("inf")])
def test_a_senseless_penalty_is_an_error(penalty: float) -> None:
    with pytest.raises(ScoringError, match="penalty"):
        signature_score(csv("n", "1"), csv("n", "1"), extra_penalty=penalty)


def test_the_score_never_falls_below_zero() -> None:
    assert signature_score(csv("a,b", "7,8"), csv("n", "1"), extra_penalty=5).score == 0


def test_reason_names_columns_rows_and_extras_but_no_gold_cell() -> None:
    score = signature_score(csv("x", "1"), csv("amount,city", "77,Paris", "78,Rome"))
    assert score.reason == (
        "2 of 2 gold columns not matched: `amount`, `city`; 1 row predicted, the gold has 2; 1 extra column"
    )


def test_a_file_keeps_its_cells_as_written(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_bytes(b'\xef\xbb\xbfcode,note\r\n000021,"a, ""b""\nc"\r\n007,\r\n\r\n')
    assert read_table(path) == Table(("code", "note"), (("000021", "007"), ('a, "b"\nc', "")), 2)


def test_a_cell_may_be_longer_than_the_csv_module_allows_by_default() -> None:
    long = "x" * 300_000
    assert signature_score(f"n\n{long}\n", f"m\n{long}\n").score == 1


def test_frames_and_relations_are_tables() -> None:
    gold = csv("d,n,code", "2024-01-02,0.1,000021", ",,")
    query = "SELECT * FROM (VALUES (DATE '2024-01-02', 0.1::DOUBLE, '000021'), (NULL, NULL, NULL))"
    with duckdb.connect() as connection:
        assert signature_score(connection.sql(query), gold).score == 1
    frame = pl.DataFrame({"code": ["000021", None], "n": [0.1, None], "d": ["2024-01-02", None]})
    assert signature_score(frame, gold).score == 1


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6)
    ),
    st.randoms(use_true_random=False),
)
def test_order_of_rows_and_columns_does_not_count(rows: list[list[str]], shuffle: random.Random) -> None:
    header = [str(index) for index in range(len(rows[0]))]
    order = list(range(len(header)))
    shuffle.shuffle(order)
    moved = [[row[index] for index in order] for row in shuffle.sample(rows, len(rows))]
    assert signature_score(Table.from_rows(header, moved), Table.from_rows(header, rows)).score == 1


@given(st.data())
def test_the_score_is_the_formula_over_sorted_columns(data: st.DataObject) -> None:
    height = data.draw(st.integers(0, 3))
    cells = st.sampled_from(["", "null", "1", "1.001", "2", "7.5"])
    tables = []
    for _ in range(2):
        column = st.lists(cells, min_size=height, max_size=height)
        tables.append(data.draw(st.lists(column, min_size=1, max_size=4)))
    numbers = {"": "", "null": "", "1": "1", "1.001": "1", "2": "2", "7.5": "7.5"}
    gold, guess = ([tuple(sorted(numbers[cell] for cell in column)) for column in table] for table in tables)
    matched = sum(min(gold.count(signature), guess.count(signature)) for signature in set(gold))
    expected = max(0.0, matched / len(gold) - 0.1 * (len(guess) - matched) / len(guess))
    truth, prediction = (Table(tuple("x" * len(table)), tuple(map(tuple, table)), height) for table in tables)
    assert signature_score(prediction, truth).score == pytest.approx(expected)


def test_many_threads_give_one_answer() -> None:
    gold = csv("a,b", *(f"{n},{n}.5" for n in range(300)))
    guess = csv("b,a", *(f"{n}.50,{n}.0" for n in reversed(range(300))))
    with ThreadPoolExecutor(8) as pool:
        scores = list(pool.map(lambda _: signature_score(guess, gold).score, range(64)))
    assert set(scores) == {1.0}


def test_no_column_predicted_is_zero_and_not_a_division_by_zero() -> None:
    assert SignatureScore(matched=0, gold_columns=0, predicted_columns=0).score == 0
