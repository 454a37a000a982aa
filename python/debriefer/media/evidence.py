"""What videos show and say as tables beside the task's own, in a side file of the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from debriefer.catalog.side_file import side_file, typed_frame
from debriefer.media.store import VideoStore

KIND = "video"

# The fixed tables: name, and one SELECT over a store's tables for each. `$video` is the video's name.
_TABLES: Mapping[str, str] = {
    "video_slides": """
        SELECT $video AS video, f.slide_id AS slide, s.t0 AS t_start, s.t1 AS t_end, f.pts_s AS t_frame,
            s.change AS change, s.revisit_of AS revisit_of, s.title AS title, f.blob_ref AS picture,
            l.hiccup AS layout, l.note AS note
        FROM frame f JOIN span s ON s.id = f.id LEFT JOIN layout l ON l.frame_id = f.id
        WHERE f.kind = 'slide' ORDER BY slide""",
    "video_text": """
        SELECT $video AS video, f.slide_id AS slide, t.t0 AS t_start, t.t1 AS t_end, t.role AS role, t.text AS text,
            t.state AS state, t.conf AS confidence, t.bbox[1] AS x0, t.bbox[2] AS y0, t.bbox[3] AS x1, t.bbox[4] AS y1
        FROM text t JOIN frame f ON f.id = t.frame_id WHERE t.source = 'ocr' ORDER BY t.id""",
    "video_tables": """
        SELECT $video AS video, f.slide_id AS slide, c.table AS table_no, c.row AS row_no, c.column AS column_no,
            h.text AS column_name, c.text AS text, c.header AS is_header, c.state AS state, c.conf AS confidence
        FROM cell c JOIN frame f ON f.id = c.frame_id
        LEFT JOIN cell h ON h.frame_id = c.frame_id AND h.table = c.table AND h.row = 1 AND h.column = c.column
            AND h.header
        ORDER BY slide, table_no, row_no, column_no""",
    "narration": """
        SELECT $video AS video, t.t0 AS t_start, t.t1 AS t_end,
            (SELECT max(s.slide_id) FROM span s WHERE s.level = 'slide' AND s.t0 <= (t.t0 + t.t1) / 2) AS slide,
            t.text AS text, t.lang AS language, t.conf AS confidence
        FROM text t WHERE t.source = 'asr' ORDER BY t.id""",
}


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table of a slide whose first row heads its columns and whose rows are all as long.

    Attributes:
        slide: Number of the slide.
        table: Number of the table on it.
        header: Texts of the first row.
        rows: Texts of the others; empty for a blank cell.
    """

    slide: int
    table: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def write_evidence(stores: Mapping[str, VideoStore], target: Path) -> tuple[str, ...]:
    """Write the side file of some videos and return the names of its tables.

    `video_slides`, `video_text`, `video_tables` (one row a cell) and `narration` are always there, with rows of all
    videos. A table of a slide that is clean - a header, rows of equal length - becomes a table of its own too,
    `video_table_<slide>_<number>`, typed as a file of the task would be; those of a second video begin with `video2_`.

    Args:
        stores: Store by the video's name, in the order of names.
        target: The file, replaced if it exists.

    Raises:
        duckdb.Error: The file cannot be written.
    """
    source = ", ".join(stores)
    with side_file(target, KIND, source) as side:
        for name, query in _TABLES.items():
            side.add(name, pl.concat([_frame(store, query, video) for video, store in stores.items()]), source, name)
        for place, (video, store) in enumerate(stores.items(), start=1):
            prefix = "video" if place == 1 else f"video{place}"
            for grid in _clean(store):
                label = f"slide {grid.slide}, table {grid.table}"
                side.add(f"{prefix}_table_{grid.slide}_{grid.table}", typed_frame(grid.header, grid.rows), video, label)
    return tuple(table.name for table in side.tables)


def _frame(store: VideoStore, query: str, video: str) -> pl.DataFrame:
    with store.connect() as connection:
        return pl.DataFrame(connection.sql(query, params={"video": video}))


def _clean(store: VideoStore) -> Iterator[_Grid]:
    """Yield the tables of a store that can stand as tables of their own."""
    rows = store.sql(
        "SELECT f.slide_id, c.table, c.row, list(c.text ORDER BY c.column), bool_and(c.header) FROM cell c "
        "JOIN frame f ON f.id = c.frame_id GROUP BY ALL ORDER BY 1, 2, 3"
    )
    grids: dict[tuple[int, int], list[tuple[tuple[str, ...], bool]]] = {}
    for slide, table, _, texts, header in rows:
        grids.setdefault((slide, table), []).append((tuple(texts), header))
    for (slide, table), lines in grids.items():
        (first, heads), *rest = lines
        body = tuple(texts for texts, _ in rest)
        named = all(text.strip() for text in first) and len({text.casefold() for text in first}) == len(first)
        even = len(first) > 1 and bool(body) and all(len(texts) == len(first) for texts in body)
        if even and named and (heads or _looks_like_header(first, body)):
            yield _Grid(slide, table, first, body)


def _looks_like_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether a row without marked headers heads the others: they hold digits, and it holds none."""
    return not any(map(_has_digit, first)) and any(any(map(_has_digit, texts)) for texts in body)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)
