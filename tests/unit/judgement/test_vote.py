"""The vote: who counts, what wins, and what is never adopted."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement import AnswerShape, Decision, Round, vote
from tests.doubles.judged import claim, failed, said_no, said_yes, video

CARD = video({1: '[:page [:card [:label "Total"] [:value "1"] [:value "7"] [:value "1,280.50"]]]'})


def test_two_yes_and_three_failures_are_unknown_after_refills() -> None:
    rounds = [said_yes(1, "1"), said_yes(2, "1"), *(failed(n) for n in range(3, 11))]
    verdict = vote(rounds, 5, CARD, "t")
    assert (verdict.finding, verdict.has_displayed_answer, verdict.decision) == ("unknown", False, "RECOMPUTE")
    assert verdict.error == "2 of 10 rounds succeeded, 3 are needed: the endpoint is down"
    assert verdict.confidence == verdict.agreement == 0.0


def test_values_are_voted_on_and_not_taken_from_the_first_round() -> None:
    verdict = vote([said_yes(1, "7"), said_yes(2, "1"), said_yes(3, "1")], 3, CARD)
    assert verdict.claimed_values == [["1"]]
    assert verdict.reason == "round 2"
    assert verdict.agreement == pytest.approx(2 / 3)


def test_failed_rounds_abstain() -> None:
    verdict = vote([said_yes(1, "1"), failed(2), said_yes(3, "1"), said_yes(4, "1"), failed(5)], 5, CARD)
    assert (verdict.finding, verdict.decision, verdict.agreement) == ("shown", "ADOPT", 1.0)


@pytest.mark.parametrize("yes", [0, 1, 2])
def test_a_tie_and_a_minority_say_no(yes: int) -> None:
    rounds = [said_yes(n, "1") for n in range(1, yes + 1)] + [said_no(n) for n in range(yes + 1, 5)]
    verdict = vote(rounds, 4, CARD)
    assert (verdict.finding, verdict.decision, verdict.confidence) == ("not_shown", "RECOMPUTE", 1.0)
    assert verdict.agreement == (4 - yes) / 4
    assert verdict.claimed_values == []
    assert verdict.distractor_notes == f"no, says {yes + 1}"


def test_a_decision_is_the_most_frequent_and_of_equals_the_more_careful() -> None:
    three = [said_yes(1, "1"), said_yes(2, "1", "RECOMPUTE"), said_yes(3, "1")]
    assert vote(three, 3, CARD).decision == "ADOPT"
    assert vote([*three, said_yes(4, "1", "RECOMPUTE")], 4, CARD).decision == "RECOMPUTE"


def test_confidence_is_the_mean_of_the_rounds_that_support_the_decision() -> None:
    rounds = [said_yes(1, "1", confidence=0.9), said_yes(2, "1", confidence=0.7), said_yes(3, "1", "RECOMPUTE", 0.1)]
    verdict = vote(rounds, 3, CARD)
    assert verdict.confidence == pytest.approx(0.8)
    assert verdict.agreement == pytest.approx(2 / 3)


def test_numbers_are_equal_by_value_and_text_by_nfkc() -> None:
    rounds = [said_yes(1, "1280.5"), said_yes(2, "1,280.50"), said_yes(3, "１２８０.５")]
    verdict = vote(rounds, 3, CARD)
    assert (verdict.claimed_values, verdict.agreement, verdict.decision) == ([["1280.5"]], 1.0, "ADOPT")


def test_rows_in_another_order_are_the_same_values() -> None:
    decision = Decision(decision="ADOPT", confidence=0.5)
    tables = [[["a", "1"], ["b", "7"]], [["b", "7"], ["a", "1"]], [["a", "7"], ["b", "1"]]]
    verdict = vote([Round(n, claim(rows), None, decision) for n, rows in enumerate(tables, 1)], 3, CARD)
    assert verdict.claimed_values == tables[0]


def test_cells_are_voted_on_where_no_table_has_a_majority_and_that_is_not_adopted_unseen() -> None:
    decision = Decision(decision="ADOPT", confidence=0.5)
    tables = [[["1", "7"]], [["1", "1"]], [["7", "7"]]]
    verdict = vote([Round(n, claim(rows), None, decision) for n, rows in enumerate(tables, 1)], 3, CARD)
    assert (verdict.claimed_values, verdict.decision) == ([["1", "7"]], "ADOPT_AND_VERIFY")
    assert "no majority" in verdict.note


def test_a_claim_with_a_cell_that_no_slide_shows_is_never_adopted() -> None:
    verdict = vote([said_yes(n, "9") for n in (1, 2, 3)], 3, CARD)
    assert verdict.decision == "ADOPT_AND_VERIFY"
    assert [(cell.row, cell.column, cell.value) for cell in verdict.unsupported] == [(1, 1, "9")]


def test_a_conflict_of_units_stays_a_shown_answer() -> None:
    shape = AnswerShape(unit_consistent=False, normalized_values=[["1"]])
    verdict = vote([said_yes(n, "1", "RECOMPUTE", shape=shape) for n in (1, 2, 3)], 3, CARD)
    assert (verdict.finding, verdict.has_displayed_answer, verdict.decision) == ("shown", True, "RECOMPUTE")
    assert not verdict.unit_consistent


def test_a_failed_second_step_keeps_the_values_and_a_failed_third_is_careful() -> None:
    verdict = vote([Round(1, claim([["1"]]), None, None, {"align": "x", "decide": "y"})], 1, CARD)
    assert (verdict.claimed_values, verdict.normalized_values) == ([["1"]], [["1"]])
    assert (verdict.decision, verdict.confidence) == ("ADOPT_AND_VERIFY", 0.3)
    assert "units were not compared" in verdict.note


def test_normalised_values_come_only_with_the_claim_that_they_belong_to() -> None:
    decision = Decision(decision="ADOPT", confidence=0.5)
    rounds = [
        Round(n, claim([row]), AnswerShape(normalized_values=[["70000", "10000"]], conversion="× 10000"), decision)
        for n, row in enumerate((["1", "7"], ["7", "7"], ["1", "1"]), 1)
    ]
    verdict = vote(rounds, 3, CARD)
    assert verdict.claimed_values == [["1", "7"]]
    assert verdict.conversion == "× 10000"


ROUNDS = st.sampled_from(["yes 1", "yes 7", "no", "failed"])


@given(st.lists(ROUNDS, min_size=1, max_size=10), st.integers(1, 5))
def test_laws_of_any_vote(kinds: list[str], wanted: int) -> None:
    make = {"yes 1": lambda n: said_yes(n, "1"), "yes 7": lambda n: said_yes(n, "7"), "no": said_no, "failed": failed}
    rounds = [make[kind](n) for n, kind in enumerate(kinds, 1)]
    verdict = vote(rounds, wanted, CARD)
    yes, no = sum(kind.startswith("yes") for kind in kinds), kinds.count("no")
    assert (verdict.finding == "unknown") == (2 * (yes + no) <= wanted)
    assert (verdict.finding == "shown") == (verdict.finding != "unknown" and yes > no)
    assert verdict.has_displayed_answer == (verdict.finding == "shown") == bool(verdict.claimed_values)
    assert 0 <= verdict.confidence <= 1
    assert 0 <= verdict.agreement <= 1
    assert len(verdict.rounds) == len(rounds)
    if verdict.finding == "shown":
        most = max(kinds.count("yes 1"), kinds.count("yes 7"))
        assert kinds.count(f"yes {verdict.claimed_values[0][0]}") == most
    assert verdict == vote(rounds, wanted, CARD)


@given(st.permutations([said_yes(1, "7"), said_yes(2, "1"), said_yes(3, "1"), said_no(4), failed(5)]))
def test_the_order_of_rounds_changes_neither_finding_nor_values(rounds: list[Round]) -> None:
    verdict = vote(rounds, 5, CARD)
    assert (verdict.finding, verdict.claimed_values) == ("shown", [["1"]])


def test_every_count_of_outcomes_is_judged_without_error() -> None:
    for kinds in itertools.product("ynf", repeat=5):
        rounds = [{"y": lambda n: said_yes(n, "1"), "n": said_no, "f": failed}[k](n) for n, k in enumerate(kinds, 1)]
        assert vote(rounds, 5, CARD).finding in ("shown", "not_shown", "unknown")
