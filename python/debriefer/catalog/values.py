"""The value index: which cells of a catalog a question speaks of, whatever their number."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from debriefer import _core
from debriefer.catalog.identifiers import quote_identifier
from debriefer.catalog.model import Table
from debriefer.errors import CatalogError, DebrieferError

HitKind = Literal["exact", "normalised", "near", "part"]

_Found = tuple[int, int, str, str, str, int, HitKind, float]

VALUES_SUFFIX = ".values"
# Cells of one span and way of finding; more tell apart nothing.
_LIMIT = 20
# Cells that are made distinct at once: grouping holds them all in memory, some 100 bytes each.
_ROWS_AT_ONCE = 2_000_000
_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
)
# No question spells bytes.
_UNSPOKEN = ("BLOB", "BIT", "GEOMETRY")


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A cell that a span of a question may stand for.

    Attributes:
        start: Offset of the span's first character in the question.
        end: Offset after its last character.
        table: Canonical name of the cell's table.
        column: Name of the cell's column.
        value: The cell, as text.
        count: How often the column holds it.
        kind: `exact` letter by letter; `normalised` the same but for case, width, punctuation, or the spelling of a
            number, date or code; `near` a few edits away; `part` where the span is a part of the cell.
        score: From 0 to 1: how surely the span stands for the cell, as far as spelling tells.
    """

    start: int
    end: int
    table: str
    column: str
    value: str
    count: int
    kind: HitKind
    score: float


class _Source(Protocol):
    """What an index is built from."""

    @property
    def path(self) -> Path: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def source_tables(self) -> tuple[Table, ...]: ...
    def _cursor(self) -> AbstractContextManager[Any]: ...


class ValueIndex:
    """Every distinct cell of a catalog's own tables, found in a question in milliseconds.

    The index is a file beside the catalog (`catalog.values`), mapped into memory, and may be shared between threads.
    Cells of more than 200 characters are prose and left out, bytes too.
    """

    def __init__(self, index: _core.ValueIndex) -> None:
        """Use `open` or `Catalog.values`."""
        self._index = index
        # Builds the index anew where it belongs to a catalog, which it does not keep alive.
        self._again: Callable[[], _core.ValueIndex | None] = _nothing
        # Removes the folder that was made for the file, where one was.
        self._temporary: weakref.finalize[..., ValueIndex] | None = None

    @classmethod
    def open(cls, path: str | Path) -> ValueIndex:
        """Open an index that was built before.

        Raises:
            CatalogError: There is none, it is damaged, or it is of another version.
        """
        path = Path(path)
        try:
            return cls(_core.ValueIndex.open(path))
        except CatalogError as error:
            message = f"`{path}` {error.message}"
            raise CatalogError(message, hint=error.hint) from error

    @classmethod
    def of(cls, catalog: _Source) -> ValueIndex:
        """Open the index beside a catalog, or build it where there is none of the same content and version.

        Where the catalog's folder cannot be written to, the index is built in a temporary folder that goes with it.

        Raises:
            CatalogError: It cannot be built.
        """
        path = catalog.path.with_suffix(VALUES_SUFFIX)
        folder = None
        index = cls._current(path, catalog.fingerprint)
        if index is None:
            if not os.access(path.parent, os.W_OK):
                folder = tempfile.TemporaryDirectory(prefix="debriefer-", ignore_cleanup_errors=True)
                path = Path(folder.name) / path.name
            _build(catalog, path)
            index = cls.open(path)
        owner = weakref.ref(catalog)

        def again() -> _core.ValueIndex | None:
            source = owner()
            if source is None:
                return None
            _build(source, path)
            return _core.ValueIndex.open(path)

        index._again = again  # noqa: SLF001 -- its own class
        if folder is not None:
            index._temporary = weakref.finalize(index, folder.cleanup)  # noqa: SLF001 -- its own class
        return index

    @classmethod
    def _current(cls, path: Path, fingerprint: str) -> ValueIndex | None:
        """Open the index at `path` if it is whole, of this version and built from this content."""
        with suppress(CatalogError):
            index = cls.open(path)
            if index._index.fingerprint == fingerprint:  # noqa: SLF001 -- its own class
                return index
        return None

    def __len__(self) -> int:
        """Return the number of distinct cells, counted by column."""
        return self._index.cells

    @property
    def left_out(self) -> int:
        """Number of cells that are too long to be found."""
        return self._index.left_out

    def verify(self) -> None:
        """Compare the whole file with its checksums; opening does so only up to 64 MiB.

        Raises:
            CatalogError: They differ.
        """
        self._index.verify()

    def find(self, question: str, limit: int = _LIMIT) -> tuple[ValueHit, ...]:
        """Return the cells that `question` may speak of, in the order of their spans, best first within one.

        Args:
            question: A text of any length.
            limit: Most cells of one span and way of finding, in the order of tables and columns.

        An index that turns out to be damaged is built again from its catalog.

        Raises:
            CatalogError: The file is damaged, and its catalog is closed or was never known.
        """
        return self._ask(lambda index: index.find(question, limit))

    def spelt(self, text: str, limit: int = _LIMIT) -> tuple[ValueHit, ...]:
        """Return the cells that `text` as a whole spells, but for case, width, punctuation or the form of a number.

        Args:
            text: A text of any length.
            limit: Most cells, in the order of tables and columns.

        Raises:
            CatalogError: As for `find`.
        """
        return self._ask(lambda index: index.spelt(text, limit))

    def _ask(self, ask: Callable[[_core.ValueIndex], list[_Found]]) -> tuple[ValueHit, ...]:
        try:
            hits = ask(self._index)
        except DebrieferError:
            # Damage to a large file shows only where it is read: see `verify`.
            anew = self._again()
            if anew is None:
                raise
            self._index = anew
            hits = ask(anew)
        return tuple(ValueHit(*hit) for hit in hits)


def _nothing() -> None:
    """Stand in for what builds an index again where its catalog is not known."""


def _build(catalog: _Source, path: Path) -> None:
    """Write the index of a catalog to `path`, which appears when it is complete."""
    builder = _core.ValueIndexBuilder(path)
    try:
        with catalog._cursor() as cursor:  # noqa: SLF001 -- the catalog's own index
            for table in catalog.source_tables:
                for column in table.columns:
                    if column.sql_type.startswith(_UNSPOKEN):
                        continue
                    builder.column(table.name, column.name)
                    numeric = column.sql_type.startswith(_NUMBERS) and not column.sql_type.endswith("]")
                    for cells in _distinct(cursor, table, column.name):
                        builder.add(cells, numeric)
        builder.finish(catalog.fingerprint)
    except CatalogError as error:
        message = f"`{path}` {error.message}"
        raise CatalogError(message, hint="check the folder's permissions and the free space") from error


def _distinct(cursor: Any, table: Table, column: str) -> Iterator[Any]:  # noqa: ANN401
    """Yield the distinct cells of a column with their counts, as streams of two columns."""
    name = quote_identifier(column)
    cells = f"SELECT {name}::VARCHAR AS v FROM main.{quote_identifier(table.name)} WHERE {name} IS NOT NULL"
    parts = 1 + (table.row_count - 1) // _ROWS_AT_ONCE
    for part in range(parts):
        where = f"WHERE hash(v) % {parts} = {part}" if parts > 1 else ""
        yield cursor.sql(f"SELECT v, count(*)::BIGINT AS n FROM ({cells}) {where} GROUP BY v")
