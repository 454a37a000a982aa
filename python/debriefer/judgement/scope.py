"""Whether a slide stands in the scope of a question: its period, its group, and nothing that says it is no result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from debriefer.judgement.asked import Asked, plain, stem
from debriefer.judgement.cells import number
from debriefer.judgement.model import DistractorKind
from debriefer.judgement.shown import Figure, Shown, pieces
from debriefer.judgement.slides import JudgedSpeech, JudgedVideo

_HANZI = re.compile(r"[\u3400-\u9fff]")
_PERIOD = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\b[A-Z]{1,3}-?\d{1,4}\b|\d+ ?(?:期|季|月|年|批|轮)")
_KIND = re.compile(r"([^:：]{1,16})[:：]")
# A period is a name and no sentence.
_LONGEST_PERIOD = 20
_OLD = re.compile(
    r"\b(?:archiv\w*|superseded|outdated|obsolete|old|prior|previous|earlier"
    r"|last (?:cycle|batch|period|year|quarter|campaign))\b"
    r"|归档|存档|历史|旧|上一?(?:期|批|周期|季度|年度|轮)|往期|前期",
    re.IGNORECASE,
)
_NO_RESULT = re.compile(
    r"\b(?:reference only|for reference|example\w*|illustrat\w*|draft|sample|demo\w*|preview|forecast\w*|budget\w*"
    r"|target\w*|not applied|unapplied|inactive|placeholder|do not use|not final|preliminary|estimate\w*)\b"
    r"|仅供参考|供参考|参考|示例|样例|举例|草稿|演示|未应用|未生效|未启用|预览|预测|预算|目标|初步|估算",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|alone|single|one of|highlight\w*)\b|仅|单独|单个|其中一|重点", re.IGNORECASE)
_AGGREGATE = frozenset(
    (
        *("total", "sum", "overall", "combined", "all", "together", "grand", "average", "mean", "per"),
        *("of", "the", "in", "by", "for", "and", "number", "amount", "value", "figure", "final", "result"),
    )
)
_AGGREGATE_ZH = re.compile(r"合计|总计|总额|总和|汇总|平均|均值|共计|总(?=\S)")
_AVERAGE = re.compile(r"\b(?:average|mean|per)\b|平均|均值|人均|户均|每", re.IGNORECASE)
# Before a measure's name these make it another one: 净利润 is no 利润.
_OTHER_ZH = "净毛非应实已未纯新老累"


@dataclass(frozen=True, slots=True)
class Scope:
    """What the question and the video have in common.

    Attributes:
        periods: Periods that the question names and the video shows.
        others: Periods that the video shows and the question does not name.
        groups: Names of groups that the question names and the video shows.
        siblings: Other groups of the same kind, which the question does not name.
        names: What columns and labels are called.
        has_period: Whether the question names a period at all.
    """

    periods: frozenset[str]
    others: frozenset[str]
    groups: frozenset[str]
    siblings: frozenset[str]
    names: frozenset[str]
    has_period: bool


def scope_of(asked: Asked, shown: Sequence[Shown]) -> Scope:
    """Find the periods and groups of a question in what the slides show."""
    names = frozenset(
        name.casefold()
        for one in shown
        for name in (
            *(figure.label for figure in one.figures),
            *(column for grid in one.grids for column in grid.header),
        )
        if name
    )
    seen = {piece for one in shown for piece in one.pieces}
    periods = {piece for piece in seen if _is_period(piece)}
    named = _longest(piece for piece in periods if asked.holds(piece))
    cells = {
        cell
        for one in shown
        for cell in (
            *(text for grid in one.grids for row in grid.rows for text in row),
            *one.about,
            *(text for figure in one.figures for near in figure.near for text in re.split(r"[,，:：]\s*", near)),
        )
    }
    # `District: Central`: what stands before a colon is the name of a kind of group and none of them.
    kinds = {found[1].casefold() for one in shown for text in one.titles if (found := _KIND.match(text))}
    taken = {name for name in names if asked.holds(name)} | {asked.unit.casefold(), *asked.unit.casefold().split()}
    groups = _longest(
        cell
        for cell in cells
        if _is_name(cell)
        and cell.casefold() not in names | kinds
        and not any(cell.casefold() in name for name in taken)
        and asked.holds(cell)
        and _stands_out(asked, cell)
    )
    chosen = frozenset(group for group in groups if group not in named and not any(group in one for one in named))
    digits = [run for run in re.findall(r"\d+", asked.text) if run != str(asked.count)]
    return Scope(
        named,
        frozenset(piece for piece in periods if piece not in named and not any(piece in one for one in named)),
        chosen,
        frozenset(one for kind in _kinds(shown) if kind & chosen for one in kind - chosen),
        names,
        bool(digits),
    )


def _kinds(shown: Sequence[Shown]) -> Iterator[frozenset[str]]:
    """Yield names of one kind: the options of a filter, the values of a column."""
    for one in shown:
        yield from one.options
        for grid in one.grids:
            for column in zip(*(row for row in grid.rows if len(row) == len(grid.rows[0])), strict=True):
                yield frozenset(cell for cell in column if _is_name(cell))


def _is_period(piece: str) -> bool:
    return number(piece) is None and len(piece) <= _LONGEST_PERIOD and _PERIOD.search(piece) is not None


def _is_name(cell: str) -> bool:
    least = 2 if _HANZI.search(cell) else 3
    return least <= len(cell) <= 24 and not any(character.isdigit() for character in cell)  # noqa: PLR2004 -- a name


def _stands_out(asked: Asked, cell: str) -> bool:
    """A group's name is written with a capital in an English question; Chinese has none."""
    if _HANZI.search(cell):
        return True
    place = asked.text.find(cell)
    return place > 0 and cell[0].isupper()


def _longest(found: Iterable[str]) -> frozenset[str]:
    kept = set(found)
    return frozenset(one for one in kept if not any(one != other and one in other for other in kept))


def why_not(
    asked: Asked, scope: Scope, shown: Shown, video: JudgedVideo, before: Sequence[Shown]
) -> DistractorKind | None:
    """Return why a slide cannot show the answer: another period, or a word that says that it is no result.

    A slide that names no period stands in that of the slides before it.

    Args:
        asked: The question.
        scope: Its scope.
        shown: The slide.
        video: For what is said while it is shown.
        before: The slides before it, in order of time.
    """
    spoken = " ".join(said.text for said in _while_shown(shown, video))
    for text in (" ".join((*shown.titles, *shown.crossed)), spoken):
        if _OLD.search(text) and not _OLD.search(asked.text):
            return "old_batch"
        if _NO_RESULT.search(text) and not _NO_RESULT.search(asked.text):
            return "reference_only"
    if not scope.has_period:
        return None
    for one in (shown, *reversed(before)):
        if one.about & scope.periods:
            return None
        # A batch that is crossed out at a slide's head is the batch that it was.
        if (one.about | {piece for text in one.crossed for piece in pieces(text)}) & scope.others:
            break
    return "old_batch"


def _while_shown(shown: Shown, video: JudgedVideo) -> Iterable[JudgedSpeech]:
    items = list(video.items)
    place = items.index(shown.slide)
    for item in items[place + 1 :]:
        if not isinstance(item, JudgedSpeech):
            return
        yield item


def measures(asked: Asked, label: str, scope: Scope) -> bool:
    """Whether a label names what is asked for, and nothing else: every word of it stands in the question.

    >>> from debriefer.judgement.asked import take_apart
    >>> q = take_apart("What is the total lending in k EUR of the Central district?")
    >>> none = Scope(*[frozenset()] * 5, has_period=False)
    >>> measures(q, "Total lending", none), measures(q, "Net lending", none), measures(q, "Average lending", none)
    (True, False, False)
    """
    text = plain(label)
    if not text or (_AVERAGE.search(text) is not None) != asked.average:
        return False
    if _HANZI.search(text):
        core = _AGGREGATE_ZH.sub("", text)
        for group in scope.groups | scope.periods:
            core = core.replace(group, "")
        core = core.strip(" ·:：的")
        place = asked.text.find(core) if len(core) > 1 else -1
        if place < 0:
            return False
        return not (place > 0 and asked.text[place - 1] in _OTHER_ZH)
    known = {stem(word) for name in scope.groups | scope.periods for word in re.findall(r"[^\W_]+", name)}
    words = [stem(word) for word in re.findall(r"[^\W_]+", text)]
    core_words = [word for word in words if word not in _AGGREGATE and word not in known]
    if not core_words or not all(word in asked.words for word in core_words):
        return False
    return not _qualified(asked, core_words[0])


def _qualified(asked: Asked, word: str) -> bool:
    """Whether the question has a word before a measure that makes it another one: `net lending`."""
    words = [stem(each) for each in re.findall(r"[^\W_]+", asked.text)]
    place = words.index(word) if word in words else 0
    return place > 0 and words[place - 1] in {"net", "gross", "adjusted", "new", "unpaid", "overdue", "planned", "non"}


def in_group(scope: Scope, figure: Figure, shown: Shown) -> bool:
    """Whether a figure is that of the question's groups: one beside it or, if it names none, in the slide's titles."""
    own = {piece for text in (*figure.near, figure.row, figure.label) for piece in _parts(text)}
    if own & scope.siblings or any(_ONLY.search(text) for text in figure.near):
        return False
    named = {group for group in scope.groups if group in own or any(group in text for text in figure.near)}
    if named == scope.groups:
        return True
    return scope.groups <= (named | {group for group in scope.groups if group in shown.about})


def _parts(text: str) -> set[str]:
    return {text, *re.split(r"\s*[·•|｜:：,，;；()（）]\s*|\s+", text)}
