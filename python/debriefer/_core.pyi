"""The compiled extension: use the public functions of `debriefer`, which document and wrap these."""

__all__ = [
    "Dialect",
    "FoundSlide",
    "NormalizedSql",
    "PacketRhythm",
    "Rewrite",
    "SourceTable",
    "SqlSchema",
    "SqliteSource",
    "Stabilizer",
    "ValueIndex",
    "ValueIndexBuilder",
    "assign_names",
    "canonical_name",
    "canonical_names",
    "common_places",
    "detect_kind",
    "nearest_names",
    "normalise_column",
    "null_tokens",
    "open_sqlite",
    "packet_rhythm",
    "read_delimited",
    "read_json",
    "read_text",
    "read_workbook",
    "renamed_columns",
    "reserved_words",
    "sniff_dialect",
    "tokenize_sql",
    "unique_columns",
]

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final

from numpy.typing import NDArray

@final
class Stabilizer:
    """Finds the states of a video from samples of its luma; see `debriefer.media.slides`.

    May be shared between threads; each call takes the whole stabilizer for itself and releases the GIL.
    """

    def __new__(cls) -> Stabilizer: ...
    def push(
        self, luma: NDArray[Any], width: int, height: int, line_size: int, pts: float
    ) -> tuple[tuple[int, float] | None, tuple[int, float] | None, int, bool]:
        """Take one sample, without a copy.

        Args:
            luma: Contiguous `uint8` array of one dimension: rows of luma, `line_size` bytes apart.
            width: Pixels in a row; as in the samples before.
            height: Rows; as in the samples before.
            line_size: Bytes from one row to the next.
            pts: When the sample came into view, in seconds; later than the one before.

        Returns:
            The state that the sample *before* turned out to show, if it is new, as (number, when its change began);
            the scene without a still picture that ended before this sample, likewise; how well this sample shows the
            newest state (2 exactly, 1 but for something small, 0 not); whether it is the calmest of its scene so far.

        Raises:
            MediaError: The sizes do not fit the array or the samples before, or time runs backwards.
            ValueError: `finish` was called.
        """
    def hold(self, pts: float) -> tuple[int, float] | None:
        """Say that the last sample stayed in view until `pts` seconds; returns a state that this made known.

        Raises:
            ValueError: `finish` was called.
        """
    def compact(self) -> list[int]:
        """Unite what can be united already; returns the numbers of states whose pictures are not needed any more.

        Raises:
            ValueError: `finish` was called.
        """
    def finish(
        self, pts: float
    ) -> tuple[
        tuple[int, float] | None,
        tuple[int, float] | None,
        list[FoundSlide],
        list[tuple[int, int, int, int]],
        int,
    ]:
        """End the video at `pts` seconds.

        Returns:
            A state and a scene that only the end made known, as `push` gives them; the slides in order of time;
            regions that move by themselves as (left, top, right, bottom) in pixels; how many scenes or slides beyond
            the bound were left out.

        Raises:
            ValueError: It was called before.
        """

@final
class FoundSlide:
    """One slide, as the stabilizer gives it."""

    @property
    def state(self) -> int:
        """Number of the state whose frame shows it."""
    @property
    def start(self) -> float:
        """When the change that brought it began, in seconds."""
    @property
    def end(self) -> float:
        """When the next change began, in seconds."""
    @property
    def revisit_of(self) -> int | None:
        """Place in the list of the earlier slide that it shows again."""
    @property
    def change(self) -> Literal["first", "cut", "fade", "partial", "revisit"]:
        """How it came into view."""
    @property
    def changed(self) -> list[tuple[int, int, int, int]]:
        """What a partial change changed: (left, top, right, bottom) in pixels."""
    @property
    def moving(self) -> bool:
        """Whether it stands for a scene in which nothing stood still."""

@final
class PacketRhythm:
    """What the coded packets of a video tell."""

    @property
    def readable(self) -> bool:
        """Whether candidates can be taken from it."""
    @property
    def reason(self) -> str:
        """Why, or why not, in one sentence."""
    @property
    def bursts(self) -> list[tuple[float, float]]:
        """Stretches in which the picture may change, in seconds."""
    @property
    def keyframes(self) -> list[float]:
        """Times of keyframes, in seconds."""
    @property
    def interval(self) -> float:
        """The usual distance of keyframes in seconds; 0 where there is only one."""

def packet_rhythm(times: list[float], sizes: list[int], keys: list[bool]) -> PacketRhythm:
    """Read the rhythm of a video's packets.

    Args:
        times: When each is shown, in seconds, in order.
        sizes: Bytes of each.
        keys: Whether each is a keyframe.

    Raises:
        MediaError: The lists differ in length.
    """

@final
class SqliteSource:
    """An opened SQLite file, read without any DuckDB extension; nothing is ever written to or beside it.

    Each read opens a connection of its own and releases the GIL, so several threads may read at once.
    """

    @property
    def tables(self) -> list[tuple[str, Literal["table", "view"]]]:
        """Name and kind in order of creation; internal and shadow tables are left out."""
    def declared(self, name: str) -> tuple[list[tuple[str, str, bool, int]], list[tuple[str, str, str]]]:
        """Return what the file declares about a table or view.

        Returns:
            Columns as (name, declared type or `""`, whether NOT NULL, place in the primary key from 1 or 0), in order,
            and foreign keys as (column, other table, its column), in the order of the declaration.

        Raises:
            SourceError: The file holds no table or view of that name, or is damaged or locked.
        """
    def read(self, name: str) -> SourceTable:
        """Read one table or view whole.

        Types come from every stored value, not from the declaration: integers give BIGINT, integers and reals DOUBLE
        (DECIMAL where a DOUBLE would round one of the integers), texts VARCHAR (dates too: SQL written for SQLite
        compares them as text), BLOBs BLOB. Numbers beside texts give VARCHAR, unless every text stands for a missing
        value (`''`, `NULL`, `N/A`): then those are NULL. Where nothing is stored the declared affinity decides.
        Notes: `mixed-types`, `null-tokens`, `wide-numbers`, `date-text`, `blob-text`, `encoding`.

        Raises:
            SourceError: No such name, a damaged page, a lock, or a view that fails or never ends.
        """

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
    @property
    def hints(self) -> list[tuple[str, str, int]]:
        """Column, code and count of each note that is about one column, such as `("share", "percent-text", 12)`.

        Codes of a reading that a text column offers: `percent-text`, `currency-text`, `scaled-text` (万, 亿),
        `decimal-comma-text`, `thousands-text`, `leading-zeros`, `number-text`, `date-text`, `time-text`. Others:
        `null-tokens` (became NULL), `null-like-text` (stayed text), `padded-cells`, `infinite-values`.
        """
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
        """Around fields with delimiters or line breaks; `"` where the file has none, `None` where quotes are text."""
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

def assign_names(sources: list[tuple[str, str | None]]) -> list[tuple[str, list[str], list[str]]]:
    """Give every table of a catalog its name and its aliases.

    Where several tables ask for one name, each gets a source prefix (`shop__orders`): for a table in a file the file's
    stem, for a file its folder or ending, at last the whole path. What still clashes gets a number, in the order of
    paths.

    Args:
        sources: For each table the path below the context folder, with `/` between its parts, and the name inside the
            file (`None` where the file is one table). No pair may occur twice.

    Returns:
        For each source, in its order, the canonical name, the aliases and those that it cannot have: `df_<name>`,
        `t_<name>` for a reserved word, the name in the source's own spelling, and for a file that is one table its file
        name. Names are unique without regard to case or width; an alias that equals another table's name or alias goes
        to no one and stands in the third list. The answer depends on the set of sources only, not on their order.
    """

def unique_columns(names: list[str]) -> list[str]:
    """Return column names in the source's own spelling, unique without regard to case or width, none of them empty.

    Outer white space goes and a line break inside becomes a space. An empty name becomes `column_<i>`, counted from 1;
    a repeated one gets the first of `name_2`, `name_3`, … that no other column has.
    """

def reserved_words() -> list[str]:
    """Return the words that cannot name a table in DuckDB without quotes, sorted, in lower case."""

def renamed_columns(sources: list[str], columns: list[str]) -> tuple[str, str, int, list[str]] | None:
    """Return a note on the columns that did not keep their source's name, or `None` where all did.

    Args:
        sources: Names as the source spells them; white space around them is no part of them.
        columns: Names that `unique_columns` made of them, in the same order.

    Returns:
        Code, message, count and at most three samples, as in `SourceTable.notes`.
    """

def null_tokens() -> list[str]:
    """Return the spellings of "no value" (`NA`, `-`, `无`, …) that the readers know, the most frequent first.

    In a column of numbers or dates they are NULL, and a note counts them; in a column of text they stay text.
    """

def read_delimited(path: str | PathLike[str]) -> list[SourceTable]:
    """Read CSV, TSV or a relative of theirs, with types from all its rows.

    Encoding, delimiter, quoting, preamble, header and footer are found; what was decided or repaired stands in the
    table's notes. A column has a type only where printing its values gives the file's values back: `000021`, `1E5` and
    `1,234` stay text.

    Args:
        path: A file of less than 4 GiB.

    Returns:
        A table named after the file's stem, its columns `BOOLEAN`, `BIGINT`, `HUGEINT`, `DOUBLE`, `DECIMAL(p,s)`,
        `DATE`, `TIMESTAMP` or `VARCHAR`. Where several tables stand one below the other (a line repeats half of the
        header's names, but not the header), the others follow as `<stem>_2`, `<stem>_3` and so on.

    Raises:
        SourceError: If the file cannot be read or holds no delimited text.
    """

def sniff_dialect(path: str | PathLike[str]) -> Dialect:
    """Find how a delimited file is written, as `read_delimited` would read it.

    Raises:
        SourceError: If the file cannot be read or holds no delimited text.
    """

def open_sqlite(path: str | PathLike[str]) -> SqliteSource:
    """Open a SQLite file, whatever its ending.

    A file with a write-ahead log or an interrupted transaction is read from a copy with that log applied.

    Raises:
        SourceError: The file is empty, no SQLite database, encrypted, damaged or locked for more than 1.5 seconds.
    """

def read_json(path: str | PathLike[str]) -> list[SourceTable]:
    """Read a JSON or JSON Lines file as one table or several, whatever its encoding.

    Read as one table called like the file: a list of records, of lists or of values; `{"records": […]}` with other keys
    beside it; equally long lists by column; pandas' `split`, `index` and default form; one object; one value a line.
    Several lists of records in one object give a table each, `<stem>_<key>`, and one row `<stem>` of what is left.

    Types come from all records: integers BIGINT, beyond 64 bits HUGEINT; fractions DOUBLE, DECIMAL where a DOUBLE would
    round; truth values BOOLEAN; texts VARCHAR (codes stay text), or DATE and TIMESTAMP where all are ISO dates; objects
    and lists JSON, compact, with numbers as they were written; what is mixed VARCHAR or JSON. Missing keys are NULL.
    Notes: `title`, `metadata`, `rejected-lines`, `stray-values`, `ragged-rows`, `duplicate-keys`, `renamed-columns`,
    `mixed-types`, `null-tokens`, `wide-numbers`, `nan`, `nan-in-json`, `lone-surrogates`, `encoding`.

    Raises:
        SourceError: The file is no JSON (line and column are given), holds single values only or nothing, is nested
            more than 512 levels deep, or is larger than 2 GiB.
    """

def read_workbook(path: str | PathLike[str]) -> list[SourceTable]:
    """Read every sheet of an xlsx, xlsm, xlsb, xls or ods file that holds cells.

    A workbook with one such sheet gives a table called like the file, else tables are called like their sheets. Rows
    above the header are left out and noted; a header merged over two rows is joined by `_`; cells merged over several
    rows hold their value in each; formulas give the value last computed, their errors NULL. Days are DATE, TIMESTAMP
    where one has a time; times alone and durations are text (`30:00:00`); whole numbers are BIGINT.
    Notes: `title`, `hidden-sheet`, `preamble`, `no-header`, `multi-row-header`, `merged-cells`, `empty-columns`,
    `blank-rows`, `renamed-columns`, `formula-errors`, and those of `read_json` for a column's type.

    Raises:
        SourceError: The file is empty, damaged, protected by a password, larger than 1 GiB, or holds no cells.
    """

def detect_kind(
    path: str | PathLike[str],
) -> (
    Literal["sqlite", "parquet", "workbook", "json", "jsonl", "delimited", "document", "video", "audio", "image"] | None
):
    """Return what a file is, by its content first and its ending second; `None` for what no task uses.

    A file whose ending promises a table keeps that kind though its content does not fit (an empty CSV, a compressed
    JSON, an encrypted database), so that its reader says what is wrong. A `.txt` is a document unless four lines in
    five hold one delimiter equally often (one in two below a folder `csv`); a `.md` is always a document.

    Raises:
        SourceError: The file cannot be opened.
    """

@final
class Rewrite:
    """One stretch of a statement that was rewritten."""

    @property
    def kind(self) -> str:
        """What kind of repair it is.

        `quote` (another dialect's quotes), `restore` (a name got its real spelling), `string` (a double-quoted value),
        `width` (a full-width or typographic mark), `space` (words set apart), `function` or `clause` (another
        dialect's).
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
    """Table and column names, compiled once for any number of statements.

    `temporal`, `lists` and `dates` name the columns of a date or time type, those of a list type and those of days
    without a time, by table; `macros` says that statements run where the catalog's macros are.
    """

    def __new__(
        cls,
        tables: Mapping[str, Sequence[str]] | None = None,
        aliases: Mapping[str, str] | None = None,
        temporal: Mapping[str, Sequence[str]] | None = None,
        lists: Mapping[str, Sequence[str]] | None = None,
        dates: Mapping[str, Sequence[str]] | None = None,
        *,
        macros: bool = False,
    ) -> SqlSchema: ...
    def normalize(self, sql: str) -> NormalizedSql:
        """Return `sql` with its form made right; see `debriefer.normalize_sql`.

        Raises:
            SqlError: A name has two real spellings, or a double-quoted name none.
        """

def nearest_names(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """Return at most `count` of `names`, the fewest edits from `name` first, without those with little in common."""

def tokenize_sql(sql: str) -> list[tuple[str, int, int]]:
    """Return kind, first byte and byte behind the last of each token, white space and comments included."""

def common_places(one: Sequence[int], others: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """Return for each of `others` the places at which it has an item in common with `one`.

    Pairs of places, both rising, as many as there can be; of several ways the one with the fewest gaps. Time and memory
    are those of the product of the lengths.
    """

def normalise_column(
    values: Sequence[str], unit: str | None = None, *, first_day: bool = False
) -> tuple[list[str], str, str, list[str], list[str]]:
    """Bring written values to one form, all of them or none; see `debriefer.documents.normalising`.

    Returns:
        Operations, SQL type, unit of the values, units as written, values.
    """

def read_text(path: str | PathLike[str]) -> tuple[str, str]:
    """Return a file's text and how it is spelled; any encoding that the readers of tables know.

    Raises:
        SourceError: The file cannot be read, is empty or holds no text.
    """

@final
class ValueIndex:
    """An opened index of cells; use `debriefer.catalog.ValueIndex`.

    The file is mapped into memory and may be shared between threads; every method releases the GIL.
    """

    @staticmethod
    def open(path: str | PathLike[str]) -> ValueIndex:
        """Open an index.

        Raises:
            CatalogError: There is none, it is damaged, or it is of another version.
        """
    @property
    def fingerprint(self) -> str:
        """What the index was built from, as the builder named it."""
    @property
    def cells(self) -> int:
        """Number of distinct cells, counted by column."""
    @property
    def left_out(self) -> int:
        """Number of cells that are too long to be found."""
    def verify(self) -> None:
        """Compare the whole file with its checksums.

        Raises:
            CatalogError: They differ.
        """
    def find(
        self, question: str, limit: int
    ) -> list[tuple[int, int, str, str, str, int, Literal["exact", "normalised", "near", "part"], float]]:
        """Return the cells that a question may speak of.

        Args:
            question: A text of any length.
            limit: Most cells of one span and way of finding.

        Returns:
            First character of the span, the character after its last, table, column, cell, how often the column holds
            it, kind and score, in the order of spans, best first within one.

        Raises:
            CatalogError: The file is damaged.
        """
    def spelt(
        self, text: str, limit: int
    ) -> list[tuple[int, int, str, str, str, int, Literal["exact", "normalised", "near", "part"], float]]:
        """Return the cells that a text spells as a whole, but for case, width, punctuation or the form of a number.

        Args:
            text: The text.
            limit: Most cells.

        Returns:
            As for `find`.

        Raises:
            CatalogError: The file is damaged.
        """

@final
class ValueIndexBuilder:
    """Builds an index of cells; memory is bounded, whatever their number. Every method releases the GIL."""

    def __new__(cls, target: str | PathLike[str]) -> ValueIndexBuilder:
        """Begin an index at `target`, which appears when it is complete."""
    def column(self, table: str, column: str) -> None:
        """Begin a column, to which the cells that follow belong."""
    def add(self, cells: object, numeric: bool) -> None:
        """Take distinct cells of the column.

        Args:
            cells: Any object with `__arrow_c_stream__`: a column of texts and a column of counts (int64).
            numeric: Whether the column is one of numbers.

        Raises:
            CatalogError: The stream holds something else, or a temporary file cannot be written.
        """
    def finish(self, fingerprint: str) -> None:
        """Write the index.

        Args:
            fingerprint: What it was built from.

        Raises:
            CatalogError: It was written already, or cannot be written.
        """
