"""Invented videos, as manifests of what they show and say, with tables from which the answer follows too.

Each film has a page of scope, an archived ranking that looks like the answer, and, as its world says, a card with
the total, a ranking whose names and figures stand on two slides, and a rule without its result.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from debriefer.datasets.invented.model import Asked, Chance, Film, Shown, Spoken, World, asked, table

_TOP = 3


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one film.

    Attributes:
        name: Name of the world.
        sheet: Name of the table.
        columns: Period, entity, amount, count.
        entities: Names.
        periods: The archived and the current one.
        unit: Unit of the amount.
    """

    name: str
    language: str
    sheet: str
    columns: tuple[str, str, str, str]
    entities: tuple[str, ...]
    periods: tuple[str, str]
    unit: str


def _page(title: str, *parts: str) -> str:
    return f"[:page [:h1 {_text(title)}] {' '.join(parts)}]"


def _text(text: object) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _grid(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = " ".join(f"[:th {_text(cell)}]" for cell in header)
    body = " ".join(f"[:tr {' '.join(f'[:td {_text(cell)}]' for cell in row)}]" for row in rows)
    return f"[:table [:tr {head}] {body}]"


def _pair(label: str, value: object) -> str:
    return f"[:label {_text(label)}] [:value {_text(value)}]"


def _world(words: _Words, chance: Chance, *, card: bool, ranking: bool) -> World:
    zh = words.language == "zh"
    period, entity, amount, number = words.columns
    old, current = words.periods
    rows = [
        (when, name, value, count)
        for when in words.periods
        for name, value, count in zip(
            words.entities,
            chance.sample(range(100, 990), len(words.entities)),
            chance.sample(range(5, 95), len(words.entities)),
            strict=True,
        )
    ]
    now = sorted((row for row in rows if row[0] == current), key=lambda row: -row[2])
    before = sorted((row for row in rows if row[0] == old), key=lambda row: -row[2])
    total, limit = sum(row[2] for row in now), sorted(row[3] for row in now)[len(now) // 2]
    top = [(row[1], row[2]) for row in now[:_TOP]]
    rank = "排名" if zh else "rank"
    slides = [
        (
            _said(zh, "scope", current, words.unit),
            "统计范围" if zh else "Scope",
            _pair(period, current),
            _pair("单位" if zh else "unit", words.unit),
        ),
        (
            _said(zh, "old", old, words.unit),
            f"{old} 存档" if zh else f"Archive: {old}",
            _grid((rank, entity, amount), [(n, r[1], r[2]) for n, r in enumerate(before[:_TOP], 1)]),
        ),
    ]
    if card:
        slides.append(
            (
                _said(zh, "card", current, words.unit),
                f"{current} 合计" if zh else f"Total of {current}",
                _pair(amount, total),
            )
        )
    if ranking:
        slides += [
            (
                _said(zh, "names", current, words.unit),
                f"{current} {rank}" if zh else f"Ranking of {current}",
                _grid((rank, entity), [(n, r[0]) for n, r in enumerate(top, 1)]),
            ),
            (
                _said(zh, "figures", current, words.unit),
                f"{current} {amount}",
                _grid((rank, amount), [(n, r[1]) for n, r in enumerate(top, 1)]),
            ),
        ]
    slides.append(
        (_said(zh, "rule", current, words.unit), "规则" if zh else "Rule", f"[:p {_text(f'{number} > {limit}')}]")
    )
    items: list[Shown | Spoken] = []
    for place, (speech, title, *parts) in enumerate(slides):
        items.append(Shown(12.0 * place, title, _page(title, *parts)))
        items.append(Spoken(12.0 * place + 1.5, 12.0 * place + 9.0, speech))
    above = sum(row[3] > limit for row in now)
    return World(
        words.name,
        "zh" if zh else "en",
        (table(words.sheet, " ".join(words.columns), rows),),
        _questions(words, zh=zh, total=total, top=top, limit=limit, above=above, card=card, ranking=ranking),
        knowledge=_notes(zh, words),
        film=Film(tuple(items)),
    )


def _questions(
    words: _Words,
    *,
    zh: bool,
    total: int,
    top: Sequence[tuple[str, int]],
    limit: int,
    above: int,
    card: bool,
    ranking: bool,
) -> tuple[Asked, ...]:
    _, entity, amount, number = words.columns
    current = words.periods[1]
    said = (
        (
            f"{current}的{amount}合计是多少？",
            f"{current}{amount}排名前{_TOP}的{entity}有哪些？给出{entity}和{amount}。",
            f"{current}有多少个{entity}的{number}超过{limit}？",
        )
        if zh
        else (
            f"What is the total {amount} in {current}?",
            f"Which three have the highest {amount} in {current}? Give {entity} and {amount}.",
            f"How many have a {number} above {limit} in {current}?",
        )
    )
    return (
        replace(asked(said[0], amount, total, "easy"), verdict="ADOPT" if card else "RECOMPUTE"),
        replace(
            asked(said[1], f"{entity},{amount}", list(top), "medium"),
            verdict="ADOPT_AND_VERIFY" if ranking else "RECOMPUTE",
        ),
        replace(asked(said[2], number, above, "hard"), verdict="RECOMPUTE"),
    )


def _said(zh: bool, what: str, period: str, unit: str) -> str:
    chinese = {
        "scope": f"本次汇报只看{period}，单位是{unit}。",
        "old": f"先回顾一下{period}的存档排名，仅供参考。",
        "card": f"接下来是{period}的合计。",
        "names": f"这是{period}的前三名，数字在下一页。",
        "figures": "对应的数字在这一页，按名次排列。",
        "rule": "最后是筛选规则，结果请各位自行统计。",
    }
    english = {
        "scope": f"Today we look at {period} only, and the unit is {unit}.",
        "old": f"First, for reference, the archived ranking of {period}.",
        "card": f"Here is the total of {period}.",
        "names": f"These are the first three of {period}; their figures come on the next slide.",
        "figures": "And here are the figures, by rank.",
        "rule": "Last, the rule; please count the result yourselves.",
    }
    return (chinese if zh else english)[what]


def _notes(zh: bool, words: _Words) -> str:
    amount, unit, current = words.columns[2], words.unit, words.periods[1]
    if zh:
        return f"# 口径\n\n- {amount}的单位是{unit}。\n- 当前周期为{current}，其余周期仅供参考。\n"
    return f"# Notes\n\n- {amount} is in {unit}.\n- The current period is {current}; others are kept for reference.\n"


def cafes(chance: Chance) -> World:
    """Both the total and the ranking are shown."""
    words = _Words(
        "cafes",
        "en",
        "takings",
        ("quarter", "branch", "takings", "staff"),
        ("Harbour", "Market", "Mill", "Station", "Tower"),
        ("2030Q4", "2031Q1"),
        "thousand euros",
    )
    return _world(words, chance, card=True, ranking=True)


def solar(chance: Chance) -> World:
    """Only the total is shown."""
    words = _Words(
        "solar",
        "en",
        "output",
        ("month", "park", "energy", "panels"),
        ("Ash Field", "Brook", "Chalk Down", "Dene", "Ember"),
        ("2032-05", "2032-06"),
        "MWh",
    )
    return _world(words, chance, card=True, ranking=False)


def ferries(chance: Chance) -> World:
    """Only the ranking is shown."""
    words = _Words(
        "ferries",
        "en",
        "crossings",
        ("season", "route", "passengers", "sailings"),
        ("North Reach", "South Reach", "Isle Link", "Bay Shuttle", "Sound Express"),
        ("summer 2029", "summer 2030"),
        "hundred people",
    )
    return _world(words, chance, card=False, ranking=True)


def silk(chance: Chance) -> World:
    """Both are shown, in Chinese."""
    words = _Words(
        "silk",
        "zh",
        "丝厂产值",
        ("季度", "厂名", "产值", "机台数"),
        ("锦和厂", "云织厂", "越山厂", "平湖厂", "春晖厂"),
        ("2030年四季度", "2031年一季度"),
        "万元",
    )
    return _world(words, chance, card=True, ranking=True)


def hostels(chance: Chance) -> World:
    """Nothing of the answer is shown, in Chinese."""
    words = _Words(
        "hostels",
        "zh",
        "民宿收入",
        ("月份", "民宿", "收入", "房间数"),
        ("听雨", "望山", "归云", "栖谷", "半溪"),
        ("2033年7月", "2033年8月"),
        "千元",
    )
    return _world(words, chance, card=False, ranking=False)


WORLDS = (cafes, solar, ferries, silk, hostels)
