"""Layout trees as Hiccup, and back."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import MediaError
from debriefer.media.layout.hiccup import parse_hiccup, parse_with_notes, to_hiccup
from debriefer.media.layout.records import from_dict, to_dict
from debriefer.media.slide import Box
from debriefer.media.tree import Node, Tag

LEAVES = (
    Tag.HEADING_1,
    Tag.HEADING_2,
    Tag.HEADING_3,
    Tag.PARAGRAPH,
    Tag.LABEL,
    Tag.VALUE,
    Tag.BUTTON,
    Tag.TAG,
)
STATES = ("selected", "highlighted", "disabled", "struck", "masked")

attributes = st.fixed_dictionaries(
    {},
    optional={
        **{state: st.just("true") for state in STATES},
        "color": st.sampled_from(["red", "light-blue", "grey"]),
        "size": st.sampled_from(["large", "small"]),
    },
).map(MappingProxyType)
# All that the two sides treat apart, and some that they do not.
ALPHABET = st.sampled_from('ab "\\\n\t\r[](){};,:#.·9%中，（é🙂\u2028')
texts = st.text(ALPHABET, min_size=1, max_size=12)
leaves = st.builds(
    lambda tag, text, attributes: Node(tag, text, (), attributes), st.sampled_from(LEAVES), texts, attributes
)
cells = st.builds(
    lambda text, attributes: Node(Tag.TABLE_CELL, text, (), attributes), st.text(ALPHABET, max_size=8), attributes
)


def table(rows: list[list[Node]]) -> Node:
    return Node(Tag.TABLE, children=tuple(Node(Tag.TABLE_ROW, children=tuple(row)) for row in rows))


tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=3).map(table)
)
trees = st.recursive(
    leaves | tables,
    lambda inner: st.builds(
        lambda tag, children, attributes: Node(tag, "", tuple(children), attributes),
        st.sampled_from((Tag.ROW, Tag.COLUMN, Tag.CARD)),
        st.lists(inner, max_size=4),
        attributes,
    ),
    max_leaves=12,
)
pages = st.lists(trees, max_size=4).map(lambda children: Node(Tag.PAGE, children=tuple(children)))


@given(pages)
def test_what_is_printed_is_read_back(page: Node) -> None:
    parsed = parse_with_notes(to_hiccup(page))
    assert parsed.node == page
    assert parsed.notes == ()


@given(pages, st.data())
def test_an_answer_that_breaks_off_still_gives_a_tree(page: Node, data: st.DataObject) -> None:
    text = to_hiccup(page)
    # A model's answer is cut at its length limit, anywhere after the kind of the page.
    cut = data.draw(st.integers(len("[:page"), len(text)))
    assert parse_hiccup(text[:cut]).tag == Tag.PAGE


@given(st.text(st.sampled_from('[]{}():;" \\\n:pagetrdx1'), max_size=60))
def test_no_text_raises_anything_but_a_media_error(text: str) -> None:
    try:
        node = parse_hiccup(text)
    except MediaError:
        return
    assert node.tag == Tag.PAGE
    assert parse_hiccup(to_hiccup(node)) == parse_hiccup(to_hiccup(parse_hiccup(to_hiccup(node))))


def test_a_leaf_is_one_line_and_so_is_a_row_of_a_table() -> None:
    page = Node(
        Tag.PAGE,
        children=(
            Node(Tag.HEADING_1, "销售额"),
            table(
                [
                    [Node(Tag.TABLE_CELL, "A"), Node(Tag.TABLE_CELL, "")],
                    [Node(Tag.TABLE_CELL, 'x "y"'), Node(Tag.TABLE_CELL, "2")],
                ]
            ),
            Node(Tag.VALUE, "***", (), {"masked": "true", "color": "red"}, Box(0, 0, 9, 9), 0.5),
        ),
    )
    assert to_hiccup(page) == (
        "[:page\n"
        '  [:h1 "销售额"]\n'
        "  [:table\n"
        '    [:tr [:td "A"] [:td ""]]\n'
        '    [:tr [:td "x \\"y\\""] [:td "2"]]]\n'
        '  [:value {:masked true :color "red"} "***"]]'
    )


@pytest.mark.parametrize(
    "text",
    [
        '```clojure\n[:page [:p "a"] [:p "b"]]\n```',
        'Here is the tree:\n[:page [:p "a"] [:p "b"]]',
        '[page [p "a"] [p "b"]]',
        '[:page, [:p {} "a"], [:p nil "b"]]',
        '[:page ; the slide\n [:p "a"] [:p "b"]]',
        '[:page [:p "a"] [:p "b"',
        '[:page [:p "a"] [:p "b"]]]]]',
        '[:p "a"] [:p "b"]',
        '[:page [:span.big "a"] [:li#x "b"]]',
        '[:page [:p "a"] [:p [:b "b"]]]',
        '[:page [:p "\\u0061"] [:p "b"]]',
    ],
)
def test_what_models_write_is_understood(text: str) -> None:
    assert [(node.tag, node.text) for node in parse_hiccup(text).children] == [
        (Tag.PARAGRAPH, "a"),
        (Tag.PARAGRAPH, "b"),
    ]


def test_repairs_are_told() -> None:
    assert parse_with_notes('[:page [:p "a"').notes == ("missing closing brackets were added",)
    assert parse_with_notes('[:page [:chart "a"]]').notes == ("`:chart` is no kind of node and became `:p`",)
    assert parse_with_notes('[:page [:p "a"]]]').notes == ("surplus closing brackets were passed over",)
    assert parse_with_notes("[:page [:p 12]]").notes == ("text without quotes was taken as it stands",)


@pytest.mark.parametrize("text", ["", "no tree", "[[[]]]", "[" * 80])
def test_what_holds_no_tree_is_an_error(text: str) -> None:
    with pytest.raises(MediaError):
        parse_hiccup(text)


@given(pages)
def test_records_keep_all_of_a_tree(page: Node) -> None:
    placed = Node(page.tag, page.text, page.children, page.attributes, Box(1, 2, 3, 4), 0.75)
    assert from_dict(to_dict(placed)) == placed


@pytest.mark.parametrize("record", [{}, {"tag": "chart"}, {"tag": "p", "box": [1, 2]}, {"tag": "p", "children": [3]}])
def test_a_record_that_is_no_tree_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(MediaError):
        from_dict(record)
