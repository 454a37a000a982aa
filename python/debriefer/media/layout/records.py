"""Layout trees as JSON, with boxes and confidences, for the store."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from debriefer.errors import MediaError
from debriefer.media.slide import Box
from debriefer.media.tree import Node, Tag


def to_dict(node: Node) -> dict[str, Any]:
    """Return a tree as JSON values; what is empty or unknown is left out.

    >>> to_dict(Node(Tag.VALUE, "12", box=Box(1, 2, 30, 40), confidence=0.9))
    {'tag': 'value', 'text': '12', 'box': [1, 2, 30, 40], 'confidence': 0.9}
    """
    record: dict[str, Any] = {"tag": node.tag.value}
    if node.text:
        record["text"] = node.text
    if node.attributes:
        record["attributes"] = dict(node.attributes)
    if node.box is not None:
        record["box"] = [node.box.left, node.box.top, node.box.right, node.box.bottom]
    if node.confidence is not None:
        record["confidence"] = node.confidence
    if node.children:
        record["children"] = [to_dict(child) for child in node.children]
    return record


def from_dict(record: Mapping[str, Any]) -> Node:
    """Return the tree that `to_dict` gave as JSON values.

    Raises:
        MediaError: The values describe no tree.
    """
    try:
        box = record.get("box")
        confidence = record.get("confidence")
        return Node(
            Tag(record["tag"]),
            text=str(record.get("text", "")),
            children=tuple(from_dict(child) for child in record.get("children", ())),
            attributes=MappingProxyType({str(k): str(v) for k, v in record.get("attributes", {}).items()}),
            box=None if box is None else Box(*(int(value) for value in box)),
            confidence=None if confidence is None else float(confidence),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        message = f"the record describes no layout tree: {error}"
        raise MediaError(message, hint="read what `to_dict` wrote") from error
