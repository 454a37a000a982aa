"""Finds how a document marks its records: what repeats from line to line, with a key that comes back in every block."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from debriefer.documents.cues import has_cue
from debriefer.documents.relation import Anchor, Block, Record, Segmented
from debriefer.documents.sentences import split
from debriefer.documents.tokens import Token, is_han, tokens

# A document with fewer records is read as notes, not as a table.
_LEAST_RECORDS = 3
# Lines in which a record's mark must be found, as a share of the lines that have any value at all.
_LEAST_SHARE = 0.3
# Share of the keys that a block must have for blocks to be told apart by keys that come back.
_LEAST_COVERAGE = 0.5
_AIRTABLE = re.compile(r"rec[A-Za-z0-9]{14}")
_CODE_PREFIX = re.compile(r"([A-Za-z]*)[-_./#]?\d")
_NUMBERING = frozenset(
    {"no", "nr", "number", "id", "num", "#", "号", "编", "：", ":", ".", "-", "(", "（", "第", "为", "是"}
)
# A label is looked for among so many Chinese letters, or one word with one before it.
_HAN_LETTERS = 2
_MOST_CANDIDATES = 40
# Share of a further mark's keys that are keys already; of the sentences with a first part that have the second; of the
# records that go on with the key before.
_SAME_KEYS, _BOTH_PARTS, _MOST_REPEATED = 0.9, 0.95, 0.25


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence: records are told in whole ones."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Mark:
    """A token that may be a record's key."""

    unit: int
    text: str
    start: int
    end: int


Group = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Choice:
    """A way to mark records, and how well it fits."""

    score: float
    groups: tuple[Group, ...]
    records: tuple[Record, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    """The sentences of a document and what in them may be a key."""

    units: tuple[_Unit, ...]
    marks: Mapping[Group, Sequence[_Mark]]
    telling: int


def segment(lines: Sequence[str], anchor: Anchor | None = None) -> Segmented:
    """Divide the lines of a document into blocks of records and what belongs to none.

    A record's mark is a key with what stands before it ("file 12", "档案12号", a bare number, `rec…`). The marks are
    those whose keys come back in the same set block after block, at least three of them. A line may tell of several
    records, each in whole sentences. A block ends where a key comes back that it already has; a line that goes on with
    the key before it, or opens with a correction of one, does not end it.

    Args:
        lines: Texts of the lines.
        anchor: How records are marked, where that is known.

    Returns:
        The parts; without records where no marks were found.
    """
    read = _read(lines, anchor)
    choice = _best(read) if anchor is None else _as_given(read, anchor)
    if choice is None or len({record.key for record in choice.records}) < _LEAST_RECORDS:
        return Segmented(None, transitions=tuple(range(len(lines))))
    found = anchor or Anchor(
        labels=tuple(dict.fromkeys(label for label, _ in choice.groups)),
        shape="|".join(dict.fromkeys(shape for _, shape in choice.groups)),
        parts=choice.parts,
    )
    blocks = _blocks(choice.records, lines)
    universe = tuple(dict.fromkeys(record.key for record in choice.records))
    spoken = {record.line for record in choice.records}
    apart = tuple(number for number in range(len(lines)) if number not in spoken)
    return Segmented(found, tuple(_titled(blocks, lines, spoken)), universe, apart)


def _read(lines: Sequence[str], anchor: Anchor | None) -> _Read:
    """Return the sentences, and the tokens that may be keys by label and shape, at most one a sentence and group."""
    units: list[_Unit] = []
    marks: dict[Group, list[_Mark]] = defaultdict(list)
    telling = 0
    for number, line in enumerate(lines):
        row = tokens(line)
        telling += len(row) > 1
        for sentence in split(line, row):
            unit = _Unit(number, sentence[0].start, sentence[-1].end)
            found = _marked(sentence) if anchor is None else _given(line, unit, anchor)
            for group, (text, start, end) in found.items():
                marks[group].append(_Mark(len(units), text, start, end))
            units.append(unit)
    return _Read(tuple(units), marks, telling)


def _marked(sentence: Sequence[Token]) -> dict[Group, tuple[str, int, int]]:
    found: dict[Group, tuple[str, int, int]] = {}
    for place, token in enumerate(sentence):
        shape = _shape(token)
        if shape is not None:
            for label in dict.fromkeys((_label(sentence, place), *_frame(sentence, place))):
                found.setdefault((label, shape), (token.text, token.value_start, token.end))
    return found


def _frame(row: Sequence[Token], place: int) -> Iterator[str]:
    """Yield what counts a Chinese ordinal, whatever stands before it: `第条` of `列在第12条的`."""
    if 0 < place < len(row) - 1 and row[place - 1].text == "第" and is_han(row[place + 1].text):
        yield f"第{row[place + 1].text}"


def _given(line: str, unit: _Unit, anchor: Anchor) -> dict[Group, tuple[str, int, int]]:
    match = re.compile(anchor.shape).search(line, unit.start, unit.end)
    if match is None:
        return {}
    group = 1 if match.re.groups else 0
    return {("", anchor.shape): (match[group], *match.span(group))}


def _shape(token: Token) -> str | None:
    if token.is_number:
        return r"\d+"
    if token.kind == "date":
        return "date"
    if token.kind == "code":
        if _AIRTABLE.fullmatch(token.text):
            return _AIRTABLE.pattern
        match = _CODE_PREFIX.match(token.text)
        if match is not None:
            return rf"{re.escape(match[1])}[-_./#]?\d[\w./-]*"
    return None


def _label(row: Sequence[Token], place: int) -> str:
    """Return what stands before a token, in lower case, without words that only number; empty at a line's head."""
    before: list[str] = []
    at = place - 1
    while at >= 0 and row[at].text.casefold() in _NUMBERING:
        at -= 1
    while at >= 0 and row[at].kind == "word":
        text = row[at].text.casefold()
        before.append(text)
        if not is_han(text) or len(before) == _HAN_LETTERS:
            break
        at -= 1
    return "".join(reversed(before))


def _as_given(read: _Read, anchor: Anchor) -> _Choice | None:
    group = ("", anchor.shape)
    records = _records([_by_unit(read, (group,))], read)
    return _Choice(1.0, (group,), records, anchor.parts) if records else None


def _best(read: _Read) -> _Choice | None:
    large = sorted(read.marks, key=lambda group: (-len(read.marks[group]), group))[:_MOST_CANDIDATES]
    choices: list[_Choice] = []
    for group in large:
        if group[1] == "date" or len(read.marks[group]) < _LEAST_RECORDS:
            continue
        # A measure may have keys' digits in other sentences, so that the group alone does better.
        for groups in dict.fromkeys([(group,), _with_others(group, large, read)]):
            first = _by_unit(read, groups)
            choices.append(_scored(groups, _records([first], read), read.telling, _parts(groups)))
            choices.extend(_composite(groups, first, large, read))
    good = [choice for choice in choices if choice.score > 0]
    # Of equal ones the first that was found has the most lines.
    return max(good, key=lambda choice: choice.score, default=None)


def _with_others(group: Group, large: Sequence[Group], read: _Read) -> tuple[Group, ...]:
    """Return a group with those that mark the same keys in sentences where it does not stand."""
    keys = {mark.text for mark in read.marks[group]}
    taken = {mark.unit for mark in read.marks[group]}
    chosen = [group]
    for other in large:
        if other == group or other[1] != group[1]:
            continue
        marks = read.marks[other]
        free = [mark for mark in marks if mark.unit not in taken]
        shared = sum(mark.text in keys for mark in free)
        several = len({mark.text for mark in free}) > len(free) / 3
        # A measure may have a key's digits by chance, but not line after line.
        if len(free) == len(marks) >= _LEAST_RECORDS and shared >= _SAME_KEYS * len(free) and several:
            chosen.append(other)
            taken.update(mark.unit for mark in free)
    return tuple(chosen)


def _by_unit(read: _Read, groups: Iterable[Group]) -> dict[int, _Mark]:
    found: dict[int, _Mark] = {}
    for group in groups:
        for mark in read.marks.get(group, ()):
            found.setdefault(mark.unit, mark)
    return found


def _records(parts: Sequence[Mapping[int, _Mark]], read: _Read) -> tuple[Record, ...]:
    """Return the records that sentences with all parts of a key open; those after them in the line belong to them."""
    found: list[Record] = []
    start = 0
    for number, unit in enumerate(read.units):
        if number == 0 or unit.line != read.units[number - 1].line:
            start = unit.start
        if all(number in part for part in parts):
            marks = [part[number] for part in parts]
            key = tuple(mark.text for mark in marks)
            if not (found and found[-1].line == unit.line and found[-1].key == key):
                spans = tuple((mark.start, mark.end) for mark in marks)
                found.append(Record(key, unit.line, spans, (start, unit.end)))
                start = unit.end
                continue
        if found and found[-1].line == unit.line:
            found[-1] = replace(found[-1], extent=(found[-1].extent[0], unit.end))
            start = unit.end
    return tuple(found)


def _composite(
    groups: tuple[Group, ...], first: Mapping[int, _Mark], large: Sequence[Group], read: _Read
) -> Iterator[_Choice]:
    """Yield choices in which a second token of each sentence is part of the key."""
    dates: dict[int, _Mark] = {}
    for group, marks in read.marks.items():
        if group[1] == "date":
            for mark in marks:
                kept = dates.get(mark.unit)
                if kept is None or mark.start < kept.start:
                    dates[mark.unit] = mark
    seconds: list[tuple[str, Mapping[int, _Mark]]] = [("date", dates)]
    seconds += [(group[0], _by_unit(read, (group,))) for group in large if group[1] != "date" and group not in groups]
    for name, second in seconds:
        if sum(unit in second for unit in first) >= _BOTH_PARTS * len(first):
            both = _records([first, second], read)
            # One key is better than two where it does as well.
            choice = _scored(groups, both, read.telling, (*_parts(groups), name or "part"))
            yield _Choice(choice.score * 0.9, choice.groups, choice.records, choice.parts)


def _parts(groups: Sequence[Group]) -> tuple[str, ...]:
    return (groups[0][0] or "record_id",)


def _scored(groups: tuple[Group, ...], records: tuple[Record, ...], telling: int, parts: tuple[str, ...]) -> _Choice:
    """Return a choice with its score: lines marked, how evenly blocks share the keys, how early the key stands."""
    keys = {record.key for record in records}
    share = len({record.line for record in records}) / max(1, telling)
    if len(keys) < _LEAST_RECORDS or share < _LEAST_SHARE:
        return _Choice(0.0, groups, records, parts)
    blocks = _runs(records, ())
    large = [block for block in blocks if len(block) > 1] or blocks
    coverage = sum(len(block) for block in large) / (len(large) * len(keys))
    repeated = sum(one.key == other.key for one, other in pairwise(records)) / len(records)
    if coverage < _LEAST_COVERAGE or repeated > _MOST_REPEATED:
        return _Choice(0.0, groups, records, parts)
    early = sum(1 / (1 + (record.spans[0][0] - record.extent[0]) / 40) for record in records) / len(records)
    # What comes back in every block is a key; what is only different everywhere may be a measure.
    back = 1.5 if len(large) > 1 else 1.0
    return _Choice(min(share, 1.0) * coverage * (0.5 + 0.5 * early) * back * (1 - repeated), groups, records, parts)


def _runs(records: Sequence[Record], lines: Sequence[str]) -> list[list[Record]]:
    """Cut records where a key comes back."""
    blocks: list[list[Record]] = []
    seen: set[tuple[str, ...]] = set()
    for record in records:
        if blocks and record.key == blocks[-1][-1].key:
            blocks[-1].append(record)
            continue
        if lines and blocks and record.key in seen and _opens_with_cue(lines[record.line], record):
            blocks[-1].append(record)
            continue
        if not blocks or record.key in seen:
            blocks.append([])
            seen = set()
        blocks[-1].append(record)
        seen.add(record.key)
    return blocks


def _opens_with_cue(line: str, record: Record) -> bool:
    return has_cue(line[record.extent[0] : record.spans[0][0]])


def _blocks(records: Sequence[Record], lines: Sequence[str]) -> list[Block]:
    return [Block(number, tuple(run)) for number, run in enumerate(_runs(records, lines))]


def _titled(blocks: Sequence[Block], lines: Sequence[str], spoken: set[int]) -> Iterator[Block]:
    for block in blocks:
        above = block.records[0].line - 1
        title = lines[above] if above >= 0 and above not in spoken else ""
        yield Block(block.number, block.records, title)
