"""Which part of a timeline a text judge is shown: by relevance, within a budget, never by cutting the head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from debriefer.media.retrieval import Bm25, terms

# Of an item's own score its neighbours get this much: what stands before and after a hit explains it.
_NEIGHBOUR = 0.25
_STUB_CHARACTERS = 60
# Characters a token where no tokenizer is at hand: two thirds of a Hanzi's, and four of Latin script.
_LATIN_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Passage:
    """A slide or a block of narration as text.

    Attributes:
        heading: Names it in one line: `slide 3 at 12.0 s`.
        text: What it shows or says.
        title: A few words that stand for it where it is left out.
        kept: Whether it must not be left out by name where others are: slides are, narration may be merged.
    """

    heading: str
    text: str
    title: str = ""
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen.

    Attributes:
        text: The chosen passages in their order, with a line for what was left out.
        whole: Places of the passages that are shown whole.
        cut: Places of the passages of which only lines are shown.
        tokens: Size of `text`.
    """

    text: str
    whole: tuple[int, ...]
    cut: tuple[int, ...]
    tokens: int


def token_estimate(text: str) -> int:
    """Return about how many tokens a text has: one for each character beyond Latin, one for four others.

    >>> token_estimate("净利润 12.5%")
    5
    """
    wide = sum(character > "\u2e7f" for character in text)
    return wide + -(-(len(text) - wide) // _LATIN_CHARACTERS)


def select(
    passages: Sequence[Passage],
    question: str,
    budget: int,
    count: Callable[[str], int] = token_estimate,
) -> Selection:
    """Choose from a timeline what a question needs, in the order of time.

    Everything is shown if it fits. Else passages are taken by their overlap with the question (BM25 over words and
    pairs of Hanzi), their neighbours before others of no overlap; of one that does not fit whole, its lines
    are taken in the same way; every passage that is left out leaves one line behind, as long as those lines fit.

    Args:
        passages: In order of time.
        question: The question.
        budget: Tokens that the text may have.
        count: Tokens of a text.

    Returns:
        The selection; its `tokens` is at most `budget`, whatever the passages are.
    """
    texts = [_whole(passage) for passage in passages]
    everything = "\n".join(texts)
    if count(everything) <= budget:
        return Selection(everything, tuple(range(len(passages))), (), count(everything))
    named = sum(count(_stub(passage)) + 1 for passage in passages) <= budget
    chosen: dict[int, str] = {}
    cut: set[int] = set()
    # The sum of the parts is the size of the whole but for rounding; what is shown in the end is counted as a whole.
    room = budget - (sum(count(_stub(passage)) + 1 for passage in passages) if named else count(_gone(1)) + 1)
    for place in _ranked(passages, question):
        left = room + (count(_stub(passages[place])) + 1 if named else -(count(_gone(1)) + 1))
        part: str | None = texts[place]
        size = count(texts[place]) + 1
        if size > left:
            part = _lines(passages[place], question, left, count)
            size = 0 if part is None else count(part) + 1
            cut.add(place)
        if part is not None:
            chosen[place] = part
            room = left - size
    text = _joined(passages, chosen, named=named)
    while count(text) > budget and chosen:
        chosen.popitem()
        text = _joined(passages, chosen, named=named)
    if count(text) > budget:
        text = _gone(len(passages)) if count(_gone(len(passages))) <= budget else ""
    cut.intersection_update(chosen)
    return Selection(text, tuple(sorted(set(chosen) - cut)), tuple(sorted(cut)), count(text))


def _ranked(passages: Sequence[Passage], question: str) -> list[int]:
    index = Bm25(f"{passage.title}\n{passage.text}" for passage in passages)
    own = index.scores(question)
    scores = [
        own.get(place, 0.0) + _NEIGHBOUR * max(own.get(place - 1, 0.0), own.get(place + 1, 0.0))
        for place in range(len(passages))
    ]
    # Of those without any overlap slides come first, as narration is the weaker evidence.
    return sorted(range(len(passages)), key=lambda place: (-scores[place], not passages[place].kept, place))


def _lines(passage: Passage, question: str, room: int, count: Callable[[str], int]) -> str | None:
    """Return a passage with the lines that fit and overlap with the question most, or `None` if none does."""
    lines = passage.text.splitlines()
    asked = set(terms(question))
    scores = [len(asked.intersection(terms(line))) for line in lines]
    kept: set[int] = set()
    # Each line that is shown may have a line of dots before it.
    left = room - count(_partial(passage, lines, set())) - 1
    for number in sorted(range(len(lines)), key=lambda number: (-scores[number], number)):
        if not scores[number]:
            break
        size = count(lines[number]) + 3
        if size <= left:
            kept.add(number)
            left -= size
    return _partial(passage, lines, kept) if kept else None


def _partial(passage: Passage, lines: Sequence[str], kept: set[int]) -> str:
    shown, missing = [f"[{passage.heading}, {len(kept)} of {len(lines)} lines]"], False
    for number, line in enumerate(lines):
        if number in kept:
            shown.append(line)
            missing = False
        elif not missing:
            shown.append("…")
            missing = True
    return "\n".join(shown)


def _joined(passages: Sequence[Passage], chosen: dict[int, str], *, named: bool) -> str:
    lines: list[str] = []
    gone = 0
    for place, passage in enumerate(passages):
        if place in chosen:
            if gone:
                lines.append(_gone(gone))
                gone = 0
            lines.append(chosen[place])
        elif named and passage.kept:
            if gone:
                lines.append(_gone(gone))
                gone = 0
            lines.append(_stub(passage))
        else:
            gone += 1
    if gone:
        lines.append(_gone(gone))
    return "\n".join(lines)


def _stub(passage: Passage) -> str:
    """Return the line that a passage leaves behind; several of narration become one."""
    if not passage.kept:
        return _gone(1)
    title = passage.title if len(passage.title) <= _STUB_CHARACTERS else passage.title[:_STUB_CHARACTERS] + "…"
    return f"[{passage.heading}{': ' if title else ''}{title} (left out)]"


def _gone(number: int) -> str:
    return f"[{number} passage{'' if number == 1 else 's'} left out]"


def _whole(passage: Passage) -> str:
    return f"[{passage.heading}]\n{passage.text}" if passage.text else f"[{passage.heading}]"
