"""Words of names and questions: normal form, splitting, stems."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SPACE = re.compile(r"\s+")
_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "wives": "wife",
    "lives": "life",
    "data": "data",
    "series": "series",
    "species": "species",
    "news": "news",
    "movies": "movie",
    "indices": "index",
    "criteria": "criterion",
}
_ABBREVIATIONS = {
    "no": "number",
    "num": "number",
    "nbr": "number",
    "abbrev": "abbreviation",
    "abbr": "abbreviation",
    "dest": "destination",
    "src": "source",
    "dept": "department",
    "desc": "description",
    "addr": "address",
    "qty": "quantity",
    "amt": "amount",
    "avg": "average",
    "pct": "percent",
    "yr": "year",
    "lang": "language",
    "org": "organization",
    "pop": "population",
    "stu": "student",
    "emp": "employee",
    "cust": "customer",
    "prof": "professor",
    "lname": "last name",
    "fname": "first name",
    "dob": "birth date",
    "organisation": "organization",
    "colour": "color",
    "centre": "center",
}
# Longest first, so that `creation` loses `ation`, not `ion`.
_SUFFIXES = (
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ance",
    "ence",
    "ors",
    "ers",
    "ion",
    "ed",
    "er",
    "or",
    "al",
    "ly",
    "e",
)
# Characters that a Chinese question hardly does without.
_ASKING_ZH = frozenset("的是有哪谁几吗呢多什列按请")
_ROOT_LENGTH = 4
# The shortest words that may have lost an ending: `flies` has five letters, `cats` four.
_LONG, _SHORT = 4, 3


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that is a list of them."""
    return frozenset(text.split())


def normalise(text: str) -> str:
    """Return `text` in NFKC, without case, with single spaces and no white space at its ends.

    >>> normalise(" ＡＢＣ  Corp ")
    'abc corp'
    """
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def compact(name: str) -> str:
    """Return a name in normal form without units in parentheses and without white space.

    >>> compact("在任基金数 (只)")
    '在任基金数'
    """
    text = unicodedata.normalize("NFKC", name)
    bare = _PARENTHESES.sub("", text).strip()
    return re.sub(r"[\s_]+", "", bare or text).casefold()


def is_chinese(text: str) -> bool:
    """Return whether a question is asked in Chinese, whatever names in other scripts it holds.

    >>> is_chinese("iPad Air支持IPv6吗"), is_chinese("Who wrote 春晓?")
    (True, False)
    """
    han = sum("\u3400" <= c <= "\u9fff" for c in text)
    latin = len(re.findall(r"[A-Za-z]+", text))
    return han > 2 * latin or (han > 0 and any(c in _ASKING_ZH for c in text))


@lru_cache(maxsize=8192)
def split_name(name: str) -> tuple[str, ...]:
    """Return the stems of a name's words, abbreviations written out, units in parentheses left out.

    >>> split_name("AirportCode"), split_name("FlightNo"), split_name("net_worth (USD)")
    (('airport', 'code'), ('flight', 'number'), ('net', 'worth'))
    """
    text = unicodedata.normalize("NFKC", name)
    bare = _PARENTHESES.sub("", text).strip() or text
    pieces = _PIECE.findall(bare)
    result: list[str] = []
    for position, piece in enumerate(pieces):
        word = piece.lower()
        # `No` at the start of a name is the word, at its end the abbreviation.
        if word in _ABBREVIATIONS and not (word == "no" and position == 0):
            result.extend(_ABBREVIATIONS[word].split())
        else:
            result.append(stem(word))
    return tuple(result)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return an English word without its plural ending, in lower case.

    >>> [stem(w) for w in ("Cities", "boxes", "status", "singers", "people")]
    ['city', 'box', 'status', 'singer', 'person']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > _LONG and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > _LONG and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-1] if word.endswith(("ases", "uses", "oses", "ises", "nses", "rses")) else word[:-2]
    if word == "ids":
        return "id"
    if len(word) > _SHORT and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Return what is left of a word when one ending is taken off; for weak matches only.

    >>> root("directors") == root("directed")
    True
    """
    word = stem(word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _ROOT_LENGTH:
            return word[: -len(suffix)]
    return word
