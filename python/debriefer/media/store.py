"""One store a video: a folder of Parquet parts that DuckDB reads as tables, and pictures beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from debriefer.errors import MediaError
from debriefer.media.briefing import Briefing, View
from debriefer.media.grid import cells, leaves
from debriefer.media.slide import Box

STORE_VERSION = 1
# Stretches into which a long video is cut, coarsest first; their ids name the level and the place.
_LEVELS = (300, 60)

_BOX = pl.List(pl.Int32)
# Tables of symphony.md, section 7, with what a slide briefing adds: `layout`, `cell`, and columns at the end.
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "video": {
        "id": pl.String, "sha256": pl.String, "duration": pl.Float64, "time_base": pl.String, "streams": pl.String,
        "name": pl.String, "width": pl.Int32, "height": pl.Int32, "method": pl.String, "reason": pl.String,
        "narration_reason": pl.String, "notes": pl.List(pl.String),
    },
    "frame": {
        "id": pl.String, "pts_s": pl.Float64, "kind": pl.String, "blob_ref": pl.String, "w": pl.Int32, "h": pl.Int32,
        "dhash": pl.String, "sharpness": pl.Float64, "scene_id": pl.String, "slide_id": pl.Int32,
        "representative_of": pl.String,
    },
    "span": {
        "id": pl.String, "t0": pl.Float64, "t1": pl.Float64, "level": pl.String, "parent": pl.String,
        "slide_id": pl.Int32, "change": pl.String, "revisit_of": pl.Int32, "title": pl.String,
    },
    "text": {
        "id": pl.String, "t0": pl.Float64, "t1": pl.Float64, "source": pl.String, "lang": pl.String, "text": pl.String,
        "bbox": _BOX, "role": pl.String, "conf": pl.Float64, "frame_id": pl.String, "producer": pl.String,
        "state": pl.String,
    },
    "vector": {"item": pl.String, "model": pl.String, "dim": pl.Int32, "data": pl.List(pl.Float32)},
    "call": {
        "key": pl.String, "model": pl.String, "prompt_version": pl.String, "frame_ids": pl.List(pl.String),
        "response": pl.String, "tokens": pl.Int64, "cost": pl.Float64, "error": pl.String,
    },
    "evidence": {
        "run": pl.String, "claim": pl.String, "t0": pl.Float64, "t1": pl.Float64, "frame_ids": pl.List(pl.String),
        "text_ids": pl.List(pl.String), "stance": pl.String, "confidence": pl.Float64,
    },
    "layout": {"frame_id": pl.String, "hiccup": pl.String, "producer": pl.String, "note": pl.String},
    "cell": {
        "frame_id": pl.String, "table": pl.Int32, "row": pl.Int32, "column": pl.Int32, "text": pl.String,
        "header": pl.Boolean, "state": pl.String, "conf": pl.Float64, "bbox": _BOX,
    },
    "word": {
        "id": pl.String, "segment": pl.String, "t0": pl.Float64, "t1": pl.Float64, "text": pl.String,
        "conf": pl.Float64,
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VideoStore:
    """The store of one video.

    Attributes:
        folder: Holds one folder a table with its parts (`text/part-0000.parquet`).
        pictures: Folder in which `frame.blob_ref` lies.
    """

    folder: Path
    pictures: Path

    @classmethod
    def write(cls, briefing: Briefing, folder: Path, pictures: Path) -> VideoStore:
        """Write a briefing as a new store into `folder`, in place of one that stands there."""
        store = cls(folder, pictures)
        for table, rows in _tables(briefing).items():
            for part in (folder / table).glob("part-*.parquet"):
                part.unlink()
            store.append(table, rows)
        return store

    @classmethod
    def open(cls, folder: Path, pictures: Path | None = None) -> VideoStore:
        """Open the store in `folder`; its pictures lie in the folder above where nothing else is said.

        Raises:
            MediaError: There is no store.
        """
        if not (folder / "video").is_dir():
            message = f"`{folder}` is no store of a video"
            raise MediaError(message, hint="make one with `debriefer video FILE`")
        return cls(folder, folder.parent if pictures is None else pictures)

    def append(self, table: str, rows: Iterable[Mapping[str, Any]]) -> Path:
        """Write rows as one more part of a table; what later stages find out goes there. A part is never changed.

        Raises:
            KeyError: There is no such table.
        """
        schema = SCHEMAS[table]
        place = self.folder / table
        place.mkdir(parents=True, exist_ok=True)
        number = len(list(place.glob("part-*.parquet")))
        part = place / f"part-{number:04d}.parquet"
        partial = part.with_suffix(".partial")
        pl.DataFrame(list(rows), schema=dict(schema)).write_parquet(partial)
        partial.rename(part)
        return part

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a connection in which every table of the store is a view."""
        connection = duckdb.connect()
        connection.execute("SET preserve_insertion_order = true; SET TimeZone = 'UTC'")
        for table in SCHEMAS:
            parts = [str(part) for part in sorted((self.folder / table).glob("part-*.parquet"))]
            relation = connection.read_parquet(parts, union_by_name=True)
            relation.create_view(table)
        return connection

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement over the store's tables and return its rows."""
        with self.connect() as connection:
            return connection.execute(query, list(parameters)).fetchall()


def frame_id(number: int) -> str:
    """Return the id of a slide's frame.

    >>> frame_id(7)
    'slide-0007'
    """
    return f"slide-{number:04d}"


def _tables(briefing: Briefing) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in SCHEMAS}
    rows["video"].append(_video(briefing))
    rows["span"].extend(_spans(briefing))
    for view in briefing.views:
        rows["frame"].append(_frame(view))
        if view.revisit_of is not None:
            continue
        rows["text"].extend(_slide_texts(briefing, view))
        if view.layout is not None or view.note is not None:
            rows["layout"].append(
                {
                    "frame_id": frame_id(view.number),
                    "hiccup": None if view.layout is None else view.layout.hiccup,
                    "producer": briefing.layout_name,
                    "note": view.note,
                }
            )
        if view.layout is not None:
            rows["cell"].extend(
                {
                    "frame_id": frame_id(view.number),
                    "table": cell.table,
                    "row": cell.row,
                    "column": cell.column,
                    "text": cell.text,
                    "header": cell.header,
                    "state": cell.state or None,
                    "conf": cell.confidence,
                    "bbox": _edges(cell.box),
                }
                for cell in cells(view.layout.tree)
            )
    spoken = briefing.transcript
    for number, segment in enumerate(spoken.segments, start=1):
        name = f"asr-{number:05d}"
        rows["text"].append(
            {
                "id": name,
                "t0": segment.start,
                "t1": segment.end,
                "source": "asr",
                "lang": spoken.language,
                "text": segment.text.strip(),
                "role": "narration",
                "conf": segment.confidence,
                "producer": spoken.model,
                "state": "second_pass" if segment.second_pass else None,
            }
        )
        rows["word"].extend(
            {
                "id": f"{name}-{place:04d}",
                "segment": name,
                "t0": word.start,
                "t1": word.end,
                "text": word.text,
                "conf": word.probability,
            }
            for place, word in enumerate(segment.words, start=1)
        )
    return rows


def _video(briefing: Briefing) -> dict[str, Any]:
    bases = [stream["time_base"] for stream in briefing.streams if stream["type"] == "video"]
    return {
        "id": briefing.sha256[:16],
        "sha256": briefing.sha256,
        "duration": briefing.duration,
        "time_base": bases[0] if bases else None,
        "streams": json.dumps(briefing.streams, ensure_ascii=False),
        "name": briefing.video,
        "width": briefing.width,
        "height": briefing.height,
        "method": None if briefing.method is None else briefing.method.value,
        "reason": briefing.reason,
        "narration_reason": briefing.transcript.reason,
        "notes": [*briefing.notes, *briefing.transcript.notes],
    }


def _frame(view: View) -> dict[str, Any]:
    return {
        "id": frame_id(view.number),
        "pts_s": view.t_frame,
        "kind": "slide",
        "blob_ref": view.picture,
        "w": view.width,
        "h": view.height,
        "dhash": view.dhash,
        "sharpness": view.sharpness,
        "slide_id": view.number,
        "representative_of": None if view.revisit_of is None else frame_id(view.revisit_of),
    }


def _spans(briefing: Briefing) -> list[dict[str, Any]]:
    """Return even stretches and slides; a stretch lies within the coarser one at its begin.

    They cover all that is shown or said, also where the first picture comes late.
    """
    begins = [view.t_start for view in briefing.views] + [segment.start for segment in briefing.transcript.segments]
    ends = [view.t_end for view in briefing.views] + [segment.end for segment in briefing.transcript.segments]
    first, last = min(begins, default=0.0), max([briefing.duration, *ends])
    spans: list[dict[str, Any]] = []
    for place, seconds in enumerate(_LEVELS):
        start = max(0.0, first // seconds * seconds)
        while start < last:
            parent = None if place == 0 else _span_id(_LEVELS[place - 1], start)
            end = min(start + seconds, last)
            spans.append(
                {"id": _span_id(seconds, start), "t0": start, "t1": end, "level": f"{seconds}s", "parent": parent}
            )
            start += seconds
    spans.extend(
        {
            "id": frame_id(view.number),
            "t0": view.t_start,
            "t1": view.t_end,
            "level": "slide",
            "parent": _span_id(_LEVELS[-1], view.t_start),
            "slide_id": view.number,
            "change": view.change.value,
            "revisit_of": view.revisit_of,
            "title": view.title or None,
        }
        for view in briefing.views
    )
    return spans


def _span_id(seconds: int, time: float) -> str:
    return f"{seconds}s-{int(max(0.0, time) // seconds):05d}"


def _slide_texts(briefing: Briefing, view: View) -> list[dict[str, Any]]:
    if view.layout is None:
        return []
    return [
        {
            "id": f"ocr-{view.number:04d}-{place:04d}",
            "t0": view.t_start,
            "t1": view.t_end,
            "source": "ocr",
            "text": " ".join(node.text.split()),
            "bbox": _edges(node.box),
            "role": node.tag.value,
            "conf": node.confidence,
            "frame_id": frame_id(view.number),
            "producer": briefing.layout_name,
            "state": state or None,
        }
        for place, (node, state) in enumerate(leaves(view.layout.tree), start=1)
    ]


def _edges(box: Box | None) -> list[int] | None:
    return None if box is None else [box.left, box.top, box.right, box.bottom]
