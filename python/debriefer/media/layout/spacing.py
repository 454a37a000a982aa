"""Spaces that a recogniser does not write: those beside Chinese characters and signs."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A gap wider than this many em is a space. Bearings of two Chinese characters add up to 0.2 em, a space between them
# to 0.35 em at least.
_SPACE = 0.29
# Beside these the gap is part of the sign.
_OWN_GAP = frozenset("，。、；：？！“”‘’（）《》〈〉【】「」『』…—,.;:!?'\"")


def spaced(text: str, signs: Sequence[tuple[str, float]], ink: NDArray[np.bool_], em: float) -> str:
    """Return text with a space wherever its picture has a gap of one beside a Chinese character or a sign.

    Between letters and digits of Latin script the recogniser writes spaces itself.

    Args:
        text: The text as it was recognised.
        signs: Its characters but for spaces, with the place of their middle in columns of the picture.
        ink: For each column of the picture whether there is ink in it.
        em: Size of the font in columns.
    """
    if "".join(text.split()) != "".join(sign for sign, _ in signs):
        return text
    result: list[str] = []
    place = 0
    for sign in text:
        if sign.isspace():
            result.append(" ")
            continue
        if place and result[-1] != " ":
            before, left = signs[place - 1]
            if _may_part(before, sign) and _gap(ink, left, signs[place][1]) >= _SPACE * em:
                result.append(" ")
        result.append(sign)
        place += 1
    return "".join(result)


def _may_part(before: str, after: str) -> bool:
    if before in _OWN_GAP or after in _OWN_GAP:
        return False
    return not (_latin(before) and _latin(after))


def _latin(sign: str) -> bool:
    return sign.isalnum() and unicodedata.east_asian_width(sign) not in "WF"


def _gap(ink: NDArray[np.bool_], left: float, right: float) -> int:
    """Return the widest run of columns without ink between two places."""
    between = ink[max(0, round(left)) : max(0, round(right)) + 1]
    widest = run = 0
    for column in between:
        run = 0 if column else run + 1
        widest = max(widest, run)
    return widest
