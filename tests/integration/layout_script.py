"""Scripts of a vision model that the server of `test_layout_vlm.py` plays."""

from __future__ import annotations

import re

from tests.doubles.script import Answer, Fault, Turn, fields


def tree_in(turn: Turn) -> str:
    """Return the tree that the request holds, and fail where it or the picture is missing."""
    found = re.findall(r"\[\[ ## tree ## \]\]\n(.*?)(?=\n\[\[ ##|\n\nRespond|\Z)", turn.text, re.DOTALL)
    if turn.images != 1 or not found:
        message = f"the request has {turn.images} pictures and {len(found)} trees"
        raise ValueError(message)
    tree: str = found[-1].strip()
    return tree


def good(turn: Turn) -> Answer:
    """Put the page's content on a card and say that a word is struck out."""
    inner = tree_in(turn).removeprefix("[:page").removesuffix("]")
    inner = inner.replace('"Retail"', '{:struck true} "Retail"')
    return fields(turn, refined_tree=f"[:page [:card{inner}]]")


def invented(turn: Turn) -> Answer:
    """Better a figure."""
    return fields(turn, refined_tree=tree_in(turn).replace("1,508.91", "1,608.91"))


def wordy(turn: Turn) -> Answer:
    """Say that there is nothing to be seen."""
    tree_in(turn)
    return fields(turn, refined_tree="I cannot see the picture.")


def broken(turn: Turn) -> Answer:
    """Fail whenever asked."""
    tree_in(turn)
    return Fault(status=400, message="this server takes no pictures", type="invalid_request_error")
