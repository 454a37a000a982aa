"""The judge without a model, on trees made by hand in other words than the generated briefings have."""

from __future__ import annotations

import pytest

from debriefer.judgement import VideoVerdict
from debriefer.judgement.asked import take_apart
from debriefer.judgement.offline import judge_offline
from tests.doubles.judged import video

FILTER = (
    '[:page [:h1 "Filters"] [:row [:tag "Nordics"] [:tag {:selected true} "Iberia"]] '
    '[:row [:tag {:disabled true} "FY2023"] [:tag {:selected true} "FY2024"]]]'
)
TOTAL = "What is the total turnover in k EUR of Iberia in FY2024?"
TOP = "List the 3 plants with the highest output in FY2024, with their output in t."


def card(title: str, label: str, value: str, remark: str = "Iberia", tag: str = "FY2024") -> str:
    return (
        f'[:page [:row [:h1 "{title}"] [:tag "{tag}"]] [:card [:label "{label}"] [:value "{value}"] [:p "{remark}"]]]'
    )


def table(title: str, *rows: tuple[str, ...], tag: str = "FY2024") -> str:
    head = " ".join(f'[:th "{cell}"]' for cell in rows[0])
    body = " ".join("[:tr " + " ".join(f'[:td "{cell}"]' for cell in row) + "]" for row in rows[1:])
    return f'[:page [:row [:h1 "{title}"] [:tag "{tag}"]] [:table [:tr {head}] {body}]]'


def judged(question: str, *layouts: str, speech: tuple[tuple[float, float, str], ...] = ()) -> VideoVerdict:
    return judge_offline(question, "", video(dict(enumerate(layouts, start=1)), *speech))


PLANTS = (("Rank", "Plant", "Output (t)"), ("1", "Vigo", "91.5"), ("2", "Oslo", "77.0"), ("3", "Turku", "60.25"))


def test_one_value_on_a_card_in_scope_is_adopted() -> None:
    verdict = judged(TOTAL, FILTER, card("Result", "Turnover (k EUR)", "1,204.50"))
    assert (verdict.decision, verdict.claimed_values, verdict.source_frames) == ("ADOPT", [["1,204.50"]], ["slide 2"])
    assert (verdict.judge, verdict.target_columns) == ("offline", ["Turnover"])


@pytest.mark.parametrize(
    "slide",
    [
        card("Result", "Net turnover (k EUR)", "9"),
        card("Result", "Average turnover (k EUR)", "9"),
        card("Result", "Orders", "9"),
        card("Result", "Turnover (k EUR)", "9", tag="FY2023"),
        card("Archived result", "Turnover (k EUR)", "9"),
        card("Result, for reference only", "Turnover (k EUR)", "9"),
        card("Result", "Turnover (k EUR)", "9", remark="Nordics"),
        card("Result", "Turnover (k EUR)", "9", remark="Lisbon shop only"),
    ],
)
def test_what_only_looks_like_the_answer_is_not_adopted(slide: str) -> None:
    verdict = judged(TOTAL, FILTER, slide)
    assert (verdict.finding, verdict.decision) == ("not_shown", "RECOMPUTE")
    both = judged(TOTAL, FILTER, slide, card("Result", "Turnover (k EUR)", "1,204.50"))
    assert (both.decision, both.claimed_values) == ("ADOPT", [["1,204.50"]])


def test_another_unit_is_shown_and_left_to_be_computed() -> None:
    verdict = judged(TOTAL, FILTER, card("Result", "Turnover (m EUR)", "1.2045"))
    assert (verdict.finding, verdict.decision, verdict.unit_consistent) == ("shown", "RECOMPUTE", False)


def test_two_values_for_one_question_are_not_chosen_between() -> None:
    one, two = card("Result", "Turnover (k EUR)", "5"), card("Summary", "Turnover (k EUR)", "6")
    assert judged(TOTAL, FILTER, one, two).finding == "unknown"
    assert judged(TOTAL, FILTER, one, card("Summary", "Total turnover (k EUR)", "5.00")).decision == "ADOPT"


def test_a_slide_without_a_period_stands_in_that_of_the_slides_before() -> None:
    plain = '[:page [:h1 "Iberia"] [:card [:label "Turnover (k EUR)"] [:value "5"]]]'
    assert judged(TOTAL, FILTER, plain).decision == "ADOPT"
    assert judged(TOTAL, FILTER.replace("FY2024", "FY2022"), plain).finding == "not_shown"


def test_what_is_said_of_a_slide_counts() -> None:
    slide = card("Result", "Turnover (k EUR)", "5")
    shown = video({1: FILTER, 2: slide}, (2.5, 4.0, "This was the old batch."))
    assert judge_offline(TOTAL, "", shown).finding == "not_shown"


@pytest.mark.parametrize(
    ("question", "slide", "value"),
    [
        (
            "2024年华东区的销售额合计是多少万元?",
            card("结果 · 华东区", "销售额 (万元)", "88.5", "共9家", "2024年"),
            "88.5",
        ),
        ("2024年华东区的平均客单价是多少元?", card("概览", "平均客单价 (元)", "35.2", "华东区", "2024年"), "35.2"),
        (
            "What is the total turnover in k EUR of Iberia in FY2024?",
            table("Turnover by region (k EUR)", ("Region", "Turnover (k EUR)"), ("Nordics", "7"), ("Iberia", "8")),
            "8",
        ),
        (
            "What is the total turnover in k EUR of Iberia in FY2024?",
            table("Iberia", ("Indicator", "Value"), ("Turnover (k EUR)", "8"), ("Net turnover (k EUR)", "6")),
            "8",
        ),
    ],
)
def test_values_are_found_on_cards_and_in_tables_of_both_languages(question: str, slide: str, value: str) -> None:
    verdict = judged(question, slide)
    assert (verdict.decision, verdict.claimed_values) == ("ADOPT", [[value]])


@pytest.mark.parametrize(
    "slide",
    [
        card("结果", "净销售额 (万元)", "88.5", "华东区", "2024年"),
        card("结果", "销售额 (亿元)", "0.00885", "华东区", "2024年"),
    ],
)
def test_another_measure_or_unit_in_chinese_is_not_adopted(slide: str) -> None:
    assert judged("2024年华东区的销售额合计是多少万元?", slide).decision == "RECOMPUTE"


def test_a_ranking_in_falling_order_is_to_be_verified() -> None:
    verdict = judged(TOP, table("Ranking", *PLANTS))
    assert (verdict.decision, verdict.target_columns) == ("ADOPT_AND_VERIFY", ["Plant", "Output"])
    assert verdict.claimed_values == [["Vigo", "91.5"], ["Oslo", "77.0"], ["Turku", "60.25"]]
    assert judged(TOP.split(", with", maxsplit=1)[0] + ".", table("Ranking", *PLANTS)).claimed_values == [
        ["Vigo"],
        ["Oslo"],
        ["Turku"],
    ]


def test_a_ranking_over_two_slides_is_joined_by_rank() -> None:
    names = table("Ranking, names", *(row[:2] for row in PLANTS))
    values = table("Ranking, figures", *((row[0], row[2]) for row in PLANTS))
    verdict = judged(TOP, names, values)
    assert verdict.claimed_values == [["Vigo", "91.5"], ["Oslo", "77.0"], ["Turku", "60.25"]]
    assert verdict.source_frames == ["slide 1", "slide 2"]
    assert judged(TOP, names).finding == "not_shown"


@pytest.mark.parametrize(
    "rows",
    [
        PLANTS[:3],
        (("Plant", "Output (t)"), ("Oslo", "77.0"), ("Vigo", "91.5"), ("Turku", "60.25")),
        (("Rank", "Plant", "Staff"), *PLANTS[1:]),
        (("Rank", "Plant", "Scrap output (t)"), *PLANTS[1:]),
    ],
)
def test_part_of_a_ranking_a_list_in_another_order_and_another_measure_are_none(
    rows: tuple[tuple[str, ...], ...],
) -> None:
    assert judged(TOP, table("Ranking", *rows)).finding == "not_shown"


EXCEPT = "List the 2 plants with the highest output in FY2024, with their output in t, leaving out what the speaker excludes."


def test_what_the_speaker_excludes_makes_room_for_the_next() -> None:
    heard = ((1.5, 3.0, "Please exclude Oslo, it was closed."),)
    assert judged(EXCEPT, table("Ranking", *PLANTS), speech=heard).claimed_values == [
        ["Vigo", "91.5"],
        ["Turku", "60.25"],
    ]
    assert judged(EXCEPT, table("Ranking", *PLANTS)).finding == "unknown"


@pytest.mark.parametrize(
    "question",
    ["Which plants meet all the conditions that apply to FY2024?", "满足视频中全部条件的工厂有哪些?"],
)
def test_a_question_for_rules_is_recomputed(question: str) -> None:
    verdict = judged(question, FILTER, table("Ranking", *PLANTS))
    assert (verdict.finding, verdict.decision) == ("not_shown", "RECOMPUTE")


def test_a_question_of_another_kind_and_a_video_without_trees_are_not_judged() -> None:
    assert judged("Describe the second slide.", FILTER).finding == "unknown"
    assert judge_offline(TOTAL, "", video({1: ""})).finding == "unknown"


@pytest.mark.parametrize(
    ("question", "form", "count", "unit"),
    [
        ("Top 5 funds by size?", "ranking", 5, ""),
        ("List the ten branches with the lowest lending in m EUR.", "ranking", 10, "m EUR"),
        ("销量最高的三家门店及其销量(万元)?", "ranking", 3, "万元"),
        ("前十名基金有哪些?", "ranking", 10, ""),
        ("How many orders were placed in 2024?", "figure", None, ""),
        ("2024年的合计是多少亿元?", "figure", None, "亿元"),
        ("What is the average yield in %?", "figure", None, "%"),
    ],
)
def test_questions_are_taken_apart(question: str, form: str, count: int | None, unit: str) -> None:
    asked = take_apart(question)
    assert (asked.form, asked.count, asked.unit) == (form, count, unit)
