"""The metrics of judge, documents, relevance and long videos; expected values are worked out by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement import VideoVerdict
from dspy_programs.metrics import (
    Metric,
    answer_score,
    cell_f1,
    document_score,
    exact_answer_score,
    judge_score,
    overlap,
    relevance_score,
    video_score,
)

ALL = (answer_score, exact_answer_score, judge_score, document_score, relevance_score, video_score)


def shown(decision: str, *values: str) -> dspy.Prediction:
    rows = [[value] for value in values]
    return dspy.Prediction(verdict=VideoVerdict(finding="shown", decision=decision, claimed_values=rows))  # type: ignore[arg-type]


ADOPT = dspy.Example(task="t", verdict="ADOPT", values=[["1,280.5"], ["华东"]])
RECOMPUTE = dspy.Example(task="t", verdict="RECOMPUTE")


@pytest.mark.parametrize(
    ("example", "prediction", "score", "parts"),
    [
        # Worth (1 + 1) / 2 = 1; the order of rows and the writing of numbers do not count.
        (ADOPT, shown("ADOPT", "华东", "1280.50"), 1.0, {"verdict": 1, "values": 1, "false_adopt": 0}),
        # Worth 1/2: right values, another way to use them.
        (ADOPT, shown("ADOPT_AND_VERIFY", "1280.5", "华东"), 0.75, {"verdict": 0, "values": 1, "false_adopt": 0}),
        # Worth 1/2 - 1: the word is right, the values are not.
        (ADOPT, shown("ADOPT", "140.2", "华东"), 0.25, {"verdict": 1, "values": 0, "false_adopt": 1}),
        # Worth 0 - 1.
        (ADOPT, shown("ADOPT_AND_VERIFY", "140.2"), 0.0, {"verdict": 0, "values": 0, "false_adopt": 1}),
        # Worth 0: nothing is gained, nothing is spoilt.
        (ADOPT, dspy.Prediction(), 0.5, {"verdict": 0, "values": 0, "false_adopt": 0}),
        (RECOMPUTE, shown("ADOPT", "1"), 0.0, {"verdict": 0, "false_adopt": 1}),
        (RECOMPUTE, shown("RECOMPUTE", "1"), 1.0, {"verdict": 1, "false_adopt": 0}),
        (RECOMPUTE, dspy.Prediction(verdict={"finding": "not_shown"}), 1.0, {"verdict": 1, "false_adopt": 0}),
        # An abstention is no right verdict, though it says RECOMPUTE, too.
        (RECOMPUTE, dspy.Prediction(verdict={"finding": "unknown"}), 0.5, {"verdict": 0, "false_adopt": 0}),
    ],
)
def test_the_judge_pays_for_false_adoptions(
    example: dspy.Example, prediction: dspy.Prediction, score: float, parts: dict[str, float]
) -> None:
    graded = judge_score.grade(example, prediction)
    assert graded.score == score
    assert dict(graded.parts) == parts


def test_the_judges_feedback_tells_no_values() -> None:
    feedback = judge_score.grade(ADOPT, shown("ADOPT", "140.2")).feedback
    assert "not those that the question asks for" in feedback
    assert "1,280.5" not in feedback


def test_cells_are_counted_in_the_rows_that_hold_them() -> None:
    gold = {"orders": [{"id": 1, "city": "Ulm", "paid": None}, {"id": 2, "city": "Bern", "paid": "9.50"}]}
    # Of 5 gold cells 4 are right; 5 are given, the city of order 2 is wrong.
    guess = {"Orders": [{"ID": "2.0", "City": "Basel", "Paid": 9.5}, {"ID": 1, "City": "Ulm"}]}
    found = cell_f1(guess, gold)
    assert (found.right, found.predicted, found.gold) == (4, 5, 5)
    assert found.f1 == pytest.approx(0.8)
    assert dict(found.missing) == dict(found.wrong) == {"orders.city": 1}


def test_a_row_too_many_and_a_table_too_few_both_count() -> None:
    gold = {"a": "x,y\n1,2\n", "b": "z\n5\n"}
    found = cell_f1({"a": "x,y\n1,2\n1,2\n"}, gold)
    assert (found.right, found.predicted, found.gold) == (2, 4, 3)
    assert dict(found.wrong) == {"a.x": 1, "a.y": 1}
    assert dict(found.missing) == {"b.z": 1}


CELLS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2", "x", ""]), min_size=1)
TABLES = st.dictionaries(st.sampled_from(["t", "u"]), st.lists(CELLS, max_size=5))


@given(TABLES)
def test_tables_equal_themselves_in_any_order_of_rows(tables: dict[str, list[dict[str, str]]]) -> None:
    assert cell_f1({name: rows[::-1] for name, rows in tables.items()}, tables).f1 == 1


@given(TABLES, TABLES)
def test_no_more_cells_are_right_than_there_are(one: dict[str, Any], other: dict[str, Any]) -> None:
    found = cell_f1(one, other)
    assert 0 <= found.right <= min(found.predicted, found.gold)
    assert sum(found.missing.values()) == found.gold - found.right
    assert sum(found.wrong.values()) == found.predicted - found.right


TOKENS = {"orders": 300, "cities": 100, "noise": 400, "more": 200}


@pytest.mark.parametrize(
    ("kept", "score"),
    [
        (["orders", "cities"], 1.0),
        # All 600 superfluous tokens are carried.
        (list(TOKENS), 0.8),
        # 200 of 600 are.
        (["cities", "more", "orders"], 0.8 + 0.2 * 2 / 3),
        (["orders"], 0.4),
        # What is lost is not made up for by what is saved.
        (["orders", "noise", "more"], 0.4),
        ([], 0.0),
    ],
)
def test_relevance_is_recall_first_and_tokens_second(kept: list[str], score: float) -> None:
    example = dspy.Example(needed=["orders", "cities"], tokens=TOKENS)
    assert relevance_score(example, dspy.Prediction(kept=kept)) == pytest.approx(score)


def test_where_nothing_is_needed_everything_kept_costs_tokens() -> None:
    example = dspy.Example(needed=[], tokens={"noise": 10})
    assert relevance_score(example, dspy.Prediction(kept=["noise"])) == 0.8
    assert relevance_score(example, dspy.Prediction(kept=[])) == 1


def test_spans_overlap_by_time_counted_once() -> None:
    # Together they cover 0 to 20, of which 10 to 20 is right; the union is 0 to 30.
    assert overlap([(5, 20), (0, 10), (6, 7)], [(10, 30)]) == pytest.approx(1 / 3)
    assert overlap([(0, 1)], [(1, 2)]) == 0
    assert overlap([], []) == 0


@pytest.mark.parametrize(
    ("answer", "said", "right"),
    [
        ("1,280", "1280.0", True),
        ("B", "(b) the second car", True),
        ("B", "Bananas", False),
        (["白色", "white"], "White.", True),
        ("3", None, False),
        ("12", "12%", False),
    ],
)
def test_an_answer_is_right_by_its_meaning(answer: object, said: object, right: bool) -> None:
    assert video_score(dspy.Example(answer=answer), dspy.Prediction(answer=said)) == float(right)


def test_answer_and_evidence_are_weighed() -> None:
    example = dspy.Example(answer="4", spans=[(10, 20)])
    assert video_score(example, dspy.Prediction(answer="4", spans=[[10, 20]])) == pytest.approx(1.0)
    assert video_score(example, dspy.Prediction(answer="4")) == pytest.approx(0.7)
    assert video_score(example, dspy.Prediction(answer="5", spans=[(10, 15)])) == pytest.approx(0.15)


JUNK: list[Any] = [None, 7, "x", [], {}, [[1]], {"a": 3}, object(), float("nan"), [(3, 1)], {"a": [{"b": object()}]}]
FIELDS = (
    "gold",
    "csv",
    "table",
    "csv_path",
    "verdict",
    "values",
    "cells",
    "needed",
    "kept",
    "tokens",
    "answer",
    "spans",
)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("index", range(len(JUNK)))
def test_nothing_makes_a_metric_raise(metric: Metric, index: int) -> None:
    record = {name: JUNK[(index + place) % len(JUNK)] for place, name in enumerate(FIELDS)}
    others = {name: JUNK[(index * 3 + place) % len(JUNK)] for place, name in enumerate(FIELDS)}
    for example in (dspy.Example(**record), dspy.Example()):
        for prediction in (dspy.Prediction(**others), dspy.Prediction(), None):
            plain = metric(example, prediction)
            told = metric(example, prediction, None, "predictor", [])
            assert isinstance(plain, float)
            assert 0 <= plain <= 1
            assert isinstance(told, dspy.Prediction)
            assert told.score == plain
            assert told.feedback


def test_a_grade_that_raises_or_is_no_number_scores_zero_with_the_reason() -> None:
    def broken(example: dspy.Example, _prediction: dspy.Prediction) -> Any:  # noqa: ANN401
        raise ZeroDivisionError(example.get("why"))

    graded = Metric("broken", broken).grade(dspy.Example(why="never mind"), dspy.Prediction())
    assert (graded.score, graded.feedback) == (0, "This cannot be scored: ZeroDivisionError: never mind.")


def test_many_threads_agree() -> None:
    gold = {"t": [{"a": n, "b": n % 7} for n in range(60)]}
    example, prediction = dspy.Example(cells=gold), dspy.Prediction(cells={"t": gold["t"][::2]})
    with ThreadPoolExecutor(8) as pool:
        scores = set(pool.map(lambda _: document_score(example, prediction), range(50)))
    assert scores == {2 / 3}


def test_a_table_that_is_called_otherwise_is_paired_by_what_it_holds() -> None:
    gold = {"fees": [{"fund": "A", "fee": "1"}, {"fund": "B", "fee": "2"}], "heads": [{"fund": "A", "head": "Kim"}]}
    guess = {"report": gold["heads"], "Report 2": gold["fees"], "more": [{"x": "9"}]}
    found = cell_f1(guess, gold)
    assert (found.right, found.predicted, found.gold) == (6, 7, 6)
    assert dict(found.wrong) == {"more.x": 1}
    # A name that is right comes before what a table holds.
    assert cell_f1({"fees": gold["heads"], "heads": gold["fees"]}, gold).right == 2


def test_a_column_that_is_called_otherwise_is_paired_where_it_holds_the_same() -> None:
    gold = {"clinics": [{"clinic": "North", "beds": "40"}, {"clinic": "South", "beds": "25"}]}
    renamed = [{"clinic": "North", "number of beds": 40}, {"clinic": "South", "number of beds": 25}]
    assert cell_f1({"clinics": renamed}, gold).f1 == 1
    # Half of its cells are not more than half.
    half = [{"clinic": "North", "rooms": 40}, {"clinic": "South", "rooms": 12}]
    assert cell_f1({"clinics": half}, gold).right == 2
