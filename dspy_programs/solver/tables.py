"""Tables of the catalog as the model reads them: what is there, of which type, with which values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

import duckdb

from debriefer.catalog import Catalog, ColumnProfile, Table
from debriefer.catalog.identifiers import quote_identifier
from debriefer.errors import SqlError
from debriefer.models import neutralise

_KINDS = {"delimited": "CSV", "json": "JSON", "sqlite": "SQLite", "workbook": "XLSX", "parquet": "Parquet"}
_CELL_CHARACTERS = 60
_SAMPLE_ROWS = 2
# Examples come from the first rows: any value would do, and these are the same on each run.
_EXAMPLE_ROWS = 200
_NOTES_SHOWN = 3
# A larger table is not measured: counting the different values of all its columns would take longer than it tells.
_MOST_CELLS_MEASURED = 50_000_000
# Different values that are listed, and the characters that they may take.
_KINDS_LISTED = 6
_KIND_CHARACTERS = 24
# The line that counts the tables that are not listed.
_MORE_SIZE = 60


def describe_tables(
    catalog: Catalog,
    folded: Collection[str] = (),
    budget: int | None = None,
    *,
    question: str = "",
    count: Callable[[str], int] = len,
    without_kinds: Collection[str] = (),
    without: Collection[str] = (),
) -> str:
    """Describe the tables of a catalog for a prompt.

    A table shows its source, rows, columns with type, nullability, an example and a profile (how many different
    values, which, or from where to where; what they look like), and sample rows. To fit a budget the sample rows
    go first, then the profiles, then tables are folded to one line, those that share least with the question first;
    what was left out is said. A folded table stays queryable.

    Args:
        catalog: The catalog.
        folded: Canonical names of tables that were judged irrelevant.
        budget: Largest size of the description in the units of `count`, or `None` for no limit.
        question: Text whose words decide which tables are folded last.
        count: Size of a text; characters where nothing is given.
        without_kinds: Kinds of tables that are not described at all.
        without: Names of tables that are not described at all.

    Returns:
        The description, in the order of table names; the same text for the same catalog.
    """
    tables = [table for table in catalog.tables.values() if not (table.kind in without_kinds or table.name in without)]
    described = {table.name: _describe(catalog, table) for table in tables if table.name not in folded}
    shown = {table.name: _fold(table, "judged irrelevant") for table in tables}
    closing = _refusals(catalog)
    note = ""
    bare = "Sample rows and profiles" if any(levels[0] != levels[1] for levels in described.values()) else "Sample rows"
    for left_out, level in (("", 2), ("Sample rows", 1), (bare, 0)):
        shown |= {name: levels[level] for name, levels in described.items()}
        note = f"{left_out} are left out to fit the model's window." if left_out else ""
        text = _join([*([note] if note else []), *shown.values(), *closing])
        if budget is None or count(text) <= budget:
            return text
    limit = budget or 0
    size = count(_join([note, *shown.values(), *closing]))
    order = _least_relevant({name: levels[0] for name, levels in described.items()}, question)
    for name in order:
        if size <= limit:
            break
        line = _fold(catalog.tables[name], "folded to fit the model's window")
        size -= count(shown[name]) - count(line)
        shown[name] = line
    if size > limit:
        # Thousands of tables: even a line each is too much. Those judged irrelevant go first.
        gone = _beyond(shown, [*sorted(set(shown) - set(order)), *order], size - limit + _MORE_SIZE, count)
        shown = {name: line for name, line in shown.items() if name not in gone}
        closing.append(f"({len(gone)} more tables are not listed here; `\\tables` of `explore_data` lists them)")
    return _join([note, *shown.values(), *closing])


def _beyond(shown: Mapping[str, str], order: Sequence[str], excess: int, count: Callable[[str], int]) -> set[str]:
    """Return the first tables in `order` without which the description is `excess` smaller; never the last one."""
    gone: set[str] = set()
    for name in order[:-1]:
        if excess <= 0:
            break
        excess -= count(shown[name]) + 1
        gone.add(name)
    return gone


def words(text: str) -> set[str]:
    """Return what a text can be found by: words and identifiers in lower case, pairs of neighbouring CJK characters.

    >>> sorted(words("Sales of 公司名"))
    ['of', 'sales', '公司', '司名']
    """
    lowered = text.casefold()
    found = {word for word in re.findall(r"[^\W_]+", re.sub(r"[一-鿿]+", " ", lowered)) if len(word) > 1}
    for run in re.findall(r"[一-鿿]+", lowered):
        found.update(run[i : i + 2] for i in range(len(run) - 1))
    return found


def _describe(catalog: Catalog, table: Table) -> tuple[str, str, str]:
    """Return the description of a table without profile and sample rows, without sample rows, and whole."""
    examples, rows = _first_values(catalog, table)
    profiles = _profiles(catalog, table)
    nulls = {p.name for p in profiles.values() if p.nulls} if profiles else _nullable(catalog, table)
    lines = [
        _heading(table),
        f"  table: {quote_if_needed(table.name)}    rows: {table.row_count}    columns: {len(table.columns)}",
        "  columns:",
    ]
    told: list[str] = []
    width = min(28, max((len(column.name) for column in table.columns), default=0))
    for column in table.columns:
        example = examples.get(column.name)
        shown = "" if example is None else f"  e.g. {_example(example)}"
        nullable = "Y" if column.name in nulls else "N"
        line = f"  - {column.name:<{width}}  type={column.sql_type}  nullable={nullable}{shown}"
        lines.append(line)
        profile = profiles.get(column.name)
        told.append(line if profile is None else f"{line}{_profile(profile)}")
    rest: list[str] = []
    if table.primary_key:
        rest.append(f"  primary key: {', '.join(table.primary_key)}")
    rest += [f"  reference: {key.column} → {key.to_table}.{key.to_column}" for key in table.foreign_keys]
    notes = [note.message for note in catalog.notes if note.table == table.name][:_NOTES_SHOWN]
    rest += [f"  note: {note}" for note in notes]
    bare = neutralise("\n".join([*lines, *rest]))
    profiled = [*lines[: len(lines) - len(told)], *told, *rest]
    if not rows:
        return bare, neutralise("\n".join(profiled)), neutralise("\n".join(profiled))
    samples = [f"    {' | '.join(_cell(value) for value in row)}" for row in rows[:_SAMPLE_ROWS]]
    return bare, neutralise("\n".join(profiled)), neutralise("\n".join([*profiled, "  sample rows:", *samples]))


def _profiles(catalog: Catalog, table: Table) -> dict[str, ColumnProfile]:
    """Return the profile of each column; none for a table that the sample rows show whole or that is too large."""
    names = {column.name.casefold() for column in table.columns}
    cells = table.row_count * len(table.columns)
    # Two columns of one name cannot be told apart by SQL.
    if table.row_count <= _SAMPLE_ROWS or cells > _MOST_CELLS_MEASURED or len(names) < len(table.columns):
        return {}
    try:
        return {profile.name: profile for profile in catalog.profile(table.name)}
    except (SqlError, duckdb.Error):
        # What cannot be measured is described without.
        return {}


def _profile(profile: ColumnProfile) -> str:
    """Return what the values of a column are, in a few words: `  3 distinct: a, b, c  looks like a code`."""
    values = [value for value, _ in profile.top]
    if profile.minimum is None:
        return "  no value"
    parts = ["unique" if profile.unique else f"{profile.distinct} distinct"]
    if 0 < profile.distinct <= len(values) <= _KINDS_LISTED:
        parts[0] += f": {', '.join(_kind(value) for value in sorted(values))}"
    elif profile.sql_type != "VARCHAR" or profile.looks_like == "date":
        parts.append(f"{_kind(profile.minimum)} … {_kind(profile.maximum or '')}")
    if profile.looks_like is not None:
        parts.append(profile.looks_like)
    if profile.unit is not None:
        parts.append(f"in {profile.unit}")
    if profile.number_expression is not None:
        parts.append(f"read as numbers by {profile.number_expression}")
    return f"  [{'; '.join(parts)}]"


def _kind(value: str) -> str:
    flat = " ".join(value.split())
    return flat if len(flat) <= _KIND_CHARACTERS else flat[: _KIND_CHARACTERS - 1] + "…"


def _first_values(catalog: Catalog, table: Table) -> tuple[dict[str, object], Sequence[tuple[object, ...]]]:
    """Return the first value of each column that is not NULL, and the first rows."""
    if not table.columns:
        return {}, ()
    preview = catalog.preview(f"FROM {quote_identifier(table.name)} LIMIT {_EXAMPLE_ROWS}", limit=_EXAMPLE_ROWS)
    examples: dict[str, object] = {}
    for index, column in enumerate(table.columns):
        value = next((row[index] for row in preview.rows if row[index] is not None), None)
        if value is not None:
            examples[column.name] = value
    return examples, preview.rows


def _nullable(catalog: Catalog, table: Table) -> set[str]:
    """Return the names of the columns that hold a NULL, from the whole table."""
    if not table.columns or not table.row_count:
        return set()
    counts = ", ".join(f"count({quote_identifier(column.name)})" for column in table.columns)
    try:
        row = catalog.preview(f"SELECT {counts} FROM {quote_identifier(table.name)}", limit=1).rows[0]
    except SqlError:
        # Two columns of one name cannot be told apart by SQL; then nothing is promised of any.
        return {column.name for column in table.columns}
    return {column.name for column, present in zip(table.columns, row, strict=True) if present < table.row_count}


def _heading(table: Table) -> str:
    kind = _KINDS.get(table.kind, table.kind)
    inner = f" :: {table.source_name}" if table.kind in {"sqlite", "workbook"} else ""
    return f"[{kind}] context/{table.source}{inner}"


def _fold(table: Table, reason: str) -> str:
    schema = f"\\schema {table.name}"
    return neutralise(
        f"{_heading(table)}\n  table: {quote_if_needed(table.name)}    rows: {table.row_count}    "
        f"columns: {len(table.columns)}    ({reason}; `explore_data` shows it with `{schema}`)"
    )


def _refusals(catalog: Catalog) -> list[str]:
    return [neutralise(f"[unreadable] context/{item.source}: {item.message}") for item in catalog.refusals]


def _least_relevant(descriptions: dict[str, str], question: str) -> list[str]:
    """Return table names, those whose description shares least with the question first, ties by size then name."""
    wanted = words(question)
    return sorted(
        descriptions,
        key=lambda name: (len(wanted & words(descriptions[name])), -len(descriptions[name]), name),
    )


def _join(descriptions: Sequence[str]) -> str:
    return "\n\n".join(descriptions) or "There is no table. The question cannot be answered by SQL on data."


def quote_if_needed(name: str) -> str:
    """Return a name as it can be written in SQL: plain where it is a plain identifier, else quoted."""
    if re.fullmatch(r"[^\W\d]\w*", name) and duckdb.tokenize(name) == [(0, duckdb.token_type.identifier)]:
        return name
    return quote_identifier(name)


def _example(value: object) -> str:
    return repr(_cell(value)) if isinstance(value, str) else _cell(value)


def _cell(value: object) -> str:
    text = "NULL" if value is None else " ".join(str(value).split())
    return text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"
