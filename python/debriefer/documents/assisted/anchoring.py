"""How a document marks its records, asked of a model where no rule tells: its marks become an expression of our own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from debriefer.documents.reader_port import AnchorReply, AnchorRequest
from debriefer.documents.relation import Anchor, Segmented
from debriefer.documents.tokens import tokens

# Lines below this share that belong to a record: the marks that were found are not the document's.
_CLEAR_SHARE = 0.6
_LEAST_LINES, _MOST_LINES, _LINE_CHARACTERS = 6, 24, 300
_LEAST_MARKS = 3
_PIECE = re.compile(r"\d+|[A-Za-z]+|\s+|.", re.DOTALL)


def is_clear(lines: Sequence[str], parts: Segmented) -> bool:
    """Return whether the marks that were found explain the document's lines, or there is nothing to explain."""
    telling = _telling(lines)
    if len(telling) < _LEAST_LINES:
        return True
    spoken = {record.line for block in parts.blocks for record in block.records}
    return sum(number in spoken for number in telling) >= _CLEAR_SHARE * len(telling)


def anchor_request(document: str, lines: Sequence[str]) -> AnchorRequest:
    """Return what a model is shown: lines from all parts of the document."""
    telling = _telling(lines)
    step = max(1, len(telling) // _MOST_LINES)
    chosen = telling[::step][:_MOST_LINES]
    return AnchorRequest(document, tuple((number, lines[number][:_LINE_CHARACTERS]) for number in chosen))


def _telling(lines: Sequence[str]) -> list[int]:
    return [number for number, line in enumerate(lines) if any(token.is_value for token in tokens(line))]


def anchor_of(reply: AnchorReply, lines: Sequence[str]) -> Anchor | None:
    """Return the marks of a reply as one expression; `None` where they do not stand in their lines or are not alike.

    The expression is made of what stands before the keys and of the sorts of letters in them, never taken from a reply.
    """
    shapes: Counter[tuple[str, str]] = Counter()
    keys: set[str] = set()
    for mark in reply.marks:
        key, before = mark.key.strip(), mark.before.strip()
        if not (0 <= mark.line < len(lines)) or not key or not any(letter.isdigit() for letter in key):
            continue
        shape = rf"{_literal(before)}(?<![\w.])({_sorts(key)})(?![\w])" if before else rf"^\W*({_sorts(key)})(?![\w])"
        match = re.search(shape, lines[mark.line])
        if match is not None and match[1] == key:
            shapes[before.casefold(), shape] += 1
            keys.add(key)
    if not shapes or len(keys) < _LEAST_MARKS:
        return None
    (before, shape), count = shapes.most_common(1)[0]
    if count < _LEAST_MARKS:
        return None
    return Anchor((before,), shape, (reply.name.strip() or "record_id",))


def _literal(text: str) -> str:
    return "".join(r"\s+" if piece.isspace() else re.escape(piece) for piece in _PIECE.findall(text)) + r"\s*"


def _sorts(key: str) -> str:
    r"""Return a key as the sorts of its letters.

    >>> _sorts("AB-12")
    '[A-Za-z]+\\-\\d+'
    """
    found: list[str] = []
    for piece in _PIECE.findall(key):
        if piece.isdecimal():
            found.append(r"\d+")
        elif piece.isascii() and piece.isalpha():
            found.append("[A-Za-z]+")
        else:
            found.append(r"\s+" if piece.isspace() else re.escape(piece))
    return "".join(found)
