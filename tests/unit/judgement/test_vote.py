"""The vote: who counts, what wins, and what is never adopted."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement import AnswerShape, Decision, Round, VideoClaim, vote
from debriefer.judgement.vote import aligned_rows
from tests.doubles.judged import RANKING, THRESHOLDS, claim, failed, said_no, said_yes, video

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


def read(tables: list[list[list[str]]], *shapes: AnswerShape | None, decision: str = "ADOPT") -> list[Round]:
    chosen = Decision.model_validate({"decision": decision, "confidence": 0.5})
    given_shapes = [*shapes, *[None] * (len(tables) - len(shapes))]
    return [Round(n, claim(rows), given_shapes[n - 1], chosen) for n, rows in enumerate(tables, 1)]


def test_a_vote_on_cells_does_not_mix_rows_that_rounds_list_in_another_order() -> None:
    tables = [[["a", "1"], ["b", "7"]], [["b", "8"], ["a", "2"]], [["a", "8"], ["b", "2"]]]
    # By place `a` would get 8, which one round read for `b` and one for `a`.
    verdict = vote(read(tables), 3, CARD)
    assert verdict.claimed_values == [["a", "1"], ["b", "7"]]
    assert verdict.decision == "ADOPT_AND_VERIFY"


def test_values_that_no_round_read_as_a_whole_have_no_agreement() -> None:
    tables = [[["1", "7", "3"]], [["1", "8", "4"]], [["2", "7", "4"]]]
    verdict = vote(read(tables), 3, CARD)
    assert (verdict.claimed_values, verdict.agreement) == ([["1", "7", "4"]], 0.0)


def test_the_rest_of_a_vote_on_cells_comes_from_a_claim_of_its_size() -> None:
    wide = AnswerShape(target_columns=["x", "y"], normalized_values=[["9", "9"]])
    narrow = AnswerShape(target_columns=["a", "b", "c"], normalized_values=[["1", "7", "3"]], conversion="× 10")
    tables = [[["9", "9"]], [["1", "7", "3"]], [["1", "8", "4"]], [["2", "7", "4"]]]
    verdict = vote(read(tables, wide, narrow), 4, CARD)
    assert (verdict.claimed_values, verdict.target_columns) == ([["1", "7", "4"]], ["a", "b", "c"])


def test_values_that_were_to_be_converted_and_are_not_stay_in_the_videos_unit() -> None:
    shape = AnswerShape(normalized_values=[["10", "70", "30"]], conversion="× 10")
    tables = [[["1", "7", "3"]], [["1", "8", "4"]], [["2", "7", "4"]]]
    verdict = vote(read(tables, shape), 3, CARD)
    assert (verdict.normalized_values, verdict.conversion, verdict.unit_consistent) == ([["1", "7", "4"]], "", False)


def test_values_keep_the_conversion_of_their_round_in_its_order_of_rows() -> None:
    rows = [["a", "1"], ["b", "7"]]
    careful = Decision(decision="ADOPT_AND_VERIFY", confidence=0.5)
    shape = AnswerShape(normalized_values=[["b", "70"], ["a", "10"]], conversion="× 10")
    rounds = [
        Round(1, claim(rows), None, Decision(decision="ADOPT", confidence=0.5)),
        Round(2, claim(rows[::-1]), shape, careful),
        Round(3, claim(rows[::-1]), shape, careful),
    ]
    verdict = vote(rounds, 3, CARD)
    assert verdict.claimed_values == [["b", "7"], ["a", "1"]]
    assert (verdict.normalized_values, verdict.conversion) == ([["b", "70"], ["a", "10"]], "× 10")


def test_an_answer_in_a_unit_without_a_certain_conversion_is_recomputed() -> None:
    shape = AnswerShape(unit_consistent=False, normalized_values=[["1"]])
    verdict = vote([said_yes(1, "1", shape=shape)], 1, CARD)
    assert (verdict.finding, verdict.decision) == ("shown", "RECOMPUTE")


def test_a_cell_without_slides_is_looked_up_where_its_own_round_read_it() -> None:
    shown = video({1: '[:page [:value "1"]]', 2: '[:page [:value "7"]]'})
    decision = Decision(decision="ADOPT", confidence=0.5)
    tables = {1: ["1", "x"], 2: ["y", "7"]}
    claims = [
        VideoClaim.model_validate(
            {"has_displayed_answer": True, "claimed_values": [row], "source_frames": [slide]},
        )
        for slide, row in tables.items()
    ]
    both = claim([["1", "7"]], ()).model_copy(update={"source_frames": ["2"]})
    verdict = vote([Round(n, one, None, decision) for n, one in enumerate([*claims, both], 1)], 3, shown)
    assert verdict.claimed_values == [["1", "7"]]
    assert [cell.value for cell in verdict.unsupported] == ["1"]


TABLES = st.lists(
    st.permutations([["a", "1"], ["b", "7"], ["c", "3"]]).map(lambda rows: [list(row) for row in rows]),
    min_size=1,
    max_size=7,
)


@given(TABLES, st.data())
def test_rounds_that_misread_one_cell_each_do_not_cost_the_whole(
    tables: list[list[list[str]]], data: st.DataObject
) -> None:
    """Each of at least three rounds misreads another cell: every cell has a majority, whatever the order of rows."""
    cells = [(name, column) for name in "abc" for column in (0, 1)]
    wrong = data.draw(st.permutations(cells))
    for number, ((name, column), table) in enumerate(zip(wrong, tables, strict=False)):
        row = next(row for row in table if row[0] == name)
        row[column] = f"misread {number}"
    verdict = vote(read(tables), len(tables), CARD)
    assert verdict.finding == "shown"
    if len(tables) >= 3:
        assert sorted(verdict.claimed_values) == [["a", "1"], ["b", "7"], ["c", "3"]]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6), st.randoms())
def test_alignment_only_changes_the_order_of_rows(rows: list[tuple[int, int]], random: Random) -> None:
    table = claim([[str(a), str(b)] for a, b in rows]).claimed_values
    mixed = random.sample(table, len(table))
    assert aligned_rows(mixed, table) == table


@given(st.lists(ROUNDS, min_size=5, max_size=5), st.sampled_from(["9", "1"]))
def test_no_vote_adopts_what_no_slide_shows(kinds: list[str], seen: str) -> None:
    make = {"yes 1": lambda n: said_yes(n, "1"), "yes 7": lambda n: said_yes(n, "7"), "no": said_no, "failed": failed}
    verdict = vote([make[kind](n) for n, kind in enumerate(kinds, 1)], 5, video({1: f'[:page [:value "{seen}"]]'}))
    if verdict.decision == "ADOPT":
        assert verdict.claimed_values == [[seen]]


@given(st.lists(st.sampled_from(["ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"]), min_size=1, max_size=9))
def test_confidence_is_that_of_the_winning_decision_alone(names: list[str]) -> None:
    sure = {"ADOPT": 0.25, "ADOPT_AND_VERIFY": 0.5, "RECOMPUTE": 0.75}
    verdict = vote([said_yes(n, "1", name, sure[name]) for n, name in enumerate(names, 1)], len(names), CARD)
    assert verdict.confidence == sure[verdict.decision]
    assert verdict.agreement == pytest.approx(names.count(verdict.decision) / len(names))
    assert names.count(verdict.decision) == max(map(names.count, names))


def test_both_worked_samples_of_the_specification() -> None:
    rows = [["华东", "128.6"], ["华南", "117.4"]]
    shape = AnswerShape(target_columns=["region_name", "revenue_100m"], normalized_values=rows)
    old = [{"slide": 3, "why": "上一周期", "kind": "old_batch"}]
    extracted = claim(rows, (7, 8), distractors=old)
    decided = Decision(decision="ADOPT_AND_VERIFY", confidence=0.84, reason="多行且跨帧")
    first = vote([Round(n, extracted, shape, decided) for n in range(1, 6)], 5, video(RANKING), "task_x")
    assert (first.decision, first.claimed_values) == ("ADOPT_AND_VERIFY", rows)
    assert first.confidence == pytest.approx(0.84)
    assert (first.source_frames, first.unsupported) == (["slide 7", "slide 8"], [])
    assert [(one.slide, one.kind) for one in first.distractors] == [("3", "old_batch")]
    notes = "视频展示的是筛选条件，不是筛选后的结果名单"
    rules = VideoClaim(has_displayed_answer=False, distractor_notes=notes)
    second = vote([Round(n, rules) for n in range(1, 6)], 5, video(THRESHOLDS), "task_y")
    assert (second.has_displayed_answer, second.decision, second.claimed_values) == (False, "RECOMPUTE", [])
    assert (second.distractor_notes, second.source_frames, second.error) == (notes, [], "")
