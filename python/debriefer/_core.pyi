"""The compiled extension: use the public functions of `debriefer`, which document and wrap these."""

__all__ = [
    "NormalizedSql",
    "Rewrite",
    "SourceTable",
    "SqlSchema",
    "canonical_name",
    "nearest_names",
    "tokenize_sql",
]

from collections.abc import Mapping, Sequence
from typing import final

@final
class SourceTable:
    """A table that a reader brought into memory, ready for DuckDB or Polars through Arrow's C stream."""

    @property
    def name(self) -> str:
        """File stem, sheet or table name, in the source's own spelling."""
    @property
    def columns(self) -> list[tuple[str, str]]:
        """Name and DuckDB type of each column, in order; names are unique without regard to case."""
    @property
    def rows(self) -> int:
        """Number of rows."""
    @property
    def notes(self) -> list[tuple[str, str, int, list[str]]]:
        """Code, message, count and samples of each decision or repair, in a fixed order."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return an `arrow_array_stream` capsule over all batches; may be called again."""

def canonical_name(stem: str) -> str: ...

@final
class Rewrite:
    """One stretch of a statement that was rewritten."""

    @property
    def kind(self) -> str:
        """What kind of repair it is.

        `quote` (another dialect's quotes), `restore` (a name got its real spelling), `string` (a double-quoted value),
        `width` (a full-width or typographic mark), `space` (words set apart), `function` or `clause` (another dialect's).
        """
    @property
    def before(self) -> str:
        """The text that stood there; empty where something was inserted."""
    @property
    def after(self) -> str:
        """The text that stands there now."""
    @property
    def start(self) -> int:
        """Index of the first character of `before` in the statement as it was given."""
    @property
    def end(self) -> int:
        """Index behind the last character of `before`."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...

@final
class NormalizedSql:
    """A statement as it runs, and what was rewritten."""

    @property
    def sql(self) -> str:
        """The statement; the very object that was given if nothing was rewritten."""
    @property
    def original(self) -> str:
        """The statement as it was given."""
    @property
    def rewrites(self) -> list[Rewrite]:
        """The rewrites in the order of the text; built anew at each access."""

@final
class SqlSchema:
    """Table and column names, compiled once for any number of statements."""

    def __new__(
        cls,
        tables: Mapping[str, Sequence[str]] | None = None,
        aliases: Mapping[str, str] | None = None,
        temporal: Mapping[str, Sequence[str]] | None = None,
    ) -> SqlSchema: ...
    def normalize(self, sql: str) -> NormalizedSql:
        """Return `sql` with its form made right; see `debriefer.normalize_sql`.

        Raises:
            SqlError: A name has two real spellings, or a double-quoted name none.
        """

def nearest_names(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """Return at most `count` of `names`, the fewest edits from `name` first; those with little in common are left out."""

def tokenize_sql(sql: str) -> list[tuple[str, int, int]]:
    """Return kind, first byte and byte behind the last of each token, white space and comments included."""
