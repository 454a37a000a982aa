"""A tree bettered by a vision model, kept only where it says what the picture's text says."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import TYPE_CHECKING

from debriefer.errors import DebrieferError
from debriefer.media.layout.hiccup import parse_with_notes, to_hiccup
from debriefer.media.slide import Box
from debriefer.media.tree import UNCERTAIN, LayoutRefiner, Node, Tag, TextLine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A text of the model's is that of a line if this much of it agrees: it may mend a letter, not a word.
_NEAR = 0.8
# Attributes that the format has; others are dropped.
_STATES = frozenset({"selected", "highlighted", "disabled", "struck", "masked"})
_LOOKS = frozenset({"color", "background", "size"})
_SHOWN = 40
_DIGITS = re.compile(r"\d")


def refined(image: NDArray[np.uint8], tree: Node, refiner: LayoutRefiner) -> tuple[Node, str | None]:
    """Return the tree as a vision model sees it, or the given one with the reason why that is not used.

    The answer is parsed, balanced and held against the text of `tree`: each of its texts must be a line of the
    picture, letter by letter where there are digits and nearly so elsewhere; every line with a digit must still be
    there, as often as it was; rows of a table must have equally many cells. The model thus decides how texts belong
    together and what state they are in, never what the figures are.

    Args:
        image: RGB picture of shape (height, width, 3).
        tree: The tree made from OCR and geometry.
        refiner: The model. An error of this package that it raises is a reason, not an error here.

    Returns:
        The model's tree, its leaves with boxes and confidences of the lines they come from, and `None`; or `tree`
        itself and one sentence.
    """
    try:
        answer = refiner.refine(image, to_hiccup(tree))
        parsed = parse_with_notes(answer)
    except DebrieferError as error:
        return tree, f"{refiner.name}: {error.message}"
    lines = _lines(tree)
    reason = objection(parsed.node, lines)
    if reason is not None:
        return tree, f"{refiner.name}: {reason}"
    return _with_places(_squared(parsed.node), lines), None


def objection(answer: Node, lines: Sequence[TextLine]) -> str | None:
    """Return why a model's tree does not say what the lines of a picture say, or `None` if it does."""
    texts = [(node.tag, _plain(node.text)) for node in answer.walk() if node.text.strip()]
    if not texts:
        return "the answer has no text"
    known = [_plain(line.text) for line in lines]
    whole = " ".join(known)
    for _, text in texts:
        if not _is_known(text, known, whole):
            return f"`{_short(text)}` does not stand on the picture"
    return _figures_differ([text for _, text in texts], known) or _uneven(answer)


def _figures_differ(given: Sequence[str], known: Sequence[str]) -> str | None:
    there = Counter(number for line in known for number in _numbers(line))
    here = Counter(number for text in given for number in _numbers(text))
    for number in sorted({*there, *here}):
        if here[number] != there[number]:
            seen = f"`{_short(number)}` stands {there[number]} times on the picture"
            return f"{seen} and {here[number]} times in the answer"
    return None


def _uneven(answer: Node) -> str | None:
    for table in (node for node in answer.walk() if node.tag == Tag.TABLE):
        counts = {len(row.children) for row in table.children if row.tag == Tag.TABLE_ROW}
        if len(counts) > 1:
            return f"rows of a table have {min(counts)} to {max(counts)} cells"
    return None


def _is_known(text: str, known: Sequence[str], whole: str) -> bool:
    if text in known or text in whole:
        return True
    if _DIGITS.search(text):
        # Figures are taken over as they are; a text of several lines is made of them.
        return all(any(part == line or part in line.split() for line in known) for part in text.split())
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(text)
    for line in known:
        matcher.set_seq1(line)
        if matcher.real_quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR:
            return True
    parts = text.split()
    return len(parts) > 1 and all(any(part in line for line in known) for part in parts)


def _numbers(text: str) -> Iterable[str]:
    """Return the words of a text that hold digits."""
    return [word for word in text.split() if _DIGITS.search(word)]


def _lines(tree: Node) -> list[TextLine]:
    return [
        TextLine(node.text, node.box or Box(0, 0, 0, 0), 0.0 if node.confidence is None else node.confidence)
        for node in tree.walk()
        if node.text
    ]


def _squared(node: Node) -> Node:
    """Return a tree whose tables hold rows of cells and nothing else, and whose attributes are those of the format."""
    children: list[Node] = []
    for child in map(_squared, node.children):
        if node.tag == Tag.TABLE and child.tag != Tag.TABLE_ROW:
            children.append(Node(Tag.TABLE_ROW, children=(replace(child, tag=Tag.TABLE_CELL),)))
        elif node.tag == Tag.TABLE_ROW and child.tag not in {Tag.TABLE_HEADER, Tag.TABLE_CELL} and not child.children:
            children.append(replace(child, tag=Tag.TABLE_CELL))
        else:
            children.append(child)
    return replace(node, children=tuple(children), attributes=_known_attributes(node.attributes))


def _known_attributes(attributes: Mapping[str, str]) -> Mapping[str, str]:
    kept = {key: "true" for key in attributes if key in _STATES}
    kept |= {key: value for key, value in attributes.items() if key in _LOOKS and value}
    return MappingProxyType(kept)


def _with_places(node: Node, lines: Sequence[TextLine]) -> Node:
    """Return a tree whose leaves have box and confidence of the line they come from; equal texts in reading order."""
    free = list(lines)

    def placed(inner: Node) -> Node:
        children = tuple(placed(child) for child in inner.children)
        if not inner.text:
            return replace(inner, children=children, box=_around(children))
        text = _plain(inner.text)
        line = max(free, key=lambda line: _likeness(_plain(line.text), text), default=None)
        if line is not None and _likeness(_plain(line.text), text) < _NEAR:
            line = None
        if line is None:
            return replace(inner, children=children)
        free.remove(line)
        # How sure the reading is, is no matter of what the model sees, unless it mended a letter.
        unsure = 0 < line.confidence < UNCERTAIN and "masked" not in inner.attributes and _plain(line.text) == text
        attributes = MappingProxyType({**inner.attributes, **({"uncertain": "true"} if unsure else {})})
        return replace(inner, children=children, attributes=attributes, box=line.box, confidence=line.confidence)

    return placed(node)


def _around(children: Sequence[Node]) -> Box | None:
    boxes = [child.box for child in children if child.box is not None]
    if not boxes:
        return None
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _plain(text: str) -> str:
    """Return text without differences that readers differ in: width of characters, runs of spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
