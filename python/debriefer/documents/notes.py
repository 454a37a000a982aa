"""What a task's notes (`knowledge.md`) say of the fields of a document: names, meanings, units."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from debriefer.documents.markup import read_markup
from debriefer.documents.tokens import is_han

_ITEM = re.compile(r"^\s*[`\"“]?(?P<name>[\w .%/()（）-]{1,60}?)[`\"”]?\s*(?:[:：—–]|\s-\s)\s*(?P<meaning>\S.*)$")
_UNIT = re.compile(
    r"(?:单位(?:为|是|：|:)?\s*(?P<han>[%％万亿千百十]*[\u4e00-\u9fff%％]{0,3}))"
    r"|(?:\b(?:in|unit:?|measured in)\s+(?P<word>(?:thousand|million|billion)?\s?[A-Za-z%$€£¥]{1,12})\b)",
    re.IGNORECASE,
)
_NAME_HEADS = frozenset({"field", "column", "name", "字段", "列", "列名", "字段名", "字段名称", "名称"})
_WORD = re.compile(r"[A-Za-z]+|\d+")
# A label of fewer words or letters stands in a meaning by chance; a name has at most so many words.
_LEAST_WORDS, _LEAST_HAN = 2, 3
_MOST_NAME_WORDS = 4


@dataclass(frozen=True, slots=True)
class FieldNote:
    """What the notes say of one field.

    Attributes:
        name: Its name.
        meaning: What it says.
        unit: Unit that its values shall have, as it is written; empty where the notes say none.
    """

    name: str
    meaning: str
    unit: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the name, in lower case."""
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return frozenset(word.casefold() for word in _WORD.findall(spaced.replace("_", " ")))


def field_notes(knowledge: str | None) -> tuple[FieldNote, ...]:
    """Return the fields that notes name: items of the form `NAME: meaning` and rows of tables with a name column.

    >>> field_notes("- `revenue`: yearly revenue, in USD")[0].unit
    'USD'
    """
    if not knowledge:
        return ()
    lines, tables = read_markup(knowledge)
    found: dict[str, FieldNote] = {}
    for line in lines:
        match = _ITEM.match(line.text)
        if match is not None and line.kind == "text" and len(match["name"].split()) <= _MOST_NAME_WORDS:
            found.setdefault(match["name"].strip(), _note(match["name"].strip(), match["meaning"]))
    for table in tables:
        for name, meaning in _rows(table.rows, table.header_rows):
            found.setdefault(name, _note(name, meaning))
    return tuple(found.values())


def _rows(rows: Sequence[Sequence[str]], header_rows: int) -> list[tuple[str, str]]:
    if header_rows < 1 or len(rows[0]) < 2:  # noqa: PLR2004 -- a name and a meaning
        return []
    heads = [head.casefold() for head in rows[header_rows - 1]]
    place = next((place for place, head in enumerate(heads) if head in _NAME_HEADS), None)
    if place is None:
        return []
    return [
        (row[place], "; ".join(cell for at, cell in enumerate(row) if at != place and cell))
        for row in rows[header_rows:]
        if row[place]
    ]


def _note(name: str, meaning: str) -> FieldNote:
    match = _UNIT.search(meaning)
    unit = "" if match is None else (match["han"] or match["word"] or "").strip()
    return FieldNote(name, meaning, unit)


def matched(columns: Sequence[Sequence[Sequence[str]]], notes: Sequence[FieldNote]) -> list[FieldNote | None]:
    """Return for each column, given by its labels, the note on it; no note is given twice.

    A label that says a field's name goes before one whose words all stand in a meaning.
    """
    found: list[FieldNote | None] = [None] * len(columns)
    says: Callable[[FieldNote, Sequence[str]], bool]
    for says in (_names, _means):
        free = [note for note in notes if note not in found]
        claims = [
            (place, note)
            for place, labels in enumerate(columns)
            if found[place] is None
            for note in _longest([note for note in free if any(says(note, label) for label in labels)])
        ]
        places, claimed = [place for place, _ in claims], [note for _, note in claims]
        for place, note in claims:
            if places.count(place) == 1 and claimed.count(note) == 1:
                found[place] = note
    return found


def _longest(notes: Sequence[FieldNote]) -> list[FieldNote]:
    most = max((len(note.name) for note in notes), default=0)
    return [note for note in notes if len(note.name) == most]


def _names(note: FieldNote, label: Sequence[str]) -> bool:
    if is_han(note.name):
        return note.name in "".join(label)
    return bool(note.words) and note.words <= {word.casefold() for word in label}


def _means(note: FieldNote, label: Sequence[str]) -> bool:
    meaning = note.meaning.casefold()
    if any(is_han(word) for word in label):
        return len("".join(label)) >= _LEAST_HAN and "".join(label) in meaning
    if len(label) < _LEAST_WORDS:
        return False
    words = {word.casefold() for word in _WORD.findall(meaning)} | note.words
    return all(word in words for word in label)
