"""The claim as tables beside the catalog, so that values are adopted or compared by SQL and never retyped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from debriefer.catalog.side_file import side_file, typed_frame
from debriefer.judgement.model import VideoVerdict

KIND = "claim"
CLAIM_TABLE = "video_claim"
NORMALIZED_TABLE = "video_claim_normalized"
CELLS_TABLE = "video_claim_cells"


def write_claim(verdict: VideoVerdict, target: Path) -> tuple[str, ...]:
    """Write the side file of a claim and return the names of its tables; none and no file without a claim.

    `video_claim` holds the values as they are written on the slides, `video_claim_normalized` the same in the data's
    units and formats: one row a row of the answer, in its order, under the names of the target columns, typed as a file
    of the task would be. `video_claim_cells` has one row a cell: where it was read and whether a slide shows it.

    Raises:
        duckdb.Error: The file cannot be written.
    """
    target.unlink(missing_ok=True)
    if not verdict.claimed_values:
        return ()
    header = column_names(verdict)
    source = ", ".join(verdict.source_frames) or "video"
    with side_file(target, KIND, source) as side:
        side.add(CLAIM_TABLE, typed_frame(header, verdict.claimed_values), source, "as it is written on the slides")
        normalized = verdict.normalized_values or verdict.claimed_values
        side.add(NORMALIZED_TABLE, typed_frame(header, normalized), source, verdict.conversion or "in the data's units")
        side.add(CELLS_TABLE, _cells(verdict, header), source, "where each value was read")
    return tuple(table.name for table in side.tables)


def column_names(verdict: VideoVerdict) -> list[str]:
    """Return a name for each column of the claim: the target columns', or `column_1` and so on."""
    width = len(verdict.claimed_values[0])
    names = [name.rpartition(".")[2].strip('"`[] ') for name in verdict.target_columns]
    if len(names) == width and all(names) and len({name.casefold() for name in names}) == width:
        return names
    return [f"column_{number}" for number in range(1, width + 1)]


def _cells(verdict: VideoVerdict, header: Sequence[str]) -> pl.DataFrame:
    missing = {(cell.row, cell.column) for cell in verdict.unsupported}
    rows = [
        (i, j, header[j - 1], cell.value, ", ".join(cell.slides) or None, (i, j) not in missing)
        for i, row in enumerate(verdict.cells(), start=1)
        for j, cell in enumerate(row, start=1)
    ]
    schema = {
        "row_no": pl.Int64,
        "column_no": pl.Int64,
        "column_name": pl.String,
        "value": pl.String,
        "slides": pl.String,
        "is_on_slide": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
