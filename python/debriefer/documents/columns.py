"""Slots of several templates that tell the same column: put together where words, kinds and values agree."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from debriefer.documents.matching import Side, matched_forms
from debriefer.documents.slots import Kind, Slot, Value, kind_of
from debriefer.documents.tokens import is_han

# Two slots are one column if their records are others', but for so much.
_MOST_SHARED = 0.02
_LEAST_SCORE = 0.45
# A column that fits as well as another is not taken: left apart, both have gaps, but neither is wrong.
_LEAST_MARGIN = 0.12
_LABEL, _VALUES, _LONE = 0.6, 0.35, 0.25
# What fewer records have beside a column is no rival of it.
_RIVAL_SHARE = 0.25
# The same texts in two slots tell more than ranges that overlap.
_SAME_TEXTS = 1.5
_LEAST_REPEATS = 3
# How likely a text that stands in two slots is there by chance; what chance leaves between two samples.
_CHANCE_TEXT, _CHANCE_DISTANCE = 0.35, 1.36
_PREFIX = 5


@dataclass(slots=True)
class Draft:
    """A column to be.

    Attributes:
        slots: The slots that tell it.
        kind: What its values are.
        values: One a record, of all slots.
    """

    slots: list[Slot]
    kind: Kind
    values: dict[tuple[str, ...], Value] = field(default_factory=dict)

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The slots' labels, each slot's better one first, the slot with the most values first."""
        ordered = sorted(self.slots, key=lambda slot: -len(slot.values))
        better = [label for slot in ordered for label in slot.labels[:1]]
        return list(dict.fromkeys([*better, *(label for slot in ordered for label in slot.labels[1:])]))

    @property
    def block(self) -> int:
        """Number of its block."""
        return self.slots[0].template.block


def drafts(slots: Sequence[Slot]) -> list[Draft]:
    """Return the columns of a block's slots, in the order of the text.

    Forms of a paragraph exclude each other: slots of one column have records of their own. Among those, one column is
    what has the same kind and unit, and words or values in common, or is the only one that it can be. Where two
    fit nearly as well, none is taken.
    """
    by_block: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        by_block[slot.template.block].append(slot)
    found: list[Draft] = []
    for block in sorted(by_block):
        own = [Draft([slot], _kind(slot.values), dict(slot.values)) for slot in by_block[block]]
        while pairs := _best_pairs(own):
            gone = {other for _, other in pairs}
            for one, other in pairs:
                own[one] = _joined(own[one], own[other])
            own = [draft for place, draft in enumerate(own) if place not in gone]
        found.extend(own)
    return found


def _kind(values: Mapping[tuple[str, ...], Value]) -> Kind:
    return kind_of([value.raw for value in values.values() if not value.cue])


def _joined(one: Draft, other: Draft) -> Draft:
    values = {**other.values, **one.values}
    for key in one.values.keys() & other.values.keys():
        # Told twice, and not alike.
        if one.values[key].raw != other.values[key].raw:
            values[key] = replace(values[key], certain=False)
    return Draft([*one.slots, *other.slots], _kind(values), values)


def _best_pairs(own: Sequence[Draft]) -> list[tuple[int, int]]:
    """Return the places of what is one column: the best pair, else all pairs of two forms that decide only together."""
    pair = _best_pair(own)
    if pair is not None:
        return [pair]
    sides = [Side(draft.kind, frozenset(draft.values)) for draft in own]
    return matched_forms(sides, lambda i, j: _labels_alike(own[i], own[j]) if _may_be_one(own[i], own[j]) else None)


def _best_pair(own: Sequence[Draft]) -> tuple[int, int] | None:
    possible = [(i, j) for i, one in enumerate(own) for j in range(i + 1, len(own)) if _may_be_one(one, own[j])]
    scores: dict[tuple[int, int], float] = {}
    for i, j in possible:
        # Lone: what is told beside either is of other kinds.
        lone = not any(pair != (i, j) and _rival(pair, (i, j), own) for pair in possible)
        scores[i, j] = _score(own[i], own[j]) + (_LONE if lone else 0.0)
    for pair in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        if scores[pair] < _LEAST_SCORE:
            return None
        others = [scores[other] for other in scores if other != pair and _rival(other, pair, own)]
        if not others or scores[pair] - max(others) >= _LEAST_MARGIN:
            return pair
    return None


def _rival(pair: tuple[int, int], chosen: tuple[int, int], own: Sequence[Draft]) -> bool:
    """Return whether a pair has one side of `chosen` and, in place of the other, what stands beside that."""
    shared = set(pair) & set(chosen)
    if len(shared) != 1:
        return False
    rest, left_out = (set(pair) - shared).pop(), (set(chosen) - shared).pop()
    if len(own[rest].values) < _RIVAL_SHARE * len(own[left_out].values):
        return False  # a remark that a few records have
    return bool(own[rest].values.keys() & own[left_out].values.keys())


def _may_be_one(one: Draft, other: Draft) -> bool:
    if "empty" in (one.kind.name, other.kind.name) or not one.kind.is_like(other.kind):
        return False
    shared = len(one.values.keys() & other.values.keys())
    if shared > _MOST_SHARED * min(len(one.values), len(other.values)):
        return False
    # Each has few texts that come back, and none of them is the other's.
    return not (_repeats(one) and _repeats(other) and not one.kind.texts.keys() & other.kind.texts.keys())


def _repeats(draft: Draft) -> bool:
    return draft.kind.name == "text" and len(draft.values) - len(draft.kind.texts) >= _LEAST_REPEATS


def _score(one: Draft, other: Draft) -> float:
    return _LABEL * _labels_alike(one, other) + _VALUES * values_alike(one.kind, other.kind)


def _labels_alike(one: Draft, other: Draft) -> float:
    pairs = [(a, b) for a in one.slots for b in other.slots]
    # Words before are compared with words before: those between two slots stand behind one and before the other.
    return max((max(_alike(a.before, b.before), _alike(a.behind, b.behind)) for a, b in pairs), default=0.0)


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how much two labels have in common, from 0 to 1."""
    if any(is_han(word) for word in (*one, *other)):
        left, right = set("".join(one)), set("".join(other))
        return len(left & right) / min(len(left), len(right)) if left and right else 0.0
    shared = sum(any(same_word(word, two) for two in other) for word in one)
    return min(1.0, shared / min(len(one), len(other))) if one and other else 0.0


def same_word(one: str, other: str) -> bool:
    """Return whether two words are one but for their ending.

    >>> same_word("employs", "employees"), same_word("margin", "market")
    (True, False)
    """
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _PREFIX - 1 and long.startswith(short[: max(_PREFIX, len(short) - 2)])


def values_alike(one: Kind, other: Kind) -> float:
    """Return how much the values of two slots of one kind are alike, from 0 to 1; for texts that come back even more.

    Numbers and days are alike as far as the greatest distance between their distributions (Kolmogorov and Smirnov) is
    what chance gives samples of their sizes.
    """
    if one.name == "text":
        shared = sum(text in other.texts for text in one.texts)
        come_back = _SAME_TEXTS * (1 - _CHANCE_TEXT**shared) * _spread(one, other)
        return max(come_back, 0.6 * _shapes_alike(one.texts, other.texts))
    left, right = one.measures, other.measures
    if not left or not right:
        return 0.0
    distance = max(
        abs(bisect_right(left, value) / len(left) - bisect_right(right, value) / len(right))
        for value in (*left, *right)
    )
    chance = min(1.0, _CHANCE_DISTANCE * math.sqrt((len(left) + len(right)) / (len(left) * len(right))))
    return 1.0 if distance <= chance else max(0.0, 1 - (distance - chance) / (1 - chance))


def _spread(one: Kind, other: Kind) -> float:
    """Return how much of what could come back does: 1 where all texts of the side with fewer stand in the other."""
    fewer, more = sorted((one.texts, other.texts), key=len)
    share = sum(part for text, part in fewer.items() if text in more)
    return min(1.0, 2 * share)


def _shapes_alike(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if one.keys() & other.keys():
        return 0.0  # their overlap tells more
    lengths = [sum(len(text) for text in texts) / len(texts) for texts in (one, other)]
    han = [sum(map(is_han, texts)) / len(texts) for texts in (one, other)]
    words = [sum(len(text.split()) for text in texts) / len(texts) for texts in (one, other)]
    return (min(lengths) / max(lengths)) * (1 - abs(han[0] - han[1])) * (min(words) / max(words))


def over_blocks(found: Iterable[Draft]) -> list[Draft]:
    """Put together columns of several blocks that have the same words and kind and tell of other records.

    A block may be cut in two, so that its columns come twice, each for a part of the records.
    """
    kept: list[Draft] = []
    for draft in found:
        place = next((place for place, one in enumerate(kept) if _is_twin(one, draft)), None)
        if place is None:
            kept.append(draft)
        else:
            kept[place] = _joined(kept[place], draft)
    return kept


def _is_twin(one: Draft, other: Draft) -> bool:
    same = set(one.labels) & set(other.labels)
    return bool(same) and one.block != other.block and _may_be_one(one, other)
