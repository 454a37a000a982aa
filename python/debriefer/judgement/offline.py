"""The judge of a machine without a model: layout trees and table matching alone; it abstains where it cannot tell.

A question that asks for one value is compared with every figure of the slides: its label must name what is asked for
and nothing else, its slide must stand in the question's period and group, and no word may say that it is no result. A
ranking must be a table (or two that share their ranks) of so many rows in falling order. Where several values fit, or
units are not known to agree, nothing is adopted.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from debriefer.judgement.asked import Asked, plain, stem, take_apart
from debriefer.judgement.cells import normal, number
from debriefer.judgement.check import at_most_verify, unsupported_cells
from debriefer.judgement.model import ClaimedCell, DecisionName, Distractor, VideoVerdict, shown_reference
from debriefer.judgement.model import Scope as ToldScope
from debriefer.judgement.scope import Scope, in_group, measures, scope_of, why_not
from debriefer.judgement.shown import Figure, Grid, Shown, look
from debriefer.judgement.slides import JudgedVideo

# Measured on the training half of the labelled set.
_FIGURE_CONFIDENCE = 0.95
_RANKING_CONFIDENCE = 0.9
_NOT_SHOWN_CONFIDENCE = 0.85
_RANK = re.compile(r"^(?:#|no\.?|nr\.?|rank(?:ing)?|place|position|排名|名次|序号|位次|排序)$", re.IGNORECASE)
_EXCLUDES = re.compile(
    r"\b(?:exclud\w+|leave out|drop|remove|ignore|disregard|without)\b"
    r"|排除|剔除|不计|除去|去掉|不含",
    re.IGNORECASE,
)
_ALIKE = 0.8
# A row of a label and its value.
_PAIR = 2


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer read off slides.

    Attributes:
        cells: Its rows.
        unit: Its unit, empty where none is told.
        slides: The slides.
        names: What the columns are called on the slides.
    """

    cells: tuple[tuple[ClaimedCell, ...], ...]
    unit: str
    slides: tuple[str, ...]
    names: tuple[str, ...] = ()

    def key(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(normal(cell.value) for cell in row) for row in self.cells)


def judge_offline(question: str, knowledge: str, video: JudgedVideo) -> VideoVerdict:
    """Return the verdict of layout trees and table matching alone.

    Args:
        question: The question.
        knowledge: The task's business notes; not needed, since a unit that differs is left to the Solver.
        video: Slides and narration.
    """
    del knowledge
    asked = take_apart(question)
    shown = [one for slide in video.slides if slide.revisit_of is None and (one := look(slide)) is not None]
    if not shown:
        return _unknown("no slide has a layout that could be read")
    if asked.form == "other":
        return _unknown("the question asks in a way that the judge without a model does not know")
    if asked.form == "rules":
        return _not_shown("the question applies rules, and what a video shows of them is configuration", [])
    scope = scope_of(asked, shown)
    fitting: list[Shown] = []
    left_out: list[Distractor] = []
    for place, one in enumerate(shown):
        kind = why_not(asked, scope, one, video, shown[:place])
        if kind is None:
            fitting.append(one)
        elif one.figures or one.grids:
            left_out.append(Distractor(slide=one.slide.reference, kind=kind, why=_title(one)))
    found = list(_figures(asked, scope, fitting) if asked.form == "figure" else _rankings(asked, scope, fitting))
    if asked.excluding:
        heard = _excluded(found, video)
        if heard is None:
            return _unknown("the speaker is said to exclude something, and it was not heard what")
        found = [_without(one, heard, asked) for one in found]
        found = [one for one in found if asked.count is None or len(one.cells) == asked.count]
    return _decided(asked, found, left_out, video)


def _decided(asked: Asked, found: Sequence[_Found], left_out: list[Distractor], video: JudgedVideo) -> VideoVerdict:
    fits = [one for one in found if not _differs(asked.unit, one.unit)]
    if not fits:
        if found:
            return _verdict(found[0], "RECOMPUTE", _NOT_SHOWN_CONFIDENCE, left_out, video, unit_consistent=False)
        return _not_shown("no slide in the question's scope shows what is asked for", left_out)
    if len({one.key() for one in fits}) > 1:
        return _unknown("several slides show different values for what is asked for")
    decision: DecisionName = "ADOPT" if asked.form == "figure" else "ADOPT_AND_VERIFY"
    confidence = _FIGURE_CONFIDENCE if asked.form == "figure" else _RANKING_CONFIDENCE
    return _verdict(fits[0], decision, confidence, left_out, video)


def _verdict(
    found: _Found,
    decision: DecisionName,
    confidence: float,
    left_out: list[Distractor],
    video: JudgedVideo,
    *,
    unit_consistent: bool = True,
) -> VideoVerdict:
    missing = unsupported_cells(found.cells, video, found.slides)
    values = [[cell.value for cell in row] for row in found.cells]
    reason = (
        "the video shows what is asked for in the question's scope"
        if unit_consistent
        else "the video shows it in another unit than the question asks for"
    )
    return VideoVerdict(
        finding="shown",
        has_displayed_answer=True,
        decision=at_most_verify(decision) if missing else decision,
        confidence=confidence,
        agreement=1.0,
        claimed_values=values,
        normalized_values=values,
        claimed_slides=[[list(cell.slides) for cell in row] for row in found.cells],
        target_columns=list(found.names),
        source_frames=[shown_reference(slide) for slide in found.slides],
        distractors=left_out,
        scope=ToldScope(unit=found.unit),
        unit_consistent=unit_consistent,
        unsupported=missing,
        reason=reason,
        judge="offline",
    )


def _not_shown(reason: str, left_out: list[Distractor]) -> VideoVerdict:
    return VideoVerdict(
        finding="not_shown",
        confidence=_NOT_SHOWN_CONFIDENCE,
        agreement=1.0,
        distractors=left_out,
        reason=reason,
        judge="offline",
    )


def _unknown(reason: str) -> VideoVerdict:
    return VideoVerdict(finding="unknown", reason=reason, judge="offline")


def _title(shown: Shown) -> str:
    return shown.titles[0] if shown.titles else ""


def _differs(wanted: str, told: str) -> bool:
    """Whether two units are told and are not the same."""
    return bool(wanted) and bool(told) and _same_unit(wanted) != _same_unit(told)


def _same_unit(unit: str) -> str:
    low = re.sub(r"\s+", "", plain(unit)).casefold()
    return {"percent": "%", "euro": "eur", "euros": "eur", "thousand": "k", "million": "m"}.get(low, low)


# One value -----------------------------------------------------------------------------------------------------------


def _figures(asked: Asked, scope: Scope, shown: Sequence[Shown]) -> Iterator[_Found]:
    for one in shown:
        for figure in (*one.figures, *_of_grids(asked, scope, one)):
            if figure.off or not measures(asked, figure.label, scope) or not in_group(scope, figure, one):
                continue
            cell = ClaimedCell(value=figure.value, slides=[one.slide.reference])
            yield _Found(((cell,),), figure.unit or one.unit, (one.slide.reference,), (figure.label,))


def _of_grids(asked: Asked, scope: Scope, shown: Shown) -> Iterator[Figure]:
    """Yield the figures of tables: rows of label and value, and rows of the question's group under the measure."""
    for grid in shown.grids:
        for row in grid.rows:
            if not row or number(row[0]) is not None:
                continue
            label, unit = _label(row[0])
            if len(row) == _PAIR and number(row[1]) is not None:
                yield Figure(label, row[1], unit or _unit_of(grid, 1, shown))
            if row[0] in scope.groups:
                yield from _of_group(asked, scope, shown, grid, row)


def _of_group(asked: Asked, scope: Scope, shown: Shown, grid: Grid, row: Sequence[str]) -> Iterator[Figure]:
    """Yield the figures of a group's row that are what is asked for, by their column or by the title above a chart."""
    for column, cell in enumerate(row[1:], start=1):
        name = grid.header[column] if column < len(grid.header) else ""
        names = [name] if name else [grid.caption, *shown.titles] if len(row) == _PAIR else []
        parts = (part for text in names for part in (text, *_of_measure(text)))
        label = next((part for part in parts if measures(asked, part, scope)), None)
        if label is not None and number(cell) is not None:
            yield Figure(label, cell, _unit_of(grid, column, shown), (row[0],), row[0])


def _label(text: str) -> tuple[str, str]:
    found = re.search(r"[(（,，]\s*([^()（）,，]{1,12})\s*[)）]?\s*$", text)
    return (text, "") if found is None else (text[: found.start()].strip(), found[1].strip())


def _of_measure(title: str) -> Iterator[str]:
    """Yield what a title such as `Lending by district` or `各大区营业额` measures."""
    found = re.match(r"(.+?) (?:by|per|of each) ", title, re.IGNORECASE)
    if found:
        yield found[1]
    found = re.match(r"[各按].{1,6}?(?:的|统计|汇总)?([\u3400-\u9fff]{2,10})$", title)
    if found:
        rest = title[1:]
        yield from (rest[start:] for start in range(1, max(1, len(rest) - 1)))


def _unit_of(grid: Grid, column: int, shown: Shown) -> str:
    return (grid.units[column] if column < len(grid.units) else "") or shown.unit


# Rankings ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a ranking: by rank, with its unit and slide; `alone`: its table has no other names or values."""

    values: dict[int, str]
    unit: str
    slide: str
    is_value: bool
    alone: bool
    name: str = ""


def _rankings(asked: Asked, scope: Scope, shown: Sequence[Shown]) -> Iterator[_Found]:
    names: list[_Column] = []
    values: list[_Column] = []
    for one in shown:
        for grid in one.grids:
            for column in _ranked(asked, scope, grid, one):
                (values if column.is_value else names).append(column)
    seen: set[tuple[str, ...]] = set()
    for name in names:
        # A value of the same table, else one that shares its ranks on another slide.
        partners = [value for value in values if value.slide == name.slide] or [
            value for value in values if name.alone and value.alone
        ]
        for value in partners:
            rows = _joined(asked, name, value)
            key = tuple(cell.value for row in rows for cell in row)
            if rows and key not in seen:
                seen.add(key)
                called = (name.name, value.name)[: len(rows[0])]
                slides = tuple(dict.fromkeys((name.slide, value.slide)))
                yield _Found(rows, value.unit, slides, called if all(called) else ())


def _ranked(asked: Asked, scope: Scope, grid: Grid, shown: Shown) -> Iterator[_Column]:
    """Yield the columns of a table that a ranking needs: names of what is asked for, the measure in falling order."""
    if not grid.rows or not grid.header:
        yield from _bars(asked, scope, grid, shown)
        return
    width = len(grid.header)
    rank = next((place for place, name in enumerate(grid.header) if _RANK.match(name)), None)
    ranks = []
    for place, row in enumerate(grid.rows, start=1):
        text = row[rank] if rank is not None and rank < len(row) else str(place)
        ranks.append(int(text) if text.isdigit() else place)
    if len(set(ranks)) != len(ranks):
        return
    entity = _entity(asked, grid, rank)
    numeric = [
        column
        for column in range(width)
        if column != rank and all(column < len(row) and number(row[column]) is not None for row in grid.rows)
    ]
    reference = shown.slide.reference
    for column in range(width):
        cells = {place: row[column] for place, row in zip(ranks, grid.rows, strict=True) if column < len(row)}
        if column == entity:
            yield _Column(
                cells, "", reference, is_value=False, alone=rank is not None and not numeric, name=grid.header[column]
            )
        elif column != rank and measures(asked, grid.header[column], scope) and _falls(asked, cells):
            yield _Column(
                cells,
                _unit_of(grid, column, shown),
                reference,
                is_value=True,
                alone=rank is not None and entity is None,
                name=grid.header[column],
            )


def _bars(asked: Asked, scope: Scope, grid: Grid, shown: Shown) -> Iterator[_Column]:
    """Yield the columns of a chart: bars under a title that names the measure."""
    rows = [row for row in grid.rows if len(row) == _PAIR and number(row[1]) is not None]
    if len(rows) != len(grid.rows) or not rows:
        return
    titles = (grid.caption, *shown.titles)
    parts = [part for text in titles for part in (text, *_of_measure(text), *_named(text))]
    if not any(measures(asked, part, scope) for part in parts):
        return
    cells = {place: row[1] for place, row in enumerate(rows, start=1)}
    if not _falls(asked, cells) or not any(_is_asked_noun(asked, word) for text in titles for word in _words(text)):
        return
    reference = shown.slide.reference
    yield _Column(
        {place: row[0] for place, row in enumerate(rows, start=1)}, "", reference, is_value=False, alone=False
    )
    yield _Column(cells, shown.unit, reference, is_value=True, alone=False)


def _named(title: str) -> Iterator[str]:
    """Yield what a title such as `Top 5 stores by revenue` or `营业额前五门店` names."""
    found = re.search(r"\bby (.+)$", title, re.IGNORECASE)
    if found:
        yield found[1]
    found = re.match(r"([\u3400-\u9fff]{2,10}?)(?:前|最高|排行|排名)", title)
    if found:
        yield found[1]


def _words(text: str) -> list[str]:
    return re.findall(r"[\u3400-\u9fff]{2,}|[^\W\d_]+", text)


def _is_asked_noun(asked: Asked, word: str) -> bool:
    return stem(word) in asked.words or (
        len(word) > 1 and any(word[i : i + 2] in asked.text for i in range(len(word) - 1))
    )


def _entity(asked: Asked, grid: Grid, rank: int | None) -> int | None:
    """Return the column of the names asked for: it is called as the question calls them, else the first of words."""
    texts = [
        place
        for place in range(len(grid.header))
        if place != rank and all(place < len(row) and row[place] and number(row[place]) is None for row in grid.rows)
    ]
    called = [place for place in texts if asked.holds(grid.header[place]) or stem(grid.header[place]) in asked.words]
    return next(iter([*called, *texts]), None)


def _falls(asked: Asked, cells: dict[int, str]) -> bool:
    """Whether a column's numbers stand in the order of a ranking, with rank or row."""
    values = [number(cells[rank]) for rank in sorted(cells)]
    if any(value is None for value in values):
        return False
    exact = [Decimal(value.rstrip("%")) for value in values if value is not None]
    return exact == sorted(exact, reverse=not asked.ascending)


def _joined(asked: Asked, name: _Column, value: _Column) -> tuple[tuple[ClaimedCell, ...], ...]:
    """Return the rows of a ranking where both columns have its first ranks, else none."""
    count = asked.count or 0
    ranks = range(1, count + 1)
    if asked.excluding:
        # Who is left out makes room for the next.
        ranks = range(1, len(name.values) + 1)
    if not all(rank in name.values and rank in value.values for rank in ranks) or len(ranks) < count:
        return ()
    if name.slide != value.slide and set(name.values) != set(value.values):
        return ()
    rows = []
    for rank in ranks:
        cells = [ClaimedCell(value=name.values[rank], slides=[name.slide])]
        if asked.with_value:
            cells.append(ClaimedCell(value=value.values[rank], slides=[value.slide]))
        rows.append(tuple(cells))
    return tuple(rows)


# What the speaker excludes -------------------------------------------------------------------------------------------


def _excluded(found: Sequence[_Found], video: JudgedVideo) -> list[str] | None:
    """Return the names of a ranking that the speaker excludes, `None` where nobody was heard to exclude anything."""
    names = {row[0].value for one in found for row in one.cells}
    heard = [said.text for said in video.speech if _EXCLUDES.search(said.text)]
    if not heard:
        return None
    excluded = []
    for name in sorted(names):
        for text in heard:
            words = _words(text)
            size = max(1, len(_words(name)))
            runs = [" ".join(words[start : start + size]) for start in range(len(words) - size + 1)]
            close = any(
                difflib.SequenceMatcher(None, run.casefold(), name.casefold()).ratio() >= _ALIKE for run in runs
            )
            if name.casefold() in text.casefold() or close:
                excluded.append(name)
                break
    return excluded or None


def _alike(heard: str, name: str) -> bool:
    return difflib.SequenceMatcher(None, heard.casefold(), name.casefold()).ratio() >= _ALIKE


def _without(found: _Found, names: Sequence[str], asked: Asked) -> _Found:
    kept = tuple(row for row in found.cells if row[0].value not in names)
    return replace(found, cells=kept[: asked.count])
