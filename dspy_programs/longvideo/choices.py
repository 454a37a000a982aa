"""Which option an answer names: by rules that never read a letter into a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_INLINE = re.compile(r"(?m)^\s*\(?([A-Z])[).:、．]\s*(.+?)\s*$")
_LEAD = re.compile(r"^\s*\(?([A-Za-z])[).:、．]\s+")
# A bare letter, in brackets or before a mark; "A man" and "The" are none.
_WHOLE = re.compile(r"^[\s(\[*\"']*([A-Za-z])[\s)\].:*\"'。、]*$")
_LABELLED = re.compile(r"^[\s(\[*\"']*([A-Z])(?:[)\].:*、．]|\s+[-–—])\s*(.*)$", re.DOTALL)
_CUE = re.compile(
    r"(?:answer|option|choice|答案|选项|选)\s*(?:is|are|would be|should be|为|是|:|：|=)*\s*"
    r"(?:option|choice|选项)?\s*[\[(*\"'“]*\s*([A-Z])(?![A-Za-z'’])",
    re.IGNORECASE,
)


def with_options(question: str, choices: Sequence[str]) -> str:
    r"""Return a question with its options, one a line behind its letter.

    >>> with_options("Which?", ["red", "B. blue"])
    'Which?\nA. red\nB. blue'
    """
    lines = [f"{LETTERS[place]}. {bare(choice)}" for place, choice in enumerate(choices)]
    return "\n".join([question.strip(), *lines])


def bare(choice: str) -> str:
    """Return an option without the letter before it.

    >>> bare("(B) two dogs"), bare("A dog")
    ('two dogs', 'A dog')
    """
    return _LEAD.sub("", choice).strip()


def inline_options(question: str) -> tuple[str, tuple[str, ...]]:
    r"""Return a question without the options that stand in its text, one a line from A on, and these.

    >>> inline_options("Who?\n(A) Ann\n(B) Bo")
    ('Who?', ('Ann', 'Bo'))
    """
    found = [(match[1], match[2], match.start()) for match in _INLINE.finditer(question)]
    if len(found) < 2 or [letter for letter, _, _ in found] != list(LETTERS[: len(found)]):  # noqa: PLR2004 -- a choice
        return question.strip(), ()
    return question[: found[0][2]].strip(), tuple(text for _, text, _ in found)


def parse_choice(choices: Sequence[str], *, typed: str = "", text: str = "") -> str | None:
    """Return the letter of the option that an answer names, or `None`: an abstention.

    In this order: the typed field, where it is a letter or an option; the last "answer is X" in the text; the
    text as a letter by itself; the text as exactly one option.

    Args:
        choices: The options, with or without letters before them.
        typed: What stands in a field that is meant for the letter.
        text: What is answered in words.

    Source: symphony.md, section 2. "The …" is no T, and the article is no A.

    >>> options = ["red", "blue", "green"]
    >>> [parse_choice(options, text=text) for text in ("The man is blue-eyed", "A man", "Blue")]
    [None, None, 'B']
    """
    valid = LETTERS[: len(choices)]
    if typed.strip() and (letter := _letter(typed, choices, valid)):
        return letter
    cues = [match[1].upper() for match in _CUE.finditer(text) if match[1].isupper() or len(text) == match.end(1)]
    cues = [letter for letter in cues if letter in valid]
    if cues:
        return cues[-1]
    return _letter(text, choices, valid)


def _letter(text: str, choices: Sequence[str], valid: str) -> str | None:
    match = _WHOLE.match(text)
    if match is not None:
        return match[1].upper() if match[1].upper() in valid else None
    exact = [place for place, choice in enumerate(choices) if _folded(bare(choice)) == _folded(text)]
    if len(exact) == 1:
        return LETTERS[exact[0]]
    match = _LABELLED.match(text)
    if match is not None and match[1] in valid:
        place = valid.index(match[1])
        # "C. blue" where C is green says two things.
        if not match[2].strip() or _folded(match[2]) == _folded(bare(choices[place])):
            return match[1]
        if not any(_folded(match[2]) == _folded(bare(choice)) for choice in choices):
            return match[1]
    return None


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.strip(" \t\r\n.。\"'“”*").split())
