"""From ranked lists of texts and pictures to short stretches of a video, spread over its time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

# The published constants: the best 15 stretches of 10 s (`004_*.txt`, section 1.4.1).
MOMENTS = 15
MOMENT_SECONDS = 10.0
# The usual constant of reciprocal-rank fusion (Cormack, Clarke and Buettcher, 2009).
_DAMPING = 60
# Two stretches that share more than this much of their length are one finding.
_LARGEST_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time that may matter.

    Attributes:
        start: Begin in seconds.
        end: End in seconds.
        score: Only to be compared within one search.
        why: What was found there: texts, or `picture`.
    """

    start: float
    end: float
    score: float
    why: tuple[str, ...] = ()


def fused(rankings: Sequence[Sequence[Key]]) -> list[tuple[Key, float]]:
    """Return what several rankings say together, best first, by reciprocal ranks; of equals the first named.

    >>> [key for key, _ in fused([["a", "b"], ["b", "c"]])]
    ['b', 'a', 'c']
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (_DAMPING + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def moment_at(start: float, end: float, duration: float, seconds: float = MOMENT_SECONDS) -> tuple[float, float]:
    """Return the stretch of `seconds` that shows what stands from `start` to `end`: around it, or its begin.

    >>> moment_at(30, 32, 100), moment_at(30.0, 90.0, 100.0), moment_at(98, 99, 100)
    ((26.0, 36.0), (30.0, 40.0), (90.0, 100.0))
    """
    begin = start if end - start > seconds else (start + end - seconds) / 2
    begin = max(0.0, min(begin, duration - seconds))
    return begin, min(begin + seconds, duration)


def spread(candidates: Iterable[Moment], number: int = MOMENTS) -> tuple[Moment, ...]:
    """Return the best `number` moments without those that lie on a better one, in order of time.

    What a suppressed moment was found by is kept with the better one.

    Source: symphony.md, section 5 (temporal non-maximum suppression).
    """
    kept: list[Moment] = []
    for moment in sorted(candidates, key=lambda one: (-one.score, one.start)):
        place = next((place for place, better in enumerate(kept) if _overlap(moment, better) > _LARGEST_OVERLAP), None)
        if place is None:
            if len(kept) < number:
                kept.append(moment)
            continue
        better = kept[place]
        kept[place] = Moment(better.start, better.end, better.score, tuple(dict.fromkeys((*better.why, *moment.why))))
    return tuple(sorted(kept, key=lambda one: one.start))


def _overlap(one: Moment, other: Moment) -> float:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared / max(1e-9, min(one.end - one.start, other.end - other.start))
