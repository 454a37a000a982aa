"""Which option an answer names: by rules that never read a letter into a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from debriefer.errors import DebrieferError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_INLINE = re.compile(r"(?m)^\s*\(?([A-Z])[).:、．]\s*(.+?)\s*$")
_LEAD = re.compile(r"^\s*\(?([A-Za-z])[).:、．]\s+")
# A bare letter, in brackets or before a mark; "A man" and "The" are none.
_WHOLE = re.compile(r"^[\s(\[*\"']*(?:(?:option|choice|answer)\s+)?([A-Za-z])[\s)\].:*\"'。、]*$", re.IGNORECASE)
_LABELLED = re.compile(r"^[\s(\[*\"']*([A-Z])(?:[)\].:*、．]|\s+[-–—])\s*(.*)$", re.DOTALL)
# "answer is X" and its likes. A bare "option B" is none: it may be the one that is ruled out.
_CUE = re.compile(
    r"\b(?:answer|option|choice)\b[*\"'”]*\s*(?:(?:is|are|would be|should be|must be)\b|[:：=])[\s:：*]*"
    r"|(?:答案|选项)\s*(?:应该是|应为|为|是|[:：=])+\s*|(?<![不没未])(?:应)?选(?![项择])\s*[:：]?\s*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:(?:option|choice|选项)\s*)?[\s\[(*\"'“]*(?:\\boxed\{)?([A-Z])(?![A-Za-z'’])(?P<behind>\s+[a-z]+)?",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"\b(?:it is|it's|it must be)\s+[(\[*\"']*([A-Z])[)\]*\"']*(?=\s*$|\s*[,;\n。，；]|[.!]\s*$|[.!]\s*\n)"
)
# Words behind a letter A or I that make it no article and no pronoun.
_REASONS = {"because", "since", "as", "for", "and", "but", "so", "given", "which", "is"}
_WORDS = {"A", "I"}
_SENTENCE = re.compile(r"[.;。；!](?:\s|$)|[。；，]|,?\s+(?:because|since)\b")


def with_options(question: str, choices: Sequence[str]) -> str:
    r"""Return a question with its options, one a line behind its letter.

    Raises:
        DebrieferError: There are more options than letters, or they carry letters in another order than they stand in.

    >>> with_options("Which?", ["red", "blue"])
    'Which?\nA. red\nB. blue'
    """
    if len(choices) > len(LETTERS):
        message = f"{len(choices)} options are more than the {len(LETTERS)} letters"
        raise DebrieferError(message, hint="ask with fewer options, or without any")
    letters = [match[1].upper() if (match := _LEAD.match(choice)) else "" for choice in choices]
    wanted = list(LETTERS[: len(choices)])
    if letters != wanted and sorted(letters) == wanted:
        message = f"the options are lettered {', '.join(letters)}, not {', '.join(wanted)}"
        raise DebrieferError(message, hint="give them in the order of their letters, or without letters")
    lines = [f"{letter}. {choice}" for letter, choice in zip(LETTERS, bare(choices), strict=False)]
    return "\n".join([question.strip(), *lines])


def bare(choices: Sequence[str]) -> tuple[str, ...]:
    """Return options without the letters before them, where each has the letter of its place; else as they are.

    A letter before some of them is an initial: "J. Bach" is no option J, and "T. rex" no option T.

    >>> bare(["(A) two dogs", "(B) a cat"]), bare(["J. Bach", "C. Bach"])
    (('two dogs', 'a cat'), ('J. Bach', 'C. Bach'))
    """
    found = [_LEAD.match(choice) for choice in choices]
    if all(match and match[1].upper() == letter for match, letter in zip(found, LETTERS, strict=False)):
        return tuple(_LEAD.sub("", choice).strip() for choice in choices)
    return tuple(choice.strip() for choice in choices)


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

    In this order: the typed field, where it is a letter or an option; the last "answer is X" in the text, where X is an
    option's text or its letter; the text as a letter by itself; the text as exactly one option.

    Args:
        choices: The options, with or without letters before them.
        typed: What stands in a field that is meant for the letter.
        text: What is answered in words.

    Source: symphony.md, section 2. "The …" is no T, and the article is no A.

    >>> options = ["red", "blue", "a man"]
    >>> [parse_choice(options, text=text) for text in ("The man is blue-eyed", "The answer is: A man", "Blue")]
    [None, 'C', 'B']
    """
    valid, plain = LETTERS[: len(choices)], bare(choices)
    if typed.strip() and (letter := _letter(typed, plain, valid)):
        return letter
    cues = [(match.end(), _named(text[match.end() :], plain, valid)) for match in _CUE.finditer(text)]
    cues += [(match.end(), match[1] if match[1] in valid else None) for match in _IT_IS.finditer(text)]
    named = [letter for _, letter in sorted(cues, key=lambda cue: cue[0]) if letter is not None]
    return named[-1] if named else _letter(text, plain, valid)


def _named(behind: str, plain: Sequence[str], valid: str) -> str | None:
    """Return the option that stands first in what follows a cue: its text, or its letter unless that is an article."""
    line = next(iter(behind.strip().splitlines()), "").strip(" \t*\"'“”")
    if _contradicts(line, plain, valid):
        return None
    for piece in (line, _SENTENCE.split(line, maxsplit=1)[0]):
        if letter := _letter(piece, plain, valid):
            return letter
    match = _NAMED.match(line)
    if match is None or match[1] not in valid:
        return None
    follows = (match["behind"] or "").strip()
    return None if match[1] in _WORDS and follows and follows.casefold() not in _REASONS else match[1]


def _letter(text: str, plain: Sequence[str], valid: str) -> str | None:
    match = _WHOLE.match(text)
    if match is not None:
        return match[1].upper() if match[1].upper() in valid else None
    exact = [place for place, choice in enumerate(plain) if _folded(choice) == _folded(text)]
    if len(exact) == 1:
        return LETTERS[exact[0]]
    match = _LABELLED.match(text)
    if match is not None and match[1] in valid and not exact and not _contradicts(text, plain, valid):
        return match[1]
    return None


def _contradicts(text: str, plain: Sequence[str], valid: str) -> bool:
    """Whether a text says two things: "C. blue" where C is green and blue is another option."""
    match = _LABELLED.match(text)
    if match is None or match[1] not in valid or not match[2].strip():
        return False
    said = _folded(match[2])
    return said != _folded(plain[valid.index(match[1])]) and any(said == _folded(choice) for choice in plain)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.strip(" \t\r\n.。\"'“”*").split())
