"""Finding what a video shows or says by words: BM25 over words and pairs of Hanzi."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

# The usual constants of BM25 (Robertson and Zaragoza, 2009).
_SATURATION = 1.2
_LENGTH = 0.75
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_]+(?:[.,'’%][^\W_]+)*%?")
_HANZI = re.compile(r"^[\u3400-\u4dbf\u4e00-\u9fff]")
_PLURAL = re.compile(r"(?<=[a-z]{3})(?:ies|s)$")

# Captions of other models and prompts are other texts; those that were made anew take the place of the older ones.
_TEXTS = """
    SELECT id, source, t0, t1, text FROM (SELECT *, $1::VARCHAR AS producer_wanted FROM text) AS texts
    WHERE text IS NOT NULL
      AND (source IS DISTINCT FROM 'caption' OR producer_wanted IS NULL OR producer = producer_wanted)
    QUALIFY source IS DISTINCT FROM 'caption' OR producer_wanted IS NULL
      OR rank() OVER (PARTITION BY source, role ORDER BY coalesce(TRY_CAST(state AS INTEGER), 0) DESC) = 1
    ORDER BY t0, id
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that fits a query.

    Attributes:
        id: Of the text in the store.
        source: `ocr`, `asr`, `subtitle` or `caption`.
        t0: When it begins to be seen or heard, in seconds.
        t1: When that ends, in seconds.
        text: The text.
        score: BM25; only to be compared within one query.
    """

    id: str
    source: str
    t0: float
    t1: float
    text: str
    score: float


class HasTexts(Protocol):
    """Whatever answers statements over a table of texts."""

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        ...


class Retriever(Protocol):
    """Whatever finds texts of a video."""

    def search(
        self,
        query: str,
        sources: Sequence[str] | None = None,
        k: int = 10,
        within: Sequence[tuple[float, float]] | None = None,
    ) -> tuple[Hit, ...]:
        """Return the `k` texts that fit best, best first.

        Args:
            query: What is looked for.
            sources: Kinds of text; all where `None`.
            k: Largest number of hits.
            within: Stretches in seconds that a text must touch; anywhere where `None`.
        """
        ...


def terms(text: str) -> list[str]:
    """Return what a text is indexed by: words in lower case without plural endings, and pairs of Hanzi.

    >>> terms("Net profits 净利润 12.5%")
    ['net', 'profit', '净利', '利润', '12.5%']
    """
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match[0]
        if not _HANZI.match(word):
            found.append(_PLURAL.sub(lambda end: "y" if end[0] == "ies" else "", word))
        elif len(word) == 1:
            found.append(word)
        else:
            found.extend(word[place : place + 2] for place in range(len(word) - 1))
    return found


class Bm25:
    """An index over texts in memory."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Index the texts; they are known by their place."""
        self._counts = [Counter(terms(text)) for text in texts]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._places: dict[str, list[int]] = {}
        for place, counts in enumerate(self._counts):
            for term in counts:
                self._places.setdefault(term, []).append(place)

    def scores(self, query: str) -> dict[int, float]:
        """Return the score of each text that shares a term with the query, by place."""
        scores: dict[int, float] = {}
        number = len(self._counts)
        for term in dict.fromkeys(terms(query)):
            places = self._places.get(term, ())
            weight = math.log(1 + (number - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                count = self._counts[place][term]
                norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[place] / self._mean)
                scores[place] = scores.get(place, 0.0) + weight * count * (_SATURATION + 1) / (count + norm)
        return scores


class TextIndex:
    """A `Retriever` over the texts of a store as it is now."""

    def __init__(self, store: HasTexts, captions: str | None = None) -> None:
        """Read and index the texts.

        Args:
            store: The video's store, or whatever else answers statements over its table `text`.
            captions: Producer whose captions are taken, of those of each stretch (`role`) the newest (`state` numbers
                them); all captions where `None`.
        """
        self._rows = store.sql(_TEXTS, [captions])
        self._index = Bm25(row[4] for row in self._rows)

    def captions(self) -> list[tuple[float, float, str]]:
        """Return begin, end and text of each caption, in order of time."""
        return [(t0, t1, text) for _, source, t0, t1, text in self._rows if source == "caption"]

    def search(
        self,
        query: str,
        sources: Sequence[str] | None = None,
        k: int = 10,
        within: Sequence[tuple[float, float]] | None = None,
    ) -> tuple[Hit, ...]:
        """See `Retriever`. Of two texts that fit as well the earlier comes first."""
        hits = []
        for place, score in self._index.scores(query).items():
            name, source, t0, t1, text = self._rows[place]
            if sources is not None and source not in sources:
                continue
            if within is not None and not any(t0 <= end and t1 >= begin for begin, end in within):
                continue
            hits.append(Hit(name, source, t0, t1, text, score))
        return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.t0, hit.id))[:k])
