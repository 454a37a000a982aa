"""How the offline baseline weighs its readings."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.catalog import Catalog
from debriefer.offline import Abstention, Reading, read_question
from debriefer.offline.confidence import CHINESE, ENGLISH, REASONS, heaviest, probability
from debriefer.task import Task

NAMES = sorted(set(ENGLISH) - {"always"})


def read(folder: Path, *, always_answer: bool = False) -> tuple[Reading | Abstention, list[tuple[object, ...]]]:
    task = Task.open(folder)
    with Catalog.build(task) as catalog:
        reading = read_question(task, catalog, always_answer=always_answer)
        rows = catalog.preview(reading.sql, 20).rows if isinstance(reading, Reading) else []
        return reading, [tuple(row) for row in rows]


def test_probability_is_the_logistic_of_the_weighted_signals() -> None:
    expected = 1 / (1 + math.exp(-(1.5 - 2.0 * 0.25 - 1.0)))
    weights = {"always": 1.5, "doubts": -2.0, "tied": -1.0}
    assert probability({"doubts": 0.25, "tied": 1.0, "unknown": 9.0}, weights) == pytest.approx(expected, abs=1e-4)


@given(st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1)), st.sampled_from(NAMES))
def test_a_signal_never_raises_the_confidence(found: dict[str, float], name: str) -> None:
    lower, higher = {**found, name: 0.0}, {**found, name: 1.0}
    for weights in (ENGLISH, CHINESE):
        assert probability(higher, weights) <= probability(lower, weights)


def test_the_heaviest_signal_is_told_in_words() -> None:
    weights = {"always": 2.0, "joins": -0.5, "tied": -1.0}
    assert heaviest({"joins": 1.0, "tied": 1.0}, weights) == REASONS["tied"]
    assert heaviest({"joins": 0.0, "tied": 0.0}, weights) == ""


@pytest.mark.parametrize(
    ("question", "answered"),
    [("What is the average price?", True), ("What is the average price of Zyrtanian vexilloids?", False)],
)
def test_a_question_that_is_passed_over_in_part_is_abstained_from(
    task_with: Callable[..., Path], question: str, answered: bool
) -> None:
    reading, _ = read(task_with(question=question, csv={"stock.csv": "item,price\nlamp,5\nrug,7\n"}))
    assert isinstance(reading, Reading) is answered
    if isinstance(reading, Abstention):
        assert "was not understood" in reading.reason


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    """A database in which two columns of `cat` refer to `colour`."""
    path = tmp_path / "cats.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE colour (id INTEGER PRIMARY KEY, colour TEXT);
            CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT,
                fur_colour_id INTEGER REFERENCES colour (id), eye_colour_id INTEGER REFERENCES colour (id));
            INSERT INTO colour VALUES (1, 'Green'), (2, 'Black'), (3, 'White');
            INSERT INTO cat VALUES (1, 'Tom', 2, 1), (2, 'Kit', 3, 1), (3, 'Moss', 1, 2), (4, 'Jet', 2, 2);
            """
        )
    connection.close()
    return path


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many cats have Green eyes?", [(2,)]),
        ("How many cats have Green fur?", [(1,)]),
        ("What is the eye colour of the cat named Moss?", [("Black",)]),
        ("What is the fur colour of the cat named Moss?", [("Green",)]),
    ],
)
def test_words_tell_by_which_reference_a_value_is_met(
    task_with: Callable[..., Path], cats: Path, question: str, expected: list[tuple[object, ...]]
) -> None:
    folder = task_with(question=question)
    target = folder / "context" / "db" / cats.name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(cats.read_bytes())
    _, rows = read(folder, always_answer=True)
    assert rows == expected
