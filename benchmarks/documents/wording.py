"""How a generated document words a table: fields, sentence forms, corrections, noise, transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Language = Literal["en", "zh"]
# `money` is written in mixed scales, `length` in mixed units, `date` in several families and vague words, `count` in
# digits with separators or in words, `code` with leading zeros; `name` and `choice` are text.
FieldKind = Literal["money", "percent", "length", "date", "count", "plain", "code", "name", "choice"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the table that is told.

    Attributes:
        name: Its name in the gold.
        kind: What its values are and how they may be written.
        label: What a correction calls it.
        unit: Unit of the gold's values, as `debriefer.documents` spells it; empty for none.
        choices: What a `choice` or `name` is drawn from.
        low: Smallest number.
        high: Largest number.
        nulls: Share of values that there are not.
        meaning: What the task's notes say of it; empty where they leave it out.
    """

    name: str
    kind: FieldKind
    label: str
    unit: str = ""
    choices: Sequence[str] = ()
    low: int = 0
    high: int = 1000
    nulls: float = 0.0
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A block: a group of fields and the forms in which a paragraph tells them.

    Attributes:
        title: Heading above it; empty for none.
        fields: Names of the fields.
        forms: Paragraphs with `{key}` (and `{key2}`) and a place for each field.
        transition: Line in its middle that belongs to no record.
    """

    title: str
    fields: Sequence[str]
    forms: Sequence[str]
    transition: str


@dataclass(frozen=True, slots=True)
class Wording:
    """A document to be.

    Attributes:
        name: Name of the table.
        language: Its language.
        key: `number`, `code` (letters and digits) or `dated` (a number and a date, which together are the key).
        prefix: Letters before the digits of a `code`.
        fields: The columns.
        parts: The blocks.
        opening: Lines above the first block.
        follow: Sentences that correct a field after its paragraph's, with `{label}` and `{value}`.
        inline: What stands in a field's place when it is corrected at once, with `{wrong}` and `{value}`.
        noise: Sentences that say nothing of the table, with `{n}` for a number.
        nothing: How a missing value is written.
    """

    name: str
    language: Language
    key: Literal["number", "code", "dated"]
    fields: Sequence[Field]
    parts: Sequence[Part]
    opening: Sequence[str] = ()
    follow: Sequence[str] = ()
    inline: Sequence[str] = ()
    noise: Sequence[str] = ()
    nothing: Sequence[str] = field(default=())
    prefix: str = ""
