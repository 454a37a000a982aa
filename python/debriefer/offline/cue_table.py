"""Tables of words, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def read_cues(table: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return for each phrase the cues that it may be, and what each carries.

    Args:
        table: A line for each cue: its name, what it carries, a bar, and its phrases, separated by commas.

    >>> read_cues("compare > | more than, over")
    {'more than': (('compare', '>'),), 'over': (('compare', '>'),)}
    """
    cues: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in table.strip().splitlines():
        key, _, phrases = line.partition(" | ")
        cue, _, carried = key.partition(" ")
        for phrase in phrases.split(", "):
            cues[phrase] = (*cues.get(phrase, ()), (cue, carried))
    return cues
