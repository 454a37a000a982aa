"""What an invented database is made of: tables, prose or a video, and questions with their answers.

Answers are computed in Python from the rows that were invented, never by the SQL of a program under test.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | None
Row = tuple[Value, ...]
Difficulty = Literal["easy", "medium", "hard"]
Verdict = Literal["ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"]
Chance = random.Random


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table and how it is stored.

    Attributes:
        name: Name of the file, or of the table inside the database.
        columns: Names of the columns.
        rows: The rows.
        store: `csv`, `json` (a list of objects), or `sqlite` (all of a world in one file).
        encoding: Encoding of a CSV file.
        folder: Sub-folder below `csv/` or `json/`.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    store: Literal["csv", "json", "sqlite"] = "csv"
    encoding: str = "utf-8"
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer.

    Attributes:
        question: The question.
        columns: Names of the answer's columns.
        answer: Its rows.
        difficulty: `easy`: one table, one condition. `medium`: a join, a group or an order. `hard`: several of them,
            or evidence of several kinds.
        verdict: What a judge of the world's video should say; `None` where there is no video.
    """

    question: str
    columns: tuple[str, ...]
    answer: tuple[Row, ...]
    difficulty: Difficulty
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Prose that tells a table.

    Attributes:
        name: Name of the file.
        text: Markdown.
        told: The tables that it tells, for the documents program.
    """

    name: str
    text: str
    told: tuple[Sheet, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A slide: when it appears, in seconds, its title and its layout tree."""

    seconds: float
    title: str
    layout: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """A stretch of narration, in seconds."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Film:
    """What a video shows and says, in order of time."""

    items: tuple[Shown | Spoken, ...]


@dataclass(frozen=True, slots=True)
class World:
    """An invented database with questions on it.

    Attributes:
        name: Its name, which is the group of its tasks.
        language: `en` or `zh`.
        sheets: Tables.
        asked: Questions.
        knowledge: Text of `knowledge.md`; empty for none.
        documents: Prose.
        film: A video.
    """

    name: str
    language: Literal["en", "zh"]
    sheets: tuple[Sheet, ...]
    asked: tuple[Asked, ...]
    knowledge: str = ""
    documents: tuple[Document, ...] = ()
    film: Film | None = None


Inventor = Callable[[Chance], World]


def table(name: str, columns: str, rows: Sequence[Row], **options: str) -> Sheet:
    """Return a table; `columns` are separated by blanks."""
    return Sheet(name, tuple(columns.split()), tuple(rows), **options)  # type: ignore[arg-type]


def asked(question: str, columns: str, answer: Sequence[Row] | Value, difficulty: Difficulty) -> Asked:
    """Return a question; an answer that is one value is one row of one column; columns are separated by `,`."""
    rows: Sequence[Row] = [(answer,)] if answer is None or isinstance(answer, (str, int, float)) else answer
    return Asked(question, tuple(columns.split(",")), tuple(rows), difficulty)
