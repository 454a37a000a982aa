"""The compiled extension: use the public functions of `debriefer`, which document and wrap these."""

__all__ = [
    "Dialect",
    "SourceTable",
    "assign_names",
    "canonical_name",
    "canonical_names",
    "read_delimited",
    "reserved_words",
    "sniff_dialect",
    "unique_columns",
]

from os import PathLike
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

@final
class Dialect:
    """How a delimited file is written."""

    @property
    def delimiter(self) -> str:
        """One character between fields; `，` is possible, too."""
    @property
    def quotechar(self) -> str | None:
        """Around fields that hold delimiters or line breaks; `"` where the file has none, `None` where quotes are text."""
    @property
    def escapechar(self) -> str | None:
        """Before a literal quote; `None` where it is doubled."""
    @property
    def encoding(self) -> str:
        """A name that Python's codecs know."""
    @property
    def skip_rows(self) -> int:
        """Number of records above the header, blank lines not counted."""
    @property
    def has_header(self) -> bool:
        """Whether the first record names the columns."""

def canonical_name(stem: str) -> str:
    """Return the SQL name under which a source called `stem` is registered.

    The name is first brought to NFKC, so that full-width forms and their usual counterparts are one name and letters
    carry their accents; letters of any script, digits and underscores are kept, everything else becomes an underscore;
    a leading digit gets the prefix `t_`; the result is lower case. Reserved words stay as they are.

    Args:
        stem: File name without its ending, or a table name inside a database.

    Returns:
        A name that is its own canonical name. Never empty: an empty stem gives `t_`, `(%)` gives `___`.
    """

def canonical_names(stems: list[str]) -> list[str]:
    """Return `canonical_name` of every stem, in order, at the cost of one call."""

def assign_names(sources: list[tuple[str, str | None]]) -> list[tuple[str, list[str]]]:
    """Give every table of a catalog its name and its aliases.

    Where several tables ask for one name, each gets a source prefix (`shop__orders`): for a table in a file the file's
    stem, for a file its folder or ending, at last the whole path. What still clashes gets a number in the order of paths.

    Args:
        sources: For each table the path below the context folder, with `/` between its parts, and the name inside the
            file (`None` where the file is one table). No pair may occur twice.

    Returns:
        For each source, in its order, the canonical name and the aliases: `df_<name>`, `t_<name>` for a reserved word,
        the name in the source's own spelling, and for a file that is one table its file name. Names are unique without
        regard to case or width; an alias that equals another table's name or alias goes to no one. The answer
        depends on the set of sources only, not on their order.
    """

def unique_columns(names: list[str]) -> list[str]:
    """Return column names in the source's own spelling, unique without regard to case or width, none of them empty.

    Outer white space goes and a line break inside becomes a space. An empty name becomes `column_<i>`, counted from 1; a
    repeated one gets the first of `name_2`, `name_3`, … that no other column has.
    """

def reserved_words() -> list[str]:
    """Return the words that cannot name a table in DuckDB without quotes, sorted, in lower case."""

def read_delimited(path: str | PathLike[str]) -> SourceTable:
    """Read CSV, TSV or a relative of theirs, with types from all its rows.

    Encoding, delimiter, quoting, preamble, header and footer are found; what was decided or repaired stands in the
    table's notes. A column has a type only where printing its values gives the file's values back: `000021`, `1E5` and
    `1,234` stay text.

    Args:
        path: A file of less than 4 GiB.

    Returns:
        A table named after the file's stem, its columns `BOOLEAN`, `BIGINT`, `HUGEINT`, `DOUBLE`, `DECIMAL(p,s)`, `DATE`,
        `TIMESTAMP` or `VARCHAR`.

    Raises:
        SourceError: If the file cannot be read or holds no delimited text.
    """

def sniff_dialect(path: str | PathLike[str]) -> Dialect:
    """Find how a delimited file is written, as `read_delimited` would read it.

    Raises:
        SourceError: If the file cannot be read or holds no delimited text.
    """
