"""Traditional to Simplified Chinese: Whisper writes either, whatever was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from debriefer.media.packages import needed
from debriefer.media.speech import Segment


@cache
def _converter() -> Any:  # noqa: ANN401 -- OpenCC's; building it takes 16 ms, a conversion microseconds
    return needed("opencc").OpenCC("t2s")


def simplified(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the segments in Simplified Chinese, words and text alike; all of them are converted in one call.

    Raises:
        MediaError: OpenCC is not installed.
    """
    texts = [segment.text for segment in segments]
    lines = _converter().convert("\n".join(texts)).split("\n")
    if len(lines) != len(texts):
        lines = [_converter().convert(text) for text in texts]
    return tuple(_with_text(segment, line) for segment, line in zip(segments, lines, strict=True))


def _with_text(segment: Segment, text: str) -> Segment:
    """Return the segment with its text converted; words are cut out of it, so that both say the same."""
    spoken = "".join(word.text for word in segment.words)
    if spoken == segment.text and len(text) == len(spoken):
        texts, position = [], 0
        for word in segment.words:
            texts.append(text[position : position + len(word.text)])
            position += len(word.text)
    else:
        texts = [_converter().convert(word.text) for word in segment.words]
    words = tuple(replace(word, text=new) for word, new in zip(segment.words, texts, strict=True))
    return replace(segment, text=text, words=words)
