"""The columns of a catalog as a reader of questions sees them: words, kinds, keys and what names a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from debriefer.catalog import Catalog, Table
from debriefer.catalog.identifiers import quote_identifier
from debriefer.linking.words import compact, root, split_name

Kind = Literal["number", "date", "text"]

_NUMBER_TYPE = re.compile(r"TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|FLOAT|DOUBLE|DECIMAL|REAL", re.IGNORECASE)
_DATE_TYPE = re.compile(r"^(DATE|TIMESTAMP|DATETIME)", re.IGNORECASE)
_DATE_VALUE = re.compile(r"^\d{4}([-/.年]\d{1,2}([-/.月]\d{1,2}.*)?月?日?)?年?$")
_DATE_WORDS = frozenset({"date", "time", "year", "datetime", "day", "created", "updated"})
_DATE_NAME_ZH = re.compile(r"(时间|日期|年份|年度|年月)$")
# Words that say in what a number is counted, never what it is a number of.
UNIT_WORDS = frozenset(
    [
        "million",
        "billion",
        "thousand",
        "usd",
        "dollar",
        "eur",
        "km",
        "m",
        "cm",
        "mm",
        "kg",
        "g",
        "mb",
        "gb",
        "percent",
        "percentage",
        "pct",
        "sqft",
        "sqm",
        "mile",
    ]
)
_NAMES_ZH = ("名称", "姓名", "名字", "名", "全称", "标题", "题目")
_PLAIN_NAMES_ZH = _NAMES_ZH[:3]
# Ranks of `_name_rank`.
_OWN_NAME, _SOME_NAME, _NO_NAME = 1, 3, 5
_FLAGS = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("是", "否"), ("有", "无"), ("有", "没有"))
_NUMERAL = "[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(,[0-9]{3})+)([.][0-9]+)? ?%?"
_SAMPLE = 200


@dataclass(frozen=True, slots=True)
class Field:
    """A column.

    Attributes:
        table: Canonical name of its table.
        name: Name in the source's spelling.
        kind: What its values are compared as.
        words: Stems of its name.
        key: Whether its name says that it identifies rows (`id`, `code` of a key, `公司id`).
        unique: Whether no value occurs twice.
        stored_as: DuckDB type.
        distinct: Number of different values.
        flag: The cells that say yes and no, where the column holds nothing else.
    """

    table: str
    name: str
    kind: Kind
    words: tuple[str, ...]
    key: bool
    unique: bool
    stored_as: str
    distinct: int
    flag: tuple[str, str] | None = None

    @property
    def dated(self) -> bool:
        """Whether the name says that the values are dates, in whatever form."""
        return bool({"date", "datetime", "year"} & set(self.words)) or bool(_DATE_NAME_ZH.search(compact(self.name)))

    @property
    def numeric(self) -> bool:
        """Whether the column is stored as a number."""
        return bool(_NUMBER_TYPE.match(self.stored_as))


@dataclass(frozen=True, slots=True)
class Entity:
    """A table.

    Attributes:
        table: As the catalog has it.
        words: Stems of its name.
        fields: Its columns by name, in order.
        name_fields: The columns that name a row for a person.
        named: Whether their names say that they do; else they only differ from row to row.
        key_fields: The columns that identify a row.
    """

    table: Table
    words: tuple[str, ...]
    fields: Mapping[str, Field]
    name_fields: tuple[Field, ...]
    named: bool
    key_fields: tuple[Field, ...]

    @property
    def name(self) -> str:
        """Canonical name of the table."""
        return self.table.name


class Schema:
    """Every table and column of a catalog, read once."""

    def __init__(self, catalog: Catalog) -> None:
        """Measure the columns of `catalog`."""
        self.entities: dict[str, Entity] = {}
        for table in catalog.source_tables:
            self.entities[table.name] = _entity(catalog, table)

    def fields(self) -> Iterator[Field]:
        """Yield every field, tables by name, columns in order."""
        for entity in self.entities.values():
            yield from entity.fields.values()

    def field(self, table: str, column: str) -> Field:
        """Return one field."""
        return self.entities[table].fields[column]


def _entity(catalog: Catalog, table: Table) -> Entity:
    words = split_name(table.source_name)
    fields: dict[str, Field] = {}
    if table.columns:
        counts = ", ".join(
            f"count(DISTINCT {quote_identifier(c.name)}), count({quote_identifier(c.name)})" for c in table.columns
        )
        measured = catalog.preview(f"SELECT {counts} FROM {quote_identifier(table.name)}", 1).rows[0]
        for position, column in enumerate(table.columns):
            distinct, present = measured[2 * position], measured[2 * position + 1]
            unique = distinct > 0 and distinct == present == table.row_count
            name_words = split_name(column.name)
            fields[column.name] = Field(
                table=table.name,
                name=column.name,
                kind=_kind(catalog, table, column.name, column.sql_type, name_words),
                words=name_words,
                key=_is_key(column.name, name_words, table),
                unique=unique or (table.primary_key == (column.name,)),
                stored_as=column.sql_type,
                distinct=distinct,
                flag=_flag(catalog, table, column.name)
                if distinct in (1, 2) and column.sql_type == "VARCHAR"
                else None,
            )
    names, named = _name_fields(words, table, fields)
    return Entity(table, words, fields, names, named, _key_fields(table, fields))


def _kind(catalog: Catalog, table: Table, column: str, sql_type: str, words: tuple[str, ...]) -> Kind:
    if _DATE_TYPE.match(sql_type):
        return "date"
    dated = bool(_DATE_WORDS & set(words[-2:])) or _DATE_NAME_ZH.search(compact(column)) is not None
    if _NUMBER_TYPE.match(sql_type):
        return "number"
    if dated:
        sample = catalog.preview(
            f"SELECT DISTINCT {quote_identifier(column)}::VARCHAR AS v FROM {quote_identifier(table.name)} "
            f"WHERE {quote_identifier(column)} IS NOT NULL ORDER BY v LIMIT {_SAMPLE}",
            _SAMPLE,
        ).rows
        if sample and sum(_DATE_VALUE.match(v) is not None for (v,) in sample) >= len(sample) * 0.8:
            return "date"
    if not _is_key(column, words, table):
        quoted = quote_identifier(column)
        # `000021` is a code, `5.8` in a column of texts is a number.
        cell = f"trim({quoted}::VARCHAR)"
        row = catalog.preview(
            f"SELECT count(*) FILTER (WHERE {cell} <> ''), count(*) FILTER (WHERE regexp_full_match({cell}, "
            f"'{_NUMERAL}')) FROM {quote_identifier(table.name)}",
            1,
        ).rows[0]
        if row[0] and row[0] == row[1]:
            return "number"
    return "text"


def _flag(catalog: Catalog, table: Table, column: str) -> tuple[str, str] | None:
    quoted = quote_identifier(column)
    found = catalog.preview(
        f"SELECT DISTINCT {quoted} AS v FROM {quote_identifier(table.name)} WHERE {quoted} IS NOT NULL ORDER BY v", 2
    )
    cells = [cell for (cell,) in found.rows]
    for yes, no in _FLAGS:
        if {cell.casefold() for cell in cells} <= {yes, no}:
            return (
                next((c for c in cells if c.casefold() == yes), yes),
                next((c for c in cells if c.casefold() == no), no),
            )
    return None


def _is_key(column: str, words: tuple[str, ...], table: Table) -> bool:
    text = compact(column)
    if "id" in words or "uuid" in words or "uid" in words or text.endswith(("id", "编号", "代码", "编码")):
        return text not in ("paid", "valid", "bid", "aid", "grid")
    return column in table.primary_key and words[-1:] in (("code",), ("number",), ("key",))


def _name_fields(words: tuple[str, ...], table: Table, fields: Mapping[str, Field]) -> tuple[tuple[Field, ...], bool]:
    """Return the fields that name a row, and whether their names say so."""
    candidates = [field for field in fields.values() if not field.numeric and not field.key]
    title = compact(table.source_name)
    ranks = [(_name_rank(field, words, title), place) for place, field in enumerate(candidates)]
    rank, place = min(ranks, default=(_NO_NAME, 0))
    first = next((f for f in candidates if f.words[-2:] == ("first", "name") or f.words == ("forename",)), None)
    last = next((f for f in candidates if f.words[-2:] == ("last", "name") or f.words == ("surname",)), None)
    if first is not None and last is not None and rank > _OWN_NAME:
        return (first, last), True
    if rank < _NO_NAME:
        field = candidates[place]
        core = compact(field.name).removesuffix("名称").removesuffix("名")
        return (field,), rank < _SOME_NAME or field.name.isascii() or (bool(core) and core in title)
    # Without a name, the first text that differs in most rows tells rows apart for a person.
    telling = [f for f in candidates if f.kind == "text" and f.distinct * 2 > max(table.row_count, 1)]
    return tuple(telling[:1]), False


def _name_rank(field: Field, words: tuple[str, ...], title: str) -> int:
    """Return how surely a column names the rows of a table called `title`: 0 is surest, `_NO_NAME` not at all."""
    name, own = compact(field.name), field.words
    tests = (
        own in (("name",), (*words, "name"))
        or name in _PLAIN_NAMES_ZH
        or (name.startswith(title) and name[len(title) :] in _NAMES_ZH),
        name == title or tuple(map(root, own)) == tuple(map(root, words)),
        own in (("title",), (*words, "title")) or own[-2:] == ("full", "name"),
        name.endswith(_NAMES_ZH)
        or (own[-1:] == ("name",) and (bool(set(own) & set(words)) or not {"first", "last"} & set(own))),
        own[-1:] == ("title",),
    )
    return next((rank for rank, holds in enumerate(tests) if holds), _NO_NAME)


def _key_fields(table: Table, fields: Mapping[str, Field]) -> tuple[Field, ...]:
    if table.primary_key:
        return tuple(fields[name] for name in table.primary_key if name in fields)
    keys = [field for field in fields.values() if field.unique and field.key]
    return (keys[0],) if keys else ()
