"""Subtitles of a video: SRT, WebVTT, and the JSON of the long-video benchmarks in both of its shapes."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debriefer.errors import MediaError, MissingFileError
from debriefer.media.clock import seconds_of

_ARROW = re.compile(r"^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>|<\d[\d:.]*>|\{\\[^{}]{0,80}\}")
# A line without an end is taken to stand until the next one, but no longer than a long sentence is read.
_LONGEST_OPEN_SECONDS = 8.0
_ENCODINGS = ("utf-8-sig", "utf-16", "gb18030")


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle.

    Attributes:
        start: When it appears, in seconds of the video.
        end: When it goes, in seconds; never before `start`.
        text: What it says, in one line, without markup.
    """

    start: float
    end: float
    text: str


def read_subtitles(path: Path, *, offset: float = 0.0) -> tuple[Cue, ...]:
    """Read a file of subtitles, in order of time.

    Args:
        path: `.srt`, `.vtt` or `.json`; other endings are told by their content.
        offset: Seconds at which the video starts within what the times count from
            (`starting_timestamp_for_subtitles` of LongVideoBench); subtracted. What ends before the video is left out.

    Raises:
        MissingFileError: There is no such file.
        MediaError: It holds no subtitles, is a folder, or the offset is no number.
    """
    check_subtitles(path, offset)
    text = _decoded(path.read_bytes())
    try:
        cues = parse_json(json.loads(text)) if text.lstrip()[:1] in {"[", "{"} else parse_blocks(text)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = "its JSON is nested too deeply" if isinstance(error, RecursionError) else error
        message = f"`{path.name}` cannot be read as subtitles: {reason}"
        raise MediaError(message, hint="give SRT, VTT, or JSON with `start`, `end` and `line` or `text`") from error
    if not cues:
        message = f"`{path.name}` holds no subtitles"
        raise MediaError(message, hint="give SRT, VTT, or JSON with `start`, `end` and `line` or `text`")
    return shifted(cues, offset)


def check_subtitles(path: Path, offset: float = 0.0) -> None:
    """Check what can be told without reading the file.

    Raises:
        MissingFileError: There is no such file.
        MediaError: It is a folder, or the offset is no finite number.
    """
    if not math.isfinite(offset):
        message = f"the subtitles' offset `{offset}` is no number of seconds"
        raise MediaError(message, hint="give the seconds at which the video starts on the subtitles' clock")
    if path.is_dir():
        message = f"`{path}` is a folder, not a file of subtitles"
        raise MediaError(message, hint="name a file of subtitles in it: SRT, VTT or JSON")
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MissingFileError(message, hint="name a file of subtitles: SRT, VTT or JSON")


def parse_blocks(text: str) -> tuple[Cue, ...]:
    r"""Parse SRT or WebVTT: blocks whose times stand on a line with `-->`; blank lines between them may lack.

    Raises:
        ValueError: A time cannot be read.

    >>> parse_blocks("1\n00:00:01,500 --> 00:00:03,000\n<i>Two</i>\nlines\n")
    (Cue(start=1.5, end=3.0, text='Two lines'),)
    """
    cues: list[tuple[float, float | None, str]] = []
    lines: list[str] = []
    times: tuple[float, float] | None = None
    number = ""

    def close() -> None:
        if times is not None and (said := _plain(" ".join(lines))):
            cues.append((*times, said))

    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        match = _ARROW.match(line)
        if match is not None:
            # Without a blank line, the number of a block stands behind the text of the one before.
            before = lines[-1].strip() if lines else ""
            if times is not None and _follows(before, number):
                lines.pop()
            close()
            number = before
            times, lines = (seconds_of(match[1]), seconds_of(match[2])), []
        elif not line.strip():
            close()
            times, lines = None, []
        else:
            lines.append(line)
    return _ordered(cues)


def parse_json(value: Any) -> tuple[Cue, ...]:  # noqa: ANN401 -- any JSON value
    """Parse a list of `{start, end, line | text}` or `{timestamp: [start, end], text}`; an end may be null.

    Times are seconds or `HH:MM:SS.mmm`.

    Raises:
        ValueError: It has another shape.

    >>> parse_json([{"timestamp": [5.0, None], "text": "b"}, {"start": "00:00:01.000", "end": 2, "line": "a"}])
    (Cue(start=1.0, end=2.0, text='a'), Cue(start=5.0, end=13.0, text='b'))
    """
    items = value.get("subtitles", value.get("segments")) if isinstance(value, Mapping) else value
    if not isinstance(items, Sequence) or isinstance(items, str):
        message = "it is no list of subtitles"
        raise ValueError(message)  # noqa: TRY004 -- what a file holds is a value
    cues: list[tuple[float, float | None, str]] = []
    for place, item in enumerate(items, start=1):
        if not isinstance(item, Mapping):
            message = f"entry {place} is no object"
            raise ValueError(message)  # noqa: TRY004 -- as above
        both = item.get("timestamp")
        begin, end = both if isinstance(both, Sequence) and len(both) == 2 else (item.get("start"), item.get("end"))  # noqa: PLR2004
        said = _plain(str(item.get("line") or item.get("text") or ""))
        if begin is None:
            message = f"entry {place} has no time"
            raise ValueError(message)
        if said:
            cues.append((seconds_of(begin), None if end is None else seconds_of(end), said))
    return _ordered(cues)


def shifted(cues: Iterable[Cue], offset: float) -> tuple[Cue, ...]:
    """Return the cues on the video's own clock: `offset` earlier, without those that end before it begins."""
    if not offset:
        return tuple(cues)
    moved = (Cue(max(0.0, cue.start - offset), cue.end - offset, cue.text) for cue in cues)
    return tuple(cue for cue in moved if cue.end > 0)


def _ordered(cues: Sequence[tuple[float, float | None, str]]) -> tuple[Cue, ...]:
    # Published transcripts have lines that go back in time (185 of 1,545 in one).
    ranked = sorted(cues, key=lambda cue: cue[0])
    made = []
    for place, (start, end, text) in enumerate(ranked):
        if end is None:
            following = ranked[place + 1][0] if place + 1 < len(ranked) else start + _LONGEST_OPEN_SECONDS
            end = min(following, start + _LONGEST_OPEN_SECONDS)  # noqa: PLW2901 -- the open end is filled in
        made.append(Cue(start, max(start, end), text))
    return tuple(made)


def _follows(number: str, before: str) -> bool:
    """Whether one line is the number of the block behind that with the number `before`."""
    both = _NUMBER.fullmatch(number), _NUMBER.fullmatch(before)
    return all(both) and int(number) == int(before) + 1


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", text)).split())


def _decoded(data: bytes) -> str:
    for name in _ENCODINGS:
        if name == "utf-16" and data[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")
