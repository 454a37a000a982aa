"""Layout trees as text: Hiccup, the nested vectors of Clojure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from debriefer.errors import MediaError
from debriefer.media.tree import Node, Tag

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CONTAINERS = frozenset({Tag.PAGE, Tag.ROW, Tag.COLUMN, Tag.CARD, Tag.TABLE, Tag.TABLE_ROW})
# Names that models use for kinds of node that the format has under another name, or has not.
_OTHER_NAMES = {
    "column": Tag.COLUMN,
    "div": Tag.COLUMN,
    "section": Tag.COLUMN,
    "panel": Tag.CARD,
    "title": Tag.HEADING_1,
    "h4": Tag.HEADING_3,
    "h5": Tag.HEADING_3,
    "h6": Tag.HEADING_3,
    "span": Tag.PARAGRAPH,
    "text": Tag.PARAGRAPH,
    "icon": Tag.PARAGRAPH,
    "other": Tag.PARAGRAPH,
    "li": Tag.PARAGRAPH,
    "badge": Tag.TAG,
    "thead": Tag.TABLE,
    "tbody": Tag.TABLE,
}
_ATOM_ENDS = frozenset(' \t\r\n,[](){}"')
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
# Deeper than any page, and far from Python's own bound.
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree read from text, and what had to be mended.

    Attributes:
        node: The tree.
        notes: One sentence for each kind of repair, in the order of their first place.
    """

    node: Node
    notes: tuple[str, ...] = ()


def to_hiccup(node: Node) -> str:
    r"""Return a tree as Hiccup: two spaces a level, one line a leaf, a table row on one line.

    The same tree gives the same text. Boxes and confidences are not printed.

    >>> print(to_hiccup(Node(Tag.PAGE, children=(Node(Tag.HEADING_1, "Sales"), Node(Tag.VALUE, "1,508")))))
    [:page
      [:h1 "Sales"]
      [:value "1,508"]]
    """
    return _printed(node, 0)


def parse_hiccup(text: str) -> Node:
    """Return the tree that a text in Hiccup describes; tolerant, as `parse_with_notes`.

    Raises:
        MediaError: There is no vector in the text, or it is nested too deeply.

    >>> parse_hiccup('[:page [:p {:color "red"} "up 4 %"]]').children[0].attributes["color"]
    'red'
    """
    return parse_with_notes(text).node


def parse_with_notes(text: str) -> Parsed:
    """Return the tree that a text in Hiccup describes, and what was mended.

    Understood are strings with escapes, keywords with or without their colon, attribute maps, commas, comments, code
    fences and words around the tree. Missing closing brackets are added and surplus ones passed over. A kind of node
    that the format does not have becomes the nearest that it has. Several trees become the children of one page.

    Args:
        text: What a model wrote.

    Raises:
        MediaError: There is no vector in the text, or it is nested too deeply.
    """
    return _Reader(text).read()


def _printed(node: Node, level: int) -> str:
    indent = "  " * level
    opening = f"{indent}[:{node.tag.value}{_attributes(node.attributes)}"
    if node.tag == Tag.TABLE_ROW:
        cells = "".join(f" {_printed(child, 0)}" for child in node.children)
        return f"{opening}{' ' + _quoted(node.text) if node.text else ''}{cells}]"
    if not node.children:
        return f"{opening}]" if node.tag in _CONTAINERS and not node.text else f"{opening} {_quoted(node.text)}]"
    words = [f"{indent}  {_quoted(node.text)}"] if node.text else []
    return "\n".join([opening, *words, *(_printed(child, level + 1) for child in node.children)]) + "]"


def _attributes(attributes: Mapping[str, str]) -> str:
    if not attributes:
        return ""
    parts = [f":{key} {'true' if value == 'true' else _quoted(value)}" for key, value in attributes.items()]
    return " {" + " ".join(parts) + "}"


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(sign, sign) for sign in text) + '"'


@dataclass
class _Open:
    """A vector that is being read."""

    tag: Tag | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


class _Reader:
    """Reads one text, sign by sign, with the vectors that are open on a stack."""

    def __init__(self, text: str) -> None:
        self._text = _FENCE.sub("", text.lstrip("\ufeff"))
        self._at = 0
        self._stack: list[_Open] = []
        self._roots: list[Node] = []
        self._notes: list[str] = []

    def read(self) -> Parsed:
        start = self._text.find("[")
        if start < 0:
            message = "the layout has no vector: Hiccup starts with `[:page`"
            raise MediaError(message)
        if self._text[:start].strip():
            self._note("words before the tree were passed over")
        self._at = start
        while self._at < len(self._text):
            self._step()
        if self._stack:
            self._note("missing closing brackets were added")
            while self._stack:
                self._close()
        roots = self._roots
        if not roots:
            message = "the layout has no node with a kind: Hiccup starts with `[:page`"
            raise MediaError(message)
        if len(roots) == 1 and roots[0].tag == Tag.PAGE:
            return Parsed(roots[0], tuple(self._notes))
        self._note("what stands beside or without a page was put on one")
        children = [child for root in roots for child in (root.children if root.tag == Tag.PAGE else (root,))]
        return Parsed(Node(Tag.PAGE, children=tuple(children)), tuple(self._notes))

    def _step(self) -> None:
        sign = self._text[self._at]
        if sign == "[":
            self._at += 1
            if len(self._stack) >= _DEEPEST:
                message = f"the layout is nested more than {_DEEPEST} levels deep"
                raise MediaError(message)
            self._stack.append(_Open())
        elif sign in "])":
            self._at += 1
            if self._stack:
                self._close()
            else:
                self._note("surplus closing brackets were passed over")
        elif sign == '"':
            word = self._string()
            if self._stack:
                self._stack[-1].words.append(word)
        elif sign == "{":
            self._map()
        elif sign == ";":
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        elif sign in " \t\r\n,(}":
            self._at += 1
        else:
            self._word(self._atom())

    def _word(self, atom: str) -> None:
        if not self._stack:
            self._note("words outside of the tree were passed over")
            return
        top = self._stack[-1]
        if top.tag is None and not top.words and not top.children:
            top.tag = self._tag(atom)
        elif atom not in {"nil", "null"}:
            # Numbers and bare words are text that lacks its quotes.
            top.words.append(atom)
            self._note("text without quotes was taken as it stands")

    def _tag(self, atom: str) -> Tag:
        # `:div.card#main` is a kind with classes and an identifier.
        name = re.split(r"[.#]", atom.lstrip(":").lower())[0]
        try:
            return Tag(name)
        except ValueError:
            other = _OTHER_NAMES.get(name, Tag.PARAGRAPH)
            self._note(f"`:{name or atom}` is no kind of node and became `:{other.value}`")
            return other

    def _close(self) -> None:
        top = self._stack.pop()
        if top.tag is None and not top.words and not top.children:
            return
        tag = top.tag
        if tag is None:
            self._note("a vector without a kind was read as one of its content")
            tag = Tag.COLUMN if top.children else Tag.PARAGRAPH
        text = " ".join(word for word in top.words if word) if len(top.words) > 1 else "".join(top.words)
        children = list(top.children)
        if children and tag not in _CONTAINERS:
            # `[:p [:b "x"] "y"]`: the words within belong to the leaf.
            inner = [node.text for child in children for node in child.walk() if node.text]
            text, children = " ".join([*([text] if text else []), *inner]), []
            self._note("nodes within a leaf were joined to its text")
        if tag == Tag.TABLE:
            children = [row for child in children for row in (child.children if child.tag == Tag.TABLE else (child,))]
        node = Node(tag, text, tuple(children), MappingProxyType(dict(top.attributes)))
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self._roots.append(node)

    def _map(self) -> None:
        self._at += 1
        parts: list[str] = []
        while self._at < len(self._text):
            sign = self._text[self._at]
            if sign == "}":
                self._at += 1
                break
            if sign == '"':
                parts.append(self._string())
            elif sign in " \t\r\n,":
                self._at += 1
            elif sign in "[]{()":
                # The map was not closed, or holds what the format does not have.
                self._note("an attribute map was not closed")
                break
            else:
                parts.append(self._atom())
        if len(parts) % 2:
            self._note("an attribute without a value was passed over")
        if self._stack:
            for key, value in zip(parts[::2], parts[1::2], strict=False):
                if value not in {"nil", "null", "false"}:
                    self._stack[-1].attributes[key.lstrip(":").rstrip(":")] = value.removeprefix(":")

    def _atom(self) -> str:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in _ATOM_ENDS:
            self._at += 1
        if self._at == start:
            self._at += 1
        return self._text[start : self._at]

    def _string(self) -> str:
        self._at += 1
        signs: list[str] = []
        while self._at < len(self._text):
            sign = self._text[self._at]
            self._at += 1
            if sign == '"':
                return "".join(signs)
            if sign == "\\" and self._at < len(self._text):
                sign = self._text[self._at]
                self._at += 1
                if sign == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", self._text[self._at : self._at + 4]):
                    signs.append(chr(int(self._text[self._at : self._at + 4], 16)))
                    self._at += 4
                else:
                    signs.append(_MEANT.get(sign, sign))
            else:
                signs.append(sign)
        self._note("a string was not closed")
        return "".join(signs).rstrip("] \n")

    def _note(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)
