"""Any file -> one DuckDB file: names, readers, the SQL door."""

from debriefer.catalog.catalog import CATALOG_FILE, Catalog, Preview
from debriefer.catalog.door import NormalizedSql, Rewrite, SqlDoor, normalize_sql
from debriefer.catalog.model import Column, ForeignKey, Note, Refusal, Table
from debriefer.catalog.names import canonical_name
from debriefer.catalog.profile import ColumnProfile
from debriefer.catalog.values import ValueHit, ValueIndex

__all__ = [
    "CATALOG_FILE",
    "Catalog",
    "Column",
    "ColumnProfile",
    "ForeignKey",
    "NormalizedSql",
    "Note",
    "Preview",
    "Refusal",
    "Rewrite",
    "SqlDoor",
    "Table",
    "ValueHit",
    "ValueIndex",
    "canonical_name",
    "normalize_sql",
]
