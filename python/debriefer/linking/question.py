"""The words of a question, and how surely one of them stands for a word of a name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from debriefer.linking.synonyms import CHINESE, ENGLISH
from debriefer.linking.words import root, split_name, stem

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_VOWELS = frozenset("aeiou")

# How surely a word of the question stands for a word of a name.
SAME, ROOT, SYNONYM, JOINED, INITIALS, PREFIX, SKELETON = 1.0, 0.9, 0.8, 0.9, 0.8, 0.7, 0.6
_LEAST_ROOT = 4
_LEAST_PREFIX = 3
_LEAST_JOINED = 4
_LEAST_SKELETON = 3
# Two words of one origin share so many letters, and so much of the longer one: `educated`, `education`.
_LEAST_SHARED, _LEAST_SHARE = 5, 0.6
_SYNONYM_HAN = 0.85
# What is left of a likeness where the word is spelt like another name: `visitor` is no `visit`.
_ANOTHER_NAME = 0.5
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that is spelt with letters.

    Attributes:
        stem: Without its plural ending, in lower case.
        start: Offset of its first character.
        end: Offset after its last character.
    """

    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """What stands for a word of a name.

    Attributes:
        sure: From 0 to 1.
        places: Number of each word of the question that takes part, or offsets of characters.
    """

    sure: float
    places: tuple[int, ...] = ()


NONE = Match(0.0)


@dataclass(slots=True)
class Question:
    """A question as names are looked up in it.

    Attributes:
        text: As it was asked.
        words: Its words of letters and digits, in order; those of Chinese are in `han`.
        han: Its Chinese characters, runs apart from each other by a blank.
        extra: Chinese words of the same meaning as words of the question.
        names: Stems of the words of all names.
    """

    text: str
    words: tuple[Word, ...] = ()
    han: str = ""
    extra: str = ""
    names: Collection[str] = ()
    _stems: dict[str, list[int]] = field(default_factory=dict)
    _roots: dict[str, list[int]] = field(default_factory=dict)
    _beginnings: dict[str, list[int]] = field(default_factory=dict)
    _known: dict[str, Match] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str, names: Collection[str] = ()) -> Question:
        """Find the words of a question.

        Args:
            text: The question.
            names: Stems of the words of all names.
        """
        question = cls(text, names=names)
        words: list[Word] = []
        for found in _WORD.finditer(text):
            plain = unicodedata.normalize("NFKC", found[0])
            if _HAN.search(plain):
                continue
            words += [Word(part, found.start(), found.end()) for part in _parts(plain)]
        question.words = tuple(words)
        question.han = " ".join(_HAN.findall(unicodedata.normalize("NFKC", text)))
        same = [group - {word} for group in CHINESE for word in group if word in question.han]
        question.extra = " ".join(sorted(set().union(*same))) if same else ""
        for place, word in enumerate(question.words):
            question._stems.setdefault(word.stem, []).append(place)
            if len(word.stem) >= _LEAST_ROOT:
                question._roots.setdefault(root(word.stem), []).append(place)
            question._beginnings.setdefault(word.stem[:_LEAST_SHARED], []).append(place)
        return question

    def match(self, unit: str) -> Match:
        """Return what stands for a unit of a name: a stem, or one or two Chinese characters."""
        found = self._known.get(unit)
        if found is None:
            found = self._known[unit] = self._han(unit) if _HAN.match(unit) else self._word(unit)
        return found

    def akin(self, unit: str) -> list[int]:
        """Return the words that seem to be of one origin with a stem."""
        found = self._beginnings.get(unit[:_LEAST_SHARED], []) if len(unit) >= _LEAST_SHARED else []
        return [place for place in found if _share(self.words[place].stem, unit) >= _LEAST_SHARE]

    def holds(self, name: str) -> bool:
        """Return whether a whole Chinese name stands in the question."""
        return len(name) > 1 and name in self.han

    def _han(self, unit: str) -> Match:
        if unit in self.han:
            return Match(SAME)
        return Match(_SYNONYM_HAN) if unit in self.extra else NONE

    def _word(self, unit: str) -> Match:
        for sure, places in (
            (SAME, self._stems.get(unit)),
            (ROOT, self._roots.get(root(unit)) if len(unit) >= _LEAST_ROOT else None),
            (SYNONYM, self._synonyms(unit)),
            (JOINED, self._joined(unit)),
            (INITIALS, self._initials(unit)),
            (PREFIX, self._prefix(unit)),
            (SKELETON, self._skeleton(unit)),
        ):
            if places:
                other = sure < SAME and any(self.words[place].stem in self.names for place in places)
                return Match(sure * _ANOTHER_NAME if other else sure, tuple(places))
        return NONE

    def _synonyms(self, unit: str) -> list[int]:
        others = [word for group in ENGLISH if unit in group for word in group]
        return sorted({place for other in others for place in self._stems.get(other, ())})

    def _joined(self, unit: str) -> list[int]:
        """Two words of the question written as one: `schoolname`; or one with something before or after it."""
        best: tuple[int, ...] = ()
        size = 0
        for word, places in self._stems.items():
            if len(word) < _LEAST_JOINED or len(word) <= size or len(word) >= len(unit):
                continue
            rest = unit.removeprefix(word) if unit.startswith(word) else unit.removesuffix(word)
            if rest == unit:
                continue
            other = self._stems.get(stem(rest), ())
            # What is left over must not be most of the word.
            if other or len(word) * 3 >= len(unit) * 2:
                best, size = (*places, *other), len(word)
        return list(best)

    def _initials(self, unit: str) -> list[int]:
        size = len(unit)
        if not (_PAIR <= size <= 5 and unit.isalpha()):  # noqa: PLR2004 -- longer ones are words
            return []
        for start in range(len(self.words) - size + 1):
            run = self.words[start : start + size]
            if all(word.stem[:1] == letter for word, letter in zip(run, unit, strict=True)):
                return list(range(start, start + size))
        return []

    def _prefix(self, unit: str) -> list[int]:
        """`rev` for `revenue`, `temp` for `temperature`."""
        if len(unit) < _LEAST_PREFIX or not unit.isalpha():
            return []
        return [
            place
            for word, places in self._stems.items()
            if word.startswith(unit) and len(word) >= len(unit) + _PAIR
            for place in places
        ]

    def _skeleton(self, unit: str) -> list[int]:
        """`cntry` for `country`: the letters in order, without vowels."""
        if len(unit) < _LEAST_SKELETON or not unit.isalpha() or _VOWELS & set(unit[1:]):
            return []
        return [
            place
            for word, places in self._stems.items()
            if len(word) > len(unit) and word[0] == unit[0] and _in_order(unit, word)
            for place in places
        ]


def _parts(word: str) -> list[str]:
    """Return a word's stem; `HeroID` is two words."""
    inner = any(c.isupper() for c in word[1:]) and any(c.islower() for c in word)
    return list(split_name(word)) if inner else [stem(word)]


def _share(one: str, other: str) -> float:
    """Return how much of the longer of two words is the beginning that they share."""
    pairs = zip(one, other, strict=False)
    shared = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    return shared / max(len(one), len(other))


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


@lru_cache(maxsize=8192)
def units(name: str) -> tuple[str, ...]:
    """Return the parts by which a name is looked up: stems of words, pairs of neighbouring Chinese characters.

    >>> units("AirportCode"), units("所属公司id")
    (('airport', 'code'), ('所属', '属公', '公司', 'id'))
    """
    found: list[str] = []
    for word in split_name(name):
        for part in re.findall(r"[\u3400-\u9fff\uf900-\ufaff]+|[^\u3400-\u9fff\uf900-\ufaff]+", word):
            if _HAN.match(part) and len(part) > 1:
                found += [part[at : at + 2] for at in range(len(part) - 1)]
            else:
                found.append(part)
    return tuple(found)
