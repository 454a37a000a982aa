"""A Polars frame as DuckDB scans it without pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ArrowStream"]


class ArrowStream:
    """Hands a frame to DuckDB through Arrow's C stream interface alone.

    DuckDB knows a Polars frame as such and asks pyarrow, which is not a dependency, to convert it; any other object
    with `__arrow_c_stream__` it scans by itself.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule of a new stream over the frame."""
        return self._frame.__arrow_c_stream__(requested_schema)
