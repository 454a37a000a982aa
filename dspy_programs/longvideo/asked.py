"""What is asked: checked before any work."""

from __future__ import annotations

from collections.abc import Iterable

from debriefer.errors import MediaError
from dspy_programs.longvideo.choices import LETTERS


def checked(question: object, choices: object) -> tuple[str, tuple[str, ...]]:
    """Return a question and its options as they can be asked.

    Args:
        question: A text.
        choices: Texts, 26 at most; `None` for none.

    Raises:
        MediaError: The question is empty or no text, or the options are no texts or more than there are letters.

    >>> checked("Which?", ["red", "blue"])
    ('Which?', ('red', 'blue'))
    """
    if not isinstance(question, str):
        message = f"the question is no text but of type `{type(question).__name__}`"
        raise MediaError(message, hint="ask in words")
    if not question.strip():
        message = "the question is empty"
        raise MediaError(message, hint="ask something")
    if choices is None:
        return question, ()
    if isinstance(choices, str | bytes) or not isinstance(choices, Iterable):
        message = f"`choices` is no list of options but {_shown(choices)}"
        raise MediaError(message, hint='give a list of texts, as `["red", "blue"]`')
    options: list[str] = []
    for number, option in enumerate(choices, start=1):
        if not isinstance(option, str):
            message = f"option {number} is no text but {_shown(option)}"
            raise MediaError(message, hint=f"give each option as a text, as `{str(option)!r}`")
        options.append(option)
    if len(options) > len(LETTERS):
        message = f"{len(options)} options are more than there are letters from A to Z"
        raise MediaError(message, hint=f"give {len(LETTERS)} at most, or ask without options")
    return question, tuple(options)


def _shown(value: object) -> str:
    text = repr(value)
    return f"`{text if len(text) <= 40 else f'{text[:40]}…'}` of type `{type(value).__name__}`"  # noqa: PLR2004 -- a line
