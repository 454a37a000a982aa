# ruff: noqa: ARG002 -- a double has the interface of what it stands for
"""Layout trees of drawn slides whose text is known: what geometry and colours say."""

from __future__ import annotations

import numpy as np
import pytest

from debriefer.media.layout.build import layout_tree
from debriefer.media.layout.build import tree_of as layout_tree_of
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


BRANCHES = [
    ["Branch", "District", "Amount"],
    ["Mill", "North", "617.47"],
    ["Copper Lane", "South", "936.41"],
    ["Dale Row", "North", "146.55"],
    ["Foss Street", "South", "565.82"],
]


def plain_table(picture: Picture, **style: str) -> None:
    picture.table(60, 240, [260, 200, 220], BRANCHES, header="#e8edf4", **style)  # type: ignore[arg-type]


def test_a_text_that_may_be_misread_says_so_and_a_mask_does_not() -> None:
    pictures.need_fonts()
    picture = Picture()
    plain_table(picture, style="grid")
    picture.text(60, 600, "***", 22)
    doubtful = {"936.41": 0.89, "617.47": 0.9, "***": 0.5}
    lines = [TextLine(text, box, doubtful.get(text, 0.99)) for text, box in picture.texts]
    tree = layout_tree_of(picture.array(), lines)
    assert [node.text for node in tree.walk() if "uncertain" in node.attributes] == ["936.41"]
    assert '[:td {:uncertain true} "936.41"]' in to_hiccup(tree)
    assert tables(tree)[0].states == ((), (), (), ())


def test_a_patch_of_noise_around_a_cell_is_no_button() -> None:
    pictures.need_fonts()
    picture = Picture()
    plain_table(picture, style="none")
    box = next(box for text, box in picture.texts if text == "936.41")
    image = picture.array()
    # The ground right around the letters, a few levels off and flat: what a codec leaves of grain.
    patch = image[box.top - 5 : box.bottom + 5, box.left - 2 : box.right + 2]
    patch[patch.min(axis=2) > 250] = 245
    assert rows_of(layout_tree(image, Known(picture))) == [BRANCHES]


def test_a_cell_whose_flat_ground_ends_early_opens_no_column() -> None:
    pictures.need_fonts()
    picture = Picture()
    picture.table(60, 240, [260, 200, 220], BRANCHES)
    image = picture.array()
    # Grain left of the first header: its cell seems to begin 14 pixels late.
    noise = np.random.default_rng(3).integers(0, 60, (34, 13, 3), dtype=np.uint8)
    image[241:275, 61:74] -= noise
    assert rows_of(layout_tree(image, Known(picture))) == [BRANCHES]


def test_stripes_too_pale_to_tell_apart_are_rows_of_their_table() -> None:
    pictures.need_fonts()
    picture = Picture()
    picture.panel((60, 240 + 36 * 3, 740, 240 + 36 * 5 - 1), "#eef2f6")
    plain_table(picture, style="none")
    assert rows_of(tree_of(picture)) == [BRANCHES]


def test_a_card_under_a_band_of_its_title_stays_a_card() -> None:
    pictures.need_fonts()
    picture = Picture()
    picture.panel((60, 200, 740, 240), "#1f3a68")
    picture.text(80, 210, "Filters", 18, "#ffffff")
    picture.panel((60, 240, 740, 400), "#dde5ee")
    for number, text in enumerate(("Online only", "Amounts over 500", "Closed quarters")):
        picture.text(80, 260 + 40 * number, text, 17)
    tree = tree_of(picture)
    assert any(
        node.tag == Tag.CARD and [inner.text for inner in node.walk() if inner.text][-1] == "Closed quarters"
        for node in tree.walk()
    )


def test_a_title_with_a_tag_at_the_distance_of_rows_is_no_row() -> None:
    pictures.need_fonts()
    picture = Picture()
    picture.text(60, 160, "Detail", 30, bold=True)
    picture.text(640, 170, "Cycle 2030", 17)
    picture.text(820, 170, "10:00:11", 17)
    picture.text(60, 206, "In order of name", 17, "#64748b")
    plain_table(picture, style="none")
    assert rows_of(tree_of(picture)) == [BRANCHES]


def test_a_header_in_pieces_names_one_column() -> None:
    pictures.need_fonts()
    picture = Picture()
    # What hovers over the middle of a name takes a letter away.
    rows = [["Branch", "District", ""], *BRANCHES[1:]]
    picture.table(60, 240, [260, 200, 220], rows, style="rows")
    cell = picture.texts[[text for text, _ in picture.texts].index("617.47")][1]
    picture.text(cell.left - 60, 250, "Len", 17, bold=True)
    picture.text(cell.left + 4, 250, "(EUR)", 17, bold=True)
    assert rows_of(tree_of(picture)) == [[["Branch", "District", "Len (EUR)"], *BRANCHES[1:]]]


def test_an_edge_that_is_interrupted_parts_no_tables() -> None:
    pictures.need_fonts()
    picture = Picture()
    plain_table(picture, style="none")
    image = picture.array()
    # The tip of a pointer at the upper edge of the header's band.
    image[236:243, 330:334] = 255
    assert rows_of(layout_tree(image, Known(picture))) == [BRANCHES]


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 2000, 3), (480, 640, 3)])
def test_a_picture_without_text_is_an_empty_page(shape: tuple[int, int, int]) -> None:
    image = np.random.default_rng(1).integers(0, 255, shape, dtype=np.uint8)
    tree = layout_tree(image, Known(Picture()))
    assert (tree.tag, tree.children) == (Tag.PAGE, ())
