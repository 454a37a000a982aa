"""The documents of a task: which files are documents, and which of them a question is likeliest to need."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from debriefer.catalog.readers import TABLE_KINDS, detect_kind
from debriefer.documents.model import Document
from debriefer.documents.reading import DOCUMENT_ENDINGS
from debriefer.errors import SourceError
from debriefer.media.retrieval import Bm25

# What the specification calls the task's notes; they are read, not taken apart.
NOTES_FILE = "knowledge.md"
_MAY_BE_TABLES = frozenset({".txt", ".text"})
_SQLITE_ENDINGS = frozenset({".db", ".sqlite", ".sqlite3"})
# What a document is called says more than a word in its text.
_NAME_WEIGHT = 5


def documents_of(files: Iterable[Path]) -> list[Path]:
    """Return the files that are documents, in the order given: neither the task's notes nor tables of plain text."""
    found: list[Path] = []
    for path in files:
        ending = path.suffix.lower()
        if ending not in DOCUMENT_ENDINGS or path.name == NOTES_FILE:
            continue
        if ending in _MAY_BE_TABLES and _is_table(path):
            continue
        found.append(path)
    return found


def _is_table(path: Path) -> bool:
    try:
        return detect_kind(path) in TABLE_KINDS
    except (SourceError, OSError):
        return False


def names_taken(files: Iterable[Path], documents: Sequence[Path]) -> set[str]:
    """Return in lower case what sources other than documents are called, and the tables inside SQLite files."""
    own = set(documents)
    taken: set[str] = set()
    for path in files:
        if path in own:
            continue
        taken.add(path.stem.casefold())
        if path.suffix.lower() in _SQLITE_ENDINGS:
            with contextlib.suppress(sqlite3.Error, ValueError), contextlib.closing(_read_only(path)) as connection:
                rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
                taken |= {str(row[0]).casefold() for row in rows}
    return taken


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with how much of the question it shares.

    Attributes:
        source: Its path, relative to `context/`.
        document: What was read.
        score: BM25 of the question and the notes' words for it; only to be compared within one task.
    """

    source: str
    document: Document
    score: float


def ranked(documents: Sequence[tuple[str, Document]], question: str) -> list[Ranked]:
    """Return documents, the one that shares most with a question first; those that share nothing by path.

    Args:
        documents: Path relative to `context/`, and what was read.
        question: The question, with whatever else tells what is looked for.
    """
    scores = Bm25(_text(source, document) for source, document in documents).scores(question)
    found = [
        Ranked(source, document, round(scores.get(place, 0.0), 4)) for place, (source, document) in enumerate(documents)
    ]
    return sorted(found, key=lambda one: (-one.score, one.source))


def _text(source: str, document: Document) -> str:
    name = Path(source).stem.replace("_", " ")
    cells = (cell for table in document.tables for row in table.rows for cell in row)
    return "\n".join([*(line.text for line in document.lines), *cells, *[name] * _NAME_WEIGHT])
