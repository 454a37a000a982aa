"""Layout trees of drawn slides whose text is known: what geometry and colours say."""

from __future__ import annotations

import numpy as np
import pytest

from debriefer.media.layout.build import layout_tree
from debriefer.media.layout.hiccup import to_hiccup
from debriefer.media.layout.tables import tables
from debriefer.media.tree import Node, Tag, TextLine
from tests.doubles import pictures
from tests.doubles.pictures import Picture

pytest.importorskip("cv2", reason="OpenCV is not installed")


class Known:
    """A reader that knows what was drawn."""

    name = "known"

    def __init__(self, picture: Picture) -> None:
        self.picture = picture

    def read(self, image: object) -> tuple[TextLine, ...]:
        return tuple(TextLine(text, box, 0.9) for text, box in self.picture.texts)


def tree_of(picture: Picture) -> Node:
    return layout_tree(picture.array(), Known(picture))


def rows_of(tree: Node) -> list[list[list[str]]]:
    found = []
    for table in tables(tree):
        header = [list(table.columns)] if table.columns else []
        found.append(header + [list(row) for row in table.rows])
    return found


def leaf(tree: Node, text: str) -> Node:
    found = [node for node in tree.walk() if node.text == text]
    assert len(found) == 1, f"{text} stands in {len(found)} leaves"
    return found[0]


def states(tree: Node, text: str) -> set[str]:
    return {key for key, value in leaf(tree, text).attributes.items() if value == "true"}


@pytest.mark.parametrize("style", ["grid", "rows", "zebra", "none"])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("align", ["left", "mixed", "center"])
def test_a_ranking_is_a_table_whatever_its_rulings(style: str, dark: bool, align: str) -> None:
    pictures.need_fonts()
    picture = pictures.ranking(7, style=style, dark=dark, align=align)
    tree = tree_of(picture)
    assert rows_of(tree) == picture.tables
    assert tables(tree)[0].columns == ("Rank", "Region", "Code", "Revenue", "Change")
    assert tables(tree)[0].title == "Revenue Ranking, Q1 2026"


@pytest.mark.parametrize("style", ["grid", "zebra", "none"])
def test_a_chinese_ranking_is_a_table(style: str) -> None:
    pictures.need_fonts(han=True)
    picture = pictures.ranking(8, style=style, han=True)
    assert rows_of(tree_of(picture)) == picture.tables


@pytest.mark.parametrize("style", ["grid", "zebra", "none"])
def test_blank_cells_keep_their_place(style: str) -> None:
    pictures.need_fonts()
    rows = [
        ["City", "Open", "Closed", "Total"],
        ["Ulm", "12", "", "12"],
        ["Graz", "", "7", "7"],
        ["Bern", "3", "", "3"],
        ["Linz", "4", "5", ""],
    ]
    picture = Picture()
    picture.table(100, 150, [240, 160, 160, 160], rows, style=style)
    assert rows_of(tree_of(picture)) == [rows]


def test_a_merged_cell_leaves_blanks_behind() -> None:
    pictures.need_fonts()
    rows = [["Region", "Sales", "", "Note"], ["North", "1", "2", "ok"], ["South", "3", "4", "late"]]
    picture = Picture()
    picture.table(100, 150, [200, 160, 160, 200], rows, merged={(0, 1): 2})
    assert rows_of(tree_of(picture)) == [rows]


def test_tables_side_by_side_stay_two() -> None:
    pictures.need_fonts()
    one = [["City", "Sales"], ["Ulm", "12"], ["Graz", "9"], ["Bern", "7"]]
    other = [["City", "Returns"], ["Ulm", "3"], ["Graz", "1"], ["Bern", "0"]]
    for style in ("grid", "zebra"):
        picture = Picture()
        picture.table(60, 150, [260, 240], one, style=style)
        picture.table(680, 150, [260, 240], other, style=style)
        assert sorted(rows_of(tree_of(picture))) == sorted([one, other])


@pytest.mark.parametrize(("fill", "state"), [("#fff3bf", "highlighted"), ("#1d4ed8", "selected")])
def test_a_row_of_another_background_says_so(fill: str, state: str) -> None:
    pictures.need_fonts()
    rows = [["City", "Sales"], ["Ulm", "12"], ["Graz", "9"], ["Bern", "7"], ["Linz", "5"]]
    for style in ("zebra", "none"):
        picture = Picture()
        picture.table(60, 150, [300, 240], rows, style=style, selected=3, selected_fill=fill)
        seen = tables(tree_of(picture))[0].states
        assert [state in row for row in seen] == [False, False, True, False], style
        assert not any({"selected", "highlighted"} & set(row) for row in (*seen[:2], *seen[3:]))


def test_cards_hold_a_label_and_its_value_and_a_chart_the_printed_values() -> None:
    pictures.need_fonts()
    picture = pictures.cards(3)
    tree = tree_of(picture)
    cards = [node for node in tree.walk() if node.tag == Tag.CARD and len(node.children) == 2]
    shown = [[(child.tag, child.text) for child in card.children] for card in cards[:4]]
    texts = dict(
        zip([text for text, _ in picture.texts][1:9:2], [text for text, _ in picture.texts][2:10:2], strict=True)
    )
    assert shown == [[(Tag.LABEL, name), (Tag.VALUE, value)] for name, value in texts.items()]
    assert rows_of(tree) == picture.tables
    assert leaf(tree, "Operations Overview").tag == Tag.HEADING_1
    assert leaf(tree, "Revenue by Region").tag == Tag.HEADING_2


def test_a_bar_without_a_printed_value_has_a_blank_cell() -> None:
    pictures.need_fonts()
    picture = Picture()
    for number, (name, value) in enumerate([("A1", "40"), ("B1", "55"), ("C1", ""), ("D1", "30")]):
        top = 150 + number * 70
        picture.text(180, top + 15, name, 18, anchor="rm")
        picture.draw.rectangle((200, top, 200 + 60 * (number + 2), top + 30), fill="#3b7ddd")
        picture.text(210 + 60 * (number + 2), top + 15, value, 18, anchor="lm")
    assert rows_of(tree_of(picture)) == [[["A1", "40"], ["B1", "55"], ["C1", ""], ["D1", "30"]]]


def test_states_of_a_filter_panel() -> None:
    pictures.need_fonts()
    tree = tree_of(pictures.filters(5))
    assert states(tree, "Online") == {"selected"}
    assert states(tree, "All channels") == set()
    assert states(tree, "Retail") == {"struck"}
    assert states(tree, "Wholesale") == {"disabled"}
    assert states(tree, "***") == {"masked"}
    assert leaf(tree, "***").tag == Tag.VALUE
    assert leaf(tree, "Threshold").tag == Tag.LABEL
    assert leaf(tree, "Online").attributes["background"] == "blue"
    assert leaf(tree, "Apply Filter").tag == leaf(tree, "Reset").tag == Tag.BUTTON
    panels = [node for node in tree.walk() if node.tag == Tag.CARD]
    assert len(panels) == 2


def test_every_text_stands_in_one_leaf_with_its_box_and_confidence() -> None:
    pictures.need_fonts()
    for picture in (pictures.ranking(1), pictures.cards(1), pictures.filters(1)):
        tree = tree_of(picture)
        leaves = [node for node in tree.walk() if node.text]
        assert sorted(node.text for node in leaves) == sorted(text for text, _ in picture.texts)
        boxes = {(text, box) for text, box in picture.texts}
        assert all((node.text, node.box) in boxes for node in leaves)
        assert all(node.confidence == 0.9 for node in leaves)


def test_columns_are_read_one_after_the_other() -> None:
    pictures.need_fonts()
    picture = Picture()
    left = ["Sales rose in the north", "and fell in the south", "as was expected"]
    right = ["Costs were flat", "in all of the regions"]
    for column, lines in ((80, left), (700, right)):
        for number, line in enumerate(lines):
            picture.text(column, 200 + number * 34 + column // 100, line, 20)
    tree = tree_of(picture)
    assert [node.text for node in tree.walk() if node.text] == left + right


def test_compression_changes_nothing_in_the_tree() -> None:
    pytest.importorskip("av", reason="PyAV is not installed")
    pictures.need_fonts()
    for picture in (pictures.ranking(4, style="zebra"), pictures.cards(4)):
        clean = to_hiccup(tree_of(picture))
        frame = pictures.compressed(picture.array(), 28)
        assert rows_of(layout_tree(frame, Known(picture))) == picture.tables
        assert clean == to_hiccup(tree_of(picture))


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 2000, 3), (480, 640, 3)])
def test_a_picture_without_text_is_an_empty_page(shape: tuple[int, int, int]) -> None:
    image = np.random.default_rng(1).integers(0, 255, shape, dtype=np.uint8)
    tree = layout_tree(image, Known(Picture()))
    assert (tree.tag, tree.children) == (Tag.PAGE, ())
