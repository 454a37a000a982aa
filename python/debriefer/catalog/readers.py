"""INTERIM readers (pure Python) until the Rust ones are merged; same shape."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from debriefer.errors import SourceError


TABLE_KINDS = frozenset({"delimited", "json", "sqlite", "workbook", "parquet"})


@dataclass
class Readable:
    """A table that can be registered with DuckDB."""

    name: str
    kind: str
    frame: pl.DataFrame
    notes: list[tuple[str, str, int, list[str]]] = field(default_factory=list)
    declared: dict[str, str] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[tuple[str, str, str], ...] = ()

    @property
    def columns(self) -> list[tuple[str, str]]:
        kinds = {pl.Int64: "BIGINT", pl.Float64: "DOUBLE", pl.Boolean: "BOOLEAN", pl.Date: "DATE", pl.Datetime: "TIMESTAMP"}
        return [(n, kinds.get(t.base_type(), "VARCHAR")) for n, t in self.frame.schema.items()]

    @property
    def rows(self) -> int:
        return self.frame.height

    @property
    def stream(self) -> object:
        return _Stream(self.frame)


def detect_kind(path: Path) -> str | None:
    head = path.open("rb").read(16)
    if head.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if head.startswith(b"PAR1"):
        return "parquet"
    return {".csv": "delimited", ".tsv": "delimited", ".json": "json", ".md": "document"}.get(path.suffix.lower())


def _typed(values: list[Any]) -> list[Any]:
    present = [v for v in values if v is not None]
    if all(isinstance(v, int) for v in present):
        return values
    if all(isinstance(v, (int, float)) for v in present):
        return [None if v is None else float(v) for v in values]
    return [None if v is None else v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values]


def read(path: Path, kind: str) -> Iterator[Readable | SourceError]:
    if kind == "sqlite":
        con = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        con.text_factory = lambda b: b.decode(errors="replace")
        for (name,) in con.execute("select name from sqlite_master where type in ('table','view') and name not like 'sqlite_%' order by name").fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            cur = con.execute(f"select * from {quoted}")
            names = [d[0] for d in cur.description]
            rows = cur.fetchall()
            info = con.execute(f"pragma table_info({quoted})").fetchall()
            fks = tuple((r[3], r[2], r[4] or r[3]) for r in con.execute(f"pragma foreign_key_list({quoted})").fetchall())
            cols = {n: pl.Series(n, _typed([r[i] for r in rows]), strict=False, dtype=pl.String if not rows else None) for i, n in enumerate(names)}
            yield Readable(name, kind, pl.DataFrame(list(cols.values())), declared={r[1]: r[2] for r in info}, primary_key=tuple(r[1] for r in info if r[5]), foreign_keys=fks)
        return
    if kind == "json":
        data = json.loads(path.read_text("utf-8-sig"))
        records = data["records"] if isinstance(data, dict) and "records" in data else data
        names = list(dict.fromkeys(k for r in records for k in r))
        yield Readable(path.stem, kind, pl.DataFrame([pl.Series(n, _typed([r.get(n) for r in records]), strict=False) for n in names]))
        return
    raw = path.read_bytes()
    for encoding in ("utf-8-sig", "gb18030", "latin-1"):
        try:
            text = raw.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    rows = [r for r in csv.reader(text.splitlines(keepends=True)) if r]
    header, body = rows[0], rows[1:]

    def conv(vals: list[str]) -> list[Any]:
        present = [v for v in vals if v]
        for f in (int, float):
            try:
                if all((str(int(v)) == v if f is int else not (len(v) > 1 and v[0] == "0" and v[1] != ".")) for v in present):
                    return [f(v) if v else None for v in vals]
            except ValueError:
                continue
        return [v or None for v in vals]

    yield Readable(path.stem, kind, pl.DataFrame([pl.Series(n, conv([r[i] if i < len(r) else "" for r in body]), strict=False, dtype=None if body else pl.String) for i, n in enumerate(header)]))


class _Stream:
    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)
