"""Drawn lines made whole, and grouped by where they touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, TypeVar

from debriefer.documents.pdf.ink import Rule

Item = TypeVar("Item")
# Points. Lines this close are one (double lines, lines drawn cell by cell); gaps up to the second are dashes; lines
# that miss each other by the third touch.
SAME = 2.5
_GAP = 3.0
TOUCH = 3.0
# A shorter line parts nothing.
_SHORTEST = 6.0


def whole(rules: Iterable[Rule]) -> list[Rule]:
    """Return rules with pieces of one line joined and what is too short left out, by axis, place and start."""
    found: list[Rule] = []
    for axis in ("h", "v"):
        found.extend(_joined(axis, [rule for rule in rules if rule.axis == axis]))
    return [rule for rule in found if rule.length >= _SHORTEST]


def _joined(axis: Literal["h", "v"], rules: Sequence[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for group in clusters([(rule.at, rule) for rule in rules], SAME):
        at = sum(rule.at * max(rule.length, 0.1) for rule in group) / sum(max(rule.length, 0.1) for rule in group)
        start, end = None, 0.0
        for rule in sorted(group, key=lambda rule: (rule.start, rule.end)):
            if start is None:
                start, end = rule.start, rule.end
            elif rule.start <= end + _GAP:
                end = max(end, rule.end)
            else:
                joined.append(Rule(axis, at, start, end))
                start, end = rule.start, rule.end
        if start is not None:
            joined.append(Rule(axis, at, start, end))
    return joined


def clusters(placed: Iterable[tuple[float, Item]], reach: float) -> list[list[Item]]:
    """Return items in groups whose places are at most `reach` from the first of the group, in order of place."""
    groups: list[list[Item]] = []
    first = 0.0
    for at, item in sorted(placed, key=lambda pair: pair[0]):
        if groups and at - first <= reach:
            groups[-1].append(item)
        else:
            groups.append([item])
            first = at
    return groups


def places(values: Iterable[float], reach: float) -> list[float]:
    """Return the middles of groups of close values, in order."""
    return [sum(group) / len(group) for group in clusters(((value, value) for value in values), reach)]


def touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Return rules in groups that hang together: each crosses or meets another of its group."""
    flat = [(number, rule) for number, rule in enumerate(rules) if rule.axis == "h"]
    upright = [(number, rule) for number, rule in enumerate(rules) if rule.axis == "v"]
    owner = list(range(len(rules)))

    def root(number: int) -> int:
        while owner[number] != number:
            owner[number] = owner[owner[number]]
            number = owner[number]
        return number

    for one, across in flat:
        for other, down in upright:
            if (
                across.start - TOUCH <= down.at <= across.end + TOUCH
                and down.start - TOUCH <= across.at <= down.end + TOUCH
            ):
                first, second = sorted((root(one), root(other)))
                owner[second] = first
    groups: dict[int, list[Rule]] = {}
    for number, rule in enumerate(rules):
        groups.setdefault(root(number), []).append(rule)
    return [groups[number] for number in sorted(groups)]


def covered(rules: Iterable[Rule], start: float, end: float) -> float:
    """Return the share of a stretch that rules cover together."""
    length = end - start
    if length <= 0:
        return 0.0
    pieces = sorted((max(rule.start, start), min(rule.end, end)) for rule in rules)
    total, reached = 0.0, start
    for low, high in pieces:
        total += max(0.0, high - max(low, reached))
        reached = max(reached, high)
    return total / length


def steps(values: Sequence[float]) -> list[float]:
    """Return the differences of neighbours."""
    return [after - before for before, after in pairwise(values)]
