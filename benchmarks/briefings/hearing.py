"""Judges a transcript by the words that are spoken and the times at which they are."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from benchmarks.briefings.manifest import Narration
from benchmarks.briefings.reading import edit_distance
from debriefer.media.speech import Transcript, Word


@dataclass(slots=True)
class Hearing:
    """What was counted on one transcript or many.

    Attributes:
        words: Words spoken.
        matched: Of these, how many were heard as they are.
        errors: For each matched word, the distance of its midpoint from the true one, in seconds.
        letters: Letters of the narrations whose words have no times (Chinese recordings).
        edits: Edits that lead from what was heard to them.
    """

    words: int = 0
    matched: int = 0
    errors: list[float] = field(default_factory=list)
    letters: int = 0
    edits: int = 0

    def __iadd__(self, other: Hearing) -> Hearing:  # noqa: PYI034 - nothing derives from it
        self.words += other.words
        self.matched += other.matched
        self.errors += other.errors
        self.letters += other.letters
        self.edits += other.edits
        return self


def judge(transcript: Transcript, narration: Narration) -> Hearing:
    """Compare a transcript with what is said: word by word where times are known, else letter by letter."""
    if narration.words:
        return _timed([word for segment in transcript.segments for word in segment.words], narration)
    there = _letters("".join(segment.text for segment in narration.segments))
    if not there:
        return Hearing()
    return Hearing(letters=len(there), edits=edit_distance(there, _letters(transcript.text)))


def _timed(heard: Sequence[Word], narration: Narration) -> Hearing:
    # Two words in one sound keep their letters for the matching, but have no time of their own.
    spoken = [
        (part, (word.start + word.end) / 2 if " " not in word.text else None)
        for word in narration.words
        for part in word.text.split()
    ]
    matcher = SequenceMatcher(
        None, [_letters(text) for text, _ in spoken], [_letters(word.text) for word in heard], autojunk=False
    )
    result = Hearing(words=len(spoken))
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            result.matched += 1
            middle = spoken[block.a + offset][1]
            if middle is not None:
                word = heard[block.b + offset]
                result.errors.append(abs((word.start + word.end) / 2 - middle))
    return result


def _letters(text: str) -> str:
    """Return letters and digits only, in lower case."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())
