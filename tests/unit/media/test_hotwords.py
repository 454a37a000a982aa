from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debriefer.media.hotwords import MOST_TOKENS, for_language, hotwords, token_estimate


def test_terms_of_a_chinese_question_come_without_the_words_between() -> None:
    found = hotwords("列出净利润超过10亿元且所在省份为浙江省的上市公司名称")
    assert {"净利润", "亿元", "浙江省"} <= set(found)
    assert not {"列出", "超过"} & set(found)


def test_names_and_units_of_an_english_question_are_taken() -> None:
    found = hotwords("Which Vanguard Funds had returns above 5 percent in New York?")
    assert found == ("percent", "Vanguard Funds", "New York")


def test_the_knowledge_gives_what_it_quotes_after_the_questions_terms() -> None:
    found = hotwords("基金规模最大的公司", "- **换手率**: see `turnover_rate`, in 万元\n- 与《年度报告》一致")
    assert found.index("换手率") > found.index("基金规模")
    assert "年度报告" in found
    assert "turnover_rate" not in found, "nobody speaks an identifier"


def test_names_of_columns_are_spoken_names() -> None:
    assert hotwords("What is the total net_profit?", None, ["net_profit", "zip_code"])[0] == "net profit"


@given(st.text(max_size=300), st.text(max_size=600))
def test_the_terms_are_bounded_and_each_comes_once(question: str, knowledge: str) -> None:
    found = hotwords(question, knowledge)
    assert len(set(found)) == len(found)
    assert sum(map(token_estimate, found)) <= MOST_TOKENS
    assert all(term.strip() == term and "\n" not in term for term in found)


def test_a_full_page_of_knowledge_does_not_push_out_the_question() -> None:
    knowledge = "".join(f"**术语编号{number}** 的定义\n" for number in range(500))
    found = hotwords("“单位净值”是多少", knowledge)
    assert found[0] == "单位净值"


def test_hanzi_are_not_expected_in_english_speech() -> None:
    assert for_language(("净值", "Vanguard"), "en") == ("Vanguard",)
    assert for_language(("净值", "Vanguard"), "zh") == ("净值", "Vanguard")
