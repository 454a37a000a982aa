"""Whether the slides that a claim cites show its cells: a look-up that no model takes part in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from debriefer.judgement.cells import normal, number
from debriefer.judgement.model import ClaimedCell, DecisionName, Unsupported
from debriefer.judgement.slides import JudgedSlide, JudgedVideo
from debriefer.media.tree import Node, Tag

# A hyphen behind a digit, a Latin letter or a percent sign joins (`2030-12`, `A-5`, `3%-5%`), elsewhere it is a minus.
_NUMBERS = re.compile(r"(?<![\d.,])(?:(?<![a-z%])[+-])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s?%)?(?!\s?%|[.,]?\d)")
_BEGUN = re.compile(r"\d[.,]$|(?:^|[^\dA-Za-z%％])[-−－]$")
_SIGNED = re.compile(r"[-+−－]\d")
_JOINS = re.compile(r"[\dA-Za-z%％]$")
_GOES_ON = re.compile(r"[.,]\d|\s?[%％]")
_SPACE = re.compile(r"\s+")
_HANZI = re.compile(r"[\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


def unsupported_cells(
    cells: Sequence[Sequence[ClaimedCell]], video: JudgedVideo, frames: Sequence[str] = ()
) -> list[Unsupported]:
    """Return the claimed cells that none of the slides they cite shows.

    A cell is looked for first as it is written, then in its normal form (numbers by value, text by NFKC without regard
    to case). A cell that cites no slide is looked for on the slides that the whole claim cites. A revisited slide shows
    what the earlier one does.

    Args:
        cells: The claim.
        video: The slides.
        frames: The slides that the whole claim cites.
    """
    missing = []
    for i, row in enumerate(cells, start=1):
        for j, cell in enumerate(row, start=1):
            cited = list(dict.fromkeys(cell.slides or frames))
            slides = [slide for reference in cited if (slide := _shown(video, reference)) is not None]
            if not any(slide_shows(slide, cell.value) for slide in slides):
                missing.append(Unsupported(row=i, column=j, value=cell.value, slides=cited))
    return missing


def at_most_verify(decision: DecisionName) -> DecisionName:
    """Return the decision for a claim of which something is not sure."""
    return "ADOPT_AND_VERIFY" if decision == "ADOPT" else decision


def slide_shows(slide: JudgedSlide, value: str) -> bool:
    """Return whether a slide's layout tree holds `value` as a text of its own or as part of one, not as part of a word.

    An empty value is shown by a blank cell of a table.
    """
    if slide.tree is None:
        return False
    nodes = list(slide.tree.walk())
    if not value.strip():
        return any(_is_blank_cell(node) for node in nodes)
    # A vision model may give a container words of its own.
    texts = [node.text for node in nodes if node.text.strip()]
    return any(_holds(text, value.strip()) for text in texts) or any(_means(text, value) for text in texts)


def _shown(video: JudgedVideo, reference: str) -> JudgedSlide | None:
    slide = video.slide(reference)
    if slide is None or slide.revisit_of is None:
        return slide
    prefix, colon, _ = reference.rpartition(":")
    return video.slide(f"{prefix}{colon}{slide.revisit_of}")


def _is_blank_cell(node: Node) -> bool:
    return node.tag is Tag.TABLE_CELL and not node.children and not node.text.strip()


def _holds(text: str, value: str) -> bool:
    """Whether a text holds a value as it is written, not as part of a longer word or number."""
    start = text.find(value)
    while start >= 0:
        before, after = text[:start], text[start + len(value) :]
        apart = _apart(before[-1:], value[0]) and _apart(value[-1], after[:1])
        if apart and not _cuts_number(before, value, after):
            return True
        start = text.find(value, start + 1)
    return False


def _cuts_number(before: str, value: str, after: str) -> bool:
    """Whether what stands beside a number makes it another: 28.6 in `1,128.6`, 5 in `-5`, -12 in `2030-12`."""
    begun = value[0].isdigit() and _BEGUN.search(before) is not None
    joined = _SIGNED.match(value) is not None and _JOINS.search(before) is not None
    return begun or joined or (value[-1].isdigit() and _GOES_ON.match(after) is not None)


def _apart(left: str, right: str) -> bool:
    if not left or not right:
        return True
    if _HANZI.match(left) or _HANZI.match(right):
        # Chinese is written without spaces; a name may be a part of a longer one only at a change of script.
        return bool(_HANZI.match(left)) != bool(_HANZI.match(right))
    return not (left.isalnum() and right.isalnum())


def _means(text: str, value: str) -> bool:
    """Whether a text says the same in another writing."""
    wanted = normal(value)
    if normal(text) == wanted:
        return True
    plain = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).casefold().replace("−", "-")
    if number(wanted) is None:
        return _holds(_SPACE.sub("", plain), _SPACE.sub("", wanted)) or _holds(plain, wanted)
    return any(number(_SPACE.sub("", found[0])) == wanted for found in _NUMBERS.finditer(plain))
