"""Names of tables and columns: the rules stand in Rust, `rust/tables/src/names.rs`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from debriefer import _core


def canonical_name(stem: str) -> str:
    """Return the SQL name under which a source called `stem` is registered.

    The name is brought to NFKC first, so that full-width forms and their usual counterparts are one name. Letters of
    any script, digits and underscores are kept, everything else becomes an underscore; a leading digit gets the
    prefix `t_`; the result is lower case. Reserved words stay as they are (`order`) and must be quoted; in a catalog
    they also get the alias `t_order`.

    Args:
        stem: File name without its ending, or a table name inside a database.

    Returns:
        A name that is unique once the catalog has added source prefixes. Never empty: an empty stem gives `t_`,
        `(%)` gives `___`.

    Source: naming rules of the unified data layer (section 3.2 of its specification).

    >>> canonical_name("2024 Sales")
    't_2024_sales'
    >>> canonical_name("公司名单(最终)")
    '公司名单_最终_'
    """
    return _core.canonical_name(stem)


def canonical_names(stems: Sequence[str]) -> list[str]:
    """Return `canonical_name` of every stem, in order, at the cost of one call.

    >>> canonical_names(["Members", "（备注）"])
    ['members', '_备注_']
    """
    return _core.canonical_names(list(stems))


class AssignedName(NamedTuple):
    """What a table is called.

    Attributes:
        name: Canonical name.
        aliases: Other names that mean this table alone.
        contested: Aliases that it would have, were they not another table's name or claimed by another too.
    """

    name: str
    aliases: list[str]
    contested: list[str]


def assign_names(sources: Sequence[tuple[str, str | None]]) -> list[AssignedName]:
    """Give every table of a catalog its canonical name and its aliases, unique without regard to case or width.

    Args:
        sources: For each table the path below the context folder, with `/` between its parts, and the name inside the
            file (`None` where the file is one table). No pair may occur twice.

    Returns:
        For each source, in its order, the name and the aliases. They depend on the set of sources, not on their order.

    >>> assign_names([("csv/users.csv", None), ("db/shop.db", "users")])[1].name
    'shop__users'
    """
    return [AssignedName(*assigned) for assigned in _core.assign_names(list(sources))]


def unique_columns(names: Sequence[str]) -> list[str]:
    """Return column names in the source's own spelling, unique without regard to case or width, none of them empty.

    >>> unique_columns(["Name", "name", ""])
    ['Name', 'name_2', 'column_3']
    """
    return _core.unique_columns(list(names))


def reserved_words() -> list[str]:
    """Return the words that cannot name a table in DuckDB without quotes, sorted, in lower case."""
    return _core.reserved_words()
