"""What the values of a table's columns look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from debriefer.catalog.identifiers import quote_identifier, quote_literal

if TYPE_CHECKING:
    from debriefer.catalog.model import Column

# Spellings of "no value" that readers of spreadsheets and databases write; compared in lower case.
NULL_TOKENS = ("na", "n/a", "#n/a", "null", "none", "nan", "-", "--", "\\n", "n.a.", "无", "暂无", "/")
_TOP_VALUES = 3
_SHOWN_CHARACTERS = 40

_SIGNED = r"[-+]?\s*[$￥¥€£]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
# Forms in which a number may stand as text, tried in this order: each column gets the first that fits all of it.
_NUMBER_FORMS: tuple[tuple[str, str], ...] = (
    ("numbers", r"[-+]?\d+(?:\.\d+)?"),
    ("percentage", rf"{_SIGNED}\s*[%％]"),
    ("thousands separators", r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d{1,3}(?:\.\d+)?"),
    ("scale or currency", rf"{_SIGNED}\s*(?:万亿|百万|千万|万|亿)?(?:元|美元)?"),
)
_DATE_FORM = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}[/.]\d{1,2}[/.]\d{4}"
_CODE_FORM = r"0\d+"

# The reading of numbers that stay text: `to_number('1,234.5')` is 1234.5, `'12.5%'` is 12.5, `'￥3.2亿'` is 3.2e8.
TO_NUMBER_MACRO = (
    "CREATE MACRO to_number(value) AS CASE WHEN regexp_full_match(trim(value::VARCHAR), "
    rf"'{_SIGNED}\s*(?:万亿|百万|千万|万|亿)?(?:[%％元]|美元)?') "
    r"THEN TRY_CAST(regexp_replace(value::VARCHAR, '[^0-9.+-]', '', 'g') AS DOUBLE) "
    "* CASE WHEN contains(value::VARCHAR, '万亿') THEN 1e12 WHEN contains(value::VARCHAR, '亿') THEN 1e8 "
    "WHEN contains(value::VARCHAR, '百万') THEN 1e6 WHEN contains(value::VARCHAR, '千万') THEN 1e7 "
    "WHEN contains(value::VARCHAR, '万') THEN 1e4 ELSE 1 END END"
)


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
        null_tokens: Text cells that spell "no value" (`N/A`, `-`); they are kept as text.
        text_form: `numbers`, `percentage`, `thousands separators`, `scale or currency`, `date` or `codes with leading
            zeros` where every other text cell has that form, else `None`.
        number_expression: SQL that reads the column as numbers where `text_form` is a form of number.
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

    def line(self) -> str:
        """Return the profile as one line of text."""
        parts = [f"{self.name} {self.sql_type}", f"{self.distinct} distinct", f"{self.nulls} null"]
        if self.minimum is not None:
            parts.append(f"{_short(self.minimum)} … {_short(self.maximum or '')}")
        if self.top:
            parts.append("top " + ", ".join(f"{_short(value)} ×{count}" for value, count in self.top))
        if self.null_tokens:
            parts.append(f"{self.null_tokens} cells spell no value")
        if self.text_form is not None:
            parts.append(f"text in the form of {self.text_form}")
        if self.number_expression is not None:
            parts.append(f"as numbers: {self.number_expression}")
        return "; ".join(parts)


def profile_columns(cursor: Any, table: str, columns: Sequence[Column]) -> list[ColumnProfile]:  # noqa: ANN401
    """Return a profile of each column, in order.

    Args:
        cursor: DuckDB cursor on the catalog.
        table: Canonical name.
        columns: The table's columns.
    """
    return [_profile_column(cursor, quote_identifier(table), column) for column in columns]


def _profile_column(cursor: Any, table: str, column: Column) -> ColumnProfile:  # noqa: ANN401
    name = quote_identifier(column.name)
    # JSON has no order of its own, a BLOB none that a person could read.
    value = f"{name}::VARCHAR" if column.sql_type in {"JSON", "BLOB"} else name
    rows, present, distinct, minimum, maximum = cursor.execute(
        f"SELECT count(*), count({name}), count(DISTINCT {value}), min({value})::VARCHAR, max({value})::VARCHAR "
        f"FROM {table}"
    ).fetchone()
    top = cursor.execute(
        f"SELECT {value}::VARCHAR AS v, count(*) AS n FROM {table} WHERE {name} IS NOT NULL "
        f"GROUP BY 1 ORDER BY n DESC, v LIMIT {_TOP_VALUES}"
    ).fetchall()
    tokens, form, expression = (0, None, None)
    if column.sql_type == "VARCHAR" and present:
        tokens, form, expression = _text_form(cursor, table, name)
    # Where all values differ, the most frequent ones say nothing.
    frequent = tuple((str(v), n) for v, n in top) if distinct < present else ()
    return ColumnProfile(
        name=column.name,
        sql_type=column.sql_type,
        rows=rows,
        nulls=rows - present,
        distinct=distinct,
        minimum=minimum,
        maximum=maximum,
        top=frequent,
        null_tokens=tokens,
        text_form=form,
        number_expression=expression,
    )


def _text_form(cursor: Any, table: str, name: str) -> tuple[int, str | None, str | None]:  # noqa: ANN401
    tokens = ", ".join(quote_literal(token) for token in NULL_TOKENS)
    forms = [*_NUMBER_FORMS, ("date", _DATE_FORM), ("codes with leading zeros", _CODE_FORM)]
    counts = ", ".join(
        f"count(*) FILTER (regexp_full_match(trim({name}), {quote_literal(pattern)}))" for _, pattern in forms
    )
    row = cursor.execute(
        f"SELECT (SELECT count(*) FROM {table} WHERE lower(trim({name})) IN ({tokens})), count(*), {counts} "
        f"FROM {table} WHERE {name} IS NOT NULL AND trim({name}) <> '' AND lower(trim({name})) NOT IN ({tokens})"
    ).fetchone()
    null_tokens, others, *matching = row
    if not others:
        return null_tokens, None, None
    leading_zeros = matching.pop()
    for (form, _), count in zip(forms, matching, strict=False):
        # Digits alone are a number form too, but a column with codes such as 000021 is none.
        if count == others and not leading_zeros:
            number = any(form == known for known, _ in _NUMBER_FORMS)
            return null_tokens, form, f"to_number({name})" if number else None
    return null_tokens, "codes with leading zeros" if leading_zeros else None, None


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[: _SHOWN_CHARACTERS - 1] + "…"
