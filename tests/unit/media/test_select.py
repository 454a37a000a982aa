from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debriefer.media.select import Passage, select, token_estimate

PASSAGES = st.lists(
    st.builds(
        lambda number, text, title, kept: Passage(f"slide {number}", text, title, kept),
        st.integers(1, 99),
        st.text("净利润 profit\n0123", max_size=400),
        st.text("标题 title", max_size=90),
        st.booleans(),
    ),
    max_size=12,
)


def deck(*texts: str) -> list[Passage]:
    return [
        Passage(f"slide {number} at {number}.0 s", text, text.splitlines()[0]) for number, text in enumerate(texts, 1)
    ]


@given(PASSAGES, st.text("净利润 profit", max_size=12), st.integers(0, 400))
def test_the_text_is_never_larger_than_the_budget(passages: list[Passage], question: str, budget: int) -> None:
    chosen = select(passages, question, budget)
    assert token_estimate(chosen.text) == chosen.tokens <= budget


@given(PASSAGES, st.text("净利润 profit", max_size=12), st.integers(0, 400))
def test_what_is_chosen_stands_in_the_order_of_time(passages: list[Passage], question: str, budget: int) -> None:
    chosen = select(passages, question, budget)
    position = 0
    for place in chosen.whole:
        text = f"[{passages[place].heading}]" + ("\n" + passages[place].text if passages[place].text else "")
        position = chosen.text.index(text, position) + len(text)


def test_the_answer_at_the_end_survives_a_small_budget() -> None:
    filler = [f"Agenda item {number}\n" + "nothing to see here " * 30 for number in range(30)]
    chosen = select(deck(*filler, "Net profit\nNorth 12.5"), "What is the net profit of the North region?", 600)
    assert 30 in chosen.whole
    assert "North 12.5" in chosen.text
    assert all(f"slide {number} at" in chosen.text for number in range(1, 32)), "each slide leaves a line behind"


def test_neighbours_of_a_hit_come_before_other_slides_without_overlap() -> None:
    passages = deck(*("a b c d " * 30,) * 4, "revenue by region", *("e f g h " * 30,) * 4)
    chosen = select(passages, "revenue", 260)
    assert {3, 4} <= set(chosen.whole)
    assert 0 not in chosen.whole


def test_of_a_table_that_does_not_fit_the_matching_rows_are_kept() -> None:
    table = "\n".join(f"row {number} city{number} {number * 7}" for number in range(200))
    chosen = select(deck("title\nhello", table), "value for city123", 120)
    assert "row 123 city123 861" in chosen.text
    assert "row 9 " not in chosen.text
    assert chosen.cut == (1,)


def test_everything_is_shown_where_it_fits() -> None:
    chosen = select(deck("a", "b"), "anything", 1000)
    assert chosen.whole == (0, 1)
    assert chosen.text == "[slide 1 at 1.0 s]\na\n[slide 2 at 2.0 s]\nb"
