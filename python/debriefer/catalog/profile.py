"""What the values of a table's columns look like."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from debriefer import _core
from debriefer.catalog.identifiers import quote_identifier, quote_literal
from debriefer.catalog.looks import CODE_CELL, Looks, looks_like, unit_of
from debriefer.catalog.numbers import NUMBER_BEGINNING, NUMBER_FORMS

if TYPE_CHECKING:
    from debriefer.catalog.model import Column

_TOP_VALUES = 6
# How many of them one line shows.
_TOP_SHOWN = 3
_SHOWN_CHARACTERS = 40
# Columns that are looked at in one statement: a table of thousands is taken in parts.
_COLUMNS_AT_ONCE = 64

_DATE_FORM = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[/.]\d{1,2}[/.]\d{4}"
_CODE_FORM = r"0\d+"
_ARTICLES: dict[Looks, str] = {"id": "an", "code": "a", "date": "a", "amount": "an", "ratio": "a"}


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The values of one column, seen as a whole.

    Attributes:
        name: Column name.
        sql_type: DuckDB type.
        rows: Rows of the table.
        nulls: Rows without a value.
        distinct: Number of distinct values.
        minimum: Smallest value as text, or `None` where there is no value.
        maximum: Largest value as text, or `None`.
        top: The most frequent values with their counts, ties by value.
        null_tokens: Text cells that spell "no value" (`N/A`, `-`) as the readers know it; they are kept as text.
        text_form: Name of a `NumberForm`, `date` or `codes with leading zeros` where every other text cell has that
            form, else `None`.
        number_expression: SQL that reads the column as numbers where `text_form` is a form of number.
        looks_like: `id`, `code`, `date`, `amount` or `ratio`, or `None` where the column is none of them.
        unit: Unit that the name ends on (`万元` of `收入(万元)`, `kg` of `weight_kg`), or `None`.
    """

    name: str
    sql_type: str
    rows: int
    nulls: int
    distinct: int
    minimum: str | None
    maximum: str | None
    top: tuple[tuple[str, int], ...]
    null_tokens: int = 0
    text_form: str | None = None
    number_expression: str | None = None
    looks_like: Looks | None = None
    unit: str | None = None

    @property
    def unique(self) -> bool:
        """Whether no value occurs twice and none is missing."""
        return 0 < self.distinct == self.rows

    def line(self) -> str:
        """Return the profile as one line of text."""
        parts = [f"{self.name} {self.sql_type}", f"{self.distinct} distinct", f"{self.nulls} null"]
        if self.minimum is not None:
            parts.append(f"{_short(self.minimum)} … {_short(self.maximum or '')}")
        if self.top:
            parts.append("top " + ", ".join(f"{_short(value)} ×{count}" for value, count in self.top[:_TOP_SHOWN]))
        if self.null_tokens:
            parts.append(f"{self.null_tokens} cells spell no value")
        if self.text_form is not None:
            parts.append(f"text in the form of {self.text_form}")
        if self.number_expression is not None:
            parts.append(f"as numbers: {self.number_expression}")
        if self.looks_like is not None:
            parts.append(f"looks like {_ARTICLES[self.looks_like]} {self.looks_like}")
        if self.unit is not None:
            parts.append(f"unit {self.unit}")
        return "; ".join(parts)


def profile_columns(cursor: Any, table: str, columns: Sequence[Column]) -> list[ColumnProfile]:  # noqa: ANN401
    """Return a profile of each column, in order.

    Three statements a table at most, whatever the number of its columns (a table of more than 64 is taken in parts):
    one counts, one finds the frequent values of the columns that have any, and one tests the forms of texts that begin
    as numbers do.

    Args:
        cursor: DuckDB cursor on the catalog.
        table: Canonical name.
        columns: The table's columns.
    """
    profiles: list[ColumnProfile] = []
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        profiles += _profile_some(cursor, quote_identifier(table), columns[start : start + _COLUMNS_AT_ONCE])
    return profiles


def _profile_some(cursor: Any, table: str, columns: Sequence[Column]) -> list[ColumnProfile]:  # noqa: ANN401
    counted = _counted(cursor, table, columns)
    frequent = _frequent(cursor, table, [c for c, counts in zip(columns, counted, strict=True) if counts.repeats])
    matching = _matching(cursor, table, [c for c, counts in zip(columns, counted, strict=True) if counts.may_have_form])
    profiles = []
    for column, counts in zip(columns, counted, strict=True):
        form, expression = counts.form(quote_identifier(column.name), matching.get(column.name, ()))
        profiles.append(
            ColumnProfile(
                name=column.name,
                sql_type=column.sql_type,
                rows=counts.rows,
                nulls=counts.rows - counts.present,
                distinct=counts.distinct,
                minimum=counts.minimum,
                maximum=counts.maximum,
                top=frequent.get(column.name, ()),
                null_tokens=counts.tokens,
                text_form=form,
                number_expression=expression,
                looks_like=looks_like(
                    column.name,
                    column.sql_type,
                    unique=0 < counts.distinct == counts.rows,
                    minimum=counts.minimum,
                    maximum=counts.maximum,
                    text_form=form,
                    codes=counts.codes == counts.others > 0,
                ),
                unit=unit_of(column.name),
            )
        )
    return profiles


@dataclass(frozen=True, slots=True)
class _Counts:
    """What one pass over a column counts."""

    rows: int
    present: int
    distinct: int
    minimum: str | None
    maximum: str | None
    tokens: int = 0
    others: int = 0
    longest: int = 0
    begin_as_numbers: int = 0
    codes: int = 0

    @property
    def repeats(self) -> bool:
        """Whether a value occurs twice: where all differ, the most frequent ones say nothing."""
        return self.distinct < self.present

    @property
    def may_have_form(self) -> bool:
        """Whether all text cells but those without a value begin as numbers and dates do."""
        return self.begin_as_numbers == self.others > 0

    def form(self, name: str, matching: Sequence[int]) -> tuple[str | None, str | None]:
        """Return the form that all text cells have but those without a value, and SQL that reads it as numbers."""
        if not matching:
            return None, None
        *numbers, dates, codes = matching
        if codes:
            # Digits alone are a number form too, but a column with codes such as 000021 is none.
            return ("codes with leading zeros" if numbers[0] == self.others else None), None
        for form, count in zip(NUMBER_FORMS, numbers, strict=True):
            if count == self.others and self.longest >= form.longest_at_least:
                return form.name, form.reads.format(name)
        return ("date" if dates == self.others else None), None


def _counted(cursor: Any, table: str, columns: Sequence[Column]) -> list[_Counts]:  # noqa: ANN401
    tokens = _tokens()
    inner, outer, widths = [], ["count(*)"], []
    for place, column in enumerate(columns):
        value, text = f"v{place}", f"t{place}"
        inner.append(f"{_value(column)} AS {value}")
        aggregates = [f"count({value})", f"count(DISTINCT {value})", f"min({value})::VARCHAR", f"max({value})::VARCHAR"]
        if column.sql_type == "VARCHAR":
            trimmed = f"trim({_value(column)})"
            inner.append(f"CASE WHEN {trimmed} <> '' AND {trimmed} NOT IN ({tokens}) THEN {trimmed} END AS {text}")
            aggregates += [
                f"count(*) FILTER (trim({value}) IN ({tokens}))",
                f"count({text})",
                f"coalesce(max(length({text})), 0)",
                f"count(*) FILTER (regexp_matches({text}, '{NUMBER_BEGINNING}'))",
                f"count(*) FILTER (regexp_full_match({text}, '{CODE_CELL}'))",
            ]
        outer += aggregates
        widths.append(len(aggregates))
    row = cursor.execute(f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {table})").fetchone()
    rows, cells = row[0], iter(row[1:])
    return [_Counts(rows, *itertools.islice(cells, width)) for width in widths]


def _matching(cursor: Any, table: str, columns: Sequence[Column]) -> dict[str, tuple[int, ...]]:  # noqa: ANN401
    """Return how many cells of each column of text have each form of number, are dates, and are codes."""
    if not columns:
        return {}
    tokens = _tokens()
    patterns = [*(form.pattern for form in NUMBER_FORMS), _DATE_FORM, _CODE_FORM]
    inner = [f"trim({_value(column)}) AS t{place}" for place, column in enumerate(columns)]
    outer = [
        f"count(*) FILTER (t{place} NOT IN ({tokens}) AND regexp_full_match(t{place}, '{pattern}'))"
        for place in range(len(columns))
        for pattern in patterns
    ]
    row = cursor.execute(f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {table})").fetchone()
    width = len(patterns)
    return {column.name: row[place * width : (place + 1) * width] for place, column in enumerate(columns)}


def _tokens() -> str:
    return ", ".join(quote_literal(token) for token in _core.null_tokens())


def _frequent(cursor: Any, table: str, columns: Sequence[Column]) -> dict[str, tuple[tuple[str, int], ...]]:  # noqa: ANN401
    """Return the most frequent values of each column with their counts, ties by value."""
    if not columns:
        return {}
    parts = [
        f"(SELECT {place} AS place, {_value(column)}::VARCHAR AS v, count(*) AS n FROM {table} "
        f"WHERE {quote_identifier(column.name)} IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT {_TOP_VALUES})"
        for place, column in enumerate(columns)
    ]
    rows = cursor.execute(f"{' UNION ALL '.join(parts)} ORDER BY place, n DESC, v").fetchall()
    return {
        column.name: tuple((str(value), count) for at, value, count in rows if at == place)
        for place, column in enumerate(columns)
    }


def _value(column: Column) -> str:
    name = quote_identifier(column.name)
    # JSON has no order of its own, a BLOB none that a person could read.
    return f"{name}::VARCHAR" if column.sql_type in {"JSON", "BLOB"} else name


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[: _SHOWN_CHARACTERS - 1] + "…"
