"""The compiled extension: use the public functions of `debriefer`, which document and wrap these."""

__all__ = ["SourceTable", "canonical_name"]

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
