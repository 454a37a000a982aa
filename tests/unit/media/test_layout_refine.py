# ruff: noqa: ARG002 -- a double has the interface of what it stands for
"""A model's tree is used only where it says what the picture says."""

from __future__ import annotations

import numpy as np
import pytest

from debriefer.errors import ModelError
from debriefer.media.layout.refine import refined
from debriefer.media.slide import Box
from debriefer.media.tree import Node, Tag

IMAGE = np.zeros((10, 10, 3), dtype=np.uint8)
TREE = Node(
    Tag.PAGE,
    children=(
        Node(Tag.PARAGRAPH, "Total Revenue", box=Box(10, 10, 90, 20), confidence=0.99),
        Node(Tag.PARAGRAPH, "1,508.91", box=Box(10, 30, 90, 60), confidence=0.97),
        Node(Tag.PARAGRAPH, "Retait", box=Box(10, 70, 90, 90), confidence=0.6),
        Node(Tag.PARAGRAPH, "7", box=Box(10, 100, 20, 110), confidence=0.9),
        Node(Tag.PARAGRAPH, "7", box=Box(10, 120, 20, 130), confidence=0.8),
    ),
)
GOOD = '[:page [:card [:label "Total Revenue"] [:value "1,508.91"]] [:p {:struck true} "Retail"] [:p "7"] [:p "7"]]'


class Says:
    name = "scripted"

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def refine(self, image: object, hiccup: str) -> str:
        self.asked.append(hiccup)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_good_answer_is_used_and_keeps_boxes_and_confidences() -> None:
    refiner = Says(f"```clojure\n{GOOD[:-1]}\n```")
    tree, reason = refined(IMAGE, TREE, refiner)
    assert reason is None
    leaves = [node for node in tree.walk() if node.text]
    assert [(node.tag, node.text, node.confidence) for node in leaves] == [
        (Tag.LABEL, "Total Revenue", 0.99),
        (Tag.VALUE, "1,508.91", 0.97),
        (Tag.PARAGRAPH, "Retail", 0.6),
        (Tag.PARAGRAPH, "7", 0.9),
        (Tag.PARAGRAPH, "7", 0.8),
    ]
    assert leaves[1].box == Box(10, 30, 90, 60)
    assert leaves[2].attributes == {"struck": "true"}
    # A text that the reader was unsure of stays so, unless the model mended it.
    assert [leaf.attributes.get("uncertain") for leaf in leaves] == [None, None, None, None, "true"]
    assert refiner.asked[0].startswith('[:page\n  [:p "Total Revenue"]')


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (GOOD.replace("1,508.91", "1,508.97"), "`1,508.97` does not stand on the picture"),
        (GOOD.replace('[:value "1,508.91"]', ""), "`1,508.91` stands 1 times on the picture and 0 times in the answer"),
        (GOOD.replace('[:p "7"] [:p "7"]', '[:p "7"]'), "`7` stands 2 times on the picture and 1 times in the answer"),
        (
            GOOD.replace('[:p "7"]]', '[:p "7"] [:p "7"]]'),
            "`7` stands 2 times on the picture and 3 times in the answer",
        ),
        (GOOD.replace("Total Revenue", "Net Profit"), "`Net Profit` does not stand on the picture"),
        (
            GOOD.replace('[:p "7"] [:p "7"]', '[:table [:tr [:td "7"] [:td ""]] [:tr [:td "7"]]]'),
            "rows of a table have 1 to 2 cells",
        ),
        ("I cannot see the picture.", "the layout has no vector: Hiccup starts with `[:page`"),
        ("[:page]", "the answer has no text"),
        (ModelError("no vision model is configured"), "no vision model is configured"),
    ],
)
def test_a_bad_answer_falls_back_with_the_reason(answer: str | Exception, why: str) -> None:
    tree, reason = refined(IMAGE, TREE, Says(answer))
    assert tree is TREE
    assert reason == f"scripted: {why}"


def test_a_line_may_be_cut_into_cells() -> None:
    tree = Node(Tag.PAGE, children=(Node(Tag.PARAGRAPH, "North 12 34", box=Box(0, 0, 9, 9), confidence=1.0),))
    answer = '[:page [:table [:tr [:td "North"] [:td "12"] [:td "34"]]]]'
    assert refined(IMAGE, tree, Says(answer))[1] is None


def test_unknown_attributes_are_dropped_and_rows_are_squared() -> None:
    tree = Node(Tag.PAGE, children=(Node(Tag.PARAGRAPH, "North"), Node(Tag.PARAGRAPH, "12")))
    better, reason = refined(
        IMAGE, tree, Says('[:page [:table [:tr {:id 3} [:p "North"] [:value {:color "red"} "12"]]]]')
    )
    assert reason is None
    row = better.children[0].children[0]
    assert row.attributes == {}
    assert [(cell.tag, dict(cell.attributes)) for cell in row.children] == [
        (Tag.TABLE_CELL, {}),
        (Tag.TABLE_CELL, {"color": "red"}),
    ]
