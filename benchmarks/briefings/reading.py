"""Judges a layout tree by the texts and tables that the picture holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.briefings.manifest import Box, Picture, Table
from debriefer.media.tree import Node, Tag

# A leaf belongs to a text if they share this part of the smaller box.
_OVERLAP = 0.4
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\u3000-\u303f\uff00-\uffef"
_SPACE_AT_HAN = re.compile(rf"(?<=[{_HAN}]) | (?=[{_HAN}])")
# A row of stars or dots hides a value, whatever their number.
_HIDDEN = re.compile(r"[*＊✱•●∗]{2,}")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was counted on one picture or many.

    Attributes:
        letters: Characters that the picture holds.
        edits: Insertions, deletions and substitutions that lead from what was read to what is there.
        cells: Cells of its tables.
        cells_right: Of these, how many stand with the right text in the right row and column.
        wrong: What differs, for people: what is there, what was read.
    """

    letters: int = 0
    edits: int = 0
    cells: int = 0
    cells_right: int = 0
    wrong: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Reading) -> Reading:
        return Reading(
            self.letters + other.letters,
            self.edits + other.edits,
            self.cells + other.cells,
            self.cells_right + other.cells_right,
            self.wrong + other.wrong,
        )


def plain(text: str) -> str:
    """Return a text as it is compared: NFKC, one space between words, none beside Chinese, hidden values as `***`."""
    text = _HIDDEN.sub("***", unicodedata.normalize("NFKC", text)).replace("•", "·").replace("・", "·")
    return _SPACE_AT_HAN.sub("", " ".join(text.split()))


def edit_distance(one: str, other: str) -> int:
    """Return the Levenshtein distance.

    >>> edit_distance("482.31", "432.37")
    2
    """
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, against in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != against))
    return row[-1]


def judge(tree: Node, picture: Picture, ignored: Sequence[Box] = ()) -> Reading:
    """Compare a tree with what the picture holds.

    Texts and leaves that overlap are put together and compared in reading order, so that a line that was split or
    two that were joined cost no more than the letters that differ.

    Args:
        tree: The tree.
        picture: What is there.
        ignored: Regions whose texts do not count: an inset, a clock, the cursor.
    """
    leaves = [(node.text, node.box) for node in tree.walk() if node.text and node.box is not None and not node.children]
    boxes = [(box.left, box.top, box.right, box.bottom) for _, box in leaves if box is not None]
    texts = [(text.text, text.box) for text in picture.texts]
    groups = _components([box for _, box in texts], boxes)
    letters = edits = 0
    wrong: list[tuple[str, str]] = []
    for theirs, ours in groups:
        if not theirs and all(any(_overlap(boxes[leaf], region) > 0 for region in ignored) for leaf in ours):
            continue
        there = plain(" ".join(texts[index][0] for index in _in_order([(index, texts[index][1]) for index in theirs])))
        read = plain(" ".join(leaves[index][0] for index in _in_order([(index, boxes[index]) for index in ours])))
        letters += len(there)
        distance = edit_distance(there, read)
        edits += distance
        if distance:
            wrong.append((there, read))
    cells, right, missed = _cells(tree, picture.tables)
    return Reading(letters, edits, cells, right, tuple(wrong + missed))


def _overlap(one: Box, other: Box) -> float:
    """Return the shared area as a part of the smaller box."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    smaller = min((one[2] - one[0]) * (one[3] - one[1]), (other[2] - other[0]) * (other[3] - other[1]))
    return width * height / smaller if smaller else 0.0


def _components(texts: Sequence[Box], leaves: Sequence[Box]) -> list[tuple[list[int], list[int]]]:
    """Return groups of texts and leaves that overlap, directly or through others."""
    owner = list(range(len(texts) + len(leaves)))

    def root(index: int) -> int:
        while owner[index] != index:
            owner[index] = owner[owner[index]]
            index = owner[index]
        return index

    for number, text in enumerate(texts):
        for leaf, box in enumerate(leaves):
            if _overlap(text, box) >= _OVERLAP:
                owner[root(len(texts) + leaf)] = root(number)
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for index in range(len(owner)):
        theirs, ours = groups.setdefault(root(index), ([], []))
        if index < len(texts):
            theirs.append(index)
        else:
            ours.append(index - len(texts))
    return list(groups.values())


def _in_order(items: Sequence[tuple[int, Box]]) -> list[int]:
    """Return indices of boxes line by line, each line from left to right."""
    lines: list[list[tuple[int, Box]]] = []
    for index, box in sorted(items, key=lambda item: (item[1][1] + item[1][3], item[1][0])):
        middle = (box[1] + box[3]) / 2
        if lines and lines[-1][0][1][1] <= middle < lines[-1][0][1][3]:
            lines[-1].append((index, box))
        else:
            lines.append([(index, box)])
    return [index for line in lines for index, _ in sorted(line, key=lambda item: item[1][0])]


def _cells(tree: Node, tables: Sequence[Table]) -> tuple[int, int, list[tuple[str, str]]]:
    """Return the number of cells, how many are right, and what differs."""
    found = []
    for node in tree.walk():
        if node.tag is Tag.TABLE and node.box is not None:
            box = (node.box.left, node.box.top, node.box.right, node.box.bottom)
            rows = [[plain(_text(cell)) for cell in row.children] for row in node.children if row.tag is Tag.TABLE_ROW]
            found.append((box, rows))
    total = right = 0
    wrong: list[tuple[str, str]] = []
    for table in tables:
        there = [[plain(cell.text) for cell in row] for row in table.rows]
        total += sum(map(len, there))
        near = [
            (_overlap(table.box, box), place) for place, (box, _) in enumerate(found) if _overlap(table.box, box) > 0
        ]
        read = found[max(near)[1]][1] if near else []
        count, missed = _aligned(there, read)
        right += count
        wrong += missed
    return total, right, wrong


def _text(cell: Node) -> str:
    return cell.text or " ".join(node.text for node in cell.walk() if node.text)


def _aligned(there: Sequence[Sequence[str]], read: Sequence[Sequence[str]]) -> tuple[int, list[tuple[str, str]]]:
    """Return how many cells agree when rows are matched in order, columns by position, and what differs."""

    def agree(one: Sequence[str], other: Sequence[str]) -> int:
        return sum(a == b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else 0

    best = [[0] * (len(read) + 1) for _ in range(len(there) + 1)]
    for i, row in enumerate(there, 1):
        for j, other in enumerate(read, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + agree(row, other))
    wrong: list[tuple[str, str]] = []
    i, j = len(there), len(read)
    while i:
        if j and best[i][j] == best[i][j - 1]:
            j -= 1
        elif best[i][j] == best[i - 1][j] or not j:
            wrong.append((f"row: {' | '.join(there[i - 1])}", ""))
            i -= 1
        else:
            wrong += [(a, b) for a, b in zip(there[i - 1], read[j - 1], strict=True) if a != b]
            i, j = i - 1, j - 1
    return best[len(there)][len(read)], wrong
